//! Cases that we hold wrong. They are run and printed, and count neither way.
//!
//! A case of basis `stated` stands here only with the sentence of a seed document that contradicts it.

const DISPUTED: [(&str, &str); 0] = [];

/// Returns why we hold a case wrong, if we do.
pub(crate) fn reason(id: &str) -> Option<&'static str> {
    DISPUTED.iter().find(|(disputed, _)| *disputed == id).map(|(_, reason)| *reason)
}
