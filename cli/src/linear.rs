//! `replay SESSION --plain` on a terminal: the debugger line by line, for screen readers and slow lines.
//!
//! A command in, its answer out, from top to bottom; nothing on the screen is ever drawn anew. The answers are those of
//! the commands of the same names.

mod line;

use std::ffi::OsStr;
use std::io::{self, BufRead};

use replay_store::event::Position;
use replay_store::event::note::Note;
use replay_store::explain::query::{Direction, Search, Step};
use replay_store::explain::report::Pii;
use replay_store::replay::Session;
use replay_tui::index::query_or_text;

use self::line::{HELP, Line, read};
use crate::arguments::{Answer as Written, At, Global, Place, What};
use crate::commands::diff::Choice;
use crate::commands::prompt::{self, Wanted};
use crate::commands::why::{self, Question};
use crate::commands::{access, findings, last, note, query, reads, show, state_diff};
use crate::compared::DiffFormat;
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::output::Output;

/// The session that is stepped through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened<'a> {
    /// The session.
    pub(crate) session: &'a Session,
    /// How it was named on the command line.
    pub(crate) named: &'a OsStr,
    /// Where notes on it are kept; `None` where there is no place for them.
    pub(crate) shelf: Option<&'a Shelf>,
}

/// Answers line after line until the input ends or the user does. What can't be answered is said, and the next line
/// counts.
pub(crate) fn step_through(
    opened: Opened<'_>,
    start: Position,
    global: &Global,
    (input, out): (&mut dyn BufRead, &mut Output<'_>),
) -> Result<(), Failure> {
    let Opened { session, named, shelf } = opened;
    let mut at = start;
    let mut pattern = String::new();
    out.text(&format!(
        "session {}, {} events, {} turns; help says what can be asked",
        session.id,
        session.end(),
        session.turns.len()
    ))?;
    show_event(opened, at, out)?;
    loop {
        write!(out.writer, "{at} of {}> ", session.end())?;
        out.writer.flush()?;
        let mut text = String::new();
        if input.read_line(&mut text)? == 0 {
            out.text("")?;
            return Ok(());
        }
        let answered = match read(text.trim(), at, session) {
            Line::Quit => return Ok(()),
            Line::Nothing if at == session.end() => out.text("this is the end").map_err(Failure::from),
            Line::Nothing => {
                at = Position(at.0 + 1);
                show_event(opened, at, out)
            }
            Line::Go(to) => {
                at = to;
                show_event(opened, at, out)
            }
            Line::Show(What::Event) => show_event(opened, at, out),
            Line::Show(what) => show::show(session, &place(at), &[what], global, out).map(drop),
            Line::Prompt => prompt::prompt(session, Wanted::At(At::Position(at.0)), prompt::Form::Text, out).map(drop),
            Line::Changes(length) => {
                let how = (Written::Human, length, Pii::Masked);
                prompt::difference(session, Wanted::At(At::Position(at.0)), None, how, out).map(drop)
            }
            Line::Why(asked) => {
                let question = Question { target: named, asked: &asked, place: &place(at), global };
                why::why(session, &question, why::Form::Human, out).map(drop)
            }
            Line::Report(asked) => {
                let question = Question { target: named, asked: &asked, place: &place(at), global };
                why::why(session, &question, why::Form::Report(Pii::Masked), out).map(drop)
            }
            Line::Last(key) => last::last(session, key, &place(at), false, out).map(drop),
            Line::Reads(key) => reads::reads(session, key, 0, &place(at), false, out).map(drop),
            Line::Find(text) => {
                if !text.is_empty() {
                    pattern = text.to_owned();
                }
                match found(session, at, &pattern) {
                    Ok(to) => {
                        at = to;
                        show_event(opened, at, out)
                    }
                    Err(words) => out.text(&words).map_err(Failure::from),
                }
            }
            Line::Query(expression) => query::What::parse(expression, false)
                .and_then(|what| query::in_session(session, &what, global, out))
                .and_then(|outcome| outcome.notices.iter().try_for_each(|notice| Ok(out.text(notice)?))),
            Line::Diff(from, length) => {
                let choice = Choice::of(&[], &[], DiffFormat::Human, length, Pii::Masked);
                state_diff::diff(session, (from, at), &choice, false, out).map(drop)
            }
            Line::Access => access::access(session, &place(at), false, out).map(drop),
            Line::Findings(form) => {
                let asked = findings::Asked { target: named, kinds: &[], global };
                findings::findings(session, &asked, form, out).map(drop)
            }
            Line::Note(text) => match shelf {
                Some(shelf) => keep(session, shelf, (at, text), out),
                None => Err(Failure::NoShelf),
            },
            Line::Notes => match shelf {
                Some(shelf) => note::list(session, shelf, false, out).map(drop),
                None => Err(Failure::NoShelf),
            },
            Line::Help => HELP.iter().try_for_each(|line| out.text(line)).map_err(Failure::from),
            Line::Wrong(words) => out.text(&words).map_err(Failure::from),
        };
        match answered {
            Ok(()) => {}
            // Nobody reads on.
            Err(Failure::Write(error)) => return Err(Failure::Write(error)),
            Err(failure) => {
                out.text(&failure.to_string())?;
                // A line with a caret below it is never broken.
                if !failure.shown().is_empty() {
                    writeln!(out.writer, "{}", failure.shown())?;
                }
            }
        }
    }
}

/// Returns the next event that has a text in it or that a query means; the error is one sentence.
fn found(session: &Session, at: Position, pattern: &str) -> Result<Position, String> {
    if pattern.is_empty() {
        return Err("find: a text or a query is wanted, as in find loan or find verdict:denied".to_owned());
    }
    let query = query_or_text(pattern)?;
    let mut search = Search::new(query, session, at, Direction::Forward);
    loop {
        match search.step(session, u64::MAX) {
            Step::Found(at) => return Ok(at),
            Step::Going { .. } => {}
            Step::End => return Err(format!("{pattern} is in no later event; start goes to the first one")),
        }
    }
}

fn place(at: Position) -> Place {
    Place { at: Some(At::Position(at.0)), turn: None }
}

/// Writes the event in a line, and the note on it.
fn show_event(opened: Opened<'_>, at: Position, out: &mut Output<'_>) -> Result<(), Failure> {
    let Opened { session, shelf, .. } = opened;
    let words = match session.event(at).zip(session.headline(at)) {
        Some((event, line)) => {
            let turn = event.turn.map_or("between turns".to_owned(), |turn| format!("turn {turn}"));
            format!("{at}, {turn}: {} {}", line.kind, line.text)
        }
        None => "0, the start: nothing is applied".to_owned(),
    };
    out.text(&words)?;
    if let Some(text) = shelf.map(|shelf| shelf.read(&session.id)).as_ref().and_then(|notes| notes.at(at)) {
        out.text(&format!("note: {text}"))?;
    }
    Ok(())
}

/// Keeps a note; no words take the one that is there away.
fn keep(session: &Session, shelf: &Shelf, (at, text): (Position, &str), out: &mut Output<'_>) -> Result<(), Failure> {
    let path =
        shelf.keep(&Note::new(session.id.clone(), at, text.to_owned())).map_err(|source| Failure::Note { source })?;
    let what = if text.is_empty() { "no note any more on" } else { "note on" };
    Ok(out.text(&format!("{what} {at}, in {}", path.display()))?)
}

/// Steps through a session on the terminal.
pub(crate) fn on_terminal(
    opened: Opened<'_>,
    start: Position,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    let columns = replay_tui::columns().map(usize::from);
    let mut out = Output { writer: &mut *out.writer, columns, ..*out };
    step_through(opened, start, global, (&mut io::stdin().lock(), &mut out))
}

#[cfg(test)]
mod tests;
