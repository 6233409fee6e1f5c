//! The description of one tool, as it travels: reading it from JSON by the rules of the protocol, and
//! writing it back. Knows nothing of lists. (`docs/protocol.md`, "Validation of a list")

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

pub use super::flaw::Flaw;
use super::name::{derived_method, model_name};
use crate::json_text::{kind_of, shown};

/// The method by which an agent asks for the list; no tool can have it.
const LIST_METHOD: &str = "_org.mini-me/tools/list";

/// The description of a tool that holds to the rules. Serializes to the form that travels.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescription {
    /// The name as its author gave it; never empty.
    pub name: String,
    /// What a model reads to decide when to call the tool.
    pub description: Option<String>,
    /// The extension method an agent calls; starts with `_`.
    pub method: String,
    /// JSON Schema of the arguments, exactly as it was given; its `type` is absent or `"object"`.
    pub input_schema: Option<Map<String, Value>>,
    /// What a model calls the tool, `client_<munged name>`.
    pub model_name: String,
}

/// How strictly a description is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Strictness<'namespace> {
    /// As an agent reads what it is offered: the protocol's rules and no more.
    Offered,
    /// As a client reads what it is going to lend: without a method one is derived from the namespace,
    /// and methods that could never be called are refused.
    Lent {
        /// Prefix of derived methods.
        namespace: &'namespace str,
    },
}

impl ToolDescription {
    /// Reads a description as an agent does. Members it does not know are ignored, and `null` is the
    /// same as an absent member.
    ///
    /// # Errors
    ///
    /// The first [`Flaw`] in the order of the protocol: shape, name, method, type of the schema.
    pub fn parse(entry: &Value) -> Result<Self, Flaw> {
        Self::read(entry, Strictness::Offered)
    }

    pub(super) fn read(entry: &Value, strictness: Strictness<'_>) -> Result<Self, Flaw> {
        let members = Members::read(entry)?;
        let name = members.name.filter(|name| !name.is_empty()).ok_or(Flaw::NoName)?;
        let Some(model_name) = model_name(name) else {
            return Err(Flaw::NameEmpty { name: name.to_owned() });
        };
        let method = read_method(members.method, name, strictness)?;
        if let Some(schema_type) = members.input_schema.and_then(|schema| schema.get("type"))
            && schema_type != "object"
        {
            return Err(Flaw::SchemaType { got: shown(schema_type) });
        }
        Ok(Self {
            name: name.to_owned(),
            description: members.description.map(str::to_owned),
            method,
            input_schema: members.input_schema.cloned(),
            model_name,
        })
    }

    /// Returns the form that travels: `{name, description?, method, inputSchema?}`.
    #[must_use]
    pub fn to_wire(&self) -> Value {
        let mut members = Map::new();
        members.insert("name".to_owned(), self.name.as_str().into());
        if let Some(description) = &self.description {
            members.insert("description".to_owned(), description.as_str().into());
        }
        members.insert("method".to_owned(), self.method.as_str().into());
        if let Some(input_schema) = &self.input_schema {
            members.insert("inputSchema".to_owned(), Value::Object(input_schema.clone()));
        }
        Value::Object(members)
    }
}

impl Serialize for ToolDescription {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_wire().serialize(serializer)
    }
}

/// The members of an entry, each of its right kind or absent.
struct Members<'entry> {
    name: Option<&'entry str>,
    description: Option<&'entry str>,
    method: Option<&'entry str>,
    input_schema: Option<&'entry Map<String, Value>>,
}

impl<'entry> Members<'entry> {
    fn read(entry: &'entry Value) -> Result<Self, Flaw> {
        let Some(entry) = entry.as_object() else {
            return Err(Flaw::Shape(format!("{} is not an object", kind_of(entry))));
        };
        Ok(Self {
            name: member(entry, "name", "a string", Value::as_str)?,
            description: member(entry, "description", "a string", Value::as_str)?,
            method: member(entry, "method", "a string", Value::as_str)?,
            input_schema: member(entry, "inputSchema", "an object", Value::as_object)?,
        })
    }
}

