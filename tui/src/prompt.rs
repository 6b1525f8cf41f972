//! The prompt panel's text: what the model got at a call, with the origin of every piece.

use std::collections::VecDeque;

use replay_store::compare::prompts::{PromptDifference, Which, previous, prompts};
use replay_store::event::{EventKind, Position};
use replay_store::name::Name;
use replay_store::prompt::holes::{Hole, rows};
use replay_store::prompt::size::{CHARACTERS_A_TOKEN, size};
use replay_store::prompt::{Prompt, Role, Source};
use replay_store::replay::Session;
use replay_store::replay::notes::Note;
use replay_store::replay::turns::{Call, CallKind};
use replay_store::session::prose::{CUT_MARK, SHOWN_CHARACTERS};

use crate::content::difference::{Difference, Item, text};
use crate::document::Document;
use crate::fold::FOLDED;
use crate::theme::Tone;

/// The prompt panel.
#[derive(Debug, Default)]
pub struct PromptView {
    /// Whether it follows the cursor, or the last call at or before it.
    pub hypothetical: bool,
    /// What of it is shown.
    pub form: Form,
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
    /// What of it.
    pub form: Form,
    /// One row about it.
    pub headline: String,
    /// Its text.
    pub document: Document,
    /// The origins that the document's numbers mean, from 1.
    origins: Vec<PieceOrigin>,
    /// Anchors of the lines on which sections begin.
    heads: Vec<usize>,
    /// Anchors of the lines of the tools.
    tools: Vec<(usize, Name)>,
    /// Anchors of the lines about what is withheld.
    holes: Vec<(usize, Hole)>,
    /// What changed, in place of the document's lines; each of its items is one line of the document.
    pub difference: Option<Difference>,
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

/// What is shown of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// All of it.
    #[default]
    Whole,
    /// What changed since the call before.
    Changes,
    /// All of it, and what is withheld where it would stand.
    Holes,
}

impl Shown {
    fn nothing() -> Shown {
        Shown {
            of: Of::Nothing,
            form: Form::Whole,
            difference: None,
            headline: String::new(),
            document: Document::default(),
            origins: Vec::new(),
            heads: Vec::new(),
            tools: Vec::new(),
            holes: Vec::new(),
        }
    }

    /// Returns the position whose state the prompt shows.
    pub fn built_at(&self) -> Option<Position> {
        match &self.of {
            Of::Call(_, call) => Some(call.before),
            Of::At(at) => Some(*at),
            Of::Nothing => None,
        }
    }

    /// Returns the tool that a line is about.
    pub fn tool_at(&self, line: usize) -> Option<&Name> {
        self.tools.iter().find(|(at, _)| self.document.anchored(*at) == line).map(|(_, tool)| tool)
    }

    /// Returns the first line about something that is withheld.
    pub(crate) fn first_hole(&self) -> Option<usize> {
        self.holes.first().map(|(at, _)| self.document.anchored(*at))
    }

    /// Returns what a line says to be withheld.
    pub fn hole_at(&self, line: usize) -> Option<&Hole> {
        self.holes.iter().find(|(at, _)| self.document.anchored(*at) == line).map(|(_, hole)| hole)
    }

    /// Returns the lines on which sections begin, in order.
    pub(crate) fn heads(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.heads.iter().map(|at| self.document.anchored(*at))
    }

    /// Begins a section. How many tokens it has is an estimate, as in [`size`].
    fn head(&mut self, name: &str, characters: usize) {
        let tokens = (characters as u64).div_ceil(CHARACTERS_A_TOKEN);
        let words = match characters {
            0 => format!("── {name} ──\n"),
            1 => format!("── {name}, 1 character, ≈1 token ──\n"),
            _ => format!("── {name}, {characters} characters, ≈{tokens} tokens ──\n"),
        };
        let anchor = self.document.anchor();
        self.heads.push(anchor);
        self.document.push_line(&words, Tone::Title, 0);
    }

    /// Returns the origins of the pieces on a line.
    pub fn origins(&self, line: usize) -> Vec<&PieceOrigin> {
        self.document.origins(line).into_iter().filter_map(|number| self.origins.get(number - 1)).collect()
    }
}

