//! Where notes are kept: in a file beside the record, `session.log-notes`; where that place can't be written, below the
//! XDG data folder. The record itself is never touched.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use replay_store::digest::Digest;
use replay_store::event::note::{Note, Notes};
use replay_store::name::Name;

use crate::target::Place;

/// The files that notes on a record are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shelf {
    /// Beside the record.
    beside: PathBuf,
    /// Below the data folder of the user; `None` where no home is known.
    apart: Option<PathBuf>,
    /// The record itself, where it is our own JSON Lines: notes go along with those.
    record: Option<PathBuf>,
}

impl Shelf {
    /// Returns where notes on a record are kept; `None` for one that came through a pipe.
    pub(crate) fn of(place: &Place) -> Option<Shelf> {
        let Place::File(path) = place else { return None };
        let mut beside = path.clone().into_os_string();
        beside.push("-notes");
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
        let apart = data.map(|data| data.join("replay/notes").join(name(path)));
        let record = is_own_lines(path).then(|| path.clone());
        Some(Shelf { beside: PathBuf::from(beside), apart, record })
    }

    /// Reads the notes on a session: those that the record brings along, then what was noted since. A file that can't be
    /// read holds none.
    pub(crate) fn read(&self, session: &Name) -> Notes {
        let mut notes = Notes::default();
        for path in [self.record.as_ref(), Some(&self.beside), self.apart.as_ref()].into_iter().flatten() {
            let lines = File::open(path).map(|file| BufReader::new(file).split(b'\n'));
            lines.into_iter().flatten().map_while(Result::ok).for_each(|line| notes.take(&line, session));
        }
        notes
    }

    /// Adds notes, unless the same stand there already, and returns how many are new.
    pub(crate) fn keep_new(&self, notes: &[Note]) -> io::Result<usize> {
        let is_new = |note: &&Note| self.read(&note.session).at(note.position) != Some(note.text.as_str());
        let new: Vec<&Note> = notes.iter().filter(is_new).collect();
        new.iter().try_for_each(|note| self.keep(note).map(drop))?;
        Ok(new.len())
    }

    /// Adds a note, and returns the file that it is in.
    pub(crate) fn keep(&self, note: &Note) -> io::Result<&Path> {
        match (add(&self.beside, note), &self.apart) {
            // A note that was kept apart once stays there, so that the last word is read last.
            (Ok(()), Some(apart)) if apart.exists() => add(apart, note).map(|()| apart.as_path()),
            (Ok(()), _) => Ok(&self.beside),
            (Err(_), Some(apart)) => {
                apart.parent().map_or(Ok(()), fs::create_dir_all)?;
                add(apart, note).map(|()| apart.as_path())
            }
            (Err(error), None) => Err(error),
        }
    }
}

/// Whether a file begins like our own JSON Lines; those of an array, too, where each has a line of its own.
fn is_own_lines(path: &Path) -> bool {
    let mut beginning = [0; 64];
    let length = File::open(path).and_then(|mut file| file.read(&mut beginning)).unwrap_or(0);
    let beginning = beginning[..length].trim_ascii_start();
    let beginning = beginning.strip_prefix(b"[").unwrap_or(beginning).trim_ascii_start();
    beginning.starts_with(b"{\"schema\":\"replay.session/")
}

/// One line, one write: lines of two writers never mix.
fn add(path: &Path, note: &Note) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(note.line().as_bytes())?;
    file.sync_data()
}

/// Returns a name for a record's notes that no record in another folder has.
fn name(path: &Path) -> String {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let digest = Digest::of(path.as_os_str().as_encoded_bytes());
    let file: String =
        path.file_name().map(|name| name.to_string_lossy().chars().take(80).collect()).unwrap_or_default();
    format!("{file}-{}", digest.short())
}
