//! A clause of a question: its words, and which of them mention a term. Knows nothing of tools.

use std::collections::BTreeSet;

use super::words::{asked_for, is_filler, is_opener, name_words, stem};

/// The fewest letters that stand for a longer word: `temp` for `temperature`.
const SHORTEST_PREFIX: usize = 4;

/// Positions of words in a question.
pub(super) type Places = BTreeSet<usize>;

#[derive(Debug)]
pub(super) struct Word<'a> {
    /// As it was written.
    pub(super) text: &'a str,
    /// Its first byte in the source.
    pub(super) start: usize,
    /// Says nothing of the topic.
    pub(super) is_filler: bool,
    lower: String,
    stem: String,
    /// Nothing but a hyphen stands between this word and the next.
    is_hyphenated: bool,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// One clause, in words.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) source: &'a str,
    pub(super) words: Vec<Word<'a>>,
}

impl<'a> Question<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let mut words: Vec<Word<'a>> = Vec::new();
        let mut rest = source;
        while let Some(offset) = rest.find(char::is_alphanumeric) {
            let at = rest.split_at(offset).1;
            let length = at.find(|c: char| !c.is_alphanumeric()).unwrap_or(at.len());
            let (text, after) = at.split_at(length);
            let lower = text.to_lowercase();
            let next_is_word = || after.chars().nth(1).is_some_and(char::is_alphanumeric);
            words.push(Word {
                text,
                start: source.len() - at.len(),
                is_filler: is_filler(&lower),
                stem: stem(&lower),
                lower,
                is_hyphenated: after.starts_with('-') && next_is_word(),
            });
            rest = after;
        }
        Self { source, words }
    }

    /// How many words have a topic.
    pub(super) fn topics(&self) -> usize {
        self.words.iter().filter(|word| !word.is_filler).count()
    }

    /// The place of the first word with a topic.
    pub(super) fn first_topic(&self) -> Option<usize> {
        self.words.iter().position(|word| !word.is_filler)
    }

    /// Where a word is mentioned, whatever its ending; `to-do` mentions `todo`.
    pub(super) fn word(&self, word: &str) -> Option<Places> {
        let wanted = stem(word);
        if let Some(place) = self.words.iter().position(|word| word.stem == wanted) {
            return Some(Places::from([place]));
        }
        let pairs = self.words.iter().zip(self.words.iter().skip(1));
        let place = pairs.into_iter().position(|(one, next)| {
            one.is_hyphenated && wanted == stem(&format!("{}{}", one.lower, next.lower))
        })?;
        Some(Places::from([place, place + 1]))
    }

    /// Where each word with a topic is mentioned; `None` when one is not, or there is none.
    pub(super) fn phrase(&self, words: &[String]) -> Option<Places> {
        let mut places = Places::new();
        for word in words.iter().filter(|word| !is_filler(word)) {
            places.extend(self.word(word)?);
        }
        (!places.is_empty()).then_some(places)
    }

    /// Where a value is meant: its words, two words that make it up (`up` and `when` for `uptime`),
    /// words with its initials (`operating system` for `os`), or a word it begins (`temp`).
    pub(super) fn value(&self, value: &str) -> Option<Places> {
        let words = name_words(value);
        let found = self.phrase(&words);
        let [word] = words.as_slice() else { return found };
        found
            .or_else(|| self.compound(word))
            .or_else(|| self.initials(word))
            .or_else(|| self.begun_by(word))
    }

    fn compound(&self, value: &str) -> Option<Places> {
        value.char_indices().skip(2).find_map(|(end, _)| {
            let (head, tail) = value.split_at(end);
            let (one, other) = (self.part(head)?, self.part(tail)?);
            (one != other).then(|| Places::from([one, other]))
        })
    }

    /// A word that is this part of a compound, or asks for it.
    fn part(&self, part: &str) -> Option<usize> {
        self.words.iter().position(|word| {
            (!word.is_filler && word.lower == part) || asked_for(&word.lower).contains(&part)
        })
    }

    fn initials(&self, value: &str) -> Option<Places> {
        let length = value.chars().count();
        if length < 2 {
            return None;
        }
        let place = self.words.windows(length).position(|words| {
            let initials = words.iter().filter_map(|word| word.lower.chars().next());
            words.iter().all(|word| !word.is_filler) && initials.eq(value.chars())
        })?;
        Some((place..place + length).collect())
    }

    fn begun_by(&self, value: &str) -> Option<Places> {
        if value.chars().count() < SHORTEST_PREFIX {
            return None;
        }
        let place = self.words.iter().position(|word| word.lower.starts_with(value))?;
        Some(Places::from([place]))
    }
}

