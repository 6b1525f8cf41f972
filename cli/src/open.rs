//! From what the user named to opened sessions: files, stdin, logs and agent folders are read here.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use replay_store::agent::Agent;
use replay_store::agent::definition::Definition;
use replay_store::diagnostic::{Diagnostic, Severity};
use replay_store::import::{self, Recording, TEXT_LEN_MAX};
use replay_store::log::{Log, is_log};
use replay_store::replay::{Named, Session, archive};

use crate::arguments::Global;
use crate::failure::Failure;
use crate::target::{Place, Target};

/// What a target holds.
pub(crate) enum Source {
    /// A log, whose sessions are read one at a time.
    Log(Arc<Log>),
    /// Recordings of a foreign record, or of our own JSON Lines.
    Recordings(Vec<Recording>),
}

/// Opens the one session that is meant.
pub(crate) fn one(text: &OsStr, global: &Global) -> Result<Session, Failure> {
    let target = Target::parse(text);
    let named = named(global)?;
    source(&target.place)?.open(&target, named)
}

/// Opens all sessions one after the other, or the one that is named, and hands each to `look`, with whether there are
/// several.
pub(crate) fn each(
    text: &OsStr,
    global: &Global,
    mut look: impl FnMut(&Session, Count) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let target = Target::parse(text);
    let named = named(global)?;
    let source = source(&target.place)?;
    let ids = source.ids()?;
    if target.id.is_some() || ids.len() == 1 {
        return look(&source.open(&target, named)?, Count::One);
    }
    match source {
        Source::Recordings(recordings) => {
            recordings.into_iter().try_for_each(|recording| look(&opened(recording, named.clone()), Count::Several))
        }
        Source::Log(log) => {
            ids.iter().try_for_each(|id| look(&archive::open_lazily(&log, id, named.clone())?, Count::Several))
        }
    }
}

/// Returns the files in a folder and the folders in it, by path; links and what begins with a dot are left out. `None`
/// where the place is no folder.
pub(crate) fn files(text: &OsStr) -> Result<Option<Vec<PathBuf>>, Failure> {
    let Place::File(folder) = Target::parse(text).place else { return Ok(None) };
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let failure = |source| read_failure(&Place::File(folder.clone()), source);
        for entry in std::fs::read_dir(&folder).map_err(failure)? {
            let entry = entry.map_err(failure)?;
            let kind = entry.file_type().map_err(failure)?;
            match entry.file_name().as_encoded_bytes().starts_with(b".") {
                false if kind.is_dir() => folders.push(entry.path()),
                false if kind.is_file() => files.push(entry.path()),
                true | false => {}
            }
        }
    }
    files.sort();
    Ok(Some(files))
}

/// Whether a place holds one session or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// One, or one was named.
    One,
    /// Several, or none.
    Several,
}

/// Opens all sessions, or the one that is named.
pub(crate) fn all(text: &OsStr, global: &Global) -> Result<Vec<Session>, Failure> {
    let target = Target::parse(text);
    let named = named(global)?;
    match source(&target.place)? {
        source if target.id.is_some() => Ok(vec![source.open(&target, named)?]),
        Source::Recordings(recordings) => Ok(recordings.into_iter().map(|each| opened(each, named.clone())).collect()),
        Source::Log(log) => {
            let sessions = log.sessions()?;
            sessions.iter().map(|session| Ok(archive::open_lazily(&log, &session.id, named.clone())?)).collect()
        }
    }
}

