//! `replay query`: the events that an expression means, or the value of fields at every turn.

use std::ffi::OsStr;

use replay_store::condition::Condition;
use replay_store::event::Position;
use replay_store::explain::decisions::{Decision, decisions};
use replay_store::explain::query::{self, Cell, Direction, Needs, Query, QueryError, Row, Search, Step};
use replay_store::name::Name;
use replay_store::replay::Session;
use replay_store::replay::headline::Weight;
use replay_store::visible::visible;
use serde::Serialize;

use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::open::{self, Count};
use crate::output::{Output, Tone};
use crate::run::{self, Outcome};

/// The language, as `--help` tells it.
pub(crate) const HELP: &str = "\
Terms, joined by and, or, not and parentheses (side by side: and):
  kind:memory_written   the kind of event; model_call for each position that a model call saw
  key:project.tier      the memory entry; a name without a dot is that of any skill
  skill:S  active:S     the skill it is about or happened in; the one on top of the stack after it
  tool:T  actor:model   the tool; who did it: tool model step button hook seed engine user unknown
  turn:3..5  at:100..   the agent turn; the position
  verdict:denied        how something was decided in its step: allowed empty denied refused open closed
                        locked waiting declined failed offered withheld
  text:'two words'      a text in it; small letters match capitals, too
  project.tier == 'gold'   what memory holds after it, compared as conditions of the agent folder do
  changed(KEY) read(KEY) denied(KEY)   the step gave the entry another value, read it, was denied it
In names * is any run of characters, and | parts alternatives: tool:find_*|load_*

With --every-turn: replay query SESSION 'project.tier, order_id' --every-turn

Exit codes: 0 something matches, 1 nothing does, 2 the expression makes no sense, 3 the log is damaged where it was read.";

/// What is asked for.
pub(crate) enum What {
    /// Events.
    Events(Query),
    /// Fields at every turn.
    Fields(Vec<Condition>),
}

/// What `replay query` answers about events.
#[derive(Serialize)]
struct Answer {
    schema: &'static str,
    query: String,
    count: usize,
    sessions: Vec<SessionAnswer>,
}

#[derive(Serialize)]
struct SessionAnswer {
    /// The file that it is in, where a folder was searched.
    file: Option<String>,
    session: Name,
    count: usize,
    /// What of the log couldn't be read on the way.
    damage: Option<String>,
    matches: Vec<Match>,
}

/// An event that matches.
#[derive(Serialize)]
struct Match {
    position: Position,
    raw: Vec<u32>,
    turn: Option<u32>,
    time: String,
    kind: &'static str,
    text: String,
    /// The model call that saw this position, where one did.
    call: Option<String>,
    /// What was decided in the step, as far as the query asks for it.
    decisions: Vec<Decision>,
}

/// What `replay query --every-turn` answers.
#[derive(Serialize)]
struct TableAnswer {
    schema: &'static str,
    sessions: Vec<TableOf>,
}

#[derive(Serialize)]
struct TableOf {
    /// The file that it is in, where a folder was searched.
    file: Option<String>,
    session: Name,
    /// What of the log couldn't be read on the way.
    damage: Option<String>,
    #[serde(flatten)]
    table: query::Table,
}

impl What {
    /// Reads the expression.
    pub(crate) fn parse(text: &str, every_turn: bool) -> Result<What, Failure> {
        let read = match every_turn {
            true => query::fields(text).map(What::Fields),
            false => query::parse(text).map(What::Events),
        };
        read.map_err(|error| failure(text, error))
    }
}

/// Returns the failure of an expression that can't be read, with a caret beneath it.
fn failure(text: &str, error: QueryError) -> Failure {
    let before = visible(text.get(..error.span.start).unwrap_or(text)).chars().count();
    let width = visible(text.get(error.span.clone()).unwrap_or_default()).chars().count().max(1);
    let shown = format!("  {}\n  {}{}", visible(text), " ".repeat(before), "^".repeat(width));
    Failure::Query { message: error.message, help: error.help, shown }
}

