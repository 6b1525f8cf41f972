//! What a recording holds beside events and raw records, as JSON: in the session's row, or in a blob that the row
//! names where it is long.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::live::Carried;
use super::save::Taking;
use crate::digest::Digest;
use crate::event::RecordedFrame;
use crate::event::finding::Finding;
use crate::import::RecordedEnd;
use crate::log::verify::Claim;
use crate::log::{Log, LogError, Place, Session};

use crate::name::Name;
use crate::profile::Profile;
use crate::value::Value;

/// Longer texts go into a blob.
const INLINE_LEN: usize = 2048;

/// Stands in front of the digest of a blob; no JSON object begins with it.
const IS_BLOB: u8 = b'@';

/// What a recording holds beside events and raw records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Extras {
    pub(super) profile: Option<Profile>,
    pub(super) definition: Option<StoredDefinition>,
    pub(super) findings: Vec<Finding>,
    pub(super) recorded_end: Option<StoredEnd>,
    pub(super) unclaimed: Vec<Unclaimed>,
    /// The last requests that were carried out, oldest first.
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    pub(super) requests: VecDeque<Carried>,
}

/// A definition: its digest, and the blob that lists its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredDefinition {
    pub(super) digest: Digest,
    pub(super) manifest: Digest,
}

/// What the record says of its own end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredEnd {
    slots: Vec<(Name, Value)>,
    stack: Vec<RecordedFrame>,
}

/// Raw records that no event was made from, and their digest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Unclaimed {
    /// First and last of each stretch, ascending.
    stretches: Vec<(u32, u32)>,
    digest: Digest,
}

impl From<RecordedEnd> for StoredEnd {
    fn from(RecordedEnd { slots, stack }: RecordedEnd) -> StoredEnd {
        StoredEnd { slots, stack }
    }
}

impl From<StoredEnd> for RecordedEnd {
    fn from(StoredEnd { slots, stack }: StoredEnd) -> RecordedEnd {
        RecordedEnd { slots, stack }
    }
}

impl Unclaimed {
    /// Returns what is noted about these records, which ascend.
    pub(super) fn of(records: &[u32], digest: Digest) -> Unclaimed {
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for record in records {
            match stretches.last_mut() {
                Some((_, last)) if *last + 1 == *record => *last = *record,
                Some(_) | None => stretches.push((*record, *record)),
            }
        }
        Unclaimed { stretches, digest }
    }

    /// Returns the claim that vouches for the records.
    pub(super) fn into_claim(self) -> Claim {
        let ranges = self.stretches.iter().map(|(first, last)| RangeInclusive::new(*first, *last));
        Claim { records: ranges.flatten().collect(), digest: self.digest }
    }
}

/// Returns the bytes that the session's row keeps; what is longer goes into a blob.
pub(super) fn store(append: &mut dyn Taking, extras: &Extras) -> Result<Vec<u8>, LogError> {
    let text = serde_json::to_vec(extras).expect("extras have no key that isn't text");
    if text.len() <= INLINE_LEN {
        return Ok(text);
    }
    let digest = append.put_blob(&text)?;
    Ok([&[IS_BLOB], &digest.0[..]].concat())
}

/// Reads what [`store`] gave.
pub(super) fn parse(log: &Log, metadata: &[u8]) -> Result<Extras, String> {
    let text = match metadata.split_first() {
        None => return Ok(Extras::default()),
        Some((&IS_BLOB, digest)) => {
            let digest = digest.try_into().map_err(|_| "its metadata names no blob".to_owned())?;
            &log.blob(&Digest(digest)).map_err(|error| error.to_string())?[..]
        }
        Some(_) => metadata,
    };
    serde_json::from_slice(text).map_err(|error| format!("its metadata can't be read: {error}"))
}

/// Reads the extras of a session.
pub(super) fn read(log: &Log, session: &Session) -> Result<Extras, LogError> {
    parse(log, &session.details.metadata).map_err(|what| Place::Session(session.id.clone()).damaged(log.path(), what))
}

/// Returns the text that lists the files of a definition.
pub(super) fn manifest(files: &[(Name, Digest)]) -> Vec<u8> {
    serde_json::to_vec(files).expect("a list has no key that isn't text")
}

/// Reads what [`manifest`] gave.
pub(super) fn files_of_manifest(text: &[u8]) -> Result<Vec<(Name, Digest)>, String> {
    serde_json::from_slice(text).map_err(|error| format!("the list of the definition's files can't be read: {error}"))
}
