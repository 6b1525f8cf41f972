//! Moments as records give them: microseconds since 1970-01-01T00:00:00Z, before or after it.
//!
//! There is no clock here. Times come from records or from whoever calls.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment, in microseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns the moment `seconds` after the epoch, to the nearest microsecond.
    ///
    /// Values that are no moment (not a number, or too large for 64 bits of microseconds) give the nearest end of
    /// the range, or the epoch.
    pub fn from_seconds(seconds: f64) -> Timestamp {
        Timestamp((seconds * 1e6).round() as i64)
    }

    /// Returns `HH:MM:SS.mmm` of the day, UTC.
    pub fn clock(self) -> String {
        let (hour, minute, second, micros) = self.time_of_day();
        format!("{hour:02}:{minute:02}:{second:02}.{:03}", micros / 1000)
    }

    /// Returns `YYYY-MM-DD HH:MM`, UTC, the form of the prompt's clock line (M248).
    pub fn minute(self) -> String {
        let (year, month, day) = self.date();
        let (hour, minute, _, _) = self.time_of_day();
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }

    fn time_of_day(self) -> (i64, i64, i64, i64) {
        let seconds = self.0.div_euclid(1_000_000);
        let of_day = seconds.rem_euclid(86_400);
        (of_day / 3600, of_day / 60 % 60, of_day % 60, self.0.rem_euclid(1_000_000))
    }

    /// Returns year, month and day in the proleptic Gregorian calendar.
    fn date(self) -> (i64, i64, i64) {
        // Days are counted from 0000-03-01, so that the leap day is the last of its year.
        let days = self.0.div_euclid(86_400_000_000) + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }
}

/// RFC 3339 in UTC with microseconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let (hour, minute, second, micros) = self.time_of_day();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_print_as_rfc_3339() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Timestamp(-1).to_string(), "1969-12-31T23:59:59.999999Z");
        assert_eq!(Timestamp::from_seconds(951_782_400.0).to_string(), "2000-02-29T00:00:00.000000Z");
        assert_eq!(Timestamp::from_seconds(1_790_788_643.9802601).to_string(), "2026-09-30T17:17:23.980260Z");
    }

    #[test]
    fn no_number_is_too_large_for_a_moment() {
        for seconds in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            assert!(!Timestamp::from_seconds(seconds).to_string().is_empty());
        }
    }
}
