//! Lines and words of two texts.

use proptest::prelude::*;

use replay_store::compare::words::{Change, Line, compare};

fn shown(lines: &[Line]) -> String {
    let line = |line: &Line| {
        let (lead, open, close) = match line.change {
            Change::Same => ("  ", "", ""),
            Change::Removed => ("- ", "[-", "-]"),
            Change::Added => ("+ ", "{+", "+}"),
        };
        let word =
            |(text, differs): (&str, bool)| if differs { format!("{open}{text}{close}") } else { text.to_owned() };
        let words: String = line.words.iter().map(|each| word((&each.text, each.differs))).collect();
        format!("{lead}{words}\n")
    };
    lines.iter().map(line).collect()
}

fn check(old: &[&str], new: &[&str], expected: &str) {
    assert_eq!(shown(&compare(old, new)), expected);
}

#[test]
fn changed_words_are_marked_in_their_lines() {
    check(
        &["a", "day: Friday at noon", "z"],
        &["a", "day: Monday at noon", "z"],
        "  a\n- day: [-Friday-] at noon\n+ day: {+Monday+} at noon\n  z\n",
    );
}

#[test]
fn a_line_without_a_counterpart_has_no_marks() {
    check(&["a", "z"], &["a", "new one", "z"], "  a\n+ new one\n  z\n");
    check(&[], &["first"], "+ first\n");
    check(&["same"], &["same"], "  same\n");
}

#[test]
fn very_many_different_lines_count_as_replaced() {
    let numbered = |lead: &str| (0..6000).map(|number| format!("{lead} {number}")).collect::<Vec<_>>();
    let (old, new) = (numbered("old"), numbered("new"));
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    let found = compare(&old, &new);
    let removed = found.iter().take_while(|line| line.change == Change::Removed).count();
    assert_eq!((removed, found.len()), (6000, 12_000));
}

/// Lines of few words, so that many are equal.
fn text() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["alpha", "beta", "gamma", "", "δέλτα", "\u{202e}x", "a b\tc"]);
    let line = prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 0..14)
}

proptest! {
    #[test]
    fn a_difference_gives_both_texts(old in text(), new in text()) {
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let found = compare(&old, &new);
        let side = |gone: Change| -> Vec<String> {
            found.iter().filter(|line| line.change != gone).map(Line::text).collect()
        };
        prop_assert_eq!(side(Change::Added), old.clone());
        prop_assert_eq!(side(Change::Removed), new.clone());
        for line in &found {
            let text = line.text();
            prop_assert!(line.old.is_none_or(|index| old[index] == text));
            prop_assert!(line.new.is_none_or(|index| new[index] == text));
        }
    }

    #[test]
    fn a_text_differs_from_itself_in_nothing(text in text()) {
        let lines: Vec<&str> = text.iter().map(String::as_str).collect();
        prop_assert!(compare(&lines, &lines).iter().all(|line| line.change == Change::Same && !line.has_marks()));
    }
}
