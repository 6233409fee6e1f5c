//! A list of tools as an agent takes it: a bad entry is skipped and told, the rest is kept. Knows
//! nothing of how the list came. (`docs/protocol.md`, "Validation of a list")

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use super::description::{Flaw, ToolDescription};
use super::report::{Discovery, LogLine};

/// What an agent took of a list, and what not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TakenList {
    /// The tools, sorted by the bytes of their model names; no two names are the same.
    pub tools: Vec<ToolDescription>,
    /// The other entries, in the order of the list.
    pub skipped: Vec<Skipped>,
}

/// An entry that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Position in the list, from 0.
    pub index: usize,
    /// Its name, when it has one.
    pub name: Option<String>,
    /// Why, in the protocol's words.
    pub reason: String,
}

/// Reads the array of a list. Never fails; what is not an array holds no entries, and telling of that is
/// the caller's part, because it depends on the discovery ([`LogLine::NotAList`], [`LogLine::ListFailed`]).
#[must_use]
pub fn read_list(entries: &Value) -> TakenList {
    let mut taken = BTreeMap::new();
    let mut skipped = Vec::new();
    for (index, entry) in entries.as_array().into_iter().flatten().enumerate() {
        if let Err(flaw) = take_entry(&mut taken, entry) {
            let name = entry.get("name").and_then(Value::as_str).map(str::to_owned);
            skipped.push(Skipped { index, name, reason: flaw.reason() });
        }
    }
    TakenList { tools: taken.into_values().collect(), skipped }
}

/// Adds an entry to the tools taken so far, by model name.
fn take_entry(taken: &mut BTreeMap<String, ToolDescription>, entry: &Value) -> Result<(), Flaw> {
    let tool = ToolDescription::parse(entry)?;
    match taken.entry(tool.model_name.clone()) {
        Entry::Vacant(vacant) => {
            vacant.insert(tool);
            Ok(())
        }
        Entry::Occupied(occupied) => Err(Flaw::DuplicateName {
            model_name: tool.model_name,
            first: occupied.get().name.clone(),
            second: tool.name,
        }),
    }
}

