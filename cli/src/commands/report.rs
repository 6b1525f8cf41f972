//! A difference as Markdown for a ticket: what was compared, what differs, and the command that gives it again.

use std::fmt::Write;

use replay_store::explain::mask::Mask;
use replay_store::explain::report::Pii;
use replay_store::replay::Session;
use replay_store::visible::visible;

use super::again::quoted;
use super::fold::fold;
use super::prompt_diff::Length;
use crate::failure::Failure;
use crate::output::Output;

/// How the texts of a difference are written.
pub(crate) struct Wording {
    /// Whether large ones are folded.
    pub(crate) length: Length,
    /// What is hidden in them; `None` outside of reports.
    mask: Option<Mask>,
}

impl Wording {
    /// Returns the wording for a screen.
    pub(crate) fn plain(length: Length) -> Wording {
        Wording { length, mask: None }
    }

    /// Returns the wording of a report about sessions.
    fn of_report(length: Length, sessions: &[&Session], pii: Pii) -> Wording {
        let masked = || sessions.iter().map(|session| Mask::of(session)).reduce(Mask::and).unwrap_or_default();
        let mask = match pii {
            Pii::Masked => masked(),
            Pii::Revealed => Mask::default(),
        };
        Wording { length, mask: Some(mask) }
    }

    /// Returns whether it is that of a report, in which lines are whole: a value must not be parted before it is hidden.
    pub(crate) fn is_report(&self) -> bool {
        self.mask.is_some()
    }

    /// Returns a text without what is hidden, folded where it is large.
    pub(crate) fn text(&self, text: &str) -> String {
        let text = self.mask.as_ref().map_or_else(|| text.to_owned(), |mask| mask.text(text));
        match self.length {
            Length::Folded(whole) => fold(&text, whole),
            Length::Full => text,
        }
    }

    /// Returns what an entry holds.
    pub(crate) fn value(&self, key: &str, text: &str) -> String {
        let is_hidden = self.mask.as_ref().is_some_and(|mask| mask.hides(key));
        if is_hidden { "[set]".to_owned() } else { self.text(text) }
    }
}

/// Writes a report. `body` writes the difference as people read it, in the wording that it is given.
pub(crate) fn report(
    title: &str,
    sessions: &[&Session],
    (length, pii): (Length, Pii),
    out: &mut Output<'_>,
    body: impl FnOnce(&Wording, &mut Output<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let wording = Wording::of_report(length, sessions, pii);
    let mut bytes: Vec<u8> = Vec::new();
    let mut inner = Output { writer: &mut bytes, terminal: false, color: false, plain: out.plain, columns: None };
    body(&wording, &mut inner)?;
    let body = String::from_utf8_lossy(&bytes);
    let knows_pii = sessions.iter().all(|session| session.agent.is_some());
    let said = match (pii, knows_pii) {
        (Pii::Revealed, _) => "Values of pii entries are SHOWN in this report",
        (Pii::Masked, true) => "Values of pii entries are hidden, as \\[set\\]",
        (Pii::Masked, false) => {
            "Which entries are pii is unknown without an agent folder: look through the texts before you pass them on"
        }
    };
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| quoted(&word)).collect();
    let command = wording.text(&format!("replay {}", arguments.join(" ")));
    let mut text = format!("### {title}\n\n- {said}\n\n");
    fenced(&mut text, "diff", &body);
    text.push_str("\n**The same answer again**\n\n");
    fenced(&mut text, "text", &format!("{}\n", visible(&command)));
    Ok(out.writer.write_all(text.as_bytes())?)
}

/// Writes a text that was made visible in a fence that nothing in it closes.
fn fenced(report: &mut String, language: &str, text: &str) {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(report, "{fence}{language}\n{text}{fence}");
}
