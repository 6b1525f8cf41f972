//! Which memory entry is meant by a name on the command line.

use replay_store::event::Position;
use replay_store::explain::resolve::{Resolved, resolve};
use replay_store::name::Name;
use replay_store::replay::Session;

use crate::failure::Failure;

/// Returns the entry that a name means; else the names that look like it. A name that several entries have is a failure
/// that names them.
pub(super) fn resolved(session: &Session, asked: &str, at: Position) -> Result<Result<Name, Vec<Name>>, Failure> {
    match resolve(session, &session.state(at), asked) {
        Resolved::One(key) => Ok(Ok(key)),
        Resolved::Several(keys) => {
            let keys = keys.iter().map(Name::to_string).collect();
            Err(Failure::Ambiguous { asked: asked.to_owned(), keys })
        }
        Resolved::Unknown(near) => Ok(Err(near)),
    }
}

/// Returns the entry that a name means. A name that means none is a failure that names what looks like it.
pub(super) fn known(session: &Session, asked: &str, at: Position) -> Result<Name, Failure> {
    resolved(session, asked, at)?.map_err(|near| {
        let near: Vec<&str> = near.iter().map(Name::as_str).collect();
        let similar = match near[..] {
            [] => "`replay show SESSION --what memory` lists all".to_owned(),
            _ => format!("did you mean {}?", near.join(" or ")),
        };
        Failure::NoSuchKey { asked: asked.to_owned(), similar }
    })
}
