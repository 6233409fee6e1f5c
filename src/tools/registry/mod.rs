//! The tools a program lends: strict validation, and the index by which calls find their handler. Knows
//! nothing of handlers and sessions. (`docs/protocol.md`, "Names", "Validation of a list")

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};

use super::arguments::ArgumentCheck;
use super::description::{Flaw, Strictness, ToolDescription, member};
use super::schema::{ModelTool, is_list_of_properties, model_view, stray_members};

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "tables of json!() values read better without &")]
mod tests;

/// Names a tool of one client, whichever of its lists it is in; never given out twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolIndex(pub u32);

/// A tool that holds to every rule.
#[derive(Debug, Clone)]
pub struct RegisteredTool {
    /// What travels.
    pub description: ToolDescription,
    /// The check of a call's arguments; `None` without a schema, and with `validate: false`.
    pub check: Option<ArgumentCheck>,
    /// Whether arguments are checked when there is a schema.
    pub validate: bool,
    /// Longest run of one call; `None` without a limit.
    pub timeout: Option<Duration>,
}

/// The tools of one client, or those lent to one session. No two share a method or a model name. A
/// clone has the same tools, and shares with its origin what the next index is.
#[derive(Debug, Clone)]
pub struct Registry {
    namespace: String,
    /// In the order they were added, which is the order of their indices.
    tools: BTreeMap<ToolIndex, Arc<RegisteredTool>>,
    by_method: HashMap<String, ToolIndex>,
    by_model_name: HashMap<String, ToolIndex>,
    next: Arc<AtomicU32>,
}

impl Registry {
    /// Makes an empty registry. Methods of tools that name none are derived from the namespace.
    #[must_use]
    pub fn new(namespace: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            tools: BTreeMap::new(),
            by_method: HashMap::new(),
            by_model_name: HashMap::new(),
            next: Arc::default(),
        }
    }

    /// Adds a tool: `{name, description?, method?, inputSchema?, validate?, timeoutMs?}`.
    ///
    /// # Errors
    ///
    /// The first [`Flaw`] in the order: shape, name, method, schema, duplicate. The registry is then as
    /// it was before.
    pub fn add(&mut self, definition: &Value) -> Result<ToolIndex, Flaw> {
        let options = CallOptions::read(definition)?;
        let description =
            ToolDescription::read(definition, Strictness::Lent { namespace: &self.namespace })?;
        let check = compile(&description, options.validate)?;
        self.refuse_duplicate(&description)?;
        let tool = RegisteredTool {
            description,
            check,
            validate: options.validate,
            timeout: options.timeout,
        };
        let index = self.next_index()?;
        self.by_method.insert(tool.description.method.clone(), index);
        self.by_model_name.insert(tool.description.model_name.clone(), index);
        self.tools.insert(index, Arc::new(tool));
        Ok(index)
    }

    /// Takes a tool out. `false`: there is none of that index.
    pub fn remove(&mut self, index: ToolIndex) -> bool {
        let Some(tool) = self.tools.remove(&index) else { return false };
        self.by_method.remove(&tool.description.method);
        self.by_model_name.remove(&tool.description.model_name);
        true
    }

    /// Returns the tool of an index.
    #[must_use]
    pub fn get(&self, index: ToolIndex) -> Option<&RegisteredTool> {
        self.tools.get(&index).map(Arc::as_ref)
    }

    /// Returns the tool that a call of the method is for.
    #[must_use]
    pub fn by_method(&self, method: &str) -> Option<(ToolIndex, &RegisteredTool)> {
        let index = *self.by_method.get(method)?;
        Some((index, self.get(index)?))
    }

    /// Returns the tool that a model calls by this name.
    #[must_use]
    pub fn by_model_name(&self, model_name: &str) -> Option<(ToolIndex, &RegisteredTool)> {
        let index = *self.by_model_name.get(model_name)?;
        Some((index, self.get(index)?))
    }

    /// Returns the tools in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (ToolIndex, &RegisteredTool)> {
        self.tools.iter().map(|(index, tool)| (*index, tool.as_ref()))
    }

    /// Returns the list that travels, in the order the tools were added: an entry's position is what an
    /// agent's `entry <i> skipped` counts.
    #[must_use]
    pub fn wire_list(&self) -> Vec<Value> {
        self.tools.values().map(|tool| tool.description.to_wire()).collect()
    }

    /// Returns the tools as a model is shown them, sorted by the bytes of their names.
    #[must_use]
    pub fn model_tools(&self) -> Vec<ModelTool> {
        let mut views: Vec<ModelTool> =
            self.tools.values().map(|tool| model_view(&tool.description)).collect();
        views.sort_by(|one, other| one.name.cmp(&other.name));
        views
    }

    fn refuse_duplicate(&self, added: &ToolDescription) -> Result<(), Flaw> {
        let named = |index: &ToolIndex| self.get(*index).map(|tool| tool.description.name.clone());
        let second = added.name.clone();
        if let Some(first) = self.by_model_name.get(&added.model_name).and_then(named) {
            return Err(Flaw::DuplicateName {
                model_name: added.model_name.clone(),
                first,
                second,
            });
        }
        if let Some(first) = self.by_method.get(&added.method).and_then(named) {
            return Err(Flaw::DuplicateMethod { method: added.method.clone(), first, second });
        }
        Ok(())
    }

    fn next_index(&self) -> Result<ToolIndex, Flaw> {
        let next = |index: u32| index.checked_add(1);
        let given = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        given.map(ToolIndex).map_err(|_| Flaw::TooMany)
    }
}

/// What a definition says about its calls; none of it travels.
struct CallOptions {
    validate: bool,
    timeout: Option<Duration>,
}

impl CallOptions {
    fn read(definition: &Value) -> Result<Self, Flaw> {
        // A definition that is no object is refused when its description is read.
        let empty = Map::new();
        let members = definition.as_object().unwrap_or(&empty);
        let validate = member(members, "validate", "a boolean", Value::as_bool)?.unwrap_or(true);
        let milliseconds =
            member(members, "timeoutMs", "a number", Value::as_f64)?.filter(|&limit| limit != 0.0);
        let timeout = match milliseconds {
            Some(limit) if limit < 0.0 => {
                return Err(Flaw::Shape(format!("timeoutMs must be at least 0, got {limit}")));
            }
            // More than Duration holds is no limit.
            Some(limit) => Duration::try_from_secs_f64(limit / 1000.0).ok(),
            None => None,
        };
        Ok(Self { validate, timeout })
    }
}

fn compile(description: &ToolDescription, validate: bool) -> Result<Option<ArgumentCheck>, Flaw> {
    match &description.input_schema {
        Some(schema) if validate && is_list_of_properties(schema) => {
            Err(Flaw::SchemaMembers { members: stray_members(schema) })
        }
        Some(schema) if validate => ArgumentCheck::compile(schema)
            .map(Some)
            .map_err(|reason| Flaw::SchemaInvalid { reason }),
        _ => Ok(None),
    }
}
