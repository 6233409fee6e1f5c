//! The walk through a schema that takes keywords out and collects sentences. It visits the places the
//! protocol names, and never the data in `default`, `examples` and `const`.

use serde_json::{Map, Value};

/// A schema without the keywords that leave.
pub(super) struct Rewritten {
    pub(super) schema: Map<String, Value>,
    /// JSON pointers to the keywords whose meaning left with them.
    pub(super) dropped: Vec<String>,
}

/// Rewrites the schema of a tool.
pub(super) fn rewrite(schema: &Map<String, Value>) -> Rewritten {
    let mut walk = Walk::default();
    let schema = walk.node(schema, &mut Place::Root);
    Rewritten { schema, dropped: walk.dropped }
}

/// Where the walk is: what the sentences of a node are for.
enum Place {
    /// The schema's root, whose `required` is said in the tool's description.
    Root,
    /// A named property, or a node inside of one: sentences go to the property's description.
    Property(Vec<String>),
    /// No named property is near: nothing can be said.
    Unnamed,
}

#[derive(Default)]
struct Walk {
    /// Keys from the root to the current node.
    path: Vec<String>,
    dropped: Vec<String>,
}

impl Walk {
    fn node(&mut self, schema: &Map<String, Value>, place: &mut Place) -> Map<String, Value> {
        // Said first, so that a property's own values come before those of its parts.
        if let Some(values) = schema.get("enum") {
            self.say_enum(values, place);
        }
        let mut rewritten = Map::new();
        for (keyword, value) in schema {
            match keyword.as_str() {
                "enum" | "$schema" => continue,
                "required" => {
                    self.note_required(value, place);
                    continue;
                }
                "additionalProperties" if value == &Value::Bool(false) => continue,
                _ => {}
            }
            self.path.push(keyword.clone());
            let value = self.keyword(keyword, value, place);
            self.path.pop();
            rewritten.insert(keyword.clone(), value);
        }
        rewritten
    }

    /// Rewrites the value of a keyword that holds schemas, and copies that of any other.
    fn keyword(&mut self, keyword: &str, value: &Value, place: &mut Place) -> Value {
        match (keyword, value) {
            ("properties", Value::Object(properties)) => {
                self.each_member(properties, Self::property)
            }
            // What these names are for is told where they are referred to, not here.
            ("$defs" | "definitions", Value::Object(definitions)) => self
                .each_member(definitions, |walk, schema| {
                    walk.subschema(schema, &mut Place::Unnamed)
                }),
            ("items" | "additionalProperties", Value::Object(_)) => self.inner(value, place),
            ("items" | "anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => {
                let mut rewritten = Vec::with_capacity(schemas.len());
                for (index, schema) in schemas.iter().enumerate() {
                    self.path.push(index.to_string());
                    rewritten.push(self.inner(schema, place));
                    self.path.pop();
                }
                Value::Array(rewritten)
            }
            _ => value.clone(),
        }
    }

    fn each_member(
        &mut self,
        members: &Map<String, Value>,
        mut rewrite: impl FnMut(&mut Self, &Value) -> Value,
    ) -> Value {
        let mut rewritten = Map::new();
        for (name, schema) in members {
            self.path.push(name.clone());
            rewritten.insert(name.clone(), rewrite(self, schema));
            self.path.pop();
        }
        Value::Object(rewritten)
    }

    /// Rewrites a named property, and puts the sentences of all that is inside into its description.
    fn property(&mut self, schema: &Value) -> Value {
        let mut place = Place::Property(Vec::new());
        let mut rewritten = self.subschema(schema, &mut place);
        if let (Value::Object(members), Place::Property(sentences)) = (&mut rewritten, place)
            && !sentences.is_empty()
        {
            let description =
                members.get("description").and_then(Value::as_str).unwrap_or_default();
            let parts = std::iter::once(description).filter(|text| !text.is_empty());
            let text =
                parts.chain(sentences.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
            members.insert("description".to_owned(), text.into());
        }
        rewritten
    }

    /// Rewrites a node that belongs to the one around it. The root's parts are not the root.
    fn inner(&mut self, schema: &Value, place: &mut Place) -> Value {
        match place {
            Place::Property(_) => self.subschema(schema, place),
            Place::Root | Place::Unnamed => self.subschema(schema, &mut Place::Unnamed),
        }
    }

    fn subschema(&mut self, schema: &Value, place: &mut Place) -> Value {
        match schema {
            Value::Object(members) => Value::Object(self.node(members, place)),
            // `true`, `false`, and what is no schema at all.
            _ => schema.clone(),
        }
    }

    fn say_enum(&mut self, values: &Value, place: &mut Place) {
        match (values.as_array().map(Vec::as_slice), place) {
            (Some(values @ [_, ..]), Place::Property(sentences)) => {
                let words: Vec<String> = values.iter().map(word).collect();
                sentences.push(format!("One of: {}.", words.join(", ")));
            }
            _ => self.drop_keyword("enum"),
        }
    }

    fn note_required(&mut self, names: &Value, place: &Place) {
        let is_said = matches!(place, Place::Root);
        let is_empty = names.as_array().is_some_and(Vec::is_empty);
        if !is_said && !is_empty {
            self.drop_keyword("required");
        }
    }

    fn drop_keyword(&mut self, keyword: &str) {
        let mut pointer = String::new();
        for key in self.path.iter().map(String::as_str).chain([keyword]) {
            pointer.push('/');
            pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        }
        self.dropped.push(pointer);
    }
}

/// A value in a sentence: strings bare, all else as JSON text.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        _ => value.to_string(),
    }
}
