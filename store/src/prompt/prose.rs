//! Prose in pieces: scoped paragraphs, with values in place of their `@memory` tokens (M121 to M138).

use super::view::View;
use super::{Piece, Source};
use crate::agent::prose::Prose;
use crate::agent::skill::Skill;
use crate::session::prose::{ProsePiece, scope, substitute};

/// Returns the paragraphs of `skill` that are in the prompt now, each in pieces.
///
/// Their markers are read with the rights of the skill that states them (M326), their tokens with those of the active
/// one, so that nothing shows that the active skill may not read.
pub(super) fn visible(view: &View<'_>, skill: &Skill) -> Vec<Vec<Piece>> {
    let scoped = scope(view.agent, view.profile, view.state, skill);
    let visible = scoped.iter().filter(|scoped| scoped.is_visible);
    visible.map(|scoped| pieces(view, &scoped.paragraph.prose)).collect()
}

/// Returns the text with values in place of tokens. A token whose entry is unset or may not be read stays (M133).
pub(super) fn pieces(view: &View<'_>, prose: &Prose) -> Vec<Piece> {
    let reader = view.active.map(|active| active.id.as_str());
    let file = |line: u32| Source::File { file: prose.at.file.clone(), line };
    substitute(view.agent, view.profile, view.state, reader, prose)
        .into_iter()
        .map(|piece| match piece {
            ProsePiece::Written { text, line } => Piece { text: text.to_owned(), origin: file(line) },
            ProsePiece::Left { text, token, .. } => Piece { text: text.to_owned(), origin: file(token.at.line) },
            ProsePiece::Value { text, decision, .. } => Piece { text, origin: view.origin(&decision) },
        })
        .collect()
}
