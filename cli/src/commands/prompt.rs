//! `replay prompt`: what the model got at a call, recomputed from the agent folder and the events before it.

use replay_store::compare::prompts::{Which, previous, prompts};
use replay_store::event::Position;
use replay_store::explain::report::Pii;
use replay_store::name::Name;
use replay_store::prompt::size::{of_section, size};
use replay_store::prompt::{Message, Piece, Prompt, Section, Source, Tool};
use replay_store::replay::notes::Note;
use replay_store::replay::turns::{Call, CallKind, Turn};
use replay_store::replay::{DefinitionSource, Session};
use replay_store::value::Value;
use replay_store::visible::lines;
use serde::Serialize;

use super::prompt_diff::{self, Length};
use super::prompt_holes::{self, HistoryCutAnswer, HoleAnswer};
use super::prompt_size::{PartSizeAnswer, SizeAnswer, part_size, size_answer, sizes};
use super::report::{Wording, report};
use super::{ProfileAnswer, definition_words, profile};
use crate::arguments::{Answer as Written, At};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::place;

/// Which prompt is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// That of the session's last model call.
    Last,
    /// That of a model call of a turn.
    Call {
        /// The turn, from 1.
        turn: u32,
        /// The call, from 1; the first one where none is named.
        call: Option<u32>,
    },
    /// That of a call which reworded a response.
    Rephrase {
        /// The turn, from 1.
        turn: u32,
        /// Which one of the turn, from 1.
        number: u32,
    },
    /// The one that would have been built at a position.
    At(At),
}

/// How a prompt is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For people, with the origin of each piece.
    Source,
    /// For people, with what is withheld where it would stand.
    Holes,
    /// As JSON.
    Json,
    /// As JSON, with what is withheld.
    JsonWithHoles,
    /// The system prompt, byte for byte.
    Raw,
}

/// What `replay prompt` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    position: Position,
    turn: Option<u32>,
    call: Option<u32>,
    rephrase: Option<u32>,
    situation: &'static str,
    recorded: bool,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    size: Option<SizeAnswer>,
    notes: Vec<NoteAnswer>,
    sections: Vec<SectionAnswer<'a>>,
    text: String,
    messages: Vec<MessageAnswer<'a>>,
    tools: Vec<ToolAnswer<'a>>,
    /// What is withheld; absent unless it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    holes: Option<Vec<HoleAnswer>>,
    /// What the history leaves out, null where it is whole; absent unless what is withheld is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    history_cut: Option<Option<HistoryCutAnswer<'a>>>,
}

/// Why the model may have got something else, as JSON has it.
#[derive(Serialize)]
struct NoteAnswer {
    rule: &'static str,
    text: String,
}

/// A section as JSON has it.
#[derive(Serialize)]
struct SectionAnswer<'a> {
    name: &'static str,
    size: PartSizeAnswer,
    text: String,
    pieces: Vec<PieceAnswer<'a>>,
}

/// A piece as JSON has it.
#[derive(Serialize)]
struct PieceAnswer<'a> {
    text: &'a str,
    origin: OriginAnswer<'a>,
}

/// Where something comes from, as JSON has it.
#[derive(Serialize)]
#[serde(untagged)]
enum OriginAnswer<'a> {
    Builtin { builtin: bool },
    File { file: &'a Name, line: u32 },
    Event { position: Position, key: Option<&'a Name> },
}

/// A message as JSON has it.
#[derive(Serialize)]
pub(super) struct MessageAnswer<'a> {
    role: &'static str,
    text: &'a str,
    tool: Option<&'a Name>,
    origin: OriginAnswer<'a>,
}

/// A tool as JSON has it.
#[derive(Serialize)]
struct ToolAnswer<'a> {
    name: &'a Name,
    schema: &'a Value,
    offered: bool,
    why: &'a str,
}

/// The moment whose prompt is shown.
struct Moment<'a> {
    at: Position,
    turn: Option<u32>,
    /// The call that was made there; `None` where a prompt is made up.
    call: Option<&'a Call>,
}

