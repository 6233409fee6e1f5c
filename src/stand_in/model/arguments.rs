//! What a chosen tool is called with: each parameter is filled from the words of the clause, or left
//! out. Nothing is made up: a parameter that is required and not in the clause is asked for.

use std::collections::VecDeque;

use serde_json::{Map, Number, Value};

use super::choice::{Chosen, mentioned};
use super::question::{Places, Question, quoted};
use super::terms::{Parameter, parameters};
use super::words::name_words;

/// A call that cannot be made: what the clause does not say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Missing {
    /// The parameter's name.
    pub(super) parameter: String,
    /// The values it takes, when they are enumerated.
    pub(super) choices: Vec<String>,
}

/// The arguments of each call of the tool: one call for each value that is mentioned of its first
/// enumerated parameter, else one.
///
/// # Errors
/// The first required parameter for which the clause has nothing.
pub(super) fn fill(
    chosen: &Chosen<'_>,
    question: &Question<'_>,
) -> Result<Vec<Map<String, Value>>, Missing> {
    let mut material = Material::new(chosen, question);
    let mut calls = vec![Map::new()];
    let mut is_fanned_out = false;
    for parameter in &parameters(chosen.tool) {
        let values = material.values(parameter);
        let Some(first) = values.first() else {
            if parameter.is_required {
                let choices = parameter.choices.iter().map(|choice| choice.text.clone()).collect();
                return Err(Missing { parameter: parameter.name.to_owned(), choices });
            }
            continue;
        };
        if values.len() > 1 && !is_fanned_out {
            is_fanned_out = true;
            calls = values.iter().map(|value| with(&calls, parameter.name, value)).collect();
            continue;
        }
        for arguments in &mut calls {
            arguments.insert(parameter.name.to_owned(), first.clone());
        }
    }
    Ok(calls)
}

/// The arguments so far, which are the same for all calls before the one fan-out, and one more.
fn with(calls: &[Map<String, Value>], name: &str, value: &Value) -> Map<String, Value> {
    let mut arguments = calls.first().cloned().unwrap_or_default();
    arguments.insert(name.to_owned(), value.clone());
    arguments
}

/// What a clause has to fill parameters with; what was used once is gone.
struct Material<'a> {
    question: &'a Question<'a>,
    explained: &'a Places,
    quotes: VecDeque<&'a str>,
    numbers: VecDeque<Number>,
    rest: Option<&'a str>,
}

impl<'a> Material<'a> {
    fn new(chosen: &'a Chosen<'_>, question: &'a Question<'a>) -> Self {
        Self {
            question,
            explained: &chosen.places,
            quotes: quoted(question.source).iter().map(|quote| quote.text).collect(),
            numbers: numbers(question.source).collect(),
            rest: rest(question, &chosen.places),
        }
    }

    /// The values of a parameter; several only for an enumerated one.
    fn values(&mut self, parameter: &Parameter<'_>) -> Vec<Value> {
        if let Some(constant) = parameter.schema.get("const") {
            return vec![constant.clone()];
        }
        let kind = parameter.kind();
        if !parameter.choices.is_empty() {
            let found = self.mentioned_choices(parameter);
            let is_list = kind == "array" && !found.is_empty();
            return if is_list { vec![Value::Array(found)] } else { found };
        }
        let value = match kind {
            "string" => self.text(parameter).map(Value::from),
            "number" => self.numbers.pop_front().map(Value::Number),
            "integer" => self.integer().map(Value::Number),
            "boolean" => self.truth(parameter).map(Value::Bool),
            "array" => self.list(),
            _ => None,
        };
        value.into_iter().collect()
    }

    fn mentioned_choices(&self, parameter: &Parameter<'_>) -> Vec<Value> {
        let found = parameter.choices.iter().filter(|choice| {
            // A chosen tool may be told "on" or "all", which would be no reason to choose it.
            let is_spelled = || self.question.words.iter().any(|word| word.text == choice.text);
            mentioned(choice, self.question).is_some() || is_spelled()
        });
        found.map(|choice| choice.value.clone()).collect()
    }

    /// A quoted text; the word after the parameter's name; if it is required, the words no one explained.
    fn text(&mut self, parameter: &Parameter<'_>) -> Option<&'a str> {
        let text = self.quotes.pop_front().or_else(|| self.word_after(parameter.name));
        if text.is_some() || !parameter.is_required {
            return text;
        }
        self.rest.take()
    }

    fn word_after(&self, name: &str) -> Option<&'a str> {
        let place = self.question.phrase(&name_words(name))?.last().copied()?;
        let next = self.question.words.get(place + 1)?;
        (!next.is_filler && !self.explained.contains(&(place + 1))).then_some(next.text)
    }

    fn integer(&mut self) -> Option<Number> {
        let place = self.numbers.iter().position(|number| !number.is_f64())?;
        self.numbers.remove(place)
    }

    /// Whether the parameter is mentioned, and not after a `not`; what is required and not mentioned is
    /// not wanted.
    fn truth(&self, parameter: &Parameter<'_>) -> Option<bool> {
        let place = self.question.phrase(&name_words(parameter.name));
        let Some(place) = place.and_then(|places| places.first().copied()) else {
            return parameter.is_required.then_some(false);
        };
        let before = self.question.words.iter().take(place).rev().take(2);
        let denies = |text: &str| ["no", "not", "without", "never", "t"].contains(&text);
        Some(!before.into_iter().any(|word| denies(&word.text.to_lowercase())))
    }

    fn list(&mut self) -> Option<Value> {
        let texts: Vec<Value> = self.quotes.drain(..).map(Value::from).collect();
        (!texts.is_empty()).then_some(Value::Array(texts))
    }
}

/// The longest run of words that the tool does not explain, without the fillers at its edges.
fn rest<'a>(question: &Question<'a>, explained: &Places) -> Option<&'a str> {
    let mut longest: Option<&[super::question::Word<'a>]> = None;
    let mut from = 0;
    for end in 0..=question.words.len() {
        if end < question.words.len() && !explained.contains(&end) {
            continue;
        }
        let run = trimmed(question.words.get(from..end).unwrap_or_default());
        if run.len() > longest.map_or(0, <[_]>::len) {
            longest = Some(run);
        }
        from = end + 1;
    }
    let run = longest?;
    let (start, end) = (run.first()?.start, run.last()?.end());
    // The marks that begin a path or a tag belong to its first word.
    let before = question.source.get(..start)?;
    let start = before.trim_end_matches(['/', '~', '.', '@', '#', '$', '-']).len();
    question.source.get(start..end)
}

fn trimmed<'a, 'w>(mut run: &'w [super::question::Word<'a>]) -> &'w [super::question::Word<'a>] {
    while let [first, others @ ..] = run
        && first.is_filler
    {
        run = others;
    }
    while let [others @ .., last] = run
        && last.is_filler
    {
        run = others;
    }
    run
}

/// The numbers in a text, in order.
fn numbers(text: &str) -> impl Iterator<Item = Number> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-'))
        .map(|token| token.trim_matches(|c: char| c == '.').trim_end_matches('-'))
        .filter_map(|token| serde_json::from_str(token).ok())
}
