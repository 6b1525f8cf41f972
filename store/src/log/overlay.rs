//! Repairs a database in memory, so that one whose writer died can be read where nothing may be changed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use redb::{Builder, Database, StorageBackend};

use super::READER_CACHE_LEN;

const PAGE_LEN: usize = 4096;

/// Opens the database of a log whose writer died. The file stays as it is.
pub(super) fn open(path: &Path) -> Result<Database, redb::Error> {
    let file = File::open(path).map_err(redb::Error::Io)?;
    let len = file.metadata().map_err(redb::Error::Io)?.len();
    let overlay = Overlay { file, changed: Mutex::new(Changed { len, pages: BTreeMap::new() }) };
    Ok(Builder::new().set_cache_size(READER_CACHE_LEN).create_with_backend(overlay)?)
}

/// A file, and the pages that were changed over it.
#[derive(Debug)]
struct Overlay {
    file: File,
    changed: Mutex<Changed>,
}

#[derive(Debug)]
struct Changed {
    len: u64,
    pages: BTreeMap<u64, Box<[u8]>>,
}

impl Overlay {
    fn changed(&self) -> std::sync::MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the file; zeros stand behind its end.
    fn read_file(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut read = 0;
        while read < out.len() {
            match self.file.read_at(&mut out[read..], offset + read as u64) {
                Ok(0) => break,
                Ok(len) => read += len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        out[read..].fill(0);
        Ok(())
    }
}

/// Returns the pages of a stretch: each with where it begins in the page and in the stretch, and how much of it there is.
fn pages(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let place = offset + at as u64;
        let within = (place % PAGE_LEN as u64) as usize;
        let part = (PAGE_LEN - within).min(len - at);
        at += part;
        (part > 0).then_some((place / PAGE_LEN as u64, within, at - part, part))
    })
}

impl StorageBackend for Overlay {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.changed().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        let changed = self.changed();
        if offset + out.len() as u64 > changed.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(offset, out)?;
        for (page, within, at, part) in pages(offset, out.len()) {
            if let Some(bytes) = changed.pages.get(&page) {
                out[at..at + part].copy_from_slice(&bytes[within..within + part]);
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.changed().len = len;
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        let mut changed = self.changed();
        for (page, within, at, part) in pages(offset, data.len()) {
            let bytes = match changed.pages.entry(page) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let mut bytes = vec![0; PAGE_LEN].into_boxed_slice();
                    self.read_file(page * PAGE_LEN as u64, &mut bytes)?;
                    entry.insert(bytes)
                }
            };
            bytes[within..within + part].copy_from_slice(&data[at..at + part]);
        }
        changed.len = changed.len.max(offset + data.len() as u64);
        Ok(())
    }
}
