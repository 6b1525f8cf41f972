//! x
use crate::{exit::Exit, failure::Failure, output::Output};
use std::path::Path;
pub(crate) fn verify(_log: &Path, _json: bool, _out: &mut Output<'_>) -> Result<Exit, Failure> {
    Ok(Exit::Fine)
}
