//! From the command line to an answer. Nothing here prints or exits.

use std::ffi::OsStr;
use std::io::IsTerminal;

use replay_store::event::Position;
use replay_store::event::finding::{Finding, FindingKind};
use replay_store::explain::report::Pii;
use replay_store::name::Name;
use replay_store::replay::Session;

use crate::arguments::{Answer, Arguments, Command, Global, Report};
use crate::commands::prompt::{Form, Wanted};
use crate::commands::prompt_diff::Length;
use crate::commands::{
    access, check, config, diff, explain, export, findings, follow, import, last, list, manual, note, prompt, query,
    reads, record, show, state_diff, summary, verify, why,
};
use crate::compared::DiffFormat;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::output::Output;
use crate::place::position;
use crate::target::Target;
use crate::{debug, linear, open, place};

/// How a run ended, and what should be said beside its answer.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The exit code.
    pub(crate) exit: Exit,
    /// Lines for stderr.
    pub(crate) notices: Vec<String>,
}

impl From<Exit> for Outcome {
    fn from(exit: Exit) -> Outcome {
        Outcome { exit, notices: Vec::new() }
    }
}

/// Does what the command line says, and tells what of the agent folder couldn't be used for it.
pub(crate) fn run(arguments: Arguments, out: &mut Output<'_>) -> Result<Outcome, Failure> {
    let folder = arguments.global.agent.clone();
    let mut outcome = answer(arguments, out)?;
    outcome.notices.extend(folder.and_then(|folder| open::broken(&folder)));
    Ok(outcome)
}

