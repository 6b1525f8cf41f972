//! A disk that is full at every point of a history, for one call or until space is made: what was acknowledged is there, the
//! error says so, and the writer goes on.

use std::ops::Range;

use super::disk::Disk;
use super::work::{Deed, Work};
use super::{Model, check, history, make, open};
use crate::log::error::LogError;

/// What a history comes to in which no space is found in some calls. Returns how many calls there were.
fn run(full: Range<u64>) -> Result<u64, String> {
    let disk = Disk::new();
    make(&disk).close().expect("there is room");
    let mut model = Model::default();
    let begin = disk.calls();
    disk.full_for(full);
    match Work::start(&disk, 1 << 11, &mut model)? {
        Ok(work) => write(work, &disk, &mut model)?,
        Err(error) => is_told(&error)?,
    }
    let calls = disk.calls() - begin;
    check(&disk, &mut model)?;
    // Whoever opens it while it is full is told so, and changes nothing that counts.
    if let Err(error) = open(&disk).and_then(super::Writer::close) {
        is_told(&error)?;
        check(&disk, &mut model)?;
    }
    disk.full_for(0..0);
    let mut work = Work::start(&disk, 1 << 11, &mut model)?.map_err(|error| format!("with space again: {error}"))?;
    for deed in history() {
        work.deed(deed, &disk, &mut model)?.map_err(|error| format!("with space again, {deed:?}: {error}"))?;
    }
    work.appending.close().map_err(|error| format!("with space again: {error}"))?;
    drop(work);
    check(&disk, &mut model)?;
    let writer = open(&disk).map_err(|error| format!("a writer: {error}"))?;
    model.check(writer.log()).map(|()| calls)
}

/// Does what is in the history, until it is refused. Then nothing more is accepted.
fn write(mut work: Work, disk: &Disk, model: &mut Model) -> Result<(), String> {
    for deed in history() {
        let Err(error) = work.deed(deed, disk, model)? else { continue };
        is_told(&error)?;
        // A log that was closed as well as it could be isn't appended to.
        if !matches!(deed, Deed::Reopen) {
            let after = work.appending.sync().err().ok_or("it goes on after a write was refused")?;
            is_told(&after)?;
            let closed = work.appending.close().err().ok_or("it is closed after a write was refused")?;
            return is_told(&closed);
        }
        return Ok(());
    }
    work.appending.close().or_else(|error| is_told(&error))
}

/// Fails unless an error says that there is no space.
fn is_told(error: &LogError) -> Result<(), String> {
    let said = error.to_string();
    let words = ["no space is left", "free some"];
    if words.iter().all(|word| said.matches(word).count() == 1) { Ok(()) } else { Err(said) }
}

#[test]
fn a_full_disk_loses_nothing_and_with_space_again_the_writer_goes_on() {
    let calls = run(0..0).expect("there is room");
    assert!(calls > 100, "{calls} calls are few");
    std::thread::scope(|scope| {
        for len in [1, u64::MAX / 2] {
            scope.spawn(move || {
                for at in 0..calls {
                    run(at..at + len).unwrap_or_else(|what| panic!("full at {at} for {len}: {what}"));
                }
            });
        }
    });
}