/// Writes what matches in the session, in all sessions of the place, or in all files of a folder.
pub(crate) fn query(place: &OsStr, what: &What, global: &Global, out: &mut Output<'_>) -> Result<Outcome, Failure> {
    let mut asked = Asked { what, global, file: None, found: Found::default() };
    match open::files(place)? {
        None => open::each(place, global, |session, count| asked.of(session, count, out))?,
        Some(files) => {
            for file in files {
                asked.file = Some(file.display().to_string());
                match open::each(file.as_os_str(), global, |session, count| asked.of(session, count, out)) {
                    Ok(()) => {}
                    Err(Failure::Write(error)) => return Err(Failure::Write(error)),
                    Err(failure) => asked.found.notices.push(format!("not searched: {failure}")),
                }
            }
        }
    }
    let Found { count, events, tables, is_damaged, notices } = asked.found;
    let exit = match count {
        _ if is_damaged => Exit::Unreadable,
        0 => Exit::No,
        _ => Exit::Fine,
    };
    match what {
        What::Events(query) if global.json => {
            let query = query.to_string();
            out.json(&Answer { schema: "replay.query/1", query, count, sessions: events })?;
        }
        What::Fields(_) if global.json => {
            out.json(&TableAnswer { schema: "replay.query.table/1", sessions: tables })?;
        }
        What::Events(_) | What::Fields(_) => {}
    }
    Ok(Outcome { exit, notices })
}

/// Writes what matches in a session that is open already.
pub(crate) fn in_session(
    session: &Session,
    what: &What,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    let mut asked = Asked { what, global, file: None, found: Found::default() };
    asked.of(session, Count::One, out)?;
    let Found { count, mut notices, .. } = asked.found;
    if count == 0 {
        notices.push("no event matches".to_owned());
    }
    Ok(Outcome { exit: if count == 0 { Exit::No } else { Exit::Fine }, notices })
}

/// A search through sessions.
struct Asked<'a> {
    what: &'a What,
    global: &'a Global,
    /// The file that is searched, where a folder is.
    file: Option<String>,
    found: Found,
}

/// What a search found so far.
#[derive(Default)]
struct Found {
    count: usize,
    events: Vec<SessionAnswer>,
    tables: Vec<TableOf>,
    is_damaged: bool,
    notices: Vec<String>,
}

impl Asked<'_> {
    /// Searches a session.
    fn of(&mut self, session: &Session, count: Count, out: &mut Output<'_>) -> Result<(), Failure> {
        let found = &mut self.found;
        let label = match (&self.file, count) {
            (None, Count::One) => String::new(),
            (None, Count::Several) => session.id.to_string(),
            (Some(file), Count::One) => file.clone(),
            (Some(file), Count::Several) => format!("{file}#{}", session.id),
        };
        found.notices.extend(run::notice(session));
        let file = self.file.clone();
        match self.what {
            What::Events(query) => {
                found.notices.extend(unknown(query, session));
                let (matches, all) = events(session, query, &label, self.global.json, out)?;
                found.count += all;
                let damage = session.damage().map(str::to_owned);
                found.events.push(SessionAnswer { file, session: session.id.clone(), count: all, damage, matches });
            }
            What::Fields(fields) => {
                let table = query::at_every_turn(session, fields);
                if !self.global.json {
                    table_text(&table, &label, out)?;
                }
                found.count += table.rows.len();
                let damage = session.damage().map(str::to_owned);
                found.tables.push(TableOf { file, session: session.id.clone(), damage, table });
            }
        }
        let damage = run::damage(session);
        found.is_damaged |= damage.is_some();
        found.notices.extend(damage);
        Ok(())
    }
}

/// Says which entries the query names that the session doesn't know.
fn unknown(query: &Query, session: &Session) -> Option<String> {
    let unknown = query.unknown_entries(session);
    let (name, near) = unknown.first()?;
    let near = near.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Some(format!("{}: no memory entry is called {name}{near}", session.id))
}

/// Writes the events that match, or returns them for JSON; with how many they are.
fn events(
    session: &Session,
    query: &Query,
    label: &str,
    json: bool,
    out: &mut Output<'_>,
) -> Result<(Vec<Match>, usize), Failure> {
    let mut search = Search::new(query.clone(), session, Position(0), Direction::Forward);
    let (mut matches, mut count) = (Vec::new(), 0);
    loop {
        let at = match search.step(session, u64::MAX) {
            Step::Found(at) => at,
            Step::Going { .. } => continue,
            Step::End => return Ok((matches, count)),
        };
        count += 1;
        if json {
            matches.extend(matched(session, query, at));
        } else {
            event_text(session, at, label, out)?;
            decisions_text(session, query, at, out)?;
        }
    }
}

fn matched(session: &Session, query: &Query, at: Position) -> Option<Match> {
    let event = session.event(at)?;
    let line = session.headline(at)?;
    Some(Match {
        position: at,
        raw: event.origin.raw_indexes(),
        turn: event.turn,
        time: event.time.to_string(),
        kind: event.kind.tag(),
        text: line.text,
        call: call_words(session, at),
        decisions: asked(session, query, at),
    })
}

