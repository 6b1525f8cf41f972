//! What a log stands on: bytes at offsets that a sync makes durable, and the two files that a log is made of.
//!
//! In production these are files of the system. The simulation of power cuts has a disk of its own.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use redb::Database;

use super::WRITER_CACHE_LEN;
use super::open::builder;

/// Bytes at offsets. What was written is durable once a sync that began later has returned.
pub(super) trait Blocks: Send + Sync {
    /// Returns how many bytes there are.
    fn len(&self) -> io::Result<u64>;

    /// Reads from an offset on, less than was asked for only at the end. Returns how much it was.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize>;

    /// Writes at an offset.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes durable what was written.
    fn sync(&self) -> io::Result<()>;
}

/// The two files of a log: its database and, while it is written, its tail.
pub(super) trait Files: Send + Sync {
    /// Opens the database for writing.
    fn open_database(&self) -> Result<Database, redb::Error>;

    /// Returns the length of the database in bytes.
    fn database_len(&self) -> io::Result<u64>;

    /// Opens the tail, if there is one.
    fn open_tail(&self) -> io::Result<Option<Box<dyn Blocks>>>;

    /// Makes a tail of `len` zeros, which has its place on the disk and its name for good when this returns.
    fn create_tail(&self, len: u64) -> io::Result<Box<dyn Blocks>>;

    /// Removes the tail, if there is one.
    fn remove_tail(&self) -> io::Result<()>;
}

/// The files of the log at a path.
pub(super) struct OnDisk(pub(super) PathBuf);

impl Files for OnDisk {
    fn open_database(&self) -> Result<Database, redb::Error> {
        Ok(builder(WRITER_CACHE_LEN).open(&self.0)?)
    }

    fn database_len(&self) -> io::Result<u64> {
        Ok(fs::metadata(&self.0)?.len())
    }

    fn open_tail(&self) -> io::Result<Option<Box<dyn Blocks>>> {
        let opened = open_tail(&self.0)?;
        Ok(opened.map(|file| Box::new(file) as Box<dyn Blocks>))
    }

    fn create_tail(&self, len: u64) -> io::Result<Box<dyn Blocks>> {
        let path = tail_path(&self.0);
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        let filled = fill(&file, len).and_then(|()| sync_folder(&path));
        if let Err(error) = filled {
            drop(fs::remove_file(&path));
            return Err(error);
        }
        Ok(Box::new(file))
    }

    fn remove_tail(&self) -> io::Result<()> {
        match fs::remove_file(tail_path(&self.0)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }
}

impl Blocks for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        while read < out.len() {
            match FileExt::read_at(self, &mut out[read..], offset + read as u64) {
                Ok(0) => break,
                Ok(len) => read += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Returns the path of the tail of the log at `path`.
pub(super) fn tail_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-tail");
    PathBuf::from(name)
}

/// Opens the tail of the log at `path` for reading, if there is one.
pub(super) fn open_tail(path: &Path) -> io::Result<Option<File>> {
    match File::open(tail_path(path)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes the name of a new file durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

/// Returns the folder that a file lies in.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Writes zeros, page by page, so that later writes need no more space and no new length, and each only its own page.
fn fill(file: &File, len: u64) -> io::Result<()> {
    let zeros = vec![0; 1 << 12];
    let mut at = 0;
    while at < len {
        let part = (len - at).min(zeros.len() as u64);
        file.write_all_at(&zeros[..part as usize], at)?;
        at += part;
    }
    file.sync_all()
}
