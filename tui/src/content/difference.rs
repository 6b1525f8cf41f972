//! The difference of two prompts: on one side where it is narrow, side by side where it is wide. Below each
//! changed line stands what led to it.

use std::rc::Rc;

use replay_store::compare::cause::{Cause, How};
use replay_store::compare::prompts::{ExplainedLine, PromptDifference, Size};
use replay_store::compare::words::{self, Change};

use crate::document::CONTINUED;
use crate::line::Line;
use crate::rows::Rows;
use crate::theme::Tone;

/// A difference in items, one a line of the panel.
#[derive(Debug, Default)]
pub struct Difference {
    items: Vec<Item>,
}

/// A line of the panel.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A part of the prompt begins: its name and its sizes.
    Head(String, String),
    /// A line that is the same.
    Same(words::Line),
    /// A line that went, one that came, or one in place of the other.
    Changed(Option<words::Line>, Option<words::Line>),
    /// What led to the lines above.
    Cause(Cause),
    /// So many lines that are the same are left out.
    Hidden(usize),
}

/// So many lines that are the same stand around changed ones.
const CONTEXT: usize = 2;
/// Columns from which two sides have room.
const WIDE: usize = 110;
/// No screen has more columns: a row that is copied or exported has one side.
const WIDEST: usize = 10_000;

impl Difference {
    /// Returns the items of a difference.
    pub(crate) fn of(difference: &PromptDifference) -> Difference {
        let mut items = Vec::new();
        for part in difference.parts.iter().filter(|part| !part.is_empty()) {
            items.push(Item::Head(part.name.word().to_owned(), sizes(part.from, part.to)));
            add_lines(&part.lines, &mut items);
        }
        Difference { items }
    }

    /// Returns the items.
    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }
}

fn add_lines(lines: &[ExplainedLine], items: &mut Vec<Item>) {
    let is_changed = |index: usize| lines.get(index).is_some_and(|each| each.line.change != Change::Same);
    let is_near = |index: usize| (index.saturating_sub(CONTEXT)..=index + CONTEXT).any(is_changed);
    let mut hidden = 0;
    let mut index = 0;
    while index < lines.len() {
        if !is_changed(index) {
            match is_near(index) {
                true => {
                    add_hidden(std::mem::take(&mut hidden), items);
                    items.push(Item::Same(lines[index].line.clone()));
                }
                false => hidden += 1,
            }
            index += 1;
            continue;
        }
        add_hidden(std::mem::take(&mut hidden), items);
        let end = (index..).find(|at| !is_changed(*at)).unwrap_or(lines.len());
        add_changes(&lines[index..end], items);
        index = end;
    }
    add_hidden(hidden, items);
}

/// Adds a stretch of changed lines: the old ones beside the new ones, and right below each what led to it; below the
/// last one where several in a row have the same cause, or none.
fn add_changes(lines: &[ExplainedLine], items: &mut Vec<Item>) {
    let of = |change| lines.iter().filter(move |each| each.line.change == change);
    let (mut old, mut new) = (of(Change::Removed), of(Change::Added));
    let mut told: Vec<&Cause> = Vec::new();
    loop {
        let (removed, added) = (old.next(), new.next());
        let both = [removed, added].into_iter().flatten();
        let mut causes: Vec<&Cause> = Vec::new();
        for cause in both.clone().flat_map(|each| &each.causes) {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
        if !causes.is_empty() && causes != told {
            items.extend(told.drain(..).cloned().map(Item::Cause));
            told = causes;
        }
        if both.count() == 0 {
            break;
        }
        items.push(Item::Changed(removed.map(|each| each.line.clone()), added.map(|each| each.line.clone())));
    }
    items.extend(told.into_iter().cloned().map(Item::Cause));
}

fn add_hidden(count: usize, items: &mut Vec<Item>) {
    if count > 0 {
        items.push(Item::Hidden(count));
    }
}

fn sizes(from: Size, to: Size) -> String {
    match (from.lines, to.lines) {
        (0, _) => format!("new, {} characters", to.characters),
        (_, 0) => format!("gone, had {} characters", from.characters),
        _ if from == to => format!("{} characters", to.characters),
        _ => format!("{} → {} characters", from.characters, to.characters),
    }
}

/// So many characters of a cause are shown; its event has all of them.
const CAUSE_CHARACTERS: usize = 200;

/// Returns the words for a cause.
pub(crate) fn cause_words(cause: &Cause) -> String {
    let words = whole_cause_words(cause);
    match words.char_indices().nth(CAUSE_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} characters)", &words[..end], words.chars().count()),
        None => words,
    }
}

