//! What a command has written: the end of it, within a limit. Pure.
//!
//! Bytes become text as they come, so that the limit holds for the text, in which each bad byte takes
//! three. A character that is not whole yet waits for the rest of it.

use std::borrow::Cow;
use std::char::REPLACEMENT_CHARACTER;
use std::collections::VecDeque;

/// Kept when the agent names no limit, in bytes.
pub const DEFAULT_LIMIT_BYTES: usize = 1024 * 1024;
/// The most that is kept, in bytes: hundreds of terminals may be open, and no model reads as much.
pub const MAX_LIMIT_BYTES: usize = 4 * 1024 * 1024;

/// Decoded at a time, in bytes; the text of it takes three times as much at the most.
const PIECE_BYTES: usize = 4 * 1024;

/// See the module's head.
pub struct Output {
    limit_bytes: usize,
    /// The begun character at the end of what came, three bytes at most.
    begun: Vec<u8>,
    /// UTF-8; starts and ends between characters.
    text: VecDeque<u8>,
    is_cut: bool,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("limit_bytes", &self.limit_bytes)
            .field("bytes", &self.text.len())
            .field("is_cut", &self.is_cut)
            .finish_non_exhaustive()
    }
}

impl Output {
    /// Keeps `limit_bytes`, or [`DEFAULT_LIMIT_BYTES`], and [`MAX_LIMIT_BYTES`] at the most.
    #[must_use]
    pub fn new(limit_bytes: Option<u64>) -> Self {
        let limit_bytes = limit_bytes.map_or(DEFAULT_LIMIT_BYTES, |limit| {
            usize::try_from(limit).unwrap_or(MAX_LIMIT_BYTES).min(MAX_LIMIT_BYTES)
        });
        Self { limit_bytes, begun: Vec::new(), text: VecDeque::new(), is_cut: false }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.decode(piece, false);
        }
    }

    /// Nothing more comes: half a character is a bad one.
    pub fn finish(&mut self) {
        self.decode(&[], true);
    }

    /// The text that is kept, or so much of its end as takes `room_bytes` in a JSON string; and
    /// whether anything was cut off before it.
    pub fn read(&mut self, room_bytes: usize) -> (&str, bool) {
        let text = std::str::from_utf8(self.text.make_contiguous()).unwrap_or_default();
        let tail = tail_within(text, room_bytes);
        (tail, self.is_cut || tail.len() < text.len())
    }

    fn decode(&mut self, bytes: &[u8], is_last: bool) {
        let mut begun = std::mem::take(&mut self.begun);
        let bytes = if begun.is_empty() {
            Cow::Borrowed(bytes)
        } else {
            begun.extend_from_slice(bytes);
            Cow::Owned(begun)
        };
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.text.extend(chunk.valid().as_bytes());
            let bad = chunk.invalid();
            if chunks.peek().is_none() && !is_last && is_begun(bad) {
                self.begun = bad.to_vec();
            } else if !bad.is_empty() {
                self.text.extend(REPLACEMENT_CHARACTER.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        self.cut();
    }

    fn cut(&mut self) {
        let Some(over) = self.text.len().checked_sub(self.limit_bytes).filter(|over| *over > 0)
        else {
            return;
        };
        let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let inside = self.text.iter().skip(over).take_while(is_inside).count();
        self.text.drain(..over + inside);
        self.is_cut = true;
    }
}

/// Whether bytes are the start of a character, and may become one.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The longest end of `text` that takes `room_bytes` in a JSON string.
fn tail_within(text: &str, room_bytes: usize) -> &str {
    let mut room = room_bytes;
    for (at, character) in text.char_indices().rev() {
        let Some(rest) = room.checked_sub(json_bytes(character)) else {
            return text.get(at + character.len_utf8()..).unwrap_or_default();
        };
        room = rest;
    }
    text
}

/// What JSON makes of a character, in bytes.
fn json_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\u{8}' | '\t' | '\n' | '\u{c}' | '\r' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOM: usize = usize::MAX;

    fn output(limit_bytes: u64, pieces: &[&[u8]]) -> Output {
        let mut output = Output::new(Some(limit_bytes));
        for piece in pieces {
            output.feed(piece);
        }
        output
    }

    #[track_caller]
    fn check(limit_bytes: u64, pieces: &[&[u8]], expected: (&str, bool)) {
        assert_eq!(output(limit_bytes, pieces).read(ROOM), expected);
    }

    #[test]
    fn what_is_over_the_limit_is_cut_off_at_the_front() {
        check(5, &[b"ab", b"cde"], ("abcde", false));
        check(5, &[b"ab", b"cde", b"f"], ("bcdef", true));
        check(3, &[b"abcdefghi"], ("ghi", true));
    }

    #[test]
    fn a_cut_is_never_inside_a_character() {
        check(4, &["aéé".as_bytes()], ("éé", true));
        check(3, &["éé".as_bytes()], ("é", true));
        check(3, &["x🙂".as_bytes()], ("", true));
        check(6, &["🙂x🙂".as_bytes()], ("x🙂", true));
    }

    #[test]
    fn a_limit_of_nothing_keeps_nothing_and_says_so() {
        check(0, &[], ("", false));
        check(0, &[b"a"], ("", true));
    }

    #[test]
    fn a_limit_has_a_default_and_a_most() {
        let most = u64::MAX;
        for (limit, expected) in [(None, DEFAULT_LIMIT_BYTES), (Some(most), MAX_LIMIT_BYTES)] {
            let mut output = Output::new(limit);
            for _ in 0..=expected / 1024 {
                output.feed(&[b'x'; 1024]);
            }
            let (text, is_cut) = output.read(ROOM);
            assert_eq!((text.len(), is_cut), (expected, true));
        }
    }

    #[test]
    fn half_a_character_waits_for_the_other_half() {
        let mut output = output(10, &[b"a\xF0\x9F"]);
        assert_eq!(output.read(ROOM), ("a", false));
        output.feed(b"\x99\x82");
        assert_eq!(output.read(ROOM), ("a🙂", false));
    }

    #[test]
    fn half_a_character_at_the_end_is_a_bad_one() {
        let mut output = output(10, &[b"a\xC3"]);
        output.finish();
        assert_eq!(output.read(ROOM), ("a\u{fffd}", false));
    }

    #[test]
    fn bad_bytes_count_as_what_they_become() {
        check(6, &[b"\xFF\xFF"], ("\u{fffd}\u{fffd}", false));
        check(6, &[b"a\xFF\xFF"], ("\u{fffd}\u{fffd}", true));
    }

    #[test]
    fn a_mark_of_byte_order_is_text() {
        check(9, &["\u{feff}a".as_bytes()], ("\u{feff}a", false));
    }

    #[test]
    fn what_has_no_room_in_the_answer_is_cut_off_as_well() {
        let mut output = output(100, &["a\0\n\"é".as_bytes()]);
        assert_eq!(output.read(13), ("a\0\n\"é", false));
        assert_eq!(output.read(12), ("\0\n\"é", true));
        assert_eq!(output.read(11), ("\n\"é", true));
        assert_eq!(output.read(2), ("é", true));
        assert_eq!(output.read(1), ("", true));
    }

    proptest! {
        #[test]
        fn any_split_of_the_bytes_gives_the_same_end(
            text in ".{0,60}",
            bad in proptest::collection::vec((0..200_usize, any::<u8>()), 0..4),
            cuts in proptest::collection::vec(0..240_usize, 0..8),
            limit in 0..80_usize,
        ) {
            let mut bytes = text.into_bytes();
            for (at, byte) in bad {
                bytes.insert(at.min(bytes.len()), byte);
            }
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            let mut output = output(limit.try_into().unwrap(), &pieces);
            output.finish();
            let whole = String::from_utf8_lossy(&bytes);
            let (end, is_cut) = output.read(ROOM);
            prop_assert!(whole.ends_with(end), "{end:?} is no end of {whole:?}");
            prop_assert!(end.len() <= limit);
            prop_assert_eq!(is_cut, end.len() < whole.len());
            // As much as fits: one character more would be over the limit.
            if let Some(next) = whole.strip_suffix(end).unwrap().chars().next_back() {
                prop_assert!(end.len() + next.len_utf8() > limit);
            }
        }

        #[test]
        fn room_is_reckoned_as_json_takes_it(text in "(.|[\0-\u{1f}\"\\\\])*", room in 0..60_usize) {
            let mut output = output(1000, &[text.as_bytes()]);
            let (end, _) = output.read(room);
            let taken = serde_json::to_string(end).unwrap().len() - 2;
            prop_assert!(taken <= room, "{taken} over {room}");
        }
    }
}