/// Takes a member of the kind that `take` knows; absent and `null` are `None`.
pub(super) fn member<'entry, T>(
    entry: &'entry Map<String, Value>,
    key: &str,
    expected: &str,
    take: impl FnOnce(&'entry Value) -> Option<T>,
) -> Result<Option<T>, Flaw> {
    let Some(value) = entry.get(key).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    match take(value) {
        Some(taken) => Ok(Some(taken)),
        None => Err(Flaw::Shape(format!("{key} must be {expected}, got {}", kind_of(value)))),
    }
}

fn read_method(
    given: Option<&str>,
    name: &str,
    strictness: Strictness<'_>,
) -> Result<String, Flaw> {
    let method = match (given, strictness) {
        (Some(method), _) => method.to_owned(),
        (None, Strictness::Lent { namespace }) => {
            derived_method(namespace, name).unwrap_or_default()
        }
        (None, Strictness::Offered) => String::new(),
    };
    if !method.starts_with('_') {
        return Err(Flaw::Method { method });
    }
    let is_reserved = method == "_" || method == LIST_METHOD;
    if is_reserved && matches!(strictness, Strictness::Lent { .. }) {
        return Err(Flaw::ReservedMethod { method });
    }
    Ok(method)
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(entry: Value, expected: Result<&str, &str>) {
        let parsed = ToolDescription::parse(&entry);
        let told = parsed.map(|tool| tool.model_name).map_err(|flaw| flaw.reason());
        assert_eq!(told.as_deref().map_err(String::as_str), expected, "{entry}");
    }

    #[track_caller]
    fn check_code(entry: Value, expected: &str) {
        assert_eq!(ToolDescription::parse(&entry).unwrap_err().code(), expected, "{entry}");
    }

    #[test]
    fn what_is_no_object_is_no_description() {
        check(json!("nope"), Err("not a tool description: a string is not an object"));
        check(json!(7), Err("not a tool description: a number is not an object"));
        check(json!(null), Err("not a tool description: null is not an object"));
        check(json!(["x"]), Err("not a tool description: an array is not an object"));
        check_code(json!(true), "MM_ERR_TOOL");
    }

    #[test]
    fn members_of_a_wrong_kind_are_named() {
        let tool = json!({"name": 5, "method": "_a"});
        check(tool, Err("not a tool description: name must be a string, got a number"));
        let tool = json!({"name": "a", "method": ["_a"]});
        check(tool, Err("not a tool description: method must be a string, got an array"));
        let tool = json!({"name": "a", "method": "_a", "description": {}});
        check(tool, Err("not a tool description: description must be a string, got an object"));
        let tool = json!({"name": "a", "method": "_a", "inputSchema": []});
        check(tool, Err("not a tool description: inputSchema must be an object, got an array"));
    }

    #[test]
    fn a_description_needs_a_name() {
        for tool in
            [json!({"method": "_a"}), json!({"name": "", "method": "_a"}), json!({"name": null})]
        {
            check(tool.clone(), Err("no name"));
            check_code(tool, "MM_ERR_TOOL_NAME");
        }
    }

    #[test]
    fn a_name_that_munges_to_nothing_is_no_name() {
        check(json!({"name": "é", "method": "_e"}), Err("no name"));
        check_code(json!({"name": "é", "method": "_e"}), "MM_ERR_TOOL_NAME");
    }

    #[test]
    fn the_author_of_a_name_that_munges_to_nothing_is_told_which() {
        let flaw = ToolDescription::parse(&json!({"name": "日本", "method": "_e"})).unwrap_err();
        let expected = "no name: expected a letter A-Z, a-z or a digit in the name, got \"日本\"";
        assert_eq!(flaw.to_string(), expected);
    }

    #[test]
    fn the_author_of_an_empty_name_is_told_no_more() {
        let flaw = ToolDescription::parse(&json!({"name": "", "method": "_e"})).unwrap_err();
        assert_eq!(flaw.to_string(), "no name");
    }

    #[test]
    fn a_method_starts_with_an_underscore() {
        let reason = r#"method "" must start with "_" (an ACP extension method)"#;
        check(json!({"name": "m1"}), Err(reason));
        check(json!({"name": "m3", "method": ""}), Err(reason));
        let reason = r#"method "plain/method" must start with "_" (an ACP extension method)"#;
        check(json!({"name": "m2", "method": "plain/method"}), Err(reason));
        check_code(json!({"name": "m2", "method": "plain/method"}), "MM_ERR_TOOL_METHOD");
    }

    #[test]
    fn the_type_of_a_schema_is_object_or_absent() {
        let tool = |schema: Value| json!({"name": "s", "method": "_a", "inputSchema": schema});
        check(tool(json!({"type": "object"})), Ok("client_s"));
        check(tool(json!({})), Ok("client_s"));
        check(
            tool(json!({"type": "string"})),
            Err(r#"inputSchema.type must be "object", got "string""#),
        );
        check(
            tool(json!({"type": ["object"]})),
            Err(r#"inputSchema.type must be "object", got ["object"]"#),
        );
        check(tool(json!({"type": null})), Err(r#"inputSchema.type must be "object", got null"#));
        check_code(tool(json!({"type": 1})), "MM_ERR_TOOL_SCHEMA");
    }

    #[test]
    fn null_is_the_same_as_absent() {
        check(
            json!({"name": "s4", "method": "_a", "inputSchema": null, "description": null}),
            Ok("client_s4"),
        );
    }

    #[test]
    fn unknown_members_are_ignored() {
        check(json!({"name": "add_todo", "method": "_t", "extra": 1}), Ok("client_add_todo"));
    }

    #[test]
    fn shape_comes_before_name_name_before_method_method_before_schema() {
        let shape = "not a tool description: inputSchema must be an object, got a number";
        check(json!({"inputSchema": 1}), Err(shape));
        check(json!({"method": "x"}), Err("no name"));
        let method = r#"method "x" must start with "_" (an ACP extension method)"#;
        check(json!({"name": "a", "method": "x", "inputSchema": {"type": "string"}}), Err(method));
    }

    #[test]
    fn an_agent_takes_methods_that_a_client_does_not_lend() {
        check(json!({"name": "a", "method": "_"}), Ok("client_a"));
        check(json!({"name": "a", "method": LIST_METHOD}), Ok("client_a"));
    }

    #[test]
    fn what_travels_is_what_was_given_in_the_same_order() {
        let schema = r##"{"z":{"$ref":"#/$defs/n"},"type":"object","n":1.50e2,"required":["b"],"$defs":{"n":{"enum":[null]}}}"##;
        let text = format!(
            r#"{{"inputSchema":{schema},"method":"_m","more":1,"description":"","name":"é a"}}"#
        );
        let tool = ToolDescription::parse(&serde_json::from_str(&text).unwrap()).unwrap();
        let expected = r##"{"name":"é a","description":"","method":"_m","inputSchema":{"z":{"$ref":"#/$defs/n"},"type":"object","n":150.0,"required":["b"],"$defs":{"n":{"enum":[null]}}}}"##;
        assert_eq!(serde_json::to_string(&tool).unwrap(), expected);
    }

    #[test]
    fn absent_members_do_not_travel() {
        let tool =
            ToolDescription::parse(&json!({"name": "a", "method": "_a", "description": null}))
                .unwrap();
        assert_eq!(tool.to_wire(), json!({"name": "a", "method": "_a"}));
    }

    proptest::proptest! {
        #[test]
        fn numbers_of_a_schema_travel_unchanged(number in proptest::num::f64::NORMAL) {
            let text = format!(r#"{{"name":"a","method":"_a","inputSchema":{{"n":{number:e}}}}}"#);
            let tool = ToolDescription::parse(&serde_json::from_str(&text).unwrap()).unwrap();
            let wire = tool.to_wire();
            proptest::prop_assert_eq!(wire.pointer("/inputSchema/n").and_then(Value::as_f64), Some(number));
        }
    }
}
