//! Splits a byte stream into lines: any split of the bytes over reads gives the same lines.
//!
//! A line ends at a line feed and nothing else (U+2028 inside a string is text). A carriage return
//! before it, blank lines and a byte-order mark at the start of the stream are dropped. Only new
//! bytes are searched, so a huge line costs linear time.

use std::borrow::Cow;
use std::fmt;

/// Bytes asked for by one read; also what the buffer shrinks to after a huge line.
pub const READ_BYTES: usize = 256 * 1024;
/// A buffer larger than this is given back once its content was handed out.
const KEEP_BYTES: usize = 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line grew over the limit before its line feed came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTooLong {
    /// The limit, in bytes.
    pub limit_bytes: usize,
}

impl fmt::Display for LineTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a line of at most {} bytes, got a longer one", self.limit_bytes)
    }
}

/// A buffer that is filled by reads and emptied line by line.
#[derive(Debug)]
pub struct LineReader {
    buffer: Vec<u8>,
    /// Start of the first line not handed out yet; `start <= scanned <= filled <= buffer.len()`.
    start: usize,
    /// Everything before this was searched for a line feed.
    scanned: usize,
    /// End of the bytes read so far.
    filled: usize,
    limit_bytes: usize,
    is_at_stream_start: bool,
}

impl LineReader {
    /// A reader that refuses lines over `limit_bytes`, line feed not counted.
    #[must_use]
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            filled: 0,
            limit_bytes,
            is_at_stream_start: true,
        }
    }

    /// The place for the next read. Lines handed out before are gone after this call.
    pub fn space(&mut self) -> &mut [u8] {
        self.drop_handed_out();
        if self.buffer.len() - self.filled < READ_BYTES / 4 {
            let wanted = (self.buffer.len() * 2).max(READ_BYTES);
            self.buffer.resize(wanted, 0);
        }
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }

    /// Takes over the first `count` bytes of [`space`](Self::space) as read.
    pub fn commit(&mut self, count: usize) {
        self.filled = (self.filled + count).min(self.buffer.len());
    }

    /// The next complete line, without its end.
    ///
    /// # Errors
    /// [`LineTooLong`] once the line at hand is over the limit, complete or not.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, LineTooLong> {
        loop {
            let unsearched = self.buffer.get(self.scanned..self.filled).unwrap_or_default();
            let Some(offset) = memchr::memchr(b'\n', unsearched) else {
                self.scanned = self.filled;
                return if self.filled - self.start > self.limit_bytes {
                    Err(LineTooLong { limit_bytes: self.limit_bytes })
                } else {
                    Ok(None)
                };
            };
            let (begin, end) = (self.start, self.scanned + offset);
            self.start = end + 1;
            self.scanned = self.start;
            if end - begin > self.limit_bytes {
                return Err(LineTooLong { limit_bytes: self.limit_bytes });
            }
            if let Some((begin, end)) = self.trim(begin, end) {
                return Ok(self.buffer.get(begin..end));
            }
        }
    }

    /// What is left when the stream has ended: a last line without line feed.
    pub fn rest(&mut self) -> Option<&[u8]> {
        let (begin, end) = (self.start, self.filled);
        self.start = self.filled;
        self.scanned = self.filled;
        let (begin, end) = self.trim(begin, end)?;
        self.buffer.get(begin..end)
    }

    /// The bounds of a line without mark and carriage return; `None` for a blank one.
    fn trim(&mut self, mut begin: usize, mut end: usize) -> Option<(usize, usize)> {
        let line = self.buffer.get(begin..end).unwrap_or_default();
        if std::mem::take(&mut self.is_at_stream_start) && line.starts_with(BYTE_ORDER_MARK) {
            begin += BYTE_ORDER_MARK.len();
        }
        if line.ends_with(b"\r") {
            end -= 1;
        }
        let is_blank =
            self.buffer.get(begin..end).is_none_or(|line| line.iter().all(u8::is_ascii_whitespace));
        (!is_blank).then_some((begin, end))
    }

    fn drop_handed_out(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.buffer.len() > KEEP_BYTES && self.filled < READ_BYTES / 2 {
            self.buffer.truncate(READ_BYTES);
            self.buffer.shrink_to(READ_BYTES);
        }
    }
}

/// The text of a line. Bytes that are not UTF-8 become U+FFFD: the stream goes on, and the one
/// message says what is left of it.
#[must_use]
pub fn text(line: &[u8]) -> Cow<'_, str> {
    // Checking is several times as fast as the conversion, which hardly any line needs.
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]], limit: usize) -> Result<Vec<String>, LineTooLong> {
        let mut reader = LineReader::new(limit);
        let mut lines = Vec::new();
        for chunk in chunks {
            let mut chunk = *chunk;
            while !chunk.is_empty() {
                let space = reader.space();
                let count = chunk.len().min(space.len());
                space[..count].copy_from_slice(&chunk[..count]);
                reader.commit(count);
                chunk = &chunk[count..];
                while let Some(line) = reader.next_line()? {
                    lines.push(text(line).into_owned());
                }
            }
        }
        lines.extend(reader.rest().map(|line| text(line).into_owned()));
        Ok(lines)
    }

    #[track_caller]
    fn check(input: &str, expected: &[&str]) {
        assert_eq!(split(&[input.as_bytes()], 1000).unwrap(), expected);
    }

    #[test]
    fn line_feeds_end_lines() {
        check("a\nb\n", &["a", "b"]);
    }

    #[test]
    fn a_last_line_needs_no_line_feed() {
        check("a\nb", &["a", "b"]);
    }

    #[test]
    fn carriage_returns_and_blank_lines_are_dropped() {
        check("a\r\n\r\n \n\nb\r\n", &["a", "b"]);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_only() {
        check("\u{FEFF}a\n\u{FEFF}b\n", &["a", "\u{FEFF}b"]);
    }

    #[test]
    fn unicode_line_separators_are_text() {
        check("a\u{2028}b\u{2029}c\u{85}d\n", &["a\u{2028}b\u{2029}c\u{85}d"]);
    }

    #[test]
    fn bytes_that_are_not_utf8_become_replacement_characters() {
        assert_eq!(split(&[b"a\xE9b\nc\n"], 100).unwrap(), ["a\u{FFFD}b", "c"]);
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(split(&[b"12345\n"], 5).unwrap(), ["12345"]);
        assert_eq!(split(&[b"123456\n"], 5), Err(LineTooLong { limit_bytes: 5 }));
        assert_eq!(split(&[b"123456"], 5), Err(LineTooLong { limit_bytes: 5 }));
    }

    #[test]
    fn a_huge_line_gives_its_memory_back() {
        let mut reader = LineReader::new(usize::MAX);
        let huge = vec![b'x'; 9 * KEEP_BYTES];
        let mut rest: &[u8] = &huge;
        while !rest.is_empty() {
            let space = reader.space();
            let count = rest.len().min(space.len());
            space[..count].copy_from_slice(&rest[..count]);
            reader.commit(count);
            rest = &rest[count..];
        }
        reader.space()[0] = b'\n';
        reader.commit(1);
        assert_eq!(reader.next_line().unwrap().map(<[u8]>::len), Some(huge.len()));
        reader.space();
        assert!(reader.buffer.capacity() <= KEEP_BYTES, "{} bytes kept", reader.buffer.capacity());
    }

    proptest! {
        #[test]
        fn any_split_of_the_bytes_gives_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..400),
            cuts in proptest::collection::vec(0usize..400, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            chunks.push(&bytes[from..]);
            prop_assert_eq!(split(&chunks, 1000), split(&[&bytes], 1000));
        }
    }
}
