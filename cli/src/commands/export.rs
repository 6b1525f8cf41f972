//! `replay export`: sessions as our own JSON Lines, as one JSON array of the same, or as pages to be read. One session after
//! the other is read, and those of a log event by event, so that a long one takes little memory.

use clap::ValueEnum;
use replay_store::event::note::{Note, Notes};
use replay_store::explain::report::Pii;
use replay_store::import::jsonl::{self, write_in};
use replay_store::name::Name;
use replay_store::page;
use replay_store::replay::Session;
use replay_store::replay::archive::{Given, unload};

use crate::arguments::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::notes::Shelf;
use crate::open::{self, Source};
use crate::output::Output;
use crate::run::{self, Outcome, lost};
use crate::target::Target;

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Our own JSON Lines, which `import` reads back without loss.
    Jsonl,
    /// The same lines as one JSON array, which `import` reads back, too.
    Json,
    /// A page to be read, as Markdown; values of pii entries are hidden.
    Md,
    /// The same page as one HTML file without scripts.
    Html,
}

/// Writes the session that is meant, or all. An agent folder that is named goes with them.
pub(crate) fn export(
    target: &Target,
    format: Format,
    pii: Pii,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    match format {
        Format::Jsonl => lines(target, jsonl::Form::Lines, global, out),
        Format::Json => lines(target, jsonl::Form::List, global, out),
        Format::Md => pages(target, page::Form::Markdown, pii, global, out),
        Format::Html => pages(target, page::Form::Html, pii, global, out),
    }
}

fn lines(target: &Target, form: jsonl::Form, global: &Global, out: &mut Output<'_>) -> Result<Outcome, Failure> {
    let given = Given { definition: open::definition(global)?, profile: global.profile };
    let shelf = Shelf::of(&target.place);
    let source = open::source(&target.place)?;
    let ids = source.meant(target)?;
    let mut writer = jsonl::Writer::new(out.writer, form);
    let mut notices = Vec::new();
    match source {
        Source::Log(log) => {
            for id in ids {
                let notes = notes(shelf.as_ref(), &Name::from(id.as_str()));
                let findings = unload(&log, &id, &given, &notes, &mut writer)?;
                notices.extend(lost(&Name::from(id), &findings, "is written"));
            }
        }
        Source::Recordings(recordings) => {
            for mut recording in recordings.into_iter().filter(|each| ids.iter().any(|id| *id == *each.id)) {
                recording.definition = given.definition.as_deref().cloned().or(recording.definition);
                recording.profile = given.profile.or(recording.profile);
                write_in(&recording, &notes(shelf.as_ref(), &recording.id), &mut writer)?;
                notices.extend(lost(&recording.id, &recording.findings, "is written"));
            }
        }
    }
    writer.finish()?;
    Ok(Outcome { exit: Exit::Fine, notices })
}

fn notes(shelf: Option<&Shelf>, session: &Name) -> Vec<Note> {
    let notes = shelf.map(|shelf| shelf.read(session)).unwrap_or_default();
    notes.iter().map(|(at, text)| Note::new(session.clone(), at, text.to_owned())).collect()
}

fn pages(
    target: &Target,
    form: page::Form,
    pii: Pii,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<Outcome, Failure> {
    let shelf = Shelf::of(&target.place);
    let mut writer = page::Writer::new(out.writer, form);
    let mut outcome = Outcome { exit: Exit::Fine, notices: Vec::new() };
    open::each_meant(target, global, |session| {
        let notes = shelf.as_ref().map_or_else(Notes::default, |shelf| shelf.read(&session.id));
        page::session(session, &notes, pii, &mut writer)?;
        outcome.notices.extend(run::notice(session));
        outcome.notices.extend(damage(session, &mut outcome.exit));
        Ok(())
    })?;
    writer.finish()?;
    Ok(outcome)
}

/// Returns what of a log couldn't be read for a page, which then says it of its events, too.
fn damage(session: &Session, exit: &mut Exit) -> Option<String> {
    let damage = run::damage(session)?;
    *exit = Exit::Unreadable;
    Some(damage)
}
