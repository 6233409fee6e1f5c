//! Updates as they came, in blocks, each with its number.

use std::collections::VecDeque;

/// A block takes no further update from this size on, in bytes.
const BLOCK_BYTES: usize = 64 * 1024;

/// What is kept when there is more than can be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    /// The last so many bytes.
    Newest(usize),
    /// The first so many bytes.
    Oldest(usize),
}

/// See the module's head.
#[derive(Debug)]
pub(super) struct Log {
    bound: Bound,
    blocks: VecDeque<Block>,
    bytes: usize,
    /// How many old ones were dropped.
    dropped: u64,
    /// The number of the first that there was no room for.
    missed: Option<u64>,
    /// A dropped block, to be used again: fresh memory costs a page fault per 4 KiB.
    spare: Option<Block>,
}

#[derive(Debug, Default)]
struct Block {
    /// One JSON text after another.
    json: String,
    /// Number and end of each.
    marks: Vec<(u64, usize)>,
}

/// A part of a log.
#[derive(Debug)]
pub struct Excerpt {
    /// How many there were before it.
    pub dropped: u64,
    /// A JSON array.
    pub json: String,
}

impl Log {
    pub(super) fn new(bound: Bound) -> Self {
        Self { bound, blocks: VecDeque::new(), bytes: 0, dropped: 0, missed: None, spare: None }
    }

    /// Appends an update: JSON text, in parts.
    pub(super) fn push(&mut self, number: u64, parts: &[&str]) {
        let bytes = parts.iter().map(|part| part.len()).sum();
        match self.bound {
            Bound::Oldest(limit) => {
                if self.missed.is_some() || self.bytes + bytes > limit {
                    self.missed.get_or_insert(number);
                    return;
                }
                self.append(number, parts, bytes);
            }
            Bound::Newest(limit) if bytes > limit => {
                // It cannot be kept, and without it nothing before it is the last.
                self.dropped += self.blocks.drain(..).map(|block| block.count()).sum::<u64>() + 1;
                self.bytes = 0;
            }
            Bound::Newest(limit) => {
                self.append(number, parts, bytes);
                self.drop_blocks(limit);
            }
        }
    }

    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.blocks.iter().map(Block::bytes).sum::<usize>()
    }

    fn append(&mut self, number: u64, parts: &[&str], bytes: usize) {
        self.bytes += bytes;
        if self.blocks.back().is_none_or(|block| block.json.len() >= BLOCK_BYTES) {
            self.blocks.push_back(self.spare.take().unwrap_or_default());
        }
        if let Some(block) = self.blocks.back_mut() {
            for part in parts {
                block.json.push_str(part);
            }
            block.marks.push((number, block.json.len()));
        }
    }

    /// Drops the blocks that are not needed to have `limit` bytes.
    fn drop_blocks(&mut self, limit: usize) {
        while let Some(oldest) = self.blocks.front()
            && self.bytes - oldest.json.len() >= limit
        {
            self.bytes -= oldest.json.len();
            self.dropped += oldest.count();
            self.spare = self.blocks.pop_front().map(Block::cleared);
        }
    }

    /// All before `before`; `None` when one of them is missing.
    pub(super) fn oldest(&self, before: u64) -> Option<String> {
        let is_whole = self.missed.is_none_or(|missed| missed >= before);
        is_whole.then(|| array(self.entries(before).map(|(_, json)| json)))
    }

    /// The last before `before`, as far as they are kept.
    pub(super) fn newest(&self, before: u64) -> Excerpt {
        let mut over = match self.bound {
            Bound::Newest(limit) => self.bytes_before(before).saturating_sub(limit),
            Bound::Oldest(_) => 0,
        };
        let mut cut = 0;
        let entries = self.entries(before).skip_while(|(_, json)| {
            let is_cut = over > 0;
            over = over.saturating_sub(json.len());
            cut += u64::from(is_cut);
            is_cut
        });
        let json = array(entries.map(|(_, json)| json));
        Excerpt { dropped: self.dropped + cut, json }
    }

    fn bytes_before(&self, before: u64) -> usize {
        self.entries(before).map(|(_, json)| json.len()).sum()
    }

    fn entries(&self, before: u64) -> impl Iterator<Item = (u64, &str)> {
        self.blocks.iter().flat_map(Block::entries).take_while(move |(number, _)| *number < before)
    }
}

