//! The only door to the database: every call goes through [`call`].
//!
//! The database trusts the bytes of its file and panics over some that are damaged. A panic inside a call is
//! damage, so it comes out as an error; nothing else is caught.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::error::{Doing, LogError, Place, from_io};

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is inside a call to the database, where a panic is caught and becomes an error.
///
/// A panic hook asks this to stay silent.
pub fn is_panic_expected() -> bool {
    INSIDE.get()
}

/// Calls the database. `place` is what the call is about.
pub(super) fn call<T>(
    path: &Path,
    doing: Doing,
    place: &Place,
    work: impl FnOnce() -> Result<T, redb::Error>,
) -> Result<T, LogError> {
    let outer = INSIDE.replace(true);
    // What the work changes is either dropped with it or refused by the database afterwards.
    let result = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(outer);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(explain(path, doing, place, error)),
        Err(_) => Err(place.damaged(path, "the database can't make sense of its pages")),
    }
}

fn explain(path: &Path, doing: Doing, place: &Place, error: redb::Error) -> LogError {
    match error {
        redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => {
            LogError::InUse { path: path.to_owned(), process: None }
        }
        redb::Error::RepairAborted => LogError::Unclosed(path.to_owned()),
        redb::Error::PreviousIo => match doing {
            // A page that lies behind the end of the file fails like this from the second time on.
            Doing::Read => place.damaged(path, "the database can't read on behind a damaged page"),
            Doing::Write => LogError::WriteFailedBefore(path.to_owned()),
        },
        redb::Error::ValueTooLarge(len) => LogError::TooLarge { path: path.to_owned(), len },
        redb::Error::Io(source) => from_io(path, doing, source),
        redb::Error::Backend(source) => from_io(path, doing, std::io::Error::other(source)),
        other => place.damaged(path, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_database_is_damage() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !is_panic_expected() {
                hook(info);
            }
        }));
        let result: Result<(), LogError> =
            call(Path::new("a.log"), Doing::Read, &Place::Sessions, || panic!("unknown page type"));
        assert!(matches!(result, Err(LogError::Damaged { damage, .. }) if damage.place == Place::Sessions));
        assert!(!is_panic_expected());
    }
}
