//! Events as bytes: what the log stores.
//!
//! The stored types (`stored`) are apart from the live ones, so that a change of those can't change what is on
//! disk unseen. Encoding is bincode's standard configuration: variable-length integers, enums by their index. New
//! kinds and variants are added at the end; anything else needs a new format number of the log.

mod convert;
mod names;
mod stored;
mod value;

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use thiserror::Error;

use super::Event;
use crate::digest::Digest;
use crate::log::digest_of_records;
use crate::log::verify::Claim;
use stored::{StoredEvent, StoredOrigin};

pub use names::Names;
pub(crate) use stored::{StoredProfile, stored_enum};
pub(crate) use value::StoredValue;

/// No event takes more memory than this while it is decoded.
const DECODED_LEN_MAX: usize = 256 << 20;

/// An event whose payload is longer is decoded once when it is encoded, to be sure that it can be.
const LONG: usize = 4 << 20;

pub(crate) const CONFIG: Configuration<LittleEndian, Varint, Limit<DECODED_LEN_MAX>> =
    bincode::config::standard().with_limit::<DECODED_LEN_MAX>();

/// Why an event can't be stored, or bytes aren't an event.
#[derive(Debug, Error)]
pub enum CodecError {
    /// The event holds more than is ever read back.
    #[error("the event can't be stored: {0}")]
    TooLarge(String),
    /// The bytes aren't those of an event.
    #[error("the bytes aren't an event: {0}")]
    NotAnEvent(String),
}

/// Writes the payload of `event` into `payload`, in place of what it held. `records` are the bytes of its raw
/// records, in their order; their digest becomes part of the payload.
///
/// # Errors
///
/// Fails where a value nests too deeply or the event is too long to be read back.
pub fn encode(event: &Event, records: &[&[u8]], payload: &mut Vec<u8>) -> Result<(), CodecError> {
    let raw_digest = (!records.is_empty()).then(|| digest_of_records(records.iter().copied()));
    payload.clear();
    let stored = StoredEvent::of(event, raw_digest);
    bincode::encode_into_std_write(&stored, payload, CONFIG)
        .map_err(|error| CodecError::TooLarge(error.to_string()))?;
    if payload.len() > LONG {
        read(payload).map_err(|error| CodecError::TooLarge(error.to_string()))?;
    }
    Ok(())
}

/// Returns the event of a payload. Names that were met before come from `names`.
///
/// # Errors
///
/// Fails where the bytes aren't an event of this version.
pub fn decode(payload: &[u8], names: &mut Names) -> Result<Event, CodecError> {
    Ok(read(payload)?.into_event(names))
}

/// Returns what a payload says about the raw records that its event was made from.
///
/// # Errors
///
/// Fails where the bytes aren't an event of this version.
pub fn claim(payload: &[u8]) -> Result<Option<Claim>, CodecError> {
    let event = read(payload)?;
    let records = match event.origin {
        StoredOrigin::Imported { raw, mirror: Some(mirror), .. } => vec![raw.min(mirror), raw.max(mirror)],
        StoredOrigin::Imported { raw, mirror: None, .. } => vec![raw],
        StoredOrigin::Added | StoredOrigin::Recorded => Vec::new(),
    };
    Ok(event.raw_digest.map(|digest| Claim { records, digest: Digest(digest) }))
}

fn read(payload: &[u8]) -> Result<StoredEvent<'_>, CodecError> {
    match bincode::borrow_decode_from_slice(payload, CONFIG) {
        Ok((event, len)) if len == payload.len() => Ok(event),
        Ok((_, len)) => Err(CodecError::NotAnEvent(format!("{} bytes too many", payload.len() - len))),
        Err(error) => Err(CodecError::NotAnEvent(error.to_string())),
    }
}
