//! Which tools a clause asks for: how much of it each tool's own words explain. Knows nothing of
//! arguments beyond the values that are mentioned.

use super::question::{Places, Question};
use super::terms::{Choice, Parameter, parameters, topic_words};
use super::words::{is_generic_verb, name_words};
use crate::tools::description::ToolDescription;

/// A value of a parameter is mentioned: the clearest sign there is.
const VALUE_POINTS: usize = 4;
/// A word of the tool's name; the same again when the clause begins with it, like an order, and when
/// nothing of the name is missing.
const NAME_POINTS: usize = 2;
/// A word of a description, or the name of a parameter.
const WORD_POINTS: usize = 1;
/// What a tool needs to be called.
const ENOUGH_POINTS: usize = 4;
/// What it needs when it explains more than half of the clause.
const FEWER_POINTS: usize = 3;

/// What it needs when it explains the whole clause.
const LEAST_POINTS: usize = 2;

/// A tool that a clause asks for.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    pub(super) tool: &'a ToolDescription,
    /// The words the tool explains.
    pub(super) places: Places,
}

/// The tools a clause asks for: the best one, then the best for the words it left, as long as one has
/// enough of them.
pub(super) fn choose<'a>(tools: &'a [ToolDescription], question: &Question<'_>) -> Vec<Chosen<'a>> {
    let mut chosen: Vec<Chosen<'a>> = Vec::new();
    let mut explained = Places::new();
    loop {
        let left = tools.iter().filter(|tool| !chosen.iter().any(|one| one.tool == *tool));
        let candidates = left.map(|tool| (tool, Evidence::of(tool, question, &explained)));
        // Of equals the one named first in the clause, then the first of the list.
        let best = candidates.filter(|(_, evidence)| evidence.is_enough(question)).min_by_key(
            |(_, evidence)| (usize::MAX - evidence.points, evidence.places.first().copied()),
        );
        let Some((tool, evidence)) = best else { return chosen };
        explained.extend(&evidence.places);
        chosen.push(Chosen { tool, places: evidence.places });
    }
}

/// The places at which a value is mentioned, by its own words or by those that describe it.
pub(super) fn mentioned(choice: &Choice<'_>, question: &Question<'_>) -> Option<Places> {
    let described = || choice.described.iter().find_map(|words| question.phrase(words));
    question.value(&choice.text).or_else(described)
}

#[derive(Debug, Default)]
struct Evidence {
    points: usize,
    places: Places,
}

impl Evidence {
    fn of(tool: &ToolDescription, question: &Question<'_>, explained: &Places) -> Self {
        let mut evidence = Self::default();
        let parameters = parameters(tool);
        for choice in parameters.iter().flat_map(|parameter| &parameter.choices) {
            evidence.add(mentioned(choice, question), VALUE_POINTS, explained);
        }
        evidence.add_name(tool, question, explained);
        let described = tool.description.iter().map(String::as_str);
        for word in described.chain(parameters.iter().flat_map(own_texts)).flat_map(topic_words) {
            evidence.add(question.word(&word), WORD_POINTS, explained);
        }
        evidence
    }

    fn add_name(&mut self, tool: &ToolDescription, question: &Question<'_>, explained: &Places) {
        let mut words = name_words(&tool.name);
        words.retain(|word| !is_generic_verb(word));
        let mut is_whole = !words.is_empty();
        for (index, word) in words.iter().enumerate() {
            let places = question.word(word);
            let is_order = index == 0
                && places.as_ref().is_some_and(|at| at.first().copied() == question.first_topic());
            let is_new = self.add(places, NAME_POINTS, explained);
            if is_new && is_order {
                self.points += NAME_POINTS;
            }
            is_whole &= is_new;
        }
        if is_whole {
            self.points += NAME_POINTS;
        }
    }

    /// Counts a mention, once for each word of the clause.
    fn add(&mut self, places: Option<Places>, points: usize, explained: &Places) -> bool {
        let Some(places) = places else { return false };
        let is_known = |place: &usize| explained.contains(place) || self.places.contains(place);
        if places.iter().all(is_known) {
            return false;
        }
        self.points += points;
        self.places.extend(places);
        true
    }

    fn is_enough(&self, question: &Question<'_>) -> bool {
        let explains_all = self.places.len() >= question.topics();
        if explains_all && self.points >= LEAST_POINTS {
            return true;
        }
        let explains_most = self.places.len() * 2 > question.topics();
        self.points >= if explains_most { FEWER_POINTS } else { ENOUGH_POINTS }
    }
}

fn own_texts<'a>(parameter: &'a Parameter<'a>) -> impl Iterator<Item = &'a str> {
    let description = parameter.schema.get("description").and_then(serde_json::Value::as_str);
    std::iter::once(parameter.name).chain(description)
}
