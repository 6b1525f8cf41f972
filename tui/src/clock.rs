//! Moments that a user types: a time of the day, or how long after the start.

use replay_store::timestamp::Timestamp;

/// A moment as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A time of the day in UTC, in microseconds since midnight.
    OfDay(i64),
    /// Microseconds after the start of the record.
    AfterStart(i64),
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

impl Moment {
    /// Reads `12:30`, `12:30:05`, `12:30:05.25`, `+5m`, `5m`, `1h2m3s`, `250ms`.
    pub fn parse(text: &str) -> Option<Moment> {
        let text = text.trim();
        match text.contains(':') {
            true => of_day(text).map(Moment::OfDay),
            false => duration(text.strip_prefix('+').unwrap_or(text)).map(Moment::AfterStart),
        }
    }

    /// Returns the moment in a record that began at `start`. A time of the day is the one that is nearest to
    /// the start: half a day before it, or after it.
    pub fn after(self, start: Timestamp) -> Timestamp {
        match self {
            Moment::AfterStart(micros) => Timestamp(start.0.saturating_add(micros)),
            Moment::OfDay(micros) => {
                let wait = (micros - start.0.rem_euclid(DAY)).rem_euclid(DAY);
                let wait = if wait > DAY / 2 { wait - DAY } else { wait };
                Timestamp(start.0.saturating_add(wait))
            }
        }
    }
}

fn of_day(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
    let (hour, minute) = (whole(hour, 24)?, whole(minute, 60)?);
    let micros = fraction(second).filter(|micros| *micros < 60 * SECOND)?;
    parts.next().is_none().then_some((hour * 3600 + minute * 60) * SECOND + micros)
}

/// Reads a whole number below `limit` of one or two digits.
fn whole(text: &str, limit: i64) -> Option<i64> {
    let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_short && *number < limit)
}

/// Reads seconds with or without a fraction, as microseconds.
fn fraction(text: &str) -> Option<i64> {
    let (seconds, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || seconds.len() > 9 || rest.len() > 6 || !is_plain(seconds) || !is_plain(rest) {
        return None;
    }
    let micros: i64 = format!("{rest:0<6}").parse().ok()?;
    Some(seconds.parse::<i64>().ok()? * SECOND + micros)
}

fn duration(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut micros: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let (number, unit) = rest.split_at(digits);
        let letters = unit.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(unit.len());
        let (unit, more) = unit.split_at(letters);
        // Both are in microseconds: a number of seconds as it stands, scaled to its unit.
        let scaled = match unit {
            "ms" => fraction(number)? / 1000,
            "s" => fraction(number)?,
            "m" => fraction(number)?.checked_mul(60)?,
            "h" => fraction(number)?.checked_mul(3600)?,
            "d" => fraction(number)?.checked_mul(86_400)?,
            _ => return None,
        };
        micros = micros.checked_add(scaled)?;
        rest = more;
    }
    (!text.is_empty()).then_some(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read() {
        let minute = 60 * SECOND;
        let cases = [
            ("12:30:05", Some(Moment::OfDay((12 * 60 + 30) * minute + 5 * SECOND))),
            ("00:00", Some(Moment::OfDay(0))),
            ("9:05:01.25", Some(Moment::OfDay((9 * 60 + 5) * minute + 1_250_000))),
            ("+5m", Some(Moment::AfterStart(5 * minute))),
            ("1h2m3.5s", Some(Moment::AfterStart(62 * minute + 3_500_000))),
            ("250ms", Some(Moment::AfterStart(250_000))),
            ("2d", Some(Moment::AfterStart(2 * DAY))),
            ("", None),
            ("5", None),
            ("m", None),
            ("24:00", None),
            ("12:60", None),
            ("12:30:61", None),
            ("1:2:3:4", None),
            ("5x", None),
            ("999999999999999999h", None),
            ("-5m", None),
            ("٣:٠٠", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Moment::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_time_of_the_day_is_the_one_nearest_to_the_start() {
        let start = Timestamp(23 * 3600 * SECOND);
        let at = |text| Moment::parse(text).expect("it is a moment").after(start).clock();
        assert_eq!(at("23:30"), "23:30:00.000");
        assert_eq!(at("00:10"), "00:10:00.000");
        assert_eq!(at("22:59"), "22:59:00.000");
        assert_eq!(Moment::OfDay(0).after(start), Timestamp(DAY));
        assert_eq!(Moment::AfterStart(60 * SECOND).after(start).clock(), "23:01:00.000");
    }
}
