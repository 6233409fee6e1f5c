//! The text of a turn, chunk by chunk: contents of JSON strings, still escaped. One after the other they
//! are the content of one string, also where a pair of surrogates was split.

/// The most in a block, in bytes. The allocator has memory of this size without asking the system for it.
const BLOCK_BYTES: usize = 64 * 1024;

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct TextLog {
    blocks: Vec<Block>,
}

#[derive(Debug, Default)]
struct Block {
    content: String,
    /// Where each chunk ends.
    ends: Vec<u32>,
}

impl TextLog {
    /// Appends the content of a JSON string.
    pub(super) fn push(&mut self, content: &str) {
        let fits = |block: &Block| block.content.len() + content.len() <= BLOCK_BYTES;
        if !self.blocks.last().is_some_and(fits) {
            // The first is mostly the only one, and small.
            let bytes = if self.blocks.is_empty() { 0 } else { BLOCK_BYTES };
            let content = String::with_capacity(bytes);
            self.blocks.push(Block { content, ends: Vec::new() });
        }
        if let Some(block) = self.blocks.last_mut() {
            block.content.push_str(content);
            block.ends.push(u32::try_from(block.content.len()).unwrap_or(u32::MAX));
        }
    }

    /// Drops all but the first `count` chunks.
    pub(super) fn truncate(&mut self, mut count: usize) {
        self.blocks.retain_mut(|block| {
            block.ends.truncate(count);
            count -= block.ends.len();
            let end = block.ends.last().map_or(0, |end| usize_of(*end));
            block.content.truncate(end);
            !block.ends.is_empty()
        });
        if let Some(block) = self.blocks.last_mut() {
            block.content.shrink_to_fit();
            block.ends.shrink_to_fit();
        }
    }

    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |block: &Block| block.content.capacity() + 4 * block.ends.capacity();
        size_of::<Self>() + self.blocks.iter().map(bytes).sum::<usize>()
    }

    /// All of it in one JSON array: a string up to each cut, and one for the rest. A cut is a count of
    /// chunks; they ascend.
    pub(super) fn read(&self, cuts: &[usize]) -> String {
        let mut json = String::with_capacity(self.bytes() + 3 * cuts.len() + 4);
        json.push_str("[\"");
        let mut cuts = cuts.iter().copied().peekable();
        let mut before = 0;
        for block in &self.blocks {
            let mut from = 0;
            while let Some(cut) = cuts.next_if(|cut| *cut < before + block.ends.len()) {
                let end = cut.checked_sub(before + 1).and_then(|last| block.ends.get(last));
                let end = end.map_or(0, |end| usize_of(*end));
                json.push_str(block.content.get(from..end).unwrap_or_default());
                json.push_str("\",\"");
                from = end;
            }
            json.push_str(block.content.get(from..).unwrap_or_default());
            before += block.ends.len();
        }
        for _ in cuts {
            json.push_str("\",\"");
        }
        json.push_str("\"]");
        json
    }
}

fn usize_of(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_of_a_pair_of_surrogates_meet() {
        let mut log = TextLog::default();
        log.push(r"\ud83d");
        log.push(r"\ude00");
        let read: Vec<String> = serde_json::from_str(&log.read(&[])).unwrap();
        assert_eq!(read, ["😀"]);
    }

    #[test]
    fn nothing_is_an_empty_text() {
        assert_eq!(TextLog::default().read(&[]), r#"[""]"#);
        assert_eq!(TextLog::default().read(&[0, 0]), r#"["","",""]"#);
    }

    proptest! {
        #[test]
        fn it_is_cut_where_it_is_asked_to_be(
            chunks in proptest::collection::vec(
                prop_oneof![9 => "[a-z]{0,9}", 1 => "[a-z]".prop_map(|text| text.repeat(90_000))],
                0..40,
            ),
            count in 0_usize..50,
            mut cuts in proptest::collection::vec(0_usize..50, 0..9),
        ) {
            let count = count.min(chunks.len());
            for cut in &mut cuts {
                *cut = (*cut).min(count);
            }
            cuts.sort_unstable();
            let mut log = TextLog::default();
            for chunk in &chunks {
                log.push(chunk);
            }
            log.truncate(count);
            let read: Vec<String> = serde_json::from_str(&log.read(&cuts)).unwrap();
            let starts = std::iter::once(0).chain(cuts.iter().copied());
            let ends = cuts.iter().copied().chain(std::iter::once(count));
            let expected: Vec<String> =
                starts.zip(ends).map(|(start, end)| chunks[start..end].concat()).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
