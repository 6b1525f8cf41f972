//! The prompt panel's text: what the model got at a call, with the origin of every piece.

use std::collections::VecDeque;

use replay_store::event::{EventKind, Position};
use replay_store::prompt::{Prompt, Role, Source};
use replay_store::replay::Session;
use replay_store::replay::turns::Call;
use replay_store::session::prose::{CUT_MARK, SHOWN_CHARACTERS};

use crate::document::Document;
use crate::theme::Tone;

/// The prompt panel.
#[derive(Debug, Default)]
pub struct PromptView {
    /// Whether it follows the cursor, or the last call at or before it.
    pub hypothetical: bool,
    /// What it shows now.
    pub shown: Option<Shown>,
    /// What it showed before, the last one last.
    kept: VecDeque<Shown>,
}

/// A prompt that was made.
#[derive(Debug)]
pub struct Shown {
    /// For which place.
    pub of: Of,
    /// One row about it.
    pub headline: String,
    /// Its text.
    pub document: Document,
    /// The origins that the document's numbers mean, from 1.
    origins: Vec<PieceOrigin>,
}

/// Where a piece of a prompt comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceOrigin {
    /// Where.
    pub source: Source,
    /// Words about a value that the prompt holds a part of; empty where it holds all of it.
    pub cut: String,
}

/// How many prompts are kept beside the one that is shown.
const KEPT: usize = 16;

/// Which prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// That of a model call of a turn.
    Call(u32, Call),
    /// The one that a call would get at the position.
    At(Position),
    /// None: no model was called so far.
    Nothing,
}

impl Shown {
    /// Returns the origins of the pieces on a line.
    pub fn origins(&self, line: usize) -> Vec<&PieceOrigin> {
        self.document.origins(line).into_iter().filter_map(|number| self.origins.get(number - 1)).collect()
    }
}

impl PromptView {
    /// Makes the prompt for a cursor, unless it is the one that is shown already. Returns whether it is a new one.
    pub(crate) fn follow(&mut self, session: &Session, cursor: Position) -> bool {
        let of = which(session, cursor, self.hypothetical);
        if self.shown.as_ref().is_some_and(|shown| shown.of == of) {
            return false;
        }
        let known = self.kept.iter().position(|kept| kept.of == of).and_then(|place| self.kept.remove(place));
        let next = known.unwrap_or_else(|| make(session, of));
        if let Some(last) = self.shown.replace(next) {
            if self.kept.len() == KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back(last);
        }
        true
    }
}

fn which(session: &Session, cursor: Position, hypothetical: bool) -> Of {
    if hypothetical {
        return Of::At(cursor);
    }
    match session.call_at(cursor) {
        Some((turn, call)) => Of::Call(turn.number, call.clone()),
        None => Of::Nothing,
    }
}

fn make(session: &Session, of: Of) -> Shown {
    let mut document = Document::default();
    let (headline, prompt) = match &of {
        Of::Nothing => {
            let text = match session.agent {
                Some(_) => "No model was called up to here. H shows what a call would get.",
                None => "No model was called up to here.",
            };
            document.push(text, Tone::Quiet, 0);
            return Shown { of, headline: "no model call yet".to_owned(), document, origins: Vec::new() };
        }
        Of::Call(turn, call) => {
            let name = session.turn(*turn).map(|turn| turn.call_name(call)).unwrap_or_default();
            (format!("{name}, at {}, recomputed", call.before), session.prompt_of(call))
        }
        Of::At(at) => (format!("hypothetical, at {at}: no call was made here"), session.prompt(*at)),
    };
    let mut shown = Shown { of, headline, document, origins: Vec::new() };
    match prompt {
        Some(prompt) => {
            shown.headline = format!("{}, {}", shown.headline, prompt.situation.word());
            write(&mut shown, session, &prompt);
        }
        None => {
            let text = "The prompt is recomputed from the agent folder, and there is none: name it with --agent DIR.";
            shown.document.push(text, Tone::Waiting, 0);
        }
    }
    shown
}

fn write(shown: &mut Shown, session: &Session, prompt: &Prompt) {
    for section in &prompt.sections {
        shown.document.push_line(&format!("── {} ──\n", section.name.word()), Tone::Title, 0);
        let mut first = true;
        for piece in &section.pieces {
            // The blank line between two sections is said by the heading already.
            let text = if first { piece.text.trim_start_matches('\n') } else { &piece.text };
            first &= text.is_empty();
            let cut = if text.contains(CUT_MARK) { cut_words(session, &piece.origin) } else { String::new() };
            let origin = number(shown, PieceOrigin { source: piece.origin.clone(), cut });
            shown.document.push(text, tone(&piece.origin), origin);
        }
    }
    shown.document.push_line("── messages ──\n", Tone::Title, 0);
    for message in &prompt.messages {
        let origin = number(shown, PieceOrigin { source: message.origin.clone(), cut: String::new() });
        let speaker = match (&message.tool, message.role) {
            (Some(tool), Role::Tool) => format!("result of {tool}: "),
            (Some(tool), role) => format!("{} calls {tool}: ", role.word()),
            (None, role) => format!("{}: ", role.word()),
        };
        shown.document.push_line(&speaker, Tone::Strong, origin);
        shown.document.push(&message.text, Tone::Plain, origin);
    }
    shown.document.push_line("── tools ──\n", Tone::Title, 0);
    for tool in &prompt.tools {
        let (word, tone) = if tool.offered { ("offered ", Tone::Strong) } else { ("withheld ", Tone::Bad) };
        shown.document.push_line(word, tone, 0);
        shown.document.push(&tool.name, Tone::Tool, 0);
        shown.document.push(&format!(": {}", tool.why), Tone::Plain, 0);
    }
}

fn number(shown: &mut Shown, origin: PieceOrigin) -> usize {
    if shown.origins.last() != Some(&origin) {
        shown.origins.push(origin);
    }
    shown.origins.len()
}

/// Returns how much of a value the prompt holds (M262).
fn cut_words(session: &Session, origin: &Source) -> String {
    let Source::Event { position, key: Some(key) } = origin else {
        return format!("cut at {SHOWN_CHARACTERS} characters");
    };
    match session.event(*position).as_ref().map(|event| &event.kind) {
        Some(EventKind::MemoryWritten { key: written, value, .. }) if written == key => {
            format!("cut at {SHOWN_CHARACTERS} of {} characters", value.to_display().chars().count())
        }
        _ => format!("cut at {SHOWN_CHARACTERS} characters"),
    }
}

fn tone(origin: &Source) -> Tone {
    match origin {
        Source::Builtin => Tone::Quiet,
        Source::File { .. } => Tone::Plain,
        Source::Event { .. } => Tone::Inserted,
    }
}
