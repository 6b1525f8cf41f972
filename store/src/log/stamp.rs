//! Whether a log's database is the file that it was, and whether it was written to since.
//!
//! No clock tells: the head of the database says which commits there are, and each commit changes it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::blocks::Blocks;
use super::error::{Doing, LogError, from_io};

/// The database keeps what says which commit is the last one within so many bytes.
const HEAD_LEN: usize = 320;

/// A database as it was at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// The device, and the file on it.
    file: (u64, u64),
    len: u64,
    head: Vec<u8>,
}

impl Stamp {
    /// Returns the stamp of the file at a path, without its head.
    pub(super) fn of_file(path: &Path) -> Result<Stamp, LogError> {
        let metadata = fs::metadata(path).map_err(|error| from_io(path, Doing::Read, error))?;
        Ok(Stamp { file: (metadata.dev(), metadata.ino()), len: metadata.len(), head: Vec::new() })
    }

    /// Adds the head of the file.
    pub(super) fn with_head(self, path: &Path) -> Result<Stamp, LogError> {
        let mut head = vec![0; HEAD_LEN];
        let read = File::open(path).and_then(|file| Blocks::read_at(&file, 0, &mut head));
        head.truncate(read.map_err(|error| from_io(path, Doing::Read, error))?);
        Ok(Stamp { head, ..self })
    }

    /// Returns whether this is the same file as then, and something is in it.
    pub(super) fn is_same_file(&self, now: &Stamp) -> bool {
        self.file == now.file && now.len > 0
    }
}
