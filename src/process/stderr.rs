//! What the agent says on stderr. It is always read, whether anybody listens or not: a full pipe
//! would freeze the agent. The end of it is kept for errors, its lines are handed on.

use std::collections::VecDeque;

/// How much is kept for errors, in bytes.
pub const TAIL_BYTES: usize = 64 * 1024;
/// A longer line is handed on in pieces of this size: progress bars never end theirs.
const PIECE_BYTES: usize = 16 * 1024;

/// Splits the stream into lines and keeps its tail.
#[derive(Debug, Default)]
pub struct StderrLog {
    tail: VecDeque<u8>,
    line: Vec<u8>,
}

impl StderrLog {
    /// Takes the next bytes; `on_line` gets each line they end, without its line end.
    pub fn feed(&mut self, bytes: &[u8], mut on_line: impl FnMut(&str)) {
        self.keep(bytes);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            for piece in piece.chunks(PIECE_BYTES) {
                self.line.extend_from_slice(piece);
                if self.line.ends_with(b"\n") || self.line.len() >= PIECE_BYTES {
                    self.hand_on(&mut on_line);
                }
            }
        }
    }

    /// Hands on what is left when the stream has ended.
    pub fn finish(&mut self, mut on_line: impl FnMut(&str)) {
        if !self.line.is_empty() {
            self.hand_on(&mut on_line);
        }
    }

    /// The last [`TAIL_BYTES`], cut at a character's border.
    #[must_use]
    pub fn tail(&self) -> String {
        let bytes: Vec<u8> = self.tail.iter().copied().collect();
        let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        let cut = if bytes.len() < TAIL_BYTES {
            0
        } else {
            bytes.iter().take(3).take_while(|byte| is_inside(byte)).count()
        };
        String::from_utf8_lossy(bytes.get(cut..).unwrap_or_default()).into_owned()
    }

    fn keep(&mut self, bytes: &[u8]) {
        let last = bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
        let over = (self.tail.len() + last.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(last);
    }

    fn hand_on(&mut self, on_line: &mut impl FnMut(&str)) {
        // A piece of an endless line may end inside a character: that rest waits for the next.
        let rest = if self.line.ends_with(b"\n") { Vec::new() } else { self.split_character() };
        let text = String::from_utf8_lossy(&self.line);
        on_line(text.trim_end_matches(['\n', '\r']));
        self.line = rest;
    }

    fn split_character(&mut self) -> Vec<u8> {
        match std::str::from_utf8(&self.line) {
            Err(error) if error.error_len().is_none() => self.line.split_off(error.valid_up_to()),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut log = StderrLog::default();
        let mut lines = Vec::new();
        for chunk in chunks {
            log.feed(chunk, |line| lines.push(line.to_owned()));
        }
        log.finish(|line| lines.push(line.to_owned()));
        lines
    }

    #[test]
    fn lines_are_whole_however_the_bytes_come() {
        assert_eq!(lines(&[b"a", b"b\r\nc\xC3", b"\xA9\n\nd"]), ["ab", "c\u{e9}", "", "d"]);
    }

    #[test]
    fn an_endless_line_comes_in_pieces_that_keep_characters_whole() {
        let text = "x".to_owned() + &"é".repeat(PIECE_BYTES);
        let pieces = lines(&[text.as_bytes()]);
        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|piece| piece.len() <= PIECE_BYTES));
        assert_eq!(pieces.concat(), text);
    }

    #[test]
    fn the_tail_is_bounded_and_cut_between_characters() {
        let mut log = StderrLog::default();
        for _ in 0..10 {
            log.feed(("é".repeat(TAIL_BYTES / 2) + "x").as_bytes(), |_| {});
        }
        let tail = log.tail();
        assert!(tail.len() <= TAIL_BYTES && tail.len() > TAIL_BYTES - 4, "{}", tail.len());
        assert!(tail.starts_with('é') && tail.ends_with('x'));
    }
}