/// Splits a text into clauses: at the end of a sentence, and at an `and` or `then` that is followed by
/// a question word or by one of the `verbs` that begin the names of tools. Quoted text stays whole.
pub(super) fn clauses<'a>(text: &'a str, verbs: &[String]) -> Vec<&'a str> {
    let whole = Question::new(text);
    let quotes = quoted(text);
    let is_quoted = |at: usize| quotes.iter().any(|quote| quote.start <= at && at < quote.end);
    let mut clauses = Vec::new();
    let mut from = 0;
    for pair in whole.words.windows(2) {
        let [word, next] = pair else { continue };
        let between = text.get(word.end()..next.start).unwrap_or_default();
        let ends_sentence = between.starts_with(['.', '?', '!', ';', '\n'])
            && between.contains(char::is_whitespace);
        let is_joint = word.start > from && ["and", "then"].contains(&word.lower.as_str());
        let opens = is_opener(&next.lower) || verbs.contains(&next.lower);
        if (ends_sentence || (is_joint && opens)) && !is_quoted(word.start) {
            let end = if ends_sentence { word.end() } else { word.start };
            clauses.extend(text.get(from..end));
            from = next.start;
        }
    }
    clauses.extend(text.get(from..));
    clauses
}

/// A quoted text: what is between the marks, and where it stands with them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Quote<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The quoted texts of a question, in order. An apostrophe inside a word is no mark.
pub(super) fn quoted(source: &str) -> Vec<Quote<'_>> {
    const MARKS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('`', '`'), ('\'', '\'')];
    let mut quotes = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(rest) = source.get(at..)
        && let Some(character) = rest.chars().next()
    {
        let inside = at + character.len_utf8();
        let mark = MARKS.iter().find(|(open, _)| *open == character);
        let closed = mark.filter(|_| !before.is_alphanumeric()).and_then(|(_, close)| {
            let length = source.get(inside..)?.find(*close)?;
            Some((source.get(inside..inside + length)?, inside + length + close.len_utf8()))
        });
        before = character;
        match closed {
            Some((text, end)) if !text.is_empty() => {
                quotes.push(Quote { text, start: at, end });
                at = end;
            }
            _ => at = inside,
        }
    }
    quotes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn means(question: &str, value: &str, expected: &[usize]) {
        let found = Question::new(question).value(value).unwrap_or_default();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{question}: {value}");
    }

    #[test]
    fn a_value_is_meant_by_its_word_whatever_the_ending() {
        means("How much memory is free?", "memory", &[2]);
        means("List the Sensors", "sensor", &[2]);
        means("How much memory is free?", "cpu", &[]);
    }

    #[test]
    fn a_value_of_several_words_is_meant_when_all_are_there() {
        means("is the front door open", "frontDoor", &[2, 3]);
        means("is the front door open", "back_door", &[]);
    }

    #[test]
    fn initials_mean_a_short_value() {
        means("What operating system is it?", "os", &[1, 2]);
        means("Name the central processing unit", "cpu", &[2, 3, 4]);
        means("Is an old, slow one better?", "os", &[2, 3]);
        means("one of some", "os", &[]);
    }

    #[test]
    fn two_words_make_up_a_compound_and_a_question_word_asks_for_its_thing() {
        means("since when is it up?", "uptime", &[1, 4]);
        means("since when is it on?", "uptime", &[]);
        means("which room temperature", "roomtemperature", &[1, 2]);
    }

    #[test]
    fn four_letters_begin_a_word_and_three_do_not() {
        means("what temperature is it", "temp", &[1]);
        means("what temperature is it", "tem", &[]);
    }

    #[track_caller]
    fn splits(text: &str, expected: &[&str]) {
        assert_eq!(clauses(text, &["list".into(), "add".into()]), expected);
    }

    #[test]
    fn sentences_and_questions_joined_by_and_are_clauses() {
        splits("What is a, and how is b?", &["What is a, ", "how is b?"]);
        splits("Add milk. Then list all", &["Add milk", "Then list all"]);
        splits("Add milk and list all", &["Add milk ", "list all"]);
    }

    #[test]
    fn an_and_inside_a_clause_and_a_dot_inside_a_word_do_not_split() {
        splits("Add bread and butter", &["Add bread and butter"]);
        splits("open main.go 3.5", &["open main.go 3.5"]);
        splits("add \"x and list y. z w\"", &["add \"x and list y. z w\""]);
        splits("", &[""]);
    }

    #[track_caller]
    fn quotes(source: &str, expected: &[&str]) {
        let found: Vec<&str> = quoted(source).iter().map(|quote| quote.text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn quotes_are_taken_whole_and_apostrophes_are_not_quotes() {
        quotes("say \"a b\" and 'c' and «é»", &["a b", "c", "é"]);
        quotes("my machine's user's name", &[]);
        quotes("\"open", &[]);
    }
}
