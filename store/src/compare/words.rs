//! Two texts line by line, and inside of changed lines word by word.
//!
//! No clock ends a comparison that takes long, as that would give another answer on a slower machine: what is too
//! large for words is compared by lines, and what is too large for lines counts as replaced.

use similar::{Algorithm, ChangeTag, InlineChangeOptions, TextDiff};

/// A line of one text or of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// On which side it stands.
    pub change: Change,
    /// Its text in stretches, one after the other, without the line end.
    pub words: Vec<Word>,
    /// Its index in the old text, from 0.
    pub old: Option<usize>,
    /// Its index in the new text, from 0.
    pub new: Option<usize>,
}

/// On which side a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// On both.
    Same,
    /// In the old text only.
    Removed,
    /// In the new text only.
    Added,
}

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Whether the line that stands for it on the other side has other words here. A line that has no counterpart
    /// is one stretch that is not marked.
    pub differs: bool,
}

impl Line {
    /// Returns the text of the line.
    pub fn text(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect()
    }

    /// Returns whether some of its words are marked, which is: it has a counterpart on the other side.
    pub fn has_marks(&self) -> bool {
        self.words.iter().any(|word| word.differs)
    }
}

/// Above this many pairs of changed lines, what lies between the first and the last of them counts as replaced.
const LINE_PAIRS_MAX: usize = 25_000_000;

/// Changed stretches of more bytes than this are compared by lines only.
const WORD_BYTES_MAX: usize = 16 << 10;

/// Compares two texts that are given as lines without their ends.
pub fn compare(old: &[&str], new: &[&str]) -> Vec<Line> {
    let ahead = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[ahead..], &new[ahead..]);
    let behind = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let old_middle = &old_rest[..old_rest.len() - behind];
    let new_middle = &new_rest[..new_rest.len() - behind];
    let same = |index: usize, old_at: usize, new_at: usize| {
        line(Change::Same, vec![whole(old[old_at + index])], Some(old_at + index), Some(new_at + index))
    };
    let mut found: Vec<Line> = (0..ahead).map(|index| same(index, 0, 0)).collect();
    found.extend(middle(old_middle, new_middle, ahead));
    found.extend((0..behind).map(|index| same(index, old.len() - behind, new.len() - behind)));
    found
}

fn middle(old: &[&str], new: &[&str], ahead: usize) -> Vec<Line> {
    let place = |index: Option<usize>| index.map(|index| index + ahead);
    if old.is_empty() || new.is_empty() || LINE_PAIRS_MAX < old.len().saturating_mul(new.len()) {
        let removed = old
            .iter()
            .enumerate()
            .map(|(index, text)| line(Change::Removed, vec![whole(text)], place(Some(index)), None));
        let added = new
            .iter()
            .enumerate()
            .map(|(index, text)| line(Change::Added, vec![whole(text)], None, place(Some(index))));
        return removed.chain(added).collect();
    }
    // An empty line is a word of its own only with its line end.
    let ended = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>();
    let (old_ended, new_ended) = (ended(old), ended(new));
    let old_lines: Vec<&str> = old_ended.iter().map(String::as_str).collect();
    let new_lines: Vec<&str> = new_ended.iter().map(String::as_str).collect();
    let difference = TextDiff::configure().algorithm(Algorithm::Myers).diff_slices(&old_lines, &new_lines);
    let mut found = Vec::new();
    for step in difference.ops() {
        let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
        if WORD_BYTES_MAX < bytes(&old[step.old_range()]) + bytes(&new[step.new_range()]) {
            found.extend(difference.iter_changes(step).map(|change| {
                let words = vec![whole(change.value().strip_suffix('\n').unwrap_or_default())];
                line(tag(change.tag()), words, place(change.old_index()), place(change.new_index()))
            }));
            continue;
        }
        let options = InlineChangeOptions::new();
        found.extend(difference.iter_inline_changes_with_options_deadline(step, options, None).map(|change| {
            let words = marked(change.values());
            line(tag(change.tag()), words, place(change.old_index()), place(change.new_index()))
        }));
    }
    found
}

/// Returns the stretches of a line without its end. Where all of them differ there is no counterpart to point at.
fn marked(stretches: &[(bool, &str)]) -> Vec<Word> {
    let texts = stretches.iter().map(|(differs, text)| (*differs, text.strip_suffix('\n').unwrap_or(text)));
    let words: Vec<Word> = texts
        .filter(|(_, text)| !text.is_empty())
        .map(|(differs, text)| Word { text: text.to_owned(), differs })
        .collect();
    if words.iter().all(|word| word.differs) {
        let text: String = words.iter().map(|word| word.text.as_str()).collect();
        return vec![whole(&text)];
    }
    words
}

fn tag(tag: ChangeTag) -> Change {
    match tag {
        ChangeTag::Equal => Change::Same,
        ChangeTag::Delete => Change::Removed,
        ChangeTag::Insert => Change::Added,
    }
}

fn line(change: Change, words: Vec<Word>, old: Option<usize>, new: Option<usize>) -> Line {
    Line { change, words, old, new }
}

fn whole(text: &str) -> Word {
    Word { text: text.to_owned(), differs: false }
}
