//! Any split of any bytes gives the same lines. The first four bytes say where to cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mini_me_client::wire::lines::{LineReader, text};

const LIMIT_BYTES: usize = 300;

fuzz_target!(|input: &[u8]| {
    let Some((cuts, bytes)) = input.split_first_chunk::<4>() else { return };
    let mut cuts = cuts.map(|cut| usize::from(cut) * bytes.len() / 255);
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts {
        pieces.push(&bytes[from..cut]);
        from = cut;
    }
    pieces.push(&bytes[from..]);
    assert_eq!(lines(&pieces), lines(&[bytes]));
});

/// The lines, and whether the last thing read was one too long.
fn lines(pieces: &[&[u8]]) -> (Vec<String>, bool) {
    let mut reader = LineReader::new(LIMIT_BYTES);
    let mut lines = Vec::new();
    for mut piece in pieces.iter().copied() {
        while !piece.is_empty() {
            let space = reader.space();
            let count = piece.len().min(space.len());
            space[..count].copy_from_slice(&piece[..count]);
            reader.commit(count);
            piece = &piece[count..];
            loop {
                match reader.next_line() {
                    Ok(Some(line)) => lines.push(text(line).into_owned()),
                    Ok(None) => break,
                    Err(_) => return (lines, true),
                }
            }
        }
    }
    lines.extend(reader.rest().map(|line| text(line).into_owned()));
    (lines, false)
}
