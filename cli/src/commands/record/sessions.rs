//! The sessions that are open: one place each, with a lock, so that clients share them and those of others go on.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use replay_store::name::Name;
use replay_store::recorder::Conversation;

/// So many sessions that have ended stay open, so that their last requests can be asked again.
const ENDED: usize = 64;

/// The sessions that are open.
#[derive(Default)]
pub(super) struct Sessions<'log> {
    open: Mutex<Open<'log>>,
}

#[derive(Default)]
struct Open<'log> {
    places: BTreeMap<Name, Arc<Mutex<Option<Conversation<'log>>>>>,
    /// Those that have ended, in order.
    ended: VecDeque<Name>,
}

impl<'log> Sessions<'log> {
    /// Does some work on a session's place, where it is if it is open. Nobody else works on it meanwhile.
    pub(super) fn at<T>(&self, session: &Name, work: impl FnOnce(&mut Option<Conversation<'log>>) -> T) -> T {
        let place = Arc::clone(self.open().places.entry(session.clone()).or_default());
        let mut conversation = place.lock().unwrap_or_else(|poisoned| {
            // Somebody's work ended in the middle. What the log has of the session holds.
            place.clear_poison();
            let mut conversation = poisoned.into_inner();
            *conversation = None;
            conversation
        });
        let done = work(&mut conversation);
        let (is_open, has_ended) =
            (conversation.is_some(), conversation.as_ref().is_some_and(|open| open.state().ended));
        drop(conversation);
        drop(place);
        match (is_open, has_ended) {
            (false, _) => self.open().vacate(session),
            (true, true) => self.open().end(session),
            (true, false) => {}
        }
        done
    }

    /// Returns the sessions that are open.
    pub(super) fn names(&self) -> Vec<Name> {
        self.open().places.keys().cloned().collect()
    }

    fn open(&self) -> MutexGuard<'_, Open<'log>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open<'_> {
    /// Removes a place that nobody is in, unless somebody is about to be.
    fn vacate(&mut self, session: &Name) {
        if self.places.get(session).is_some_and(|place| Arc::strong_count(place) == 1) {
            self.places.remove(session);
        }
    }

    /// Notes that a session has ended, and closes the one that ended first.
    fn end(&mut self, session: &Name) {
        if self.ended.contains(session) {
            return;
        }
        self.ended.push_back(session.clone());
        if ENDED < self.ended.len()
            && let Some(first) = self.ended.pop_front()
        {
            self.vacate(&first);
        }
    }
}