impl<'a> Moment<'a> {
    fn which(&self) -> Which<'a> {
        match self.call {
            Some(call) => Which::Call(call),
            None => Which::At(self.at),
        }
    }

    /// Returns the number of the model call, and that of the rephrase; one of them at most.
    fn numbers(&self) -> (Option<u32>, Option<u32>) {
        match self.call {
            Some(call) if call.kind == CallKind::Rephrase => (None, Some(call.number)),
            Some(call) => (Some(call.number), None),
            None => (None, None),
        }
    }
}

/// Writes a prompt.
pub(crate) fn prompt(session: &Session, wanted: Wanted, form: Form, out: &mut Output<'_>) -> Result<Exit, Failure> {
    if matches!(form, Form::Raw) && out.terminal {
        return Err(Failure::RawOnTerminal);
    }
    let moment = moment(session, wanted)?;
    let prompt = match moment.call {
        Some(call) => session.prompt_of(call),
        None => session.prompt(moment.at),
    };
    let prompt = prompt.ok_or_else(|| Failure::NoDefinition { session: session.id.to_string() })?;
    match form {
        Form::Text | Form::Source | Form::Holes => text(session, &moment, &prompt, form, out)?,
        Form::Json => out.json(&answer(session, &moment, &prompt))?,
        Form::JsonWithHoles => {
            let holes = session.holes(moment.at).unwrap_or_default();
            let holes = Some(holes.iter().map(prompt_holes::answer).collect());
            let cut = session.history_cut(moment.at);
            let history_cut = Some(cut.as_ref().map(prompt_holes::history_answer));
            out.json(&Answer { holes, history_cut, ..answer(session, &moment, &prompt) })?;
        }
        Form::Raw => out.writer.write_all(prompt.text().as_bytes())?,
    }
    Ok(Exit::Fine)
}

/// Writes how a prompt differs from the one of the model call before it, or that of turn `to` from it.
pub(crate) fn difference(
    session: &Session,
    wanted: Wanted,
    to: Option<u32>,
    (form, length, pii): (Written, Length, Pii),
    out: &mut Output<'_>,
) -> Result<Exit, Failure> {
    let one = moment(session, wanted)?;
    let (from, to) = match to {
        Some(turn) => (one.which(), moment(session, Wanted::Call { turn, call: None })?.which()),
        None => {
            let before = previous(session, one.which()).ok_or_else(|| first_call(&one))?;
            (Which::Call(before), one.which())
        }
    };
    let found = prompts(session, from, to).ok_or_else(|| Failure::NoDefinition { session: session.id.to_string() })?;
    match form {
        Written::Human => prompt_diff::text(session, &found, &Wording::plain(length), out)?,
        Written::Json => prompt_diff::json(session, &found, out)?,
        Written::Md => {
            let title = format!("Prompt of {}, compared with {}", found.to.name(), found.from.name());
            report(&title, &[session], (length, pii), out, |wording, out| {
                prompt_diff::text(session, &found, wording, out)
            })?;
        }
    }
    Ok(Exit::Fine)
}

fn first_call(moment: &Moment<'_>) -> Failure {
    let kind = if matches!(moment.numbers(), (None, Some(_))) { "rephrase" } else { "model call" };
    let at = moment.at;
    Failure::NoCall(format!("no {kind} before position {at} to compare with; name a later turn with --to T"))
}

fn moment(session: &Session, wanted: Wanted) -> Result<Moment<'_>, Failure> {
    match wanted {
        Wanted::At(at) => {
            let at = place::position_at(session, at)?;
            Ok(Moment { at, turn: session.event(at).and_then(|event| event.turn), call: None })
        }
        Wanted::Call { turn: number, call: wanted } => {
            let turn = session.turn(number).ok_or_else(|| place::no_turn(session, number))?;
            match turn.counted_calls().find(|call| call.number == wanted.unwrap_or(1)) {
                Some(call) => Ok(Moment { at: call.before, turn: Some(number), call: Some(call) }),
                None => Err(no_call(turn, "--call", wanted.unwrap_or(1))),
            }
        }
        Wanted::Rephrase { turn, number } => {
            let turn = session.turn(turn).ok_or_else(|| place::no_turn(session, turn))?;
            match turn.rephrases().find(|call| call.number == number) {
                Some(call) => Ok(Moment { at: call.before, turn: Some(turn.number), call: Some(call) }),
                None => Err(no_call(turn, "--rephrase", number)),
            }
        }
        Wanted::Last => {
            let calls = session.turns.iter().rev().find_map(|turn| {
                let last = turn.calls.iter().rev().find(|call| call.kind != CallKind::Rephrase)?;
                Some(Moment { at: last.before, turn: Some(turn.number), call: Some(last) })
            });
            calls.ok_or_else(|| Failure::NoCall(format!("session {} ran without the model", session.id)))
        }
    }
}

