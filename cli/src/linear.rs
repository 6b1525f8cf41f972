//! `replay SESSION --plain` on a terminal: the debugger line by line, for screen readers and slow lines.
//!
//! A command in, its answer out, from top to bottom; nothing on the screen is ever drawn anew. The answers are those of
//! the commands of the same names.

use std::ffi::OsStr;
use std::io::{self, BufRead};

use replay_store::event::Position;
use replay_store::event::note::Note;
use replay_store::replay::Session;
use replay_store::visible::visible;

use crate::arguments::{Asked, At, Global, Place, What};
use crate::commands::prompt::{self, Wanted};
use crate::commands::why::{self, Question};
use crate::commands::{access, findings, note, show};
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::output::Output;

/// What is asked between two prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line<'a> {
    Nothing,
    Go(Position),
    Show(What),
    Prompt,
    Why(&'a str),
    Access,
    Findings,
    Note(&'a str),
    Notes,
    Help,
    Quit,
    Wrong(String),
}

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

const HELP: &str = "\
next [N], back [N]: so many events on or back. to N: to position N. turn N: to the end of turn N. start, end.\n\
event, memory, stack, conversation: what holds here. prompt: what a model call would get here.\n\
why ENTRY: why an entry holds what it holds. access: who may read and write what. findings: what looks wrong, and what to do.\n\
note TEXT: a note on this event; note alone takes it away. notes: all notes on the session. quit.\n\
An empty line goes one event on.";

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
            Line::Why(key) => {
                let asked = Asked { key: Some(key.to_owned()), read: None, skill: None, tool: None };
                let question = Question { target: named, asked: &asked, place: &place(at), global };
                why::why(session, &question, why::Form::Human, out).map(drop)
            }
            Line::Access => access::access(session, &place(at), false, out).map(drop),
            Line::Findings => findings::findings(session, &[], global, out).map(drop),
            Line::Note(text) => match shelf {
                Some(shelf) => keep(session, shelf, (at, text), out),
                None => Err(Failure::NoShelf),
            },
            Line::Notes => match shelf {
                Some(shelf) => note::list(session, shelf, false, out).map(drop),
                None => Err(Failure::NoShelf),
            },
            Line::Help => HELP.lines().try_for_each(|line| out.text(line)).map_err(Failure::from),
            Line::Wrong(words) => out.text(&words).map_err(Failure::from),
        };
        match answered {
            Ok(()) => {}
            // Nobody reads on.
            Err(Failure::Write(error)) => return Err(Failure::Write(error)),
            Err(failure) => out.text(&failure.to_string())?,
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

fn read<'a>(text: &'a str, at: Position, session: &Session) -> Line<'a> {
    let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let end = session.end();
    let number = |default: u64| if rest.is_empty() { Some(default) } else { rest.parse::<u64>().ok() };
    let wanted = |words: &str| Line::Wrong(format!("{verb}: {words}"));
    match verb {
        "" => Line::Nothing,
        "next" | "n" => number(1).map_or_else(
            || wanted("a number of events is wanted"),
            |count| Line::Go(Position(at.0.saturating_add(count)).min(end)),
        ),
        "back" | "b" => number(1).map_or_else(
            || wanted("a number of events is wanted"),
            |count| Line::Go(Position(at.0.saturating_sub(count))),
        ),
        "to" => match rest.parse().map(Position) {
            Ok(to) if to <= end => Line::Go(to),
            Ok(_) | Err(_) => wanted(&format!("a position from 0 to {end} is wanted")),
        },
        "turn" => match rest.parse().ok().and_then(|turn| session.turn(turn)) {
            Some(turn) => Line::Go(turn.last),
            None => wanted(&format!("a turn from 1 to {} is wanted", session.turns.len())),
        },
        "start" => Line::Go(Position(0)),
        "end" => Line::Go(end),
        "event" => Line::Show(What::Event),
        "memory" => Line::Show(What::Memory),
        "stack" => Line::Show(What::Stack),
        "conversation" => Line::Show(What::Conversation),
        "findings" => Line::Findings,
        "note" => Line::Note(rest),
        "notes" => Line::Notes,
        "prompt" => Line::Prompt,
        "why" if !rest.is_empty() => Line::Why(rest),
        "why" => wanted("a memory entry is wanted; memory lists them"),
        "access" => Line::Access,
        "help" | "?" => Line::Help,
        "quit" | "q" => Line::Quit,
        other => Line::Wrong(format!("{} is nothing that can be asked; help says what is", visible(other))),
    }
}

