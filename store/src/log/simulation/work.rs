//! A writer at work in the simulation, and what it does.

use std::sync::{Arc, Mutex};

use super::disk::{Disk, Numbers};
use super::{Model, SESSIONS, open, payload};
use crate::log::addition::{Addition, Durability};
use crate::log::appending::Appending;
use crate::log::error::LogError;

/// What is done to a log.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    Append {
        session: u64,
        count: u64,
        durability: Durability,
    },
    Sync,
    Seal,
    /// Seals, and after so many calls to the database an event is appended before the sealing goes on.
    SealBeside {
        calls: u64,
        session: u64,
    },
    Reopen,
}

impl Deed {
    pub(super) fn draw(numbers: &mut Numbers) -> Deed {
        let session = numbers.below(SESSIONS);
        match numbers.below(40) {
            0 => Deed::Append { session, count: 256 + numbers.below(20), durability: Durability::Durable },
            1 => Deed::Sync,
            2 => Deed::Seal,
            3..5 => Deed::SealBeside { calls: numbers.below(12), session },
            5 => Deed::Reopen,
            6..12 => Deed::Append { session, count: 1 + numbers.below(3), durability: Durability::Batched },
            12.. => Deed::Append { session, count: 1 + numbers.below(4), durability: Durability::Durable },
        }
    }
}

/// A writer at work.
pub(super) struct Work {
    pub(super) appending: Arc<Appending>,
    region_len: u64,
}

impl Work {
    pub(super) fn start(disk: &Disk, region_len: u64, model: &mut Model) -> Result<Result<Work, LogError>, String> {
        let writer = match open(disk) {
            Ok(writer) => writer,
            Err(error) => return Ok(Err(error)),
        };
        model.check(writer.log())?;
        model.settle(writer.log())?;
        let appending = Appending::start(writer, [3; 16], region_len);
        Ok(appending.map(|appending| Work { appending: Arc::new(appending), region_len }))
    }

    /// Does a deed. What was acknowledged goes into the model, and what may be there after a failure.
    pub(super) fn deed(&mut self, deed: Deed, disk: &Disk, model: &mut Model) -> Result<Result<(), LogError>, String> {
        match deed {
            Deed::Append { session, count, durability } => {
                let session = format!("session {session}");
                let from = self.appending.counts(&session).map_or(0, |(events, _)| events);
                let mut addition = Addition::to(&session).at(from);
                (from..from + count).for_each(|position| addition.push(&payload(&session, position)));
                model.append(&session, from + count);
                match self.appending.append(&addition, durability) {
                    Ok(_) if durability == Durability::Durable || count >= 256 => model.acknowledge(),
                    Ok(_) => {}
                    Err(error) => return Ok(Err(error)),
                }
                Ok(Ok(()))
            }
            Deed::Sync => Ok(self.appending.sync().map(|()| model.acknowledge())),
            Deed::Seal => Ok(self.appending.seal()),
            Deed::SealBeside { calls, session } => Ok(self.seal_beside((calls, session), disk, model)),
            Deed::Reopen => {
                if let Err(error) = self.appending.close() {
                    return Ok(Err(error));
                }
                model.acknowledge();
                match Work::start(disk, self.region_len, model)? {
                    Ok(work) => *self = work,
                    Err(error) => return Ok(Err(error)),
                }
                Ok(Ok(()))
            }
        }
    }
}

impl Work {
    /// Seals, and appends an event in the middle of it, where there is room for it in the region: else it would wait.
    pub(super) fn seal_beside(
        &self,
        (calls, session): (u64, u64),
        disk: &Disk,
        model: &mut Model,
    ) -> Result<(), LogError> {
        let session = format!("session {session}");
        let from = self.appending.counts(&session).map_or(0, |(events, _)| events);
        let mut addition = Addition::to(&session).at(from);
        addition.push(&payload(&session, from));
        model.append(&session, from + 1);
        let done = Arc::new(Mutex::new(None));
        let (appending, outcome) = (Arc::clone(&self.appending), Arc::clone(&done));
        disk.interrupt_after(calls, move || {
            if appending.has_room(1024) {
                *outcome.lock().expect("nobody panics") = Some(appending.append(&addition, Durability::Durable));
            }
        });
        let sealed = self.appending.seal();
        disk.forget_interrupt();
        match done.lock().expect("nobody panics").take() {
            Some(Ok(_)) => model.acknowledge(),
            // It was never begun.
            None => model.forget(&session, from + 1),
            Some(Err(_)) => {}
        }
        sealed
    }
}