/// Returns the failure of a call that isn't there. A turn without any is an answer.
fn no_call(turn: &Turn, option: &str, number: u32) -> Failure {
    let calls = match turn.counted_calls().count() {
        0 => "no model call".to_owned(),
        1 => "model call 1".to_owned(),
        count => format!("model calls 1 to {count}"),
    };
    let rephrases = match turn.rephrases().count() {
        0 if option == "--rephrase" => ", no rephrase".to_owned(),
        0 => String::new(),
        1 => ", and 1 rephrase: --rephrase".to_owned(),
        count => format!(", and {count} rephrases: --rephrase 1 to {count}"),
    };
    if turn.calls.is_empty() {
        return Failure::NoCall(format!("turn {} ran without the model", turn.number));
    }
    let have = format!("{calls}{rephrases} in turn {}", turn.number);
    Failure::OutOfRange { asked: format!("{option} {number}"), have }
}

fn answer<'a>(session: &'a Session, moment: &Moment<'_>, prompt: &'a Prompt) -> Answer<'a> {
    let (call, rephrase) = moment.numbers();
    Answer {
        schema: "replay.prompt/1",
        session: &session.id,
        position: moment.at,
        turn: moment.turn,
        call,
        rephrase,
        situation: prompt.situation.word(),
        recorded: false,
        profile: profile(session),
        definition: session.definition,
        differs: session.differs,
        size: session.agent.as_deref().map(|agent| size_answer(&size(agent, prompt), prompt)),
        notes: session.notes(moment.at, moment.call, prompt).into_iter().map(note).collect(),
        sections: prompt.sections.iter().map(section).collect(),
        text: prompt.text(),
        messages: prompt.messages.iter().map(message).collect(),
        tools: prompt.tools.iter().map(tool).collect(),
        holes: None,
        history_cut: None,
    }
}

fn note(note: Note) -> NoteAnswer {
    NoteAnswer { rule: note.rule, text: note.text }
}

fn section(section: &Section) -> SectionAnswer<'_> {
    SectionAnswer {
        name: section.name.word(),
        size: part_size(of_section(section)),
        text: section.text(),
        pieces: section.pieces.iter().map(piece).collect(),
    }
}

fn piece(piece: &Piece) -> PieceAnswer<'_> {
    PieceAnswer { text: &piece.text, origin: origin(&piece.origin) }
}

/// Returns a message as JSON has it.
pub(super) fn message(message: &Message) -> MessageAnswer<'_> {
    MessageAnswer {
        role: message.role.word(),
        text: &message.text,
        tool: message.tool.as_ref(),
        origin: origin(&message.origin),
    }
}

fn tool(tool: &Tool) -> ToolAnswer<'_> {
    ToolAnswer { name: &tool.name, schema: &tool.schema, offered: tool.offered, why: &tool.why }
}

fn origin(source: &Source) -> OriginAnswer<'_> {
    match source {
        Source::Builtin => OriginAnswer::Builtin { builtin: true },
        Source::File { file, line } => OriginAnswer::File { file, line: *line },
        Source::Event { position, key } => OriginAnswer::Event { position: *position, key: key.as_ref() },
    }
}

