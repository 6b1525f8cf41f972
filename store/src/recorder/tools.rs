//! Tools of the host: what a running one reads and writes, and its return.

use super::model::refusal;
use super::{Conversation, RecordError};
use crate::event::{Event, EventKind, ToolCall, ToolCaller, ToolOutcome, ToolSource};
use crate::name::Name;
use crate::session::access::{ReadDecision, Reader, Site, WriteBy, read};
use crate::session::decide::{Command, ToolReturn, Write};
use crate::timestamp::Timestamp;
use crate::value::Value;

impl Conversation<'_> {
    /// A running tool reads memory: `context.memory.get`. A read never fails; what gives nothing says why (M33).
    ///
    /// # Errors
    ///
    /// Fails where the tool doesn't run, and as the log does.
    pub fn get(
        &mut self,
        tool: &Name,
        call_id: Option<&Name>,
        name: &str,
        time: Timestamp,
    ) -> Result<ReadDecision, RecordError> {
        let call = self.running_call(tool, call_id)?.clone();
        let decision = self.read(name);
        let kind = EventKind::ReadDecided {
            asked: decision.asked.clone(),
            key: decision.key.clone(),
            gave: decision.gave(),
            rule: decision.rule,
            skill: decision.skill.clone(),
            tool: Some(call.tool),
            call_id: call.call_id,
        };
        self.append(vec![kind], time)?;
        Ok(decision)
    }

    /// Returns what a tool that runs would read.
    pub fn read(&self, name: &str) -> ReadDecision {
        let reader = Reader { skill: self.state.active_skill().map(Name::as_str), site: Site::Tool };
        read(&self.agent, self.profile, &self.state, reader, name)
    }

    /// A running tool writes memory: `context.memory.set`; null clears. Returns why it was refused, in the words that
    /// the tool gets, or `None` where it is stored.
    ///
    /// # Errors
    ///
    /// Fails where the tool doesn't run, and as the log does.
    pub fn set(
        &mut self,
        tool: &Name,
        call_id: Option<&Name>,
        (name, value): (&str, Value),
        time: Timestamp,
    ) -> Result<Option<String>, RecordError> {
        let call = self.running_call(tool, call_id)?.clone();
        let by = if call.caller == ToolCaller::Validation { WriteBy::ValidationTool } else { WriteBy::Tool };
        let name = Name::from(name);
        let write = Write { by, name, value, tool: Some(call.tool), call_id: call.call_id };
        let events = self.apply(Command::Write(write), time)?;
        Ok(events.iter().find_map(|event| refusal(&event.kind)))
    }

    /// A running tool comes back. Its constraint speaks, then block and skill go on.
    ///
    /// # Errors
    ///
    /// Fails where the tool doesn't run, and as the log does.
    pub fn return_tool(
        &mut self,
        tool: &Name,
        call_id: Option<&Name>,
        result: Result<String, String>,
        time: Timestamp,
    ) -> Result<&[Event], RecordError> {
        let call = self.running_call(tool, call_id)?.clone();
        let (outcome, result, error) = match result {
            Ok(result) => (ToolOutcome::Done, result, None),
            Err(error) => (ToolOutcome::Failed, String::new(), Some(error)),
        };
        let source = ToolSource::Local;
        self.apply(Command::ReturnTool(ToolReturn { call, outcome, result, error, source }), time)
    }

    fn running_call(&self, tool: &Name, call_id: Option<&Name>) -> Result<&ToolCall, RecordError> {
        let not_running = || RecordError::NotRunning { tool: tool.clone(), call_id: call_id.cloned() };
        self.place_of(tool, call_id).map(|place| &self.running[place]).ok_or_else(not_running)
    }
}
