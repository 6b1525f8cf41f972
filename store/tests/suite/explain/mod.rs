//! Given a session, when somebody asks why, then the answer is right and names its evidence.

pub(crate) mod given;

mod denied;
mod history;
mod lines;
mod offers;
mod reads;
mod report;
mod traps;
mod values;
