//! An object split into members that stay text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members in the order they came; a name may be there twice, and then the last one counts.
#[derive(Debug)]
pub(super) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The JSON text of a member.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.get())
    }

    /// The object without a member.
    pub(super) fn without(&self, name: &str) -> String {
        self.keeping(|other, _| other != name)
    }

    /// The object with the members that `is_kept` wants, by name and JSON text.
    pub(super) fn keeping(&self, is_kept: impl Fn(&str, &str) -> bool) -> String {
        let kept = self.0.iter().filter(|(name, value)| is_kept(name, value.get()));
        let kept: Vec<String> = kept
            .map(|(name, value)| format!("{}:{}", serde_json::Value::from(&**name), value.get()))
            .collect();
        format!("{{{}}}", kept.join(","))
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<Name<'de>>()? {
                    members.push((name.0, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Borrows a name that holds no escape.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
