//! What is noted about a session, and how its row is encoded.

use super::row::Fields;
use crate::digest::Digest;
use crate::name::Name;
use crate::timestamp::Timestamp;

/// A session of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: Name,
    /// Its number within the log, in the order in which sessions were added, from 0.
    pub ordinal: u64,
    /// How many events it holds.
    pub event_count: u64,
    /// How many raw records it holds.
    pub raw_count: u64,
    /// The digest of its events.
    pub digest: Digest,
    /// What the caller says about it.
    pub details: Details,
    pub(super) checkpoints: Checkpoints,
}

/// What the caller of the log says about a session. The log keeps it and asks nothing of it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Details {
    /// When it began.
    pub first_time: Option<Timestamp>,
    /// When the last thing in it happened.
    pub last_time: Option<Timestamp>,
    /// Whether more is to come.
    pub status: Status,
    /// A few bytes that belong to the caller.
    pub metadata: Vec<u8>,
}

/// Whether more is to come in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Status {
    /// Its recorder didn't close it.
    #[default]
    Open,
    /// It is complete, as far as whoever wrote it knows.
    Closed,
}

/// Where the last checkpoint of a session is, and what came after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Checkpoints {
    /// Position of the last checkpoint; 0: none, the state there is the empty one.
    pub(super) last: u64,
    /// Its length in bytes.
    pub(super) last_len: u64,
    /// Bytes of the events from there to the first position of the last segment.
    pub(super) bytes_since: u64,
}

impl Session {
    /// Returns the content of the session's row.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128 + self.details.metadata.len());
        out.extend_from_slice(&self.ordinal.to_le_bytes());
        out.extend_from_slice(&self.event_count.to_le_bytes());
        out.extend_from_slice(&self.raw_count.to_le_bytes());
        out.extend_from_slice(&self.digest.0);
        for number in [self.checkpoints.last, self.checkpoints.last_len, self.checkpoints.bytes_since] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        self.details.write(&mut out);
        out
    }

    /// Reads the content of a session's row.
    pub(super) fn read(id: &[u8], content: &[u8]) -> Option<Session> {
        let mut fields = Fields(content);
        Some(Session {
            id: Name::from(std::str::from_utf8(id).ok()?),
            ordinal: fields.u64()?,
            event_count: fields.u64()?,
            raw_count: fields.u64()?,
            digest: Digest(fields.array()?),
            checkpoints: Checkpoints { last: fields.u64()?, last_len: fields.u64()?, bytes_since: fields.u64()? },
            details: Details::read(fields.0)?,
        })
    }
}

impl Details {
    /// Appends times, status and metadata.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for time in [self.first_time, self.last_time] {
            out.push(u8::from(time.is_some()));
            out.extend_from_slice(&time.unwrap_or_default().0.to_le_bytes());
        }
        out.push(match self.status {
            Status::Open => 0,
            Status::Closed => 1,
        });
        out.extend_from_slice(&self.metadata);
    }

    /// Returns how many bytes [`Details::write`] appends.
    pub(super) fn len(&self) -> usize {
        2 * 9 + 1 + self.metadata.len()
    }

    /// Reads what [`Details::write`] appended.
    pub(super) fn read(bytes: &[u8]) -> Option<Details> {
        let mut fields = Fields(bytes);
        let (first_time, last_time) = (read_time(&mut fields)?, read_time(&mut fields)?);
        let status = match fields.u8()? {
            0 => Status::Open,
            1 => Status::Closed,
            _ => return None,
        };
        Some(Details { first_time, last_time, status, metadata: fields.0.to_vec() })
    }
}

fn read_time(fields: &mut Fields<'_>) -> Option<Option<Timestamp>> {
    let is_some = fields.u8()? == 1;
    let time = Timestamp(i64::from_le_bytes(fields.array()?));
    Some(is_some.then_some(time))
}
