//! A disk whose power can be cut: what wasn't synced is kept, lost or torn, each write on its own. And one that can be
//! full: what takes space is refused.

use std::fmt;
use std::io;
use std::ops::{Bound, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::{BackendError, Database, StorageBackend};

use crate::log::READER_CACHE_LEN;
use crate::log::blocks::{Blocks, Files};
use crate::log::open::builder;
use crate::log::planted::{Fault, is_planted};

/// Numbers that look random and are the same for each seed.
#[derive(Clone, Debug)]
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// A disk with the two files of a log.
#[derive(Clone)]
pub(super) struct Disk(Arc<Mutex<State>>, Arc<Mutex<Option<Interrupt>>>);

/// What is done in between, and before how many more calls to the database.
type Interrupt = (u64, Box<dyn FnOnce() + Send>);

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[derive(Clone, Debug, Default)]
struct State {
    database: Image,
    tail: Option<Image>,
    /// A tail that was removed, until that is durable.
    removed: Option<Image>,
    /// How many more calls there are before the power is cut.
    left: Option<u64>,
    /// Which calls find no space.
    full: Range<u64>,
    calls: u64,
}

/// What a call does to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It may need space.
    Space,
    /// It needs none.
    Nothing,
}

/// A file: what is durable, what programs see, and what leads from the one to the other.
#[derive(Clone, Debug, Default)]
struct Image {
    durable: Vec<u8>,
    now: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write(u64, Vec<u8>),
    Length(u64),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Change::Write(at, written) => {
                let end = *at as usize + written.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*at as usize..end].copy_from_slice(written);
            }
            Change::Length(len) => bytes.resize(*len as usize, 0),
        }
    }
}

impl Image {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.now);
        self.unsynced.push(change);
    }

    fn sync(&mut self) {
        self.durable.clone_from(&self.now);
        self.unsynced.clear();
    }

    /// Leaves what a power cut leaves.
    fn cut(&mut self, numbers: &mut Numbers) {
        // Now and then all is lost, or nothing; else each write goes its own way.
        let mood = numbers.below(8);
        for change in std::mem::take(&mut self.unsynced) {
            let fate = if mood < 2 { mood } else { numbers.below(3) };
            match (fate, change) {
                (0, _) => {}
                (1, change) | (_, change @ Change::Length(_)) => change.apply(&mut self.durable),
                (_, Change::Write(at, bytes)) => {
                    let start = numbers.below(bytes.len() as u64 + 1) as usize;
                    let end = start + numbers.below((bytes.len() - start) as u64 + 1) as usize;
                    let start = if numbers.below(2) == 0 { 0 } else { start };
                    Change::Write(at + start as u64, bytes[start..end].to_vec()).apply(&mut self.durable);
                }
            }
        }
        self.now.clone_from(&self.durable);
    }
}

impl Disk {
    pub(super) fn new() -> Disk {
        Disk::of(State::default())
    }

    fn of(state: State) -> Disk {
        Disk(Arc::new(Mutex::new(state)), Arc::default())
    }

    /// Does something in the middle of what is done to the database, after so many more calls.
    pub(super) fn interrupt_after(&self, calls: u64, work: impl FnOnce() + Send + 'static) {
        *self.interrupt() = Some((calls, Box::new(work)));
    }

    /// Takes away what wasn't done so far.
    pub(super) fn forget_interrupt(&self) {
        drop(self.interrupt().take());
    }

