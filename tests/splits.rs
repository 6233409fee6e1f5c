//! Bytes from the agent's stdout to the lane: however they are split, and whatever JSON they hold.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::indexing_slicing, reason = "brevity of tests")]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use support::{Dialogue, raw_entries_to};

const NOTIFICATION: &str = "4";
const END: &str = "9";

/// The entries that come of `pieces`, without the end: each member as its text.
fn entries(pieces: Vec<Vec<u8>>) -> Vec<Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let mut dialogue = Dialogue::open(&[]);
        for piece in pieces {
            dialogue.write_bytes(&piece).await;
            // The reader sees each piece for itself.
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        dialogue.close_output().await;
        let mut entries = raw_entries_to(&dialogue, END).await;
        entries.pop();
        entries
    })
}

/// `bytes` in pieces that end at `cuts`.
fn split(bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.extend([0, bytes.len()]);
    cuts.sort_unstable();
    cuts.windows(2).filter_map(|ends| Some(bytes.get(ends[0]..ends[1])?.to_vec())).collect()
}

/// JSON of every kind, also what no tree of `serde_json` holds; written with white space.
fn json() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>()
            .prop_filter("JSON has no such number", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
        "-?[1-9][0-9]{0,30}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
    ];
    let string = vec(
        prop_oneof![
            8 => any::<char>().prop_map(|c| serde_json::json!(c.to_string()).to_string()),
            2 => any::<u16>().prop_map(|unit| format!("\"\\u{unit:04x}\"")),
            1 => prop_oneof![Just("\"\u{2028}\""), Just("\"\\/\""), Just("\"\u{feff}\"")]
                .prop_map(str::to_owned),
        ],
        0..12,
    )
    .prop_map(|pieces| {
        let inner = |piece: &String| piece.trim_matches('"').to_owned();
        let quoted = |piece: &String| piece == "\"\\\"\"";
        let inners =
            pieces.iter().map(|piece| if quoted(piece) { "\\\"".into() } else { inner(piece) });
        format!("\"{}\"", inners.collect::<String>())
    });
    let word = prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(str::to_owned);
    let leaf = prop_oneof![word, number, string.clone()];
    leaf.prop_recursive(6, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(", "))),
            vec((string.clone(), inner), 0..6).prop_map(|members| {
                let members = members.iter().map(|(name, value)| format!("{name} :{value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join("\t,"))
            }),
        ]
    })
}

/// A line of the agent: messages of every kind, and what is none.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let text = |line: String| line.into_bytes();
    let update = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":";
    prop_oneof![
        4 => "[ -~é😀]{0,20}".prop_map(move |said| {
            let said = serde_json::json!(said);
            text(format!("{update}{{\"sessionId\":\"s\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":{said}}}}}}}}}"))
        }),
        2 => json().prop_map(move |json| text(format!("{update}{{\"x\":{json}}}}}"))),
        2 => json().prop_map(move |json| text(format!("{{\"method\":\"n\",\"params\":{json}}}"))),
        2 => (any::<u8>(), json())
            .prop_map(move |(id, json)| text(format!("{{\"id\":{id},\"method\":\"r\",\"params\":{json}}}"))),
        1 => json().prop_map(move |json| text(format!("{{\"id\":1,\"result\":{json}}}"))),
        1 => json().prop_map(text),
        1 => vec(any::<u8>(), 0..30),
        1 => Just(b"\r".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_split_of_the_bytes_gives_the_same_entries(
        lines in vec(line(), 0..20),
        cuts in vec(any::<usize>(), 0..20),
        has_mark in any::<bool>(),
        is_whole in any::<bool>(),
    ) {
        let mut bytes = if has_mark { "\u{feff}".into() } else { Vec::new() };
        bytes.extend(lines.join(&b'\n'));
        if is_whole {
            bytes.push(b'\n');
        }
        prop_assert_eq!(entries(split(&bytes, &cuts)), entries(vec![bytes]));
    }

    #[test]
    fn any_json_comes_out_as_the_text_it_was(texts in vec(json(), 1..12)) {
        let lines = texts.iter().map(|json| format!("{{\"method\":\"n\",\"params\":{json}}}\n"));
        let entries = entries(vec![lines.collect::<String>().into_bytes()]);
        let expected: Vec<_> = texts
            .into_iter()
            .map(|json| vec![NOTIFICATION.to_owned(), "\"n\"".to_owned(), json])
            .collect();
        prop_assert_eq!(entries, expected);
    }
}
