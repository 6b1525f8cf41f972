//! The fold of which the log keeps checkpoints and outlines.

use super::builder::Builder;
use super::{Outline, codec};
use crate::event::codec::{Names, decode};
use crate::log::{Fold, OutlineRow, Part};
use crate::session::{State, checkpoint, evolve};

/// Returns the fold of the events of a session, at its start.
pub fn new_fold() -> Box<dyn Fold + Send> {
    Box::<SessionFold>::default()
}

#[derive(Default)]
struct SessionFold {
    state: State,
    names: Names,
    builder: Builder,
}

impl Fold for SessionFold {
    fn restore(&mut self, checkpoint: &[u8]) -> Result<(), String> {
        self.state = checkpoint::restore(checkpoint, &mut self.names)?;
        Ok(())
    }

    fn apply(&mut self, payload: &[u8]) -> Result<(), String> {
        let event = decode(payload, &mut self.names).map_err(|error| error.to_string())?;
        evolve(&mut self.state, &event);
        self.builder.push(&event, &self.state);
        Ok(())
    }

    fn check(&self, payload: &[u8]) -> Result<(), String> {
        decode(payload, &mut Names::default()).map(drop).map_err(|error| error.to_string())
    }

    fn save(&self) -> Vec<u8> {
        checkpoint::save(&self.state)
    }

    fn outline(&self, part: Part) -> Vec<u8> {
        codec::encode(&self.builder, part)
    }

    fn begin_part(&mut self) {
        self.builder.next_part();
    }

    fn resume(&mut self, outline: &[OutlineRow]) -> Result<(), String> {
        let (_, mut builder) = Outline::of_rows(outline).ok_or("the rows aren't an outline")?;
        let open = outline.last().and_then(|row| codec::decode(row, &mut self.names));
        // The open part is written anew, with what comes.
        builder.part = open.ok_or("the rows aren't an outline")?.0;
        self.builder = builder;
        Ok(())
    }
}
