//! Foreign records become recordings: events in their final order, with the raw records beside them.
//!
//! A reader adds nothing that the record doesn't say but the session start in front of a record that lacks one.
//! What looks wrong in a record is a finding that stays with the recording. Nothing here reads a file: bytes and
//! names come in.
//!
//! ```text
//! bytes -> sniff -> dump | list | lines | jsonl        a form: where its records stand
//!                     records -> fields -> draft, kinds   one record: what it says
//!                                          fold     a session: twins, turns, causes, findings
//! ```

mod actors;
pub mod base64;
mod damage;
mod draft;
mod dump;
mod evidence;
mod fields;
mod fold;
mod history;
pub mod jsonl;
mod kinds;
mod lines;
mod mend;
mod names;
mod oddities;
mod pairs;
pub mod recording;
mod records;
mod scan;
mod sniff;
mod stack;
pub mod stream;
mod turn;
mod twins;
mod watch;
mod weight;

use std::sync::Arc;

use crate::event::finding::{Finding, FindingKind};
use crate::name::Name;

pub use recording::{RecordedEnd, Recording};
pub use sniff::{Shape, Unpacked, sniff, unpack};
pub use weight::TEXT_LEN_MAX;

/// What is left to do with a record that is too large.
const INTO_A_LOG: &str = "`replay import FILE -o session.log` takes any number of events that stand one a line, and needs \
                          little memory";

/// Why a record can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The bytes are none of the forms.
    #[error(
        "{file}: {found}; accepted are a tracker dump, a list or JSON Lines of events, a session that was \
         exported, and a log"
    )]
    Unknown {
        /// The file's name.
        file: String,
        /// What was found instead.
        found: String,
    },
    /// The file is a log, which is opened, not imported.
    #[error("{file}: this is a log; open it as it is, or export it first to import it elsewhere")]
    Log {
        /// The file's name.
        file: String,
    },
    /// Not one record can be read.
    #[error("{file}: not one record can be read: the file breaks off at byte {at}; get the record again")]
    Nothing {
        /// The file's name.
        file: String,
        /// Where reading stopped.
        at: usize,
    },
    /// The text is longer than [`TEXT_LEN_MAX`], unpacked.
    #[error("{file}: more than 1 GiB of text, which is not read whole; {INTO_A_LOG}")]
    TooLong {
        /// The file's name.
        file: String,
    },
    /// The text has so many parts that reading it whole would fill the memory.
    #[error(
        "{file}: it has so many small parts that reading it whole takes about {gibibytes} GiB of memory; {INTO_A_LOG}"
    )]
    TooHeavy {
        /// The file's name.
        file: String,
        /// What it would take, in GiB.
        gibibytes: u64,
    },
    /// The file itself can't be read.
    #[error("{file}: the file can't be read on")]
    Read {
        /// The file's name.
        file: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// What was read can't be taken in.
    #[error("what was read can't be stored")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ImportError {
    fn no_events(file_name: &str, count: u32) -> ImportError {
        let found = match count {
            1 => "its one record is no event that can be read".to_owned(),
            count => format!("not one of its {count} records is an event that can be read"),
        };
        ImportError::Unknown { file: file_name.to_owned(), found }
    }
}

/// Reads all sessions of a file, whose name stands in for an id that the record lacks.
///
/// A file that is packed with gzip is unpacked.
///
/// # Errors
///
/// Fails where the file is of no known form, too large, or not one record of it can be read. What can be read of a damaged file
/// is returned with findings that say what is lost.
pub fn read(bytes: Arc<Vec<u8>>, file_name: &str) -> Result<Vec<Recording>, ImportError> {
    let Some(Unpacked { bytes: unpacked, is_broken }) = unpack(&bytes) else {
        return read_plain(&bytes, file_name);
    };
    drop(bytes);
    if is_broken && unpacked.is_empty() {
        return Err(ImportError::Nothing { file: file_name.to_owned(), at: 0 });
    }
    let mut recordings = read_plain(&Arc::new(unpacked), file_name)?;
    if let Some(last) = recordings.last_mut().filter(|_| is_broken)
        && !last.findings.iter().any(|finding| finding.kind == FindingKind::Cut)
    {
        let text = "the packed file breaks off: what followed is lost".to_owned();
        last.findings.push(Finding { kind: FindingKind::Cut, raw: None, text });
    }
    Ok(recordings)
}

/// Returns the id of a session whose record names none: the file's name without its folders, so that it is the same
/// from wherever the file is opened.
fn id_of_file(file_name: &str) -> Name {
    Name::from(file_name.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(file_name))
}

fn read_plain(bytes: &Arc<Vec<u8>>, file_name: &str) -> Result<Vec<Recording>, ImportError> {
    weight::check(bytes, file_name)?;
    let start = sniff::start(bytes);
    match sniff(bytes, file_name)? {
        Shape::Log => Err(ImportError::Log { file: file_name.to_owned() }),
        Shape::MantleDump | Shape::ClassicDump => dump::read(bytes, start, file_name),
        Shape::List => lines::read_list(bytes, start, file_name),
        Shape::Lines => lines::read_lines(bytes, start, file_name),
        Shape::OwnLines | Shape::OwnList => jsonl::read(&bytes[start..], file_name),
    }
}