/// Returns which model call saw a position, in words.
fn call_words(session: &Session, at: Position) -> Option<String> {
    session.turn_at(Position(at.0 + 1))?.followed(Position(at.0 + 1))
}

/// Returns what was decided in a step, as far as the query asks for it.
fn asked(session: &Session, query: &Query, at: Position) -> Vec<Decision> {
    match query.needs {
        Needs::Event | Needs::State => Vec::new(),
        Needs::Decisions | Needs::Offers => {
            let mut found = decisions(session, at);
            found.retain(|decision| query.asks_for(decision));
            found
        }
    }
}

/// So many decisions are written beneath an event.
const SHOWN: usize = 5;

fn decisions_text(session: &Session, query: &Query, at: Position, out: &mut Output<'_>) -> Result<(), Failure> {
    let found = asked(session, query, at);
    if let Some(call) = call_words(session, at).filter(|_| !found.is_empty()) {
        out.line(&[(Tone::Faint, "          "), (Tone::Faint, &format!("seen by {call}"))])?;
    }
    for decision in found.iter().take(SHOWN) {
        let text = format!("          {} {} {}: ", decision.kind.word(), decision.verdict.word(), decision.subject);
        out.line(&[(Tone::Faint, &text), (Tone::Normal, &decision.text)])?;
    }
    if let Some(more) = found.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        out.text(&format!("          and {more} more: replay show SESSION --at {at} --what decisions"))?;
    }
    Ok(())
}

fn event_text(session: &Session, at: Position, label: &str, out: &mut Output<'_>) -> Result<(), Failure> {
    let (Some(event), Some(line)) = (session.event(at), session.headline(at)) else { return Ok(()) };
    let id = if label.is_empty() { String::new() } else { format!("{label}  ") };
    let turn = event.turn.map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
    let place = if out.plain { format!("{at}, {turn}: ") } else { format!("{:>6}  {turn:<13}  ", at.0) };
    let tone = if line.weight == Weight::Refused { Tone::Bad } else { Tone::Strong };
    let text = format!(" {}", line.text);
    out.line(&[(Tone::Faint, &id), (Tone::Faint, &place), (tone, line.kind), (Tone::Normal, &text)])?;
    Ok(())
}

fn table_text(table: &query::Table, label: &str, out: &mut Output<'_>) -> Result<(), Failure> {
    if !label.is_empty() {
        out.line(&[(Tone::Strong, "session "), (Tone::Strong, label)])?;
    }
    if out.plain {
        return plain_table(table, out);
    }
    let cells: Vec<Vec<String>> = table.rows.iter().map(|row| row.values.iter().map(cell_words).collect()).collect();
    let width = |column: usize| {
        let cells = cells.iter().filter_map(|row| row.get(column));
        cells.map(|cell| visible(cell).chars().count()).chain([visible(&table.fields[column]).chars().count()]).max()
    };
    let widths: Vec<usize> = (0..table.fields.len()).map(|column| width(column).unwrap_or(0)).collect();
    let padded = |texts: &[String]| -> String {
        let padded = texts.iter().zip(&widths).map(|(text, width)| {
            let text = visible(text);
            let blanks = width.saturating_sub(text.chars().count());
            format!("{text}{}", " ".repeat(blanks))
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    out.line(&[(Tone::Strong, "turn  at      "), (Tone::Strong, &padded(&table.fields))])?;
    for (row, cells) in table.rows.iter().zip(&cells) {
        let place = format!("{:>4}  {:<6}  ", row.turn, row.position.0);
        out.line(&[(Tone::Faint, &place), (Tone::Normal, &padded(cells))])?;
    }
    Ok(())
}

fn plain_table(table: &query::Table, out: &mut Output<'_>) -> Result<(), Failure> {
    for Row { turn, position, values, .. } in &table.rows {
        for (field, cell) in table.fields.iter().zip(values) {
            out.text(&format!("turn {turn}, at {position}, {field}: {}", cell_words(cell)))?;
        }
    }
    Ok(())
}

/// A value as JSON, or which kind of nothing.
fn cell_words(cell: &Cell) -> String {
    match (&cell.nothing, cell.set_at) {
        (Some(nothing), Some(at)) => format!("({nothing} at {at})"),
        (Some(nothing), None) => format!("({nothing})"),
        (None, _) => cell.value.to_json(),
    }
}
