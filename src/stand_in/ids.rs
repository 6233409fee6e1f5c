//! Ids of sessions, `YYYYMMDD-HHMMSS-xxxxxxxx` in UTC: when the session was opened and a random part.

use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_A_DAY: u64 = 86_400;

/// A new id.
pub(super) fn session_id(now: SystemTime) -> String {
    // A time before 1970 is a broken clock; the id is unique all the same.
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / SECONDS_A_DAY);
    let second = seconds % SECONDS_A_DAY;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    // Each `RandomState` has keys of its own, from the system's randomness.
    let random = RandomState::new().hash_one(now) & 0xffff_ffff;
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{random:08x}")
}

/// Year, month and day of a day counted from 1970-01-01. Counts in years that begin in March, so that
/// the leap day comes last, and in eras of 400 years, which all have the same number of days.
fn date(days_since_1970: u64) -> (u64, u64, u64) {
    const DAYS_FROM_YEAR_0: u64 = 719_468;
    const DAYS_AN_ERA: u64 = 146_097;
    let days = days_since_1970 + DAYS_FROM_YEAR_0;
    let (era, day_of_era) = (days / DAYS_AN_ERA, days % DAYS_AN_ERA);
    let leap_days = day_of_era / 1_460 + day_of_era / 146_096 - day_of_era / 36_524;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let is_next_year = month_from_march >= 10;
    let month = if is_next_year { month_from_march - 9 } else { month_from_march + 3 };
    (era * 400 + year_of_era + u64::from(is_next_year), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[track_caller]
    fn check(seconds: u64, expected: &str) {
        let id = session_id(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(id.len(), expected.len() + 9);
        assert!(id.starts_with(expected), "{id}");
    }

    #[test]
    fn an_id_begins_with_the_time() {
        check(0, "19700101-000000");
        check(951_782_399, "20000228-235959");
        check(951_782_400, "20000229-000000");
        check(1_709_164_800, "20240229-000000");
        check(1_794_351_907, "20261110-230507");
        check(4_107_542_400, "21000301-000000");
    }

    #[test]
    fn two_ids_of_one_moment_differ() {
        assert_ne!(session_id(UNIX_EPOCH), session_id(UNIX_EPOCH));
    }
}
