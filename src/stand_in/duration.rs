//! Durations as agent files write them, which is Go's notation: `30s`, `500ms`, `1m30s`, `1.5h`.

use std::time::Duration;

const UNITS: [(&str, f64); 8] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("μs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
];

/// Reads a duration above zero; `None` for any other text.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, after) = rest.split_at(digits);
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
        seconds += number.parse::<f64>().ok()? * factor;
        rest = after;
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected_ms: Option<u64>) {
        assert_eq!(parse(text), expected_ms.map(Duration::from_millis), "{text}");
    }

    #[test]
    fn units_are_those_of_go_and_can_be_joined() {
        check("30s", Some(30_000));
        check("500ms", Some(500));
        check("1m30s", Some(90_000));
        check("1h0.5m", Some(3_630_000));
        check("+2s", Some(2_000));
        check("1000µs", Some(1));
    }

    #[test]
    fn what_go_refuses_and_what_is_not_above_zero_is_refused() {
        for text in ["", "30", "s", "30 s", "1d", "-1s", "0s", "0", "1.2.3s", "1e3s", ".s"] {
            check(text, None);
        }
    }
}
