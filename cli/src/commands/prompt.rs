//! `replay prompt`: what the model got at a call, recomputed from the agent folder and the events before it.

use replay_store::event::Position;
use replay_store::name::Name;
use replay_store::prompt::{Message, Piece, Prompt, Section, Source, Tool};
use replay_store::replay::turns::CallKind;
use replay_store::replay::{DefinitionSource, Session};
use replay_store::value::Value;
use replay_store::visible::lines;
use serde::Serialize;

use super::{ProfileAnswer, definition_words, profile};
use crate::arguments::At;
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
        /// The call, from 1.
        call: u32,
    },
    /// The one that would have been built at a position.
    At(At),
}

/// What `replay prompt` answers.
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    session: &'a Name,
    position: Position,
    turn: Option<u32>,
    call: Option<u32>,
    situation: &'static str,
    recorded: bool,
    profile: ProfileAnswer,
    definition: DefinitionSource,
    differs: Option<bool>,
    sections: Vec<SectionAnswer<'a>>,
    text: String,
    messages: Vec<MessageAnswer<'a>>,
    tools: Vec<ToolAnswer<'a>>,
}

/// A section as JSON has it.
#[derive(Serialize)]
struct SectionAnswer<'a> {
    name: &'static str,
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
struct MessageAnswer<'a> {
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
struct Moment {
    at: Position,
    turn: Option<u32>,
    call: Option<u32>,
}

/// Writes a prompt.
pub(crate) fn prompt(session: &Session, wanted: Wanted, json: bool, out: &mut Output<'_>) -> Result<Exit, Failure> {
    let (moment, prompt) = find(session, wanted)?;
    if json {
        out.json(&answer(session, &moment, &prompt))?;
    } else {
        text(session, &moment, &prompt, out)?;
    }
    Ok(Exit::Fine)
}

/// Writes the system prompt, byte for byte.
pub(crate) fn raw(session: &Session, wanted: Wanted, out: &mut Output<'_>) -> Result<Exit, Failure> {
    if out.terminal {
        return Err(Failure::RawOnTerminal);
    }
    let (_, prompt) = find(session, wanted)?;
    out.writer.write_all(prompt.text().as_bytes())?;
    Ok(Exit::Fine)
}

fn find(session: &Session, wanted: Wanted) -> Result<(Moment, Prompt), Failure> {
    let moment = moment(session, wanted)?;
    let prompt = session.prompt(moment.at).ok_or_else(|| Failure::NoDefinition { session: session.id.to_string() })?;
    Ok((moment, prompt))
}

fn moment(session: &Session, wanted: Wanted) -> Result<Moment, Failure> {
    match wanted {
        Wanted::At(at) => {
            let at = place::position_at(session, at)?;
            Ok(Moment { at, turn: session.event(at).and_then(|event| event.turn), call: None })
        }
        Wanted::Call { turn: number, call: wanted } => {
            let turn = session.turn(number).ok_or_else(|| place::no_turn(session, number))?;
            if let Some(call) = session.call(number, wanted) {
                return Ok(Moment { at: call.before, turn: Some(number), call: Some(wanted) });
            }
            match turn.counted_calls().count() {
                0 => Err(Failure::NoCall(format!("turn {number} ran without the model"))),
                count => Err(Failure::OutOfRange {
                    asked: format!("--call {wanted}"),
                    have: format!("the model calls 1 to {count} in turn {number}"),
                }),
            }
        }
        Wanted::Last => {
            let calls = session.turns.iter().rev().find_map(|turn| {
                let last = turn.calls.iter().rev().find(|call| call.kind != CallKind::Rephrase)?;
                Some(Moment { at: last.before, turn: Some(turn.number), call: Some(last.number) })
            });
            calls.ok_or_else(|| Failure::NoCall(format!("session {} ran without the model", session.id)))
        }
    }
}

fn answer<'a>(session: &'a Session, moment: &Moment, prompt: &'a Prompt) -> Answer<'a> {
    Answer {
        schema: "replay.prompt/1",
        session: &session.id,
        position: moment.at,
        turn: moment.turn,
        call: moment.call,
        situation: prompt.situation.word(),
        recorded: false,
        profile: profile(session),
        definition: session.definition,
        differs: session.differs,
        sections: prompt.sections.iter().map(section).collect(),
        text: prompt.text(),
        messages: prompt.messages.iter().map(message).collect(),
        tools: prompt.tools.iter().map(tool).collect(),
    }
}

fn section(section: &Section) -> SectionAnswer<'_> {
    SectionAnswer {
        name: section.name.word(),
        text: section.text(),
        pieces: section.pieces.iter().map(piece).collect(),
    }
}

fn piece(piece: &Piece) -> PieceAnswer<'_> {
    PieceAnswer { text: &piece.text, origin: origin(&piece.origin) }
}

fn message(message: &Message) -> MessageAnswer<'_> {
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

fn text(session: &Session, moment: &Moment, prompt: &Prompt, out: &mut Output<'_>) -> Result<(), Failure> {
    let which = match (moment.turn, moment.call) {
        (Some(turn), Some(call)) => format!("recomputed for call {call} of turn {turn}, at position {}", moment.at),
        (_, _) => format!("what a call at position {} would have got, recomputed", moment.at),
    };
    out.fact("session", &session.id)?;
    out.fact("prompt", format!("{which}; situation: {}", prompt.situation.word()))?;
    out.fact("profile", session.profile)?;
    out.fact("agent", definition_words(session))?;
    out.text("")?;
    for line in lines(&prompt.text()) {
        out.text(line)?;
    }
    out.text("")?;
    out.line(&[(Tone::Strong, "messages")])?;
    for message in &prompt.messages {
        let tool = message.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let role = format!("  {}{tool}: ", message.role.word());
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
