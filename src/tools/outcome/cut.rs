//! How a text that is too long for a model is cut. Agent side. (`docs/protocol.md`, "The stand-in for mm")

/// Cuts a text to `max_output` characters (code points), and puts how many are gone between head and
/// tail. The note is not counted.
#[must_use]
pub fn cut(text: &str, max_output: usize) -> String {
    let count = text.chars().count();
    let Some(gone) = count.checked_sub(max_output).filter(|&gone| gone > 0) else {
        return text.to_owned();
    };
    let tail_count = max_output / 2;
    let head_count = max_output - tail_count;
    let head: String = text.chars().take(head_count).collect();
    let tail: String = text.chars().skip(head_count + gone).collect();
    format!("{head}\n[… {gone} characters cut …]\n{tail}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // The recorded dialogue `truncation`.

    #[track_caller]
    fn check_cut(text: &str, max_output: usize, expected: &str) {
        assert_eq!(cut(text, max_output), expected);
    }

    #[test]
    fn a_text_that_fits_is_not_cut() {
        check_cut(&"😀".repeat(100), 100, &"😀".repeat(100));
        check_cut("", 0, "");
    }

    #[test]
    fn head_and_tail_are_kept_and_characters_are_code_points() {
        let text = format!("{}END", "é".repeat(300));
        let expected =
            format!("{}\n[… 203 characters cut …]\n{}END", "é".repeat(50), "é".repeat(47));
        check_cut(&text, 100, &expected);
    }

    #[test]
    fn an_odd_limit_gives_the_head_one_more() {
        check_cut("abcdef", 3, "ab\n[… 3 characters cut …]\nf");
        check_cut("abcdef", 1, "a\n[… 5 characters cut …]\n");
        check_cut("abcdef", 0, "\n[… 6 characters cut …]\n");
    }

    proptest! {
        #[test]
        fn a_cut_text_keeps_its_ends_and_tells_the_rest(text in any::<String>(), max_output in 0_usize..40) {
            let characters: Vec<char> = text.chars().collect();
            let short = cut(&text, max_output);
            if characters.len() <= max_output {
                prop_assert_eq!(short, text);
            } else {
                let gone = characters.len() - max_output;
                let note = format!("\n[… {gone} characters cut …]\n");
                let head: String = characters[..max_output.div_ceil(2)].iter().collect();
                let tail: String = characters[characters.len() - max_output / 2..].iter().collect();
                prop_assert_eq!(short, format!("{head}{note}{tail}"));
            }
        }
    }
}