impl Block {
    fn cleared(mut self) -> Self {
        self.json.clear();
        self.marks.clear();
        self
    }

    fn bytes(&self) -> usize {
        self.json.capacity() + self.marks.capacity() * size_of::<(u64, usize)>()
    }

    fn count(&self) -> u64 {
        u64::try_from(self.marks.len()).unwrap_or(u64::MAX)
    }

    fn entries(&self) -> impl Iterator<Item = (u64, &str)> {
        let starts = std::iter::once(0).chain(self.marks.iter().map(|(_, end)| *end));
        starts
            .zip(&self.marks)
            .map(|(start, (number, end))| (*number, self.json.get(start..*end).unwrap_or_default()))
    }
}

/// A JSON array of JSON texts.
fn array<'a>(entries: impl Iterator<Item = &'a str>) -> String {
    let mut json = String::from("[");
    for entry in entries {
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(entry);
    }
    json.push(']');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(bound: Bound, sizes: &[usize]) -> Log {
        let mut log = Log::new(bound);
        for (number, size) in (0..).zip(sizes) {
            log.push(number, &[&entry(number, *size)]);
        }
        log
    }

    /// A number with so many digits.
    fn entry(number: u64, size: usize) -> String {
        let digits = number.to_string();
        format!("1{}{digits}", "0".repeat(size.saturating_sub(1 + digits.len())))
    }

    fn array_of(entries: &[String]) -> String {
        format!("[{}]", entries.join(","))
    }

    proptest! {
        #[test]
        fn the_newest_are_the_last_that_fit(
            sizes in proptest::collection::vec(prop_oneof![2_usize..300, 60_000_usize..140_000], 0..60),
            before in 0_u64..70,
            limit in prop_oneof![0_usize..1000, Just(200_000)],
        ) {
            let before = usize::try_from(before).unwrap().min(sizes.len());
            let excerpt = filled(Bound::Newest(limit), &sizes[..before]).newest(u64::MAX);
            let mut kept: Vec<String> = Vec::new();
            let mut bytes = 0;
            for number in (0..before).rev() {
                let entry = entry(u64::try_from(number).unwrap(), sizes[number]);
                bytes += entry.len();
                if bytes > limit {
                    break;
                }
                kept.insert(0, entry);
            }
            prop_assert_eq!(excerpt.dropped, u64::try_from(before - kept.len()).unwrap());
            prop_assert_eq!(excerpt.json, array_of(&kept));
        }

        #[test]
        fn the_oldest_are_all_or_none(
            sizes in proptest::collection::vec(2_usize..60, 0..60),
            before in 0_usize..70,
        ) {
            const LIMIT: usize = 500;
            let before = before.min(sizes.len());
            let entries: Vec<String> =
                (0..).zip(&sizes).map(|(number, size)| entry(number, *size)).collect();
            let bytes: usize = entries[..before].iter().map(String::len).sum();
            let log = filled(Bound::Oldest(LIMIT), &sizes);
            let expected = (bytes <= LIMIT).then(|| array_of(&entries[..before]));
            prop_assert_eq!(log.oldest(u64::try_from(before).unwrap()), expected);
        }
    }

    #[test]
    fn old_blocks_are_dropped_whole_and_memory_stays_bounded() {
        let mut log = Log::new(Bound::Newest(100_000));
        for number in 0..100_000 {
            log.push(number, &[&entry(number, 100)]);
        }
        assert!(log.bytes < 100_000 + 2 * BLOCK_BYTES, "{} bytes are kept", log.bytes);
        assert_eq!(log.newest(u64::MAX).dropped, 99_000);
    }
}
