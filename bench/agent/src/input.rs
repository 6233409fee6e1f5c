//! Lines of stdin, read in large blocks.

use std::io::{self, BufRead, BufReader, Read};

const BLOCK_BYTES: usize = 256 * 1024;

/// See the module's head.
pub(crate) struct Input<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Input<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(BLOCK_BYTES, reader), line: Vec::new() }
    }

    /// The next line without its line feed; `None` at the end of the stream.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        if self.reader.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        Ok(Some(self.line.trim_ascii_end()))
    }

    /// Whether the next line may have to be waited for.
    pub(crate) fn is_drained(&self) -> bool {
        self.reader.buffer().is_empty()
    }
}