fn answer(arguments: Arguments, out: &mut Output<'_>) -> Result<Outcome, Failure> {
    let Arguments { session, place, theme, follow, global, command } = arguments;
    let Some(command) = command else {
        let session = session.ok_or(Failure::NoSession)?;
        let start = debug::Start { moment: &place, theme, follow };
        return debug_or_summarize(&session, &start, &global, out);
    };
    if session.is_some() || place.at.is_some() || place.turn.is_some() || theme.is_some() || follow {
        return Err(Failure::SessionAndCommand);
    }
    match command {
        Command::Import { files, output, follow: false } => import::import(&files, &output, &global, out),
        Command::Import { files, output, follow: true } => import::follow(&files, &output, &global, out),
        Command::Record { log, socket } => record::record(&log, socket.as_deref(), &global, out),
        Command::Export { session, id, format, reveal } => {
            let mut target = Target::parse(&session);
            target.id = id.or(target.id);
            let pii = if reveal { Pii::Revealed } else { Pii::Masked };
            export::export(&target, format, pii, &global, out)
        }
        Command::Note { session, place, text } => {
            let shelf = Shelf::of(&Target::parse(&session).place).ok_or(Failure::NoShelf)?;
            let session = open::one(&session, &global)?;
            let exit = match text {
                Some(text) => {
                    let at = position(&session, &place)?;
                    note::keep(&session, (&shelf, at, text), global.json, out)?
                }
                None => note::list(&session, &shelf, global.json, out)?,
            };
            Ok(answered(&session, exit))
        }
        Command::List { session } => {
            let sessions = open::all(&session, &global)?;
            let notices = sessions.iter().filter_map(notice).collect();
            let exit = list::list(sessions.iter().map(list::Row::of).collect(), global.json, out)?;
            Ok(Outcome { exit, notices })
        }
        Command::Show { session, place, follow: true, .. } => {
            Ok(follow::follow(&Target::parse(&session), &place, global.json, out)?.into())
        }
        Command::Show { session, place, what, raw, hex, follow: false } => {
            let session = open::one(&session, &global)?;
            let global = &global;
            let exit = match raw {
                true if hex => show::hex(&session, &place, out)?,
                true => show::raw(&session, &place, out)?,
                false => show::show(&session, &place, &what, global, out)?,
            };
            Ok(answered(&session, exit))
        }
        Command::Prompt { session, turn, call, rephrase, at, source, holes, diff, to, full, format, reveal, raw } => {
            let session = open::one(&session, &global)?;
            let wanted = match (at, turn, rephrase) {
                (Some(at), _, _) => Wanted::At(at),
                (None, Some(turn), Some(number)) => Wanted::Rephrase { turn, number },
                (None, Some(turn), None) => Wanted::Call { turn, call },
                (None, None, _) => Wanted::Last,
            };
            let length = Length::of_flag(full);
            let pii = if reveal { Pii::Revealed } else { Pii::Masked };
            let default = if global.json { Answer::Json } else { Answer::Human };
            let exit = if diff {
                prompt::difference(&session, wanted, to, (format.unwrap_or(default), length, pii), out)?
            } else {
                let form = match (raw, holes, global.json, source) {
                    (true, ..) => Form::Raw,
                    (false, true, true, _) => Form::JsonWithHoles,
                    (false, true, false, _) => Form::Holes,
                    (false, false, true, _) => Form::Json,
                    (false, false, false, true) => Form::Source,
                    (false, false, false, false) => Form::Text,
                };
                prompt::prompt(&session, wanted, form, out)?
            };
            Ok(answered(&session, exit))
        }
        Command::Why { session: target, asked, place, format, reveal } => {
            let session = open::one(&target, &global)?;
            let form = form(format, reveal, &global);
            let asked = why::Question { target: &target, asked: &asked, place: &place, global: &global };
            let exit = why::why(&session, &asked, form, out)?;
            Ok(answered(&session, exit))
        }
        Command::Last { session, key, place } => {
            let session = open::one(&session, &global)?;
            let exit = last::last(&session, &key, &place, global.json, out)?;
            Ok(answered(&session, exit))
        }
        Command::Reads { session, key, place, from } => {
            let session = open::one(&session, &global)?;
            let exit = reads::reads(&session, &key, from, &place, global.json, out)?;
            Ok(answered(&session, exit))
        }
        Command::Findings { session: target, kind, format, reveal } => {
            let session = open::one(&target, &global)?;
            let form = form(format, reveal, &global);
            let exit = findings::findings(
                &session,
                &findings::Asked { target: &target, kinds: &kind, global: &global },
                form,
                out,
            )?;
            Ok(answered(&session, exit))
        }
        Command::Query { session, expression, every_turn } => {
            let what = query::What::parse(&expression, every_turn)?;
            query::query(&session, &what, &global, out)
        }
        Command::Access { session, place } => {
            let session = open::one(&session, &global)?;
            let exit = access::access(&session, &place, global.json, out)?;
            Ok(answered(&session, exit))
        }
        Command::Diff { session, other: Some(other), kind, ignore, format, full, reveal, .. } => {
            let pii = if reveal { Pii::Revealed } else { Pii::Masked };
            let (a, b) = (open::one(&session, &global)?, open::one(&other, &global)?);
            let names = [session.to_string_lossy(), other.to_string_lossy()];
            let length = Length::of_flag(full);
            let choice = diff::Choice::of(&kind, &ignore, format.unwrap_or(DiffFormat::Human), length, pii);
            let exit = diff::diff((&names[0], &a), (&names[1], &b), &choice, global.json, out)?;
            Ok(Outcome { exit, notices: [notice(&a), notice(&b)].into_iter().flatten().collect() })
        }
        Command::Diff { session, other: None, from, to, kind, format, full, reveal, .. } => {
            let session = open::one(&session, &global)?;
            let from = from.map_or(Ok(session.end()), |from| place::moment(&session, from))?;
            let to = to.map_or(Ok(session.end()), |to| place::moment(&session, to))?;
            let length = Length::of_flag(full);
            let pii = if reveal { Pii::Revealed } else { Pii::Masked };
            let choice = diff::Choice::of(&kind, &[], format.unwrap_or(DiffFormat::Human), length, pii);
            let exit = state_diff::diff(&session, (from, to), &choice, global.json, out)?;
            Ok(answered(&session, exit))
        }
        Command::Verify { log, decisions } => Ok(verify::verify(&log, decisions, global.json, out)?.into()),
        Command::Check { folder, format } => {
            let default = if global.json { Report::Json } else { Report::Human };
            Ok(check::check(&folder, global.profile, format.unwrap_or(default), out)?.into())
        }
        Command::Explain { code: Some(code) } => Ok(explain::explain(&code, global.json, out)?.into()),
        Command::Config => Ok(config::config(&crate::config::load(), global.json, out)?.into()),
        Command::Completions { shell } => Ok(manual::completions(shell, out)?.into()),
        Command::Man { command } => Ok(manual::page(command.as_deref(), out)?.into()),
        Command::Explain { code: None } => Ok(explain::list(global.json, out)?.into()),
    }
}

