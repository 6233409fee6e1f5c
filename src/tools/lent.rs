//! What is lent to whom: the client's own tools, and with `request` discovery the list that each
//! session was given. (`docs/protocol.md`, "A call")

use std::collections::HashMap;

use serde_json::Value;

use super::description::Flaw;
use super::registry::{RegisteredTool, Registry, ToolIndex};

/// See the module's head.
#[derive(Debug)]
pub struct Lent {
    own: Registry,
    /// By session id. A list holds the own tools of its time, then the session's.
    lists: HashMap<String, Registry>,
}

/// Why a call finds no tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlent {
    /// No list was given to that session.
    NoList,
    /// The list of that session does not have it.
    NotInList,
}

impl Lent {
    /// Nothing is lent yet. Methods of tools that name none are derived from `namespace`.
    #[must_use]
    pub fn new(namespace: &str) -> Self {
        Self { own: Registry::new(namespace), lists: HashMap::new() }
    }

    /// The client's own tools.
    #[must_use]
    pub fn own(&self) -> &Registry {
        &self.own
    }

    /// The client's own tools, to be changed. Lists that were given stay as they are.
    pub fn own_mut(&mut self) -> &mut Registry {
        &mut self.own
    }

    /// The list that was given to a session.
    #[must_use]
    pub fn list_of(&self, session: &str) -> Option<&Registry> {
        self.lists.get(session)
    }

    /// The tool of an index, whoever it is lent to.
    #[must_use]
    pub fn get(&self, index: ToolIndex) -> Option<&RegisteredTool> {
        self.own.get(index).or_else(|| self.lists.values().find_map(|list| list.get(index)))
    }

    /// Checks what [`give`](Self::give) would say of `more`.
    ///
    /// # Errors
    /// See there.
    pub fn check(&self, more: &[Value]) -> Result<(), (usize, Flaw)> {
        self.list_with(more).map(|_| ())
    }

    /// Gives a session its list: the client's own tools, then `more`. It replaces the one given before.
    /// Gives the indices of `more`.
    ///
    /// # Errors
    /// The first [`Flaw`] of `more`, and the place of the tool it is in; then nothing was changed.
    pub fn give(&mut self, session: &str, more: &[Value]) -> Result<Vec<ToolIndex>, (usize, Flaw)> {
        let (list, indices) = self.list_with(more)?;
        self.lists.insert(session.to_owned(), list);
        Ok(indices)
    }

    fn list_with(&self, more: &[Value]) -> Result<(Registry, Vec<ToolIndex>), (usize, Flaw)> {
        let mut list = self.own.clone();
        let add = |(place, tool): (usize, &Value)| list.add(tool).map_err(|flaw| (place, flaw));
        let indices = more.iter().enumerate().map(add).collect::<Result<_, _>>()?;
        Ok((list, indices))
    }

    /// The session is closed: nothing is lent to it any more.
    pub fn forget(&mut self, session: &str) {
        self.lists.remove(session);
    }

