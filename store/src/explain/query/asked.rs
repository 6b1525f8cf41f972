//! Which decisions a query asks for, so that only those are worked out.

use super::{Expression, Filter, Pattern, Query};
use crate::explain::decisions::{Interest, Verdicts};

/// What a query asks of the decisions of a step.
#[derive(Default)]
pub(super) struct Asked {
    /// Those with one of these verdicts.
    verdicts: Verdicts,
    /// Reads of these entries.
    reads: Vec<Pattern>,
    /// What was denied of these entries.
    denials: Vec<Pattern>,
}

impl Asked {
    /// Returns what a query asks for.
    pub(super) fn by(query: &Query) -> Asked {
        let mut asked = Asked::default();
        asked.add(&query.root);
        asked
    }

    fn add(&mut self, expression: &Expression) {
        match expression {
            Expression::Not(negated) => self.add(negated),
            Expression::And(parts) | Expression::Or(parts) => parts.iter().for_each(|part| self.add(part)),
            Expression::Read(key) => self.reads.push(key.clone()),
            Expression::Denied(key) => self.denials.push(key.clone()),
            Expression::Filter(Filter::Verdict(verdicts)) => self.verdicts = self.verdicts.and(Verdicts::of(verdicts)),
            Expression::Filter(_) | Expression::State(_) | Expression::Changed(_) => {}
        }
    }

    /// Hands the same to `ask` as who works out decisions takes it.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&Interest<'_>) -> T) -> T {
        let any = |patterns: &[Pattern], key: &str| patterns.iter().any(|pattern| pattern.matches_key(key));
        let (reads, denials) = (|key: &str| any(&self.reads, key), |key: &str| any(&self.denials, key));
        ask(&Interest {
            verdicts: self.verdicts,
            reads: (!self.reads.is_empty()).then_some(&reads as &dyn Fn(&str) -> bool),
            denials: (!self.denials.is_empty()).then_some(&denials as &dyn Fn(&str) -> bool),
            values: None,
        })
    }
}