/// Opens the session that is named, or all, one after the other, and hands each to `look`.
pub(crate) fn each_meant(
    target: &Target,
    global: &Global,
    mut look: impl FnMut(&Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let named = named(global)?;
    let source = source(&target.place)?;
    let ids = source.meant(target)?;
    match source {
        Source::Log(log) => ids.iter().try_for_each(|id| look(&archive::open_lazily(&log, id, named.clone())?)),
        Source::Recordings(recordings) => {
            let meant = recordings.into_iter().filter(|each| ids.iter().any(|id| *id == *each.id));
            meant.map(|each| opened(each, named.clone())).try_for_each(|session| look(&session))
        }
    }
}

/// Returns what is named beside the session: agent folder and engine generation.
pub(crate) fn named(global: &Global) -> Result<Named, Failure> {
    Ok(Named { folder: definition(global)?, profile: global.profile })
}

/// Opens a recording.
pub(crate) fn opened(recording: Recording, named: Named) -> Session {
    Session::open(recording, named.folder, named.profile)
}

/// Reads the agent folder that is named.
pub(crate) fn definition(global: &Global) -> Result<Option<Arc<Definition>>, Failure> {
    let Some(folder) = &global.agent else { return Ok(None) };
    let (definition, _) = replay_store::agent::source::read(folder)?;
    Ok(Some(Arc::new(definition)))
}

/// Says in one line what of an agent folder couldn't be read, or is so wrong that it counts for nothing.
pub(crate) fn broken(folder: &Path) -> Option<String> {
    let (definition, unread) = replay_store::agent::source::read(folder).ok()?;
    let agent = Agent::load(Arc::new(definition), None);
    let errors: Vec<&Diagnostic> =
        unread.iter().chain(&agent.diagnostics).filter(|found| found.severity == Severity::Error).collect();
    let first = errors.first()?;
    let more = match errors.len() - 1 {
        0 => String::new(),
        1 => "; and 1 more error".to_owned(),
        more => format!("; and {more} more errors"),
    };
    let folder = folder.display();
    Some(format!("{folder}/{}: {}{more}: `replay check {folder}` shows them", first.at.file, first.message))
}

/// Reads what a place holds.
pub(crate) fn source(place: &Place) -> Result<Source, Failure> {
    let bytes = match place {
        Place::Stdin => {
            let mut bytes = Vec::new();
            io::stdin()
                .lock()
                .take(TEXT_LEN_MAX + 1)
                .read_to_end(&mut bytes)
                .map_err(|source| read_failure(place, source))?;
            bytes
        }
        Place::File(path) => {
            let kind = path.metadata().map_err(|source| read_failure(place, source))?.file_type();
            if kind.is_char_device() || kind.is_block_device() {
                return Err(read_failure(
                    place,
                    io::Error::other("it is a device; send its bytes through a pipe to -"),
                ));
            }
            if let Some(log) = log(path).map_err(|source| read_failure(place, source))? {
                return Ok(Source::Log(Arc::new(log?)));
            }
            whole(path).map_err(|source| read_failure(place, source))?
        }
    };
    Ok(Source::Recordings(import::read(Arc::new(bytes), &name(place))?))
}

/// Reads a file, but not one that the reader of records refuses for its length.
fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len().min(TEXT_LEN_MAX);
    let mut bytes = Vec::with_capacity(length as usize + 1);
    file.take(TEXT_LEN_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file as a log if it begins like one.
fn log(path: &Path) -> io::Result<Option<Result<Log, replay_store::log::LogError>>> {
    let mut head = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut head)?;
    Ok(is_log(&head).then(|| Log::open(path)))
}

/// Returns the name that stands in for a session's id where the record has none.
pub(crate) fn name(place: &Place) -> String {
    match place {
        Place::Stdin => "-".to_owned(),
        Place::File(path) => path.display().to_string(),
    }
}

pub(crate) fn read_failure(place: &Place, source: io::Error) -> Failure {
    Failure::Read { path: place.to_string(), source }
}

impl Source {
    /// Returns the ids of the sessions.
    pub(crate) fn ids(&self) -> Result<Vec<String>, Failure> {
        Ok(match self {
            Source::Log(log) => log.sessions()?.iter().map(|session| session.id.to_string()).collect(),
            Source::Recordings(recordings) => recordings.iter().map(|recording| recording.id.to_string()).collect(),
        })
    }

    /// Opens the session that is meant: the one that is named, else the only one.
    pub(crate) fn open(self, target: &Target, named: Named) -> Result<Session, Failure> {
        let (place, ids) = self.find(target)?;
        match self {
            Source::Log(log) => Ok(archive::open_lazily(&log, &ids[place], named)?),
            Source::Recordings(mut recordings) => Ok(opened(recordings.swap_remove(place), named)),
        }
    }

    /// Returns the ids of the session that is named, or of all.
    pub(crate) fn meant(&self, target: &Target) -> Result<Vec<String>, Failure> {
        match target.id {
            Some(_) => self.find(target).map(|(place, mut ids)| vec![ids.swap_remove(place)]),
            None => self.ids(),
        }
    }

    /// Returns which session is meant, and the ids of all.
    fn find(&self, target: &Target) -> Result<(usize, Vec<String>), Failure> {
        let ids = self.ids()?;
        let place = match &target.id {
            _ if ids.is_empty() => return Err(Failure::Empty { path: target.place.to_string() }),
            Some(id) => ids.iter().position(|each| each == id),
            None if ids.len() == 1 => Some(0),
            None => return Err(Failure::SeveralSessions { path: target.place.to_string(), ids }),
        };
        let Some(place) = place else {
            let id = target.id.clone().unwrap_or_default();
            return Err(Failure::NoSuchSession { path: target.place.to_string(), id, ids });
        };
        Ok((place, ids))
    }
}