    fn interrupt(&self) -> MutexGuard<'_, Option<Interrupt>> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call to the database, and does what is due.
    fn database_call(&self, needs: Use) -> io::Result<MutexGuard<'_, State>> {
        let mut interrupt = self.interrupt();
        let due = interrupt.take_if(|(left, _)| *left == 0);
        if let Some((left, _)) = interrupt.as_mut() {
            *left -= 1;
        }
        drop(interrupt);
        if let Some((_, work)) = due {
            work();
        }
        self.call(needs)
    }

    /// Cuts the power after so many more calls, or never.
    pub(super) fn cut_after(&self, calls: Option<u64>) {
        self.state().left = calls;
    }

    /// Refuses what takes space in so many calls, counted from now.
    pub(super) fn full_for(&self, calls: Range<u64>) {
        let mut state = self.state();
        state.full = state.calls + calls.start..state.calls.saturating_add(calls.end);
    }

    /// Returns how many calls there were.
    pub(super) fn calls(&self) -> u64 {
        self.state().calls
    }

    pub(super) fn is_off(&self) -> bool {
        self.state().left == Some(0)
    }

    /// Returns the disk as it is when the power is back. Whoever still holds the old one can't change it.
    pub(super) fn after_cut(&self, numbers: &mut Numbers) -> Disk {
        let mut state = self.state().clone();
        state.left = None;
        state.database.cut(numbers);
        if let Some(removed) = state.removed.take()
            && state.tail.is_none()
            && numbers.below(2) == 0
        {
            state.tail = Some(removed);
        }
        if let Some(tail) = &mut state.tail {
            tail.cut(numbers);
        }
        Disk::of(state)
    }

    /// Returns another disk that holds the same.
    pub(super) fn copy(&self) -> Disk {
        Disk::of(State { full: 0..0, ..self.state().clone() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call that changes something. Fails once the power is off, and where it needs space and there is none.
    fn call(&self, needs: Use) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let is_full = state.full.contains(&state.calls);
        state.calls += 1;
        if is_full && needs == Use::Space {
            return Err(io::ErrorKind::StorageFull.into());
        }
        match &mut state.left {
            Some(0) => return Err(io::Error::other("the power is off")),
            Some(left) => *left -= 1,
            None => {}
        }
        Ok(state)
    }
}

fn read(bytes: &[u8], offset: u64, out: &mut [u8]) -> usize {
    let start = (offset as usize).min(bytes.len());
    let len = out.len().min(bytes.len() - start);
    out[..len].copy_from_slice(&bytes[start..start + len]);
    len
}

impl Files for Disk {
    fn open_database(&self) -> Result<Database, redb::Error> {
        Ok(builder(READER_CACHE_LEN).create_with_backend(Pages(self.clone()))?)
    }

    fn database_len(&self) -> io::Result<u64> {
        Ok(self.state().database.now.len() as u64)
    }

    fn open_tail(&self) -> io::Result<Option<Box<dyn Blocks>>> {
        let is_there = self.state().tail.is_some();
        Ok(is_there.then(|| Box::new(Tail(self.clone())) as Box<dyn Blocks>))
    }

    fn create_tail(&self, len: u64) -> io::Result<Box<dyn Blocks>> {
        let mut state = self.call(Use::Space)?;
        let zeros = vec![0; len as usize];
        state.tail = Some(Image { durable: zeros.clone(), now: zeros, unsynced: Vec::new() });
        state.removed = None;
        Ok(Box::new(Tail(self.clone())))
    }

    fn remove_tail(&self) -> io::Result<()> {
        let mut state = self.call(Use::Nothing)?;
        state.removed = state.tail.take();
        Ok(())
    }
}

/// The tail.
struct Tail(Disk);

impl Blocks for Tail {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.state().tail.as_ref().map_or(0, |tail| tail.now.len() as u64))
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.0.state().tail.as_ref().map_or(0, |tail| read(&tail.now, offset, out)))
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let refused = self.0.call(Use::Space).map(drop);
        // Where it is full, a part of it found space.
        if refused.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::StorageFull) {
            return refused;
        }
        let written = if refused.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
        // Who holds the file that was removed writes to nowhere.
        if let Some(tail) = &mut self.0.state().tail {
            tail.change(Change::Write(offset, written.to_vec()));
        }
        refused
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.0.call(Use::Nothing)?;
        if let Some(tail) = state.tail.as_mut().filter(|_| !is_planted(Fault::SkippedSync)) {
            tail.sync();
        }
        Ok(())
    }
}

/// The database's pages.
#[derive(Debug)]
struct Pages(Disk);

impl StorageBackend for Pages {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.0.state().database.now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        let len = read(&self.0.state().database.now, offset, out);
        if len == out.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        let needs = if self.len()? < len { Use::Space } else { Use::Nothing };
        self.0.database_call(needs)?.database.change(Change::Length(len));
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.0.database_call(Use::Nothing)?.database.sync();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.0.database_call(Use::Space)?.database.change(Change::Write(offset, data.to_vec()));
        Ok(())
    }

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}
