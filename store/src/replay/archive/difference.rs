//! How an event of a log and that of a record differ, in a few words.

use crate::event::Event;
use crate::event::codec::{self, Names};
use crate::replay::headline::headline;

/// Longer texts are shown from a little before the place where they differ.
const SHOWN: usize = 40;

/// Returns what differs between a stored payload and the event that a record has in its place.
pub(super) fn words(stored: &[u8], theirs: &Event) -> String {
    let Ok(ours) = codec::decode(stored, &mut Names::default()) else {
        return "the log's event can't be read".to_owned();
    };
    let (our_line, their_line) = (headline(&ours), headline(theirs));
    if our_line.kind != their_line.kind {
        return between("kind", our_line.kind, their_line.kind);
    }
    if our_line.text != their_line.text {
        return between(our_line.kind, &our_line.text, &their_line.text);
    }
    if ours.time != theirs.time {
        return between("time", &ours.time.to_string(), &theirs.time.to_string());
    }
    let number = |turn: Option<u32>| turn.map_or("none".to_owned(), |turn| turn.to_string());
    if ours.turn != theirs.turn {
        return between("turn", &number(ours.turn), &number(theirs.turn));
    }
    let field = match () {
        () if ours.cause != theirs.cause => "the cause",
        () if ours.origin != theirs.origin => "the place of its raw records",
        () if ours.kind != theirs.kind => "a field",
        () => "the raw record",
    };
    format!("{field} of `{}` is another", our_line.kind)
}

/// Returns the words for two texts that differ.
pub(super) fn between(what: &str, ours: &str, theirs: &str) -> String {
    let same = ours.chars().zip(theirs.chars()).take_while(|(left, right)| left == right).count();
    let start = same.saturating_sub(SHOWN / 2);
    format!("{what}: the log has {:?}, the record {:?}", part(ours, start), part(theirs, start))
}

fn part(text: &str, start: usize) -> String {
    let start = if text.chars().count() <= SHOWN { 0 } else { start };
    let lead = if start == 0 { "" } else { "…" };
    let shown: String = text.chars().skip(start).take(SHOWN).collect();
    let end = if text.chars().count() > start + SHOWN { "…" } else { "" };
    format!("{lead}{shown}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_where_it_is() {
        assert_eq!(between("user", "ten", "nine"), r#"user: the log has "ten", the record "nine""#);
        let long = |end: &str| format!("{}{end}", "a".repeat(60));
        assert_eq!(
            between("user", &long("x"), &long("y")),
            r#"user: the log has "…aaaaaaaaaaaaaaaaaaaax", the record "…aaaaaaaaaaaaaaaaaaaay""#
        );
    }
}