/// Steps through a session on the terminal.
pub(crate) fn on_terminal(
    opened: Opened<'_>,
    start: Position,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<(), Failure> {
    step_through(opened, start, global, (&mut io::stdin().lock(), out))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::arguments::Color;

    /// Asks about the story sample and returns all that is answered.
    fn asked(lines: &str) -> String {
        asked_about("library-renewal.jsonl", lines)
    }

    fn asked_about(sample: &str, lines: &str) -> String {
        asked_with(None, sample, lines)
    }

    /// Notes are kept below a folder, if there is one.
    fn asked_with(folder: Option<&Path>, sample: &str, lines: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/sessions").join(sample);
        let bytes = std::fs::read(path).expect("the sample is there");
        let mut recordings = replay_store::import::read(Arc::new(bytes), "a").expect("the sample can be read");
        let session = Session::open(recordings.remove(0), None, None);
        let global = Global { agent: None, profile: None, json: false, plain: true, color: Color::Never };
        let mut written = Vec::new();
        let mut out = Output { writer: &mut written, terminal: true, color: false, plain: true };
        let shelf = folder.and_then(|folder| Shelf::of(&crate::target::Place::File(folder.join("a"))));
        let opened = Opened { session: &session, named: OsStr::new("a"), shelf: shelf.as_ref() };
        step_through(opened, Position(0), &global, (&mut lines.as_bytes(), &mut out))
            .expect("the answers can be written");
        String::from_utf8(written).expect("answers are text")
    }

    #[test]
    fn notes_are_written_told_where_they_are_and_listed() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let said = asked_with(
            Some(folder.path()),
            "library-renewal.jsonl",
            "to 29\nnote ask the member\nnext\nback\nnotes\nnote\nnotes\n",
        );
        let place = folder.path().join("a-notes").display().to_string();
        for words in [
            format!("note on 29, in {place}"),
            "note: ask the member".to_owned(),
            "29: ask the member  (tool declined, not run".to_owned(),
            format!("no note any more on 29, in {place}"),
            "no notes yet".to_owned(),
        ] {
            assert!(said.contains(&words), "{words}: {said}");
        }
        let said = asked("note x\nnotes\nto 3\n");
        assert_eq!(said.matches("pipe").count(), 2, "there is no place, and the next line counts: {said}");
        assert!(said.contains("3, turn 1"), "{said}");
    }

    #[test]
    fn findings_are_those_of_the_command() {
        let said = asked("findings\n");
        assert!(said.contains("denied read (") && said.contains("to do: if it should see the value"), "{said}");
    }

    #[test]
    fn hostile_text_comes_out_as_glyphs() {
        let steps = "event\nnext\n".repeat(40);
        let said = asked_about(
            "library-hostile.jsonl",
            &format!("{steps}memory\nconversation\nstack\nfindings\nwhy project.member_name\n\u{1b}[2J\u{202e}\n"),
        );
        let is_hidden =
            |c: &char| (c.is_control() && *c != '\n') || matches!(c, '\u{200b}'..='\u{202e}' | '\u{e0000}'..);
        let raw: Vec<char> = said.chars().filter(is_hidden).collect();
        assert!(raw.is_empty(), "{raw:?}");
        assert!(said.contains('␛') && said.contains("⟨U+202E⟩"), "{said}");
    }

    #[test]
    fn lines_are_answered_from_top_to_bottom() {
        let said = asked("\nto 35\nwhy item_id\nback 6\nturn 2\n");
        for words in [
            "1, ",
            "35, turn 4: memory written",
            "written at 35 by tool find_loan",
            "29, turn 3: tool declined",
            "26, turn 2",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(!said.contains('\u{1b}') && !said.contains('│'), "{said}");
    }

    #[test]
    fn what_makes_no_sense_is_said_and_the_next_line_counts() {
        let said = asked("fly\nto 99\nturn x\nwhy\nwhy no.entry\nend\nquit\nstart\n");
        for words in [
            "fly is nothing that can be asked",
            "a position from 0 to 57",
            "a turn from 1 to 5",
            "a memory entry",
            "57, ",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(said.trim_end().ends_with("57 of 57>"), "quit quits: {said}");
    }
}