fn whole_cause_words(cause: &Cause) -> String {
    let at = cause.position.map(|at| at.to_string()).unwrap_or_default();
    match cause.how {
        How::Since => format!("since {at}, {}", cause.text),
        How::Value => format!("its value from {at}, {}", cause.text),
        How::Written => format!("written at {}", cause.text),
        How::Call | How::Unknown => cause.text.clone(),
    }
}

/// Returns an item as text, for search and copies.
pub(crate) fn text(item: &Item) -> String {
    match item {
        Item::Head(name, sizes) => format!("── {name}, {sizes} ──"),
        Item::Same(line) => format!("  {}", line.text()),
        Item::Changed(old, new) => {
            let sides = [("- ", old), ("+ ", new)].into_iter();
            let sides = sides.filter_map(|(lead, line)| line.as_ref().map(|line| format!("{lead}{}", line.text())));
            sides.collect::<Vec<_>>().join("  ")
        }
        Item::Cause(cause) => format!("  = {}", cause_words(cause)),
        Item::Hidden(count) => hidden_words(*count),
    }
}

fn hidden_words(count: usize) -> String {
    if count == 1 { "  … 1 line the same".to_owned() } else { format!("  … {count} lines the same") }
}

impl Rows for Difference {
    fn previous(&self, line: usize) -> Option<usize> {
        line.checked_sub(1)
    }

    fn next(&self, line: usize) -> Option<usize> {
        (line + 1 < self.items.len()).then_some(line + 1)
    }

    fn rows(&self, line: usize, columns: usize) -> Rc<[Line]> {
        let Some(item) = self.items.get(line) else {
            return Rc::from([Line::new().own(Tone::Quiet, "nothing changed: the two prompts are the same")]);
        };
        Rc::from(match item {
            Item::Head(..) => vec![Line::new().foreign(Tone::Title, &text(item))],
            Item::Hidden(count) => vec![Line::new().foreign(Tone::Quiet, &hidden_words(*count))],
            Item::Cause(cause) => Line::new()
                .own(Tone::Quiet, "  = ")
                .foreign_whole(Tone::Waiting, &cause_words(cause))
                .wrap_under(columns, "    "),
            Item::Same(line) if !(WIDE..WIDEST).contains(&columns) => side(line, columns),
            Item::Same(line) => beside(Some(line), Some(line), columns),
            Item::Changed(old, new) if !(WIDE..WIDEST).contains(&columns) => {
                [old, new].into_iter().flatten().flat_map(|line| side(line, columns)).collect()
            }
            Item::Changed(old, new) => beside(old.as_ref(), new.as_ref(), columns),
        })
    }
}

/// Returns the rows of a line on one side.
fn side(line: &words::Line, columns: usize) -> Vec<Line> {
    let (lead, lead_tone, same, differs) = match line.change {
        Change::Same => ("  ", Tone::Quiet, Tone::Quiet, Tone::Quiet),
        Change::Removed => ("- ", Tone::Bad, Tone::Plain, Tone::Bad),
        Change::Added => ("+ ", Tone::Changed, Tone::Plain, Tone::Changed),
    };
    // A line that is new or gone as a whole has no marked words.
    let unmarked = if line.has_marks() { same } else { differs };
    let words = line.words.iter().fold(Line::new().own(lead_tone, lead), |row, word| {
        row.foreign_whole(if word.differs { differs } else { unmarked }, &word.text)
    });
    words.wrap_under(columns, CONTINUED)
}

fn beside(old: Option<&words::Line>, new: Option<&words::Line>, columns: usize) -> Vec<Line> {
    let half = (columns - 1) / 2;
    let rows = |line: Option<&words::Line>| line.map(|line| side(line, half)).unwrap_or_default();
    let (left, right) = (rows(old), rows(new));
    let count = left.len().max(right.len());
    let mut right = right.into_iter();
    let mut left = left.into_iter();
    let row = |_| {
        let left = left.next().unwrap_or_default().pad_to(half);
        left.own(Tone::Title, "│").then(right.next().unwrap_or_default())
    };
    (0..count).map(row).collect()
}
