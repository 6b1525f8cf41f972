//! What the record doesn't hold and the definition can tell: the prompt at a position.

use std::sync::Arc;

use super::Session;
use crate::event::Position;
use crate::prompt::moment::{Moment, SeenTools};
use crate::prompt::{Prompt, render};

impl Session {
    /// Returns what a model call at `at` got, or would have got: the prompt after `at` events. `None` without a
    /// definition.
    pub fn prompt(&self, at: Position) -> Option<Prompt> {
        let agent = self.agent.as_deref()?;
        let at = at.min(self.end());
        let seen = self.seen.get_or_init(|| Arc::new(SeenTools::of(&self.events)));
        let moment = Moment::at(agent, &self.events[..at.0 as usize], seen);
        Some(render(agent, self.profile.profile, &self.state(at), &moment))
    }
}