impl TakenList {
    /// Returns the lines mm writes after it took the list: one for each skipped entry, then the names.
    /// `session` is given in `request` discovery, where a list is asked for one session.
    #[must_use]
    pub fn log_lines(&self, session: Option<&str>, discovery: Discovery) -> Vec<LogLine> {
        let skipped = self.skipped.iter().map(|entry| LogLine::EntrySkipped {
            session: None,
            index: entry.index,
            reason: entry.reason.clone(),
        });
        let taken = LogLine::Taken {
            session: session.map(str::to_owned),
            discovery,
            names: self.tools.iter().map(|tool| tool.model_name.clone()).collect(),
        };
        skipped.chain(std::iter::once(taken)).collect()
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(entries: Value, names: &[&str], skipped: &[(usize, &str)]) {
        let list = read_list(&entries);
        let taken_names: Vec<&str> =
            list.tools.iter().map(|tool| tool.model_name.as_str()).collect();
        let told: Vec<(usize, &str)> =
            list.skipped.iter().map(|s| (s.index, s.reason.as_str())).collect();
        assert_eq!((taken_names.as_slice(), told.as_slice()), (names, skipped));
    }

    fn tool(name: &str) -> Value {
        json!({"name": name, "method": "_m"})
    }

    #[test]
    fn tools_are_sorted_by_the_bytes_of_their_model_names() {
        let entries = json!([tool("zeta"), tool("a"), tool("Z"), tool("a_b"), tool("a9")]);
        check(entries, &["client_Z", "client_a", "client_a9", "client_a_b", "client_zeta"], &[]);
    }

    #[test]
    fn a_bad_entry_is_skipped_and_the_rest_is_kept() {
        check(
            json!([tool("a"), 7, tool("b")]),
            &["client_a", "client_b"],
            &[(1, "not a tool description: a number is not an object")],
        );
    }

    #[test]
    fn the_first_of_two_names_that_munge_to_the_same_is_kept() {
        let entries = json!([{"name": "open buffers", "method": "_o1"}, {"name": "open-buffers", "method": "_o2"}]);
        assert_eq!(read_list(&entries).tools[0].method, "_o1");
        check(
            entries,
            &["client_open_buffers"],
            &[(1, r#"duplicate tool name "client_open_buffers""#)],
        );
    }

    #[test]
    fn a_skipped_entry_reserves_no_name() {
        let entries = json!([{"name": "a", "method": "plain"}, tool("a")]);
        check(
            entries,
            &["client_a"],
            &[(0, r#"method "plain" must start with "_" (an ACP extension method)"#)],
        );
    }

    #[test]
    fn the_type_of_the_schema_is_told_before_the_duplicate() {
        let entries =
            json!([tool("a"), {"name": "a", "method": "_m", "inputSchema": {"type": "array"}}]);
        check(entries, &["client_a"], &[(1, r#"inputSchema.type must be "object", got "array""#)]);
    }

    #[test]
    fn two_tools_may_share_a_method() {
        check(json!([tool("a"), tool("b")]), &["client_a", "client_b"], &[]);
    }

    #[test]
    fn a_skipped_entry_keeps_its_name_when_it_has_one() {
        let list = read_list(&json!([{"name": "x"}, {"name": 5}, 1]));
        let names: Vec<Option<&str>> =
            list.skipped.iter().map(|entry| entry.name.as_deref()).collect();
        assert_eq!(names, [Some("x"), None, None]);
    }

    #[test]
    fn what_is_no_array_holds_no_entries() {
        for value in [json!(true), json!({"0": tool("a")}), json!(null)] {
            assert_eq!(read_list(&value), TakenList::default());
        }
    }

    /// The recorded dialogue `bad-entries-meta`, whose agent chose other words only after
    /// `not a tool description:`.
    #[test]
    fn the_recorded_list_of_bad_entries_gives_the_recorded_lines() {
        let entries = json!([
            "nope", 7, null, ["x"], {"name": 5, "method": "_a"}, {"method": "_a"}, {"name": "", "method": "_a"},
            {"name": "m1"}, {"name": "m2", "method": "plain/method"}, {"name": "m3", "method": ""},
            {"name": "s1", "method": "_a", "inputSchema": {"type": "string"}},
            {"name": "s2", "method": "_a", "inputSchema": {"type": ["object"]}},
            {"name": "s3", "method": "_a", "inputSchema": []}, {"name": "s4", "method": "_a", "inputSchema": null},
            {"name": "s5", "method": "_a", "inputSchema": {}}, {"name": "zeta", "method": "_z"},
            {"name": "open buffers", "method": "_o1", "description": "first"}, {"name": "open-buffers", "method": "_o2"},
            {"name": "__open  buffers!!", "method": "_o3"}, {"name": "Alpha", "method": "_A"},
            {"name": "é", "method": "_e"}, {"name": "add_todo", "method": "_t", "extra": 1}
        ]);
        let lines: Vec<String> = read_list(&entries)
            .log_lines(None, Discovery::Meta)
            .iter()
            .map(LogLine::to_string)
            .collect();
        let skipped = "[acp] client tools: entry";
        assert_eq!(lines, [
            format!("{skipped} 0 skipped: not a tool description: a string is not an object"),
            format!("{skipped} 1 skipped: not a tool description: a number is not an object"),
            format!("{skipped} 2 skipped: not a tool description: null is not an object"),
            format!("{skipped} 3 skipped: not a tool description: an array is not an object"),
            format!("{skipped} 4 skipped: not a tool description: name must be a string, got a number"),
            format!("{skipped} 5 skipped: no name"),
            format!("{skipped} 6 skipped: no name"),
            format!(r#"{skipped} 7 skipped: method "" must start with "_" (an ACP extension method)"#),
            format!(r#"{skipped} 8 skipped: method "plain/method" must start with "_" (an ACP extension method)"#),
            format!(r#"{skipped} 9 skipped: method "" must start with "_" (an ACP extension method)"#),
            format!(r#"{skipped} 10 skipped: inputSchema.type must be "object", got "string""#),
            format!(r#"{skipped} 11 skipped: inputSchema.type must be "object", got ["object"]"#),
            format!("{skipped} 12 skipped: not a tool description: inputSchema must be an object, got an array"),
            format!(r#"{skipped} 17 skipped: duplicate tool name "client_open_buffers""#),
            format!(r#"{skipped} 18 skipped: duplicate tool name "client_open_buffers""#),
            format!("{skipped} 20 skipped: no name"),
            "[acp] client tools (meta): client_Alpha, client_add_todo, client_open_buffers, client_s4, client_s5, client_zeta".to_owned(),
        ]);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a_é\\-]{0,4}".prop_map(Value::from),
            Just(json!("object"))
        ];
        leaf.prop_recursive(3, 24, 5, |inner| {
            let key = prop_oneof![Just("name"), Just("method"), Just("inputSchema"), Just("type")];
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((key, inner), 0..4).prop_map(|members| {
                    members
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect::<Value>()
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn each_entry_is_taken_or_told(entries in proptest::collection::vec(any_json(), 0..6)) {
            let count = entries.len();
            let list = read_list(&Value::Array(entries));
            prop_assert_eq!(list.tools.len() + list.skipped.len(), count);
            prop_assert!(list.tools.windows(2).all(|pair| pair[0].model_name < pair[1].model_name));
        }
    }
}