fn text(
    session: &Session,
    moment: &Moment<'_>,
    prompt: &Prompt,
    form: Form,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let of_turn = moment.turn.map(|turn| format!(" of turn {turn}, at position {}", moment.at)).unwrap_or_default();
    let which = match moment.numbers() {
        (Some(call), _) => format!("recomputed for call {call}{of_turn}"),
        (None, Some(rephrase)) => format!("recomputed for rephrase {rephrase}{of_turn}"),
        (None, None) => format!("what a call at position {} would have got, recomputed", moment.at),
    };
    out.fact("session", &session.id)?;
    out.fact("prompt", format!("{which}; situation: {}", prompt.situation.word()))?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    for Note { rule, text } in session.notes(moment.at, moment.call, prompt) {
        out.fact("note", format!("{text} ({rule})"))?;
    }
    out.text("")?;
    let shows_source = matches!(form, Form::Source);
    let cut = matches!(form, Form::Holes).then(|| session.history_cut(moment.at)).flatten();
    match form {
        Form::Source => {
            origins(prompt, out)?;
            sizes(prompt, out)?;
        }
        Form::Holes => prompt_holes::text(prompt, &session.holes(moment.at).unwrap_or_default(), out)?,
        Form::Text | Form::Json | Form::JsonWithHoles | Form::Raw => {
            lines(&prompt.text()).try_for_each(|line| out.text(line))?;
        }
    }
    out.text("")?;
    out.line(&[(Tone::Strong, "messages")])?;
    if let Some(cut) = &cut {
        prompt_holes::history(cut, out)?;
    }
    for message in &prompt.messages {
        let tool = message.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let from = if shows_source { format!(" ({})", origin_words(&message.origin)) } else { String::new() };
        let role = format!("  {}{tool}{from}: ", message.role.word());
        for (row, line) in lines(&message.text).enumerate() {
            let lead = if row == 0 { role.as_str() } else { "    " };
            out.line(&[(Tone::Faint, lead), (Tone::Normal, line)])?;
        }
    }
    out.line(&[(Tone::Strong, "tools")])?;
    for tool in &prompt.tools {
        let (tone, offered) = if tool.offered { (Tone::Normal, "offered") } else { (Tone::Bad, "withheld") };
        let name = format!("  {}: ", tool.name);
        out.line(&[(Tone::Normal, &name), (tone, offered), (Tone::Normal, ", "), (Tone::Normal, &tool.why)])?;
    }
    Ok(())
}

/// Writes the system prompt line by line, each behind the origin of what stands on it. Where a line has several
/// pieces, each of the later ones follows on a line of its own, so that nobody takes one for another.
fn origins(prompt: &Prompt, out: &mut Output<'_>) -> Result<(), Failure> {
    let rows = origin_rows(prompt);
    let width = rows.iter().map(|row| row.origin.chars().count()).max().unwrap_or(0);
    let mut before = None;
    for row in &rows {
        // Repeated only where there are no columns that a reader could follow upwards.
        let origin = if before == Some(&row.origin) && !out.plain { "" } else { &row.origin };
        let lead = if out.plain { format!("[{origin}] ") } else { format!("{origin:>width$} │ ") };
        let mark = if row.continues { "  … " } else { "" };
        out.line(&[(Tone::Faint, &lead), (Tone::Faint, mark), (Tone::Normal, &row.text)])?;
        before = Some(&row.origin);
    }
    Ok(())
}

/// A stretch of one line of the prompt that has one origin.
struct OriginRow {
    origin: String,
    text: String,
    /// Whether it stands on the line of the row before.
    continues: bool,
}

fn origin_rows(prompt: &Prompt) -> Vec<OriginRow> {
    let mut rows: Vec<OriginRow> = Vec::new();
    let mut continues = false;
    for piece in prompt.sections.iter().flat_map(|section| &section.pieces) {
        let origin = origin_words(&piece.origin);
        for part in piece.text.split_inclusive('\n') {
            let text = part.strip_suffix('\n').unwrap_or(part);
            match rows.last_mut().filter(|last| continues && last.origin == origin) {
                Some(last) => last.text.push_str(text),
                // The end of a line that others wrote needs no row.
                None if continues && text.is_empty() => {}
                None => rows.push(OriginRow { origin: origin.clone(), text: text.to_owned(), continues }),
            }
            continues = !part.ends_with('\n');
        }
    }
    rows
}

/// Returns the words for an origin.
fn origin_words(source: &Source) -> String {
    match source {
        Source::Builtin => "built in".to_owned(),
        Source::File { file, line } => format!("{file}:{line}"),
        Source::Event { position, key: Some(key) } => format!("{key} at {position}"),
        Source::Event { position, key: None } => format!("at {position}"),
    }
}