impl PromptView {
    /// Makes the prompt for a cursor, unless it is the one that is shown already. Returns whether it is a new one.
    pub(crate) fn follow(&mut self, session: &Session, cursor: Position) -> bool {
        let of = which(session, cursor, self.hypothetical);
        let form = self.form;
        let is_it = |shown: &Shown| (&shown.of, shown.form) == (&of, form);
        if self.shown.as_ref().is_some_and(is_it) {
            return false;
        }
        let known = self.kept.iter().position(is_it).and_then(|place| self.kept.remove(place));
        let next = known.unwrap_or_else(|| match form {
            Form::Whole | Form::Holes => make(session, of, form),
            Form::Changes => changes(session, of),
        });
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

fn make(session: &Session, of: Of, form: Form) -> Shown {
    let mut document = Document::default();
    let (headline, prompt) = match &of {
        Of::Nothing => {
            let text = match session.agent {
                Some(_) => "No model was called up to here. H shows what a call would get.",
                None => "No model was called up to here.",
            };
            document.push(text, Tone::Quiet, 0);
            return Shown { of, form, headline: "no model call yet".to_owned(), document, ..Shown::nothing() };
        }
        Of::Call(turn, call) => {
            let name = session.turn(*turn).map(|turn| turn.call_name(call)).unwrap_or_default();
            (format!("{name}, recomputed, at {}", call.before), session.prompt_of(call))
        }
        Of::At(at) => (format!("hypothetical, at {at}: no call was made here"), session.prompt(*at)),
    };
    let notes = match (&of, &prompt) {
        (Of::Call(_, call), Some(prompt)) => session.notes(call.before, Some(call), prompt),
        (Of::At(at), Some(prompt)) => session.notes(*at, None, prompt),
        (Of::Nothing, _) | (_, None) => Vec::new(),
    };
    let mut shown = Shown { of, form, headline, document, ..Shown::nothing() };
    match prompt {
        Some(prompt) => {
            shown.headline = format!("{}, {}", shown.headline, prompt.situation.word());
            for Note { rule, text } in notes {
                shown.document.push_line(&format!("note: {text} ({rule})\n"), Tone::Waiting, 0);
            }
            write_size(&mut shown, session, &prompt);
            let holes = match (form, shown.built_at()) {
                (Form::Holes, Some(at)) => session.holes(at).unwrap_or_default(),
                (Form::Holes | Form::Whole | Form::Changes, _) => Vec::new(),
            };
            write(&mut shown, session, &prompt, holes);
        }
        None => {
            let text = "The prompt is recomputed from the agent folder, and there is none: name it with --agent DIR.";
            shown.document.push(text, Tone::Waiting, 0);
        }
    }
    shown
}

/// Returns what changed since the call before.
fn changes(session: &Session, of: Of) -> Shown {
    let mut shown = Shown { of, form: Form::Changes, ..Shown::nothing() };
    let to = match &shown.of {
        Of::Call(_, call) => Some(Which::Call(call)),
        Of::At(at) => Some(Which::At(*at)),
        Of::Nothing => None,
    };
    let from = to.and_then(|to| previous(session, to));
    let found = to.zip(from).and_then(|(to, from)| prompts(session, Which::Call(from), to));
    match (found, to) {
        (Some(found), _) => write_changes(&mut shown, &found),
        (None, None) => {
            shown.document.push("No model was called up to here; H compares what a call would get.", Tone::Quiet, 0)
        }
        (None, Some(_)) if session.agent.is_none() => {
            let text = "The prompt is recomputed from the agent folder, and there is none: name it with --agent DIR.";
            shown.document.push(text, Tone::Waiting, 0);
        }
        (None, Some(_)) => {
            let is_rephrase = matches!(&shown.of, Of::Call(_, call) if call.kind == CallKind::Rephrase);
            let (headline, text) = match is_rephrase {
                true => (
                    "the first rephrase: nothing to compare with",
                    "This call rewords a response, with a prompt of its own, and is the first that does. [p goes to the \
                     model call before it, which P compares with the one before that.",
                ),
                false => (
                    "the first call: nothing to compare with",
                    "This is the first call, so there is none before it. P shows the prompt.",
                ),
            };
            shown.headline = headline.to_owned();
            shown.document.push(text, Tone::Quiet, 0);
        }
    }
    shown
}

fn write_changes(shown: &mut Shown, found: &PromptDifference) {
    let (removed, added) = found.counts();
    // In few words, so that what differs is seen where the panel is narrow.
    let call = |which: String| which.split(" (").next().unwrap_or_default().to_owned();
    let (from, to) = (call(found.from.name()), call(found.to.name()));
    shown.headline = format!("{removed} gone, {added} new: {from} → {to}");
    let difference = Difference::of(found);
    for item in difference.items() {
        let origin = match item {
            Item::Cause(cause) => match (cause.position, &cause.file, cause.line) {
                (Some(position), _, _) => Some(Source::Event { position, key: None }),
                (None, Some(file), Some(line)) => Some(Source::File { file: file.clone(), line }),
                (None, _, _) => None,
            },
            Item::Head(..) => {
                let anchor = shown.document.anchor();
                shown.heads.push(anchor);
                None
            }
            Item::Same(_) | Item::Changed(_, _) | Item::Hidden(_) => None,
        };
        let number = origin.map_or(0, |source| number(shown, PieceOrigin { source, cut: String::new() }));
        // One item, one line.
        shown.document.push_line(&format!("{}\n", text(item).replace('\n', " ")), Tone::Plain, number);
    }
    shown.difference = Some(difference);
}

/// Says how large the whole request is, by estimate.
fn write_size(shown: &mut Shown, session: &Session, prompt: &Prompt) {
    let Some(agent) = session.agent.as_deref() else { return };
    let size = size(agent, prompt);
    let budget = match &size.budget_at {
        Some(at) => format!("{} ({}:{})", size.budget, at.file, at.line),
        None => size.budget.to_string(),
    };
    let words = format!(
        "≈{} tokens of a budget of {budget}: an estimate, {CHARACTERS_A_TOKEN} characters each\n",
        size.estimated_tokens
    );
    shown.document.push_line(&words, Tone::Quiet, 0);
}

fn write(shown: &mut Shown, session: &Session, prompt: &Prompt, holes: Vec<Hole>) {
    let rows = rows(prompt);
    let mut holes: Vec<(Option<usize>, Hole)> = holes.into_iter().map(|hole| (hole.behind(&rows), hole)).collect();
    if shown.form == Form::Holes {
        let words = match holes.len() {
            0 => "nothing is withheld from this prompt\n".to_owned(),
            count => format!("{count} withheld, shown in brackets: the model got none of that\n"),
        };
        shown.document.push_line(&words, Tone::Bad, 0);
        // In front, where a narrow panel doesn't cut it off.
        shown.headline = format!("with {} withheld: {}", holes.len(), shown.headline);
    }
    // The line of the prompt that is being written, which may go on from one section into the next.
    let mut row = 0;
    for section in &prompt.sections {
        shown.head(section.name.word(), section.text().trim().chars().count());
        let mut first = true;
        for piece in &section.pieces {
            let cut = if piece.text.contains(CUT_MARK) { cut_words(session, &piece.origin) } else { String::new() };
            let origin = number(shown, PieceOrigin { source: piece.origin.clone(), cut });
            for part in piece.text.split_inclusive('\n') {
                // The blank line between two sections is said by the heading already.
                first &= part == "\n";
                if !first {
                    shown.document.push(part, tone(&piece.origin), origin);
                }
                if part.ends_with('\n') {
                    write_holes(shown, &mut holes, Some(row));
                    row += 1;
                }
            }
        }
        write_holes(shown, &mut holes, Some(row));
    }
    write_holes(shown, &mut holes, None);
    shown.head("messages", prompt.messages.iter().map(|message| message.text.chars().count()).sum());
    for (index, message) in prompt.messages.iter().enumerate() {
        let origin = number(shown, PieceOrigin { source: message.origin.clone(), cut: String::new() });
        let speaker = match (&message.tool, message.role) {
            (Some(tool), Role::Tool) => format!("result of {tool}: "),
            (Some(tool), role) => format!("{} calls {tool}: ", role.word()),
            (None, role) => format!("{}: ", role.word()),
        };
        shown.document.push_line(&speaker, Tone::Strong, origin);
        match message.text.len() {
            0..=FOLDED => shown.document.push(&message.text, Tone::Plain, origin),
            _ => shown.document.push_named(&format!("messages[{index}]"), &message.text, Tone::Plain, origin),
        }
    }
    let offered = prompt.tools.iter().filter(|tool| tool.offered);
    shown.head("tools", offered.map(|tool| tool.name.chars().count() + tool.schema.to_json().chars().count()).sum());
    for tool in &prompt.tools {
        let (word, tone) = if tool.offered { ("offered ", Tone::Strong) } else { ("withheld ", Tone::Bad) };
        let anchor = shown.document.anchor();
        shown.tools.push((anchor, tool.name.clone()));
        shown.document.push_line(word, tone, 0);
        shown.document.push(&tool.name, Tone::Tool, 0);
        shown.document.push(&format!(": {}", tool.why), Tone::Plain, 0);
    }
}

/// Writes what would stand behind a line of the prompt, and forgets it.
fn write_holes(shown: &mut Shown, holes: &mut Vec<(Option<usize>, Hole)>, row: Option<usize>) {
    for (_, hole) in holes.extract_if(.., |(place, _)| *place == row) {
        let source = Source::File { file: hole.at.file.clone(), line: hole.at.line };
        let origin = number(shown, PieceOrigin { source, cut: String::new() });
        let rule = hole.rule.map(|rule| format!(" by {}", rule.number())).unwrap_or_default();
        let key = hole.key.as_ref().map(|key| format!("{key}, ")).unwrap_or_default();
        let words = format!("[withheld{rule}: {key}{}:{}] {}\n", hole.at.file, hole.at.line, hole.why);
        let anchor = shown.document.anchor();
        shown.holes.push((anchor, hole.clone()));
        shown.document.push_line(&words, Tone::Bad, origin);
        for line in hole.would.as_deref().unwrap_or("nothing: the entry holds no value").lines() {
            let anchor = shown.document.anchor();
            shown.holes.push((anchor, hole.clone()));
            shown.document.push_line("[would stand here] ", Tone::Bad, origin);
            shown.document.push(line, Tone::Waiting, origin);
            shown.document.push("\n", Tone::Plain, origin);
        }
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
