//! Words: how text becomes comparable words. English, and only the general kind of knowledge: endings,
//! words that carry no topic, and what a question word asks for.

use std::borrow::Cow;

/// Words that say nothing of a question's topic.
const FILLERS: &str = "a about all also am an and any are as at be been being but by can could \
    currently did do does each for from had has have her his how i if in into is it its just long \
    many may me might much must my now of on one or our out please s shall she should since so \
    some still tell than that the their them then there these they this those to too us want was \
    we were what when where which who whose why will with would you your";

/// Words a question starts with; a clause starts there as well.
const OPENERS: &str = "how since what when where which who whose why";

/// What a question word asks for, though it does not name it.
const ASKED_FOR: &[(&str, &[&str])] = &[
    ("long", &["duration", "time"]),
    ("many", &["count", "number"]),
    ("much", &["amount"]),
    ("when", &["date", "time"]),
    ("where", &["location", "place"]),
    ("who", &["name", "person", "user"]),
];

/// Verbs that stand in the names of tools without telling them apart.
const GENERIC_VERBS: &str = "do fetch get query read retrieve show";

/// Whether a word says nothing of the topic.
pub(super) fn is_filler(word: &str) -> bool {
    is_in(FILLERS, word)
}

/// Whether a word can start a question.
pub(super) fn is_opener(word: &str) -> bool {
    is_in(OPENERS, word)
}

/// Whether a word is in too many names of tools to tell them apart.
pub(super) fn is_generic_verb(word: &str) -> bool {
    is_in(GENERIC_VERBS, word)
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// What a question word asks for.
pub(super) fn asked_for(word: &str) -> &'static [&'static str] {
    let found = ASKED_FOR.iter().find(|(asking, _)| *asking == word);
    found.map_or(&[], |(_, things)| things)
}

/// The words of a name, in lower case: runs of letters and digits, split at `camelCase` as well.
pub(super) fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        let starts_word = character.is_uppercase() && was_lower;
        if !character.is_alphanumeric() || starts_word {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A word of lower case without its common endings: `memories` and `memory` are the same, and so are
/// `driver` and `drives`.
pub(super) fn stem(word: &str) -> String {
    let singular = without_plural(word);
    let without = |ending: &str, least: usize| {
        singular.strip_suffix(ending).filter(|rest| rest.chars().count() >= least)
    };
    let root = without("ing", 3).or_else(|| without("ed", 3)).map(without_doubled_end);
    let root = root.or_else(|| without("er", 4)).unwrap_or(&singular);
    let is_silent = root.chars().count() > 4;
    root.strip_suffix('e').filter(|_| is_silent).unwrap_or(root).to_owned()
}

fn without_plural(word: &str) -> Cow<'_, str> {
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() > 1) {
        return format!("{rest}y").into();
    }
    let is_hissing = ["ches", "shes", "sses", "xes"].iter().any(|ending| word.ends_with(ending));
    if let Some(rest) = word.strip_suffix("es").filter(|_| is_hissing) {
        return rest.into();
    }
    // `status` is no plural, `cpus` is.
    let is_latin = word.ends_with("us") && word.len() > 4;
    let is_plural = !is_latin && !word.ends_with("ss") && !word.ends_with("is");
    let rest = word.strip_suffix('s').filter(|rest| is_plural && rest.chars().count() > 2);
    rest.unwrap_or(word).into()
}

/// The doubled letter of `running` leaves with its ending.
fn without_doubled_end(word: &str) -> &str {
    let mut backwards = word.chars().rev();
    let (last, before) = (backwards.next(), backwards.next());
    let is_doubled = last == before && last.is_some_and(|last| !"aeiouls".contains(last));
    if is_doubled { word.get(..word.len() - 1).unwrap_or(word) } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(one: &str, other: &str) {
        assert_eq!(stem(one), stem(other), "{one}, {other}");
    }

    #[test]
    fn endings_do_not_matter() {
        same("memories", "memory");
        same("boxes", "box");
        same("searches", "search");
        same("buffers", "buffer");
        same("running", "run");
        same("opened", "opening");
        same("driver", "drives");
        same("measures", "measuring");
        same("CPUs".to_lowercase().as_str(), "cpu");
    }

    #[test]
    fn short_words_and_words_that_only_look_like_plurals_stay() {
        for word in ["os", "bus", "status", "this", "is", "glass", "red", "ring"] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn names_are_split_at_marks_and_case() {
        assert_eq!(name_words("open_buffers"), ["open", "buffers"]);
        assert_eq!(name_words("freeMemory-2 été"), ["free", "memory", "2", "été"]);
        assert_eq!(name_words("CPU"), ["cpu"]);
        assert!(name_words("--").is_empty());
    }

    #[test]
    fn a_question_word_asks_for_a_thing() {
        assert!(asked_for("when").contains(&"time"));
        assert!(asked_for("memory").is_empty());
    }

    #[test]
    fn fillers_are_whole_words() {
        assert!(is_filler("currently") && is_filler("his") && is_opener("since"));
        assert!(!is_filler("current") && !is_filler("up") && !is_filler(""));
    }
}