    /// What was lent to `from` is lent to `to`, in the place of what that had.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some(list) = self.lists.remove(from) {
            self.lists.insert(to.to_owned(), list);
        }
    }

    /// The tool that a call of `method` in `session` is for, when each session has its own list. A call
    /// that names no session reaches the client's own tools only.
    ///
    /// # Errors
    /// [`Unlent`], for a method that some list has: the tool is there, and not lent to that session.
    pub fn find(
        &self,
        session: Option<&str>,
        method: &str,
    ) -> Result<Option<(ToolIndex, &RegisteredTool)>, Unlent> {
        let list = match session {
            None => Some(&self.own),
            Some(session) => self.lists.get(session),
        };
        if let Some(found) = list.and_then(|list| list.by_method(method)) {
            return Ok(Some(found));
        }
        let is_known = self.own.by_method(method).is_some()
            || self.lists.values().any(|list| list.by_method(method).is_some());
        match list {
            _ if !is_known => Ok(None),
            Some(_) => Err(Unlent::NotInList),
            None => Err(Unlent::NoList),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `own` is the client's; `a` and `b` are two sessions, each with its own tool of one method.
    fn lent() -> Lent {
        let mut lent = Lent::new("test");
        lent.own_mut().add(&json!({ "name": "own", "method": "_own" })).unwrap();
        for session in ["a", "b"] {
            let tool = json!({ "name": format!("of {session}"), "method": "_same" });
            lent.give(session, &[tool]).unwrap();
        }
        lent.give("c", &[]).unwrap();
        lent
    }

    #[track_caller]
    fn check(session: Option<&str>, method: &str, expected: Result<Option<&str>, Unlent>) {
        let lent = lent();
        let found = lent.find(session, method);
        let name = found.map(|found| found.map(|(_, tool)| tool.description.name.as_str()));
        assert_eq!(name, expected);
    }

    #[test]
    fn a_session_reaches_its_own_tools_and_the_clients() {
        check(Some("a"), "_same", Ok(Some("of a")));
        check(Some("b"), "_same", Ok(Some("of b")));
        check(Some("b"), "_own", Ok(Some("own")));
    }

    #[test]
    fn a_tool_of_another_session_is_refused() {
        check(Some("c"), "_same", Err(Unlent::NotInList));
    }

    #[test]
    fn a_session_without_a_list_reaches_nothing() {
        check(Some("x"), "_same", Err(Unlent::NoList));
        check(Some("x"), "_own", Err(Unlent::NoList));
    }

    #[test]
    fn a_call_without_a_session_reaches_the_clients_tools_only() {
        check(None, "_own", Ok(Some("own")));
        check(None, "_same", Err(Unlent::NotInList));
    }

    #[test]
    fn a_method_nobody_was_given_is_no_call() {
        check(Some("a"), "_other", Ok(None));
        check(Some("x"), "_other", Ok(None));
    }

    #[test]
    fn a_list_is_what_was_lent_when_it_was_given() {
        let mut lent = lent();
        let (index, _) = lent.own().by_method("_own").unwrap();
        lent.own_mut().remove(index);
        assert_eq!(lent.find(None, "_own").unwrap_err(), Unlent::NotInList);
        assert!(matches!(lent.find(Some("a"), "_own"), Ok(Some(_))));
        lent.give("a", &[]).unwrap();
        assert_eq!(lent.find(Some("a"), "_own").unwrap_err(), Unlent::NotInList);
    }

    #[test]
    fn indices_are_given_once_whatever_the_list() {
        let mut lent = lent();
        let later = lent.own_mut().add(&json!({ "name": "later", "method": "_later" })).unwrap();
        let of_b = lent.list_of("b").and_then(|list| list.by_method("_same")).unwrap().0;
        assert!(later > of_b);
        assert_eq!(lent.get(of_b).unwrap().description.name, "of b");
    }

    #[test]
    fn a_bad_tool_is_named_by_its_place_and_changes_nothing() {
        let mut lent = lent();
        let tools = [json!({ "name": "good" }), json!({ "name": "own" })];
        let (place, flaw) = lent.give("a", &tools).unwrap_err();
        assert_eq!((place, flaw.code()), (1, "MM_ERR_TOOL_DUPLICATE"));
        assert!(lent.list_of("a").unwrap().by_method("_same").is_some());
        assert_eq!(lent.check(&tools).unwrap_err().0, 1);
        assert_eq!(lent.check(&tools[..1]), Ok(()));
    }

    #[test]
    fn a_list_follows_its_session_to_another_name() {
        let mut lent = lent();
        lent.rename("a", "b");
        assert!(lent.list_of("a").is_none());
        let (_, tool) = lent.find(Some("b"), "_same").unwrap().unwrap();
        assert_eq!(tool.description.name, "of a");
        lent.rename("nobody", "b");
        assert!(lent.list_of("b").is_some());
    }

    #[test]
    fn a_closed_session_is_forgotten() {
        let mut lent = lent();
        lent.forget("a");
        assert!(lent.list_of("a").is_none());
    }
}