/// The debugger needs a terminal on both sides; anything else gets the summary.
fn debug_or_summarize(
    session: &OsStr,
    start: &debug::Start<'_>,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    let wants_debugger = out.terminal && !global.json && !global.plain;
    if wants_debugger && (std::io::stdin().is_terminal() || session == "-") {
        return debug::debug(session, start, global, out);
    }
    let place = start.moment;
    if start.follow {
        return Ok(follow::follow(&Target::parse(session), place, global.json, out)?.into());
    }
    let named = session;
    let session = open::one(session, global)?;
    if out.terminal && global.plain && !global.json && std::io::stdin().is_terminal() {
        let start = if place.at.is_some() || place.turn.is_some() { position(&session, place)? } else { Position(0) };
        let shelf = Shelf::of(&Target::parse(named).place);
        let opened = linear::Opened { session: &session, named, shelf: shelf.as_ref() };
        linear::on_terminal(opened, start, global, out)?;
        return Ok(answered(&session, Exit::Fine));
    }
    // Who names a moment wants to see that one.
    let exit = match place.at.is_some() || place.turn.is_some() {
        true => show::show(&session, place, &[], global, out)?,
        false => summary::summary(&session, global, out)?,
    };
    Ok(answered(&session, exit))
}

/// What of a log couldn't be read came out while the answer was made: it can't be relied on then.
fn answered(session: &Session, exit: Exit) -> Outcome {
    let damage = damage(session);
    let exit = if damage.is_some() { Exit::Unreadable } else { exit };
    Outcome { exit, notices: notice(session).into_iter().chain(damage).collect() }
}

/// Returns the line about what of a log couldn't be read so far, if anything.
pub(crate) fn damage(session: &Session) -> Option<String> {
    session.damage().map(|damage| format!("{damage}; what was answered may be wrong"))
}

/// A record that lost something is opened all the same, and that is said.
pub(crate) fn notice(session: &Session) -> Option<String> {
    // What is missing at the end may only not be written yet.
    let end = session.raw.count();
    let is_gap = |finding: &Finding| {
        finding.kind == FindingKind::Gap && finding.raw.is_none_or(|(_, before)| (before as usize) < end)
    };
    tell(&session.id, session.findings.iter().filter(|finding| is_loss(finding) || is_gap(finding)), "is shown")
}

/// Returns the line about what of a session couldn't be read, if anything; `fate` is what becomes of the rest.
pub(crate) fn lost(id: &Name, findings: &[Finding], fate: &str) -> Option<String> {
    tell(id, findings.iter().filter(|finding| is_loss(finding)), fate)
}

fn is_loss(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Cut | FindingKind::Damaged)
}

fn tell<'f>(id: &Name, mut lost: impl Iterator<Item = &'f Finding>, fate: &str) -> Option<String> {
    let first = lost.next()?;
    let more = match lost.count() {
        0 => String::new(),
        1 => "; 1 more loss is among the findings".to_owned(),
        more => format!("; {more} more losses are among the findings"),
    };
    Some(format!("{id}: {}{more}; the rest {fate}", first.text))
}

/// Returns how an answer is written that has a report.
fn form(format: Option<Answer>, reveal: bool, global: &Global) -> why::Form {
    let default = if global.json { Answer::Json } else { Answer::Human };
    match (format.unwrap_or(default), reveal) {
        (Answer::Human, _) => why::Form::Human,
        (Answer::Json, _) => why::Form::Json,
        (Answer::Md, true) => why::Form::Report(Pii::Revealed),
        (Answer::Md, false) => why::Form::Report(Pii::Masked),
    }
}
