//! Any schema of a lent tool: it is taken or refused with words, and a model can be shown it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mini_me_client::tools::description::ToolDescription;
use mini_me_client::tools::registry::Registry;
use mini_me_client::tools::schema::{dropped_keywords, model_view, stray_members};
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    let Ok(schema) = serde_json::from_str::<Value>(text) else { return };
    let tool =
        json!({ "name": "x", "method": "_x", "description": "A tool.", "inputSchema": schema });
    let mut registry = Registry::new("fuzz");
    match registry.add(&tool) {
        Ok(_) => assert_eq!(registry.wire_list().len(), 1),
        Err(flaw) => assert!(!flaw.to_string().is_empty()),
    }
    // An agent is shown schemas that the registry would refuse.
    if let Ok(description) = ToolDescription::parse(&tool) {
        let shown = model_view(&description);
        assert!(shown.input_schema["properties"].is_object());
        assert!(shown.input_schema.contains_key("type"));
        let text = serde_json::to_string(&shown).unwrap();
        serde_json::from_str::<Value>(&text).expect("a model reads JSON");
    }
    if let Some(schema) = schema.as_object() {
        for pointer in dropped_keywords(schema) {
            assert!(schema_at(&Value::Object(schema.clone()), &pointer), "{pointer} is nowhere");
        }
        stray_members(schema);
    }
});

fn schema_at(schema: &Value, pointer: &str) -> bool {
    schema.pointer(pointer.trim_start_matches('#')).is_some()
}
