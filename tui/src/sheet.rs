//! A long answer on the screen: its text, and where each line of it leads.

use std::fmt::Write;

use replay_store::event::Position;
use replay_store::explain::Evidence;
use replay_store::explain::why::Why;
use replay_store::name::Name;

use crate::document::Document;
use crate::theme::Tone;

/// A long answer.
#[derive(Debug, Default)]
pub struct Sheet {
    /// What was asked, for the title of its panel.
    pub title: String,
    /// The words of the command that gives the same answer, behind `replay`; `{}` stands for the session.
    pub command: Vec<String>,
    /// The answer itself, where it is one that a report can be made of.
    pub why: Option<Box<Why>>,
    /// Its text.
    pub document: Document,
    /// Where its lines lead; the document's origins count them from 1.
    links: Vec<Link>,
}

/// Where a line leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// To an event.
    Event(Position),
    /// To a line of the agent folder, counted from 1.
    File(Name, u32),
    /// To a memory entry.
    Entry(Name),
    /// To a skill.
    Skill(Name),
    /// To a tool.
    Tool(Name),
    /// To a read of an entry by a skill.
    Read(Name, Name),
    /// To a decision of the step, by its place in the list.
    Decision(usize),
}

impl Sheet {
    /// Returns an empty answer.
    pub(crate) fn new(title: impl Into<String>, command: &[impl AsRef<str>]) -> Sheet {
        let command = command.iter().map(|word| word.as_ref().to_owned()).collect();
        Sheet { title: title.into(), command, ..Sheet::default() }
    }

    /// Adds a line that begins with a blank one, unless it is the first.
    pub(crate) fn heading(&mut self, text: &str) {
        if self.document.line_count() > 0 {
            self.line(Tone::Plain, "", None);
        }
        self.line(Tone::Title, &format!("── {text} ──"), None);
    }

    /// Adds a line, or several where the text has breaks.
    pub(crate) fn line(&mut self, tone: Tone, text: &str, link: Option<Link>) {
        self.parts(&[(tone, text)], link);
    }

    /// Adds a line of stretches.
    pub(crate) fn parts(&mut self, parts: &[(Tone, &str)], link: Option<Link>) {
        let number = link.map_or(0, |link| self.number(link));
        self.document.push_line("", Tone::Plain, 0);
        for (tone, text) in parts {
            self.document.push_text(text, *tone, number);
        }
        // A text that was folded away ended its line itself.
        let is_empty = parts.iter().all(|(_, text)| text.is_empty());
        if is_empty || !self.document.is_at_start() {
            self.document.push("\n", Tone::Plain, number);
        }
    }

    /// Adds a line of a file with carets below a stretch of it: where that begins and ends, in bytes.
    pub(crate) fn excerpt(&mut self, text: &str, marked: (usize, usize), link: Option<Link>) {
        let number = link.map_or(0, |link| self.number(link));
        self.document.push_line("", Tone::Plain, 0);
        self.document.push_marked(text, marked, Tone::Plain, number);
        self.document.push("\n", Tone::Plain, number);
    }

    /// Adds what an answer rests on, a line each.
    pub(crate) fn evidence(&mut self, evidence: &[Evidence]) {
        if evidence.is_empty() {
            return;
        }
        self.heading("evidence");
        for one in evidence {
            let place = one.position.map_or_else(|| "    ".to_owned(), |at| format!("{:>4}", at.0));
            let mut raw = String::new();
            for (index, number) in one.raw.iter().enumerate() {
                let lead = if index == 0 { "  (raw " } else { ", " };
                write!(raw, "{lead}{number}").expect("a string takes all that is written");
            }
            if !raw.is_empty() {
                raw.push(')');
            }
            let basis = format!(" {}: ", one.basis.word());
            let parts =
                [(Tone::Strong, place.as_str()), (Tone::Quiet, &basis), (Tone::Plain, &one.text), (Tone::Quiet, &raw)];
            self.parts(&parts, one.position.map(Link::Event));
        }
    }

    /// Returns where a line leads.
    pub fn links(&self, line: usize) -> Vec<&Link> {
        self.document.origins(line).into_iter().filter_map(|number| self.links.get(number - 1)).collect()
    }

    fn number(&mut self, link: Link) -> usize {
        if self.links.last() != Some(&link) {
            self.links.push(link);
        }
        self.links.len()
    }
}
