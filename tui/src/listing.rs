//! The lists of marks, of breakpoints and of named filters, over the screen: what they show is looked up in the [`App`].

use crate::app::{App, Debugger};
use crate::line::Line;
use crate::theme::Tone;

/// A list that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// What it lists.
    pub of: Listed,
    /// The row under the cursor.
    pub cursor: usize,
}

/// What a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// The marks, by name.
    Marks,
    /// Breakpoints and watchpoints, by number.
    Breakpoints,
    /// Filters that the user gave names.
    Filters,
}

impl Listed {
    /// Returns what it is called.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Listed::Marks => "marks",
            Listed::Breakpoints => "breakpoints and watchpoints",
            Listed::Filters => "filters",
        }
    }

    /// Returns what its keys do.
    pub(crate) fn keys(self) -> &'static str {
        match self {
            Listed::Marks => "Enter goes there, x takes it away, Esc closes",
            Listed::Breakpoints => "Enter switches it off or on, x takes it away, Esc closes",
            Listed::Filters => "Enter filters the timeline by it, x takes it away, Esc closes",
        }
    }

    /// Returns what to do where there is nothing to list.
    pub(crate) fn nothing(self) -> &'static str {
        match self {
            Listed::Marks => "no mark yet: m a marks the event at the cursor as a",
            Listed::Breakpoints => {
                "no breakpoint yet: b sets one here, B one for this kind, b in memory watches the entry"
            }
            Listed::Filters => "no filter has a name yet: f begins one, :filter save NAME keeps it",
        }
    }

    /// Returns the rows.
    pub(crate) fn rows(self, app: &App, debugger: &Debugger) -> Vec<Line> {
        let session = &debugger.session;
        match self {
            Listed::Marks => {
                let mark = |(name, at)| {
                    let line = Line::new().number(Tone::Strong, name).own(Tone::Quiet, "  ").number(Tone::Plain, at);
                    match session.headline(at) {
                        Some(words) => line
                            .pad_to(12)
                            .own(Tone::Plain, words.kind)
                            .own(Tone::Plain, " ")
                            .foreign(Tone::Quiet, &words.text),
                        None => line.pad_to(12).own(Tone::Quiet, "the start: nothing is applied"),
                    }
                };
                debugger.way.marks.iter().map(mark).collect()
            }
            Listed::Breakpoints => {
                let breakpoints = debugger.way.breakpoints.iter().enumerate();
                let row = |(index, breakpoint): (usize, &crate::breakpoint::Breakpoint)| {
                    let (tone, words) = if breakpoint.is_on { (Tone::Plain, "on") } else { (Tone::Quiet, "off") };
                    let line = Line::new().number(Tone::Strong, index + 1).own(Tone::Quiet, "  ").own(tone, words);
                    line.pad_to(12).foreign(tone, &breakpoint.words())
                };
                breakpoints.map(row).collect()
            }
            Listed::Filters => {
                let row = |(name, filter): (&String, &String)| {
                    Line::new()
                        .foreign(Tone::Strong, name)
                        .pad_to(12)
                        .own(Tone::Quiet, "  ")
                        .foreign(Tone::Plain, filter)
                };
                app.filters.iter().map(row).collect()
            }
        }
    }
}
