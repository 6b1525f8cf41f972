//! Where notes are kept: in a file beside the record, `session.log-notes`; where that place can't be written, below the
//! XDG data folder. The record itself is never touched.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use replay_store::digest::Digest;
use replay_store::name::Name;
use replay_store::replay::annotation::{Note, Notes};

use crate::target::Place;

/// The files that notes on a record are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shelf {
    /// Beside the record.
    beside: PathBuf,
    /// Below the data folder of the user; `None` where no home is known.
    apart: Option<PathBuf>,
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
        Some(Shelf { beside: PathBuf::from(beside), apart })
    }

    /// Reads the notes on a session. A file that can't be read holds none.
    pub(crate) fn read(&self, session: &Name) -> Notes {
        let files = [Some(&self.beside), self.apart.as_ref()].into_iter().flatten();
        let text: String = files.filter_map(|path| fs::read_to_string(path).ok()).collect();
        Notes::read(&text, session)
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
