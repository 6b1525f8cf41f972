//! Folding, cutting and finding lines of a document.

use super::breaks::LONGEST;
use super::*;
use crate::rows::{Place, window};

#[test]
fn each_line_knows_its_origins() {
    let mut document = Document::default();
    document.push("Hello ", Tone::Plain, 1);
    document.push("Ann", Tone::Inserted, 2);
    document.push("!\nBye\n", Tone::Plain, 3);
    assert_eq!(document.line_count(), 2);
    assert_eq!(document.origins(0), [1, 2, 3]);
    assert_eq!(document.origins(1), [3]);
    assert_eq!(document.rows(0, 80)[0].text(), "Hello Ann!");
    assert_eq!(document.rows(1, 80)[0].text(), "Bye");
    assert_eq!(document.line_of(2), Some(0));
}

#[test]
fn a_line_that_is_too_long_is_all_there_in_parts() {
    for word in ["x", "word ", "é", "\u{301}", "\u{1b}"] {
        let text = word.repeat(100_000 / word.len());
        let mut document = Document::default();
        document.push(&text, Tone::Plain, 0);
        assert!((12..26).contains(&document.line_count()), "{word:?}: {} parts", document.line_count());
        assert_eq!(document.text(6), visible(&text), "{word:?}");
        let shown: String = (0..document.line_count())
            .flat_map(|line| document.rows(line, usize::MAX).to_vec())
            .map(|row| row.text())
            .collect();
        assert_eq!(shown.replace(CONTINUED, ""), visible(&text), "{word:?}");
    }
}

#[test]
fn what_goes_over_the_end_of_a_part_is_found() {
    let mut document = Document::default();
    document.push(&"x".repeat(LONGEST - 3), Tone::Plain, 0);
    document.push("needle", Tone::Plain, 0);
    document.push(&"x".repeat(LONGEST), Tone::Plain, 0);
    assert_eq!(document.lines_where(|text| text.contains("needle")), [0]);
}

/// A document of texts; each long one is folded.
fn folded(texts: &[&str]) -> Document {
    let mut document = Document::default();
    for text in texts {
        document.push("name ", Tone::Quiet, 0);
        document.push_named("x", text, Tone::Plain, 7);
        document.push_line("", Tone::Plain, 0);
    }
    document.push_line("end", Tone::Plain, 9);
    document
}

fn all(document: &Document) -> Vec<String> {
    (0..document.line_count()).map(|line| document.text(line)).collect()
}

#[test]
fn a_long_text_is_folded_unfolded_and_folded_again() {
    let long = "line of it\n".repeat(400);
    let json = format!("[{}1]", "1,".repeat(3000));
    let mut document = folded(&["short", &long, &json, "short"]);
    let closed = all(&document);
    let label = format!("name ▸ text, 4.4 kB: {}li…", "line of it ".repeat(18));
    let list = format!("name ▸ JSON, 6.0 kB: [{}1…", "1,".repeat(99));
    assert_eq!(closed, ["name short", &label, &list, "name short", "end"]);
    assert_eq!([0, 1, 2, 3, 4].map(|line| document.path(line).is_some()), [true, true, true, true, false]);

    assert_eq!(document.toggle(2), Some(2));
    assert_eq!(document.toggle(1), Some(1));
    let open = all(&document);
    assert_eq!(open.len(), 5 + 400 + 3003);
    assert_eq!((open[1].as_str(), open[2].as_str()), (label.replace('▸', "▾").as_str(), "line of it"));
    assert_eq!(
        (open[402].as_str(), open[403].as_str(), open[404].as_str()),
        (list.replace('▸', "▾").as_str(), "[", "  1,")
    );
    assert_eq!(document.origins(300), [7]);
    assert_eq!(document.origins(open.len() - 1), [9]);
    let last = open.len() - 2;
    assert_eq!((open[last].as_str(), document.value(last)), ("name short", Some(Value::Text("short".into()))));
    assert_eq!((document.path(300), document.value(300)), (Some("x".into()), Some(Value::Text(long.clone()))));
    assert_eq!((document.path(405), document.value(405)), (Some("x[1]".into()), Some(Value::Int(1))));

    assert_eq!(document.set_form(Form::Raw, 2000), 402);
    let raw = all(&document);
    assert_eq!((raw.len(), raw[403].as_str()), (5 + 400 + 1, json.as_str()));
    assert_eq!(document.toggle(300), Some(1), "a line of it folds it, too");
    assert_eq!(document.set_form(Form::Broken, 404), 404 - 1 + 3003);
    assert_eq!(document.toggle(3000), Some(2));
    assert_eq!(all(&document), closed);
    assert_eq!(document.origins(4), [9]);
    assert_eq!((document.toggle(0), document.value(3)), (None, Some(Value::Text("short".into()))));
}

#[test]
fn what_is_looked_for_is_unfolded() {
    let long = "line of it\n".repeat(400);
    let mut document = folded(&[&long, &long.replace("it", "that")]);
    assert_eq!(document.unfold_where(|text| text.contains("that"), 2), 402);
    assert_eq!(document.line_count(), 3 + 400);
    assert_eq!((document.path(402), document.path(401).is_some()), (None, true));
}

#[test]
fn a_window_into_many_lines_touches_few() {
    let mut document = Document::default();
    document.push(&"line\n".repeat(200_000), Tone::Plain, 0);
    assert_eq!(document.line_count(), 200_000);
    assert_eq!(window(&document, Place { line: 150_000, row: 0 }, 80, 20).len(), 20);
}

#[test]
fn carets_stand_below_what_they_mark_however_it_is_wrapped() {
    let mut document = Document::default();
    document.push_named("x", &"long\n".repeat(1000), Tone::Plain, 0);
    document.push_line("", Tone::Plain, 0);
    let text = "  deny_read: [a, b, the_marked_one]";
    let start = text.find("the").expect("it is there");
    document.push_marked(text, (start, start + 14), Tone::Plain, 1);
    document.push_line("end", Tone::Plain, 0);
    let rows = |document: &Document, line: usize, columns: usize| -> Vec<String> {
        document.rows(line, columns).iter().map(|row| row.text().trim_end().to_owned()).collect()
    };
    let whole = [text.to_owned(), format!("{}^^^^^^^^^^^^^^", " ".repeat(start))];
    assert_eq!(rows(&document, 1, 80), whole);
    assert_eq!(document.text(1), whole.join("\n"));
    assert_eq!(rows(&document, 2, 80), ["end"]);
    assert_eq!(
        rows(&document, 1, 24),
        ["  deny_read: [a, b,", "↪ the_marked_one]", "  ^^^^^^^^^^^^^^"],
        "below the row in which it stands"
    );
    let cut = rows(&document, 1, 12);
    assert_eq!(cut.iter().map(|row| row.matches('^').count()).sum::<usize>(), 14, "{cut:?}");
    document.toggle(0);
    assert_eq!(rows(&document, 1001, 80), whole, "it stays there when a text above is unfolded");
    document.toggle(0);
    assert_eq!(rows(&document, 1, 80), whole);
}
