//! Tool calls: who asks for one, and how it ends.

use serde::{Deserialize, Serialize};

use crate::name::Name;

/// A tool call, before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool.
    pub tool: Name,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// Who asks for it.
    pub caller: ToolCaller,
    /// The skill that is active.
    pub skill: Option<Name>,
    /// The step, where a block asks for it.
    pub step: Option<Name>,
    /// The model's id of the call.
    pub call_id: Option<Name>,
}

/// A tool call as the model asks for it, before anything is decided about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// The tool.
    pub tool: Name,
    /// The arguments, as JSON text.
    pub arguments: String,
    /// The model's id of the call.
    pub call_id: Option<Name>,
}

/// How a tool call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It ran and returned.
    Done,
    /// It ran and failed, or was refused with an error.
    Failed,
    /// It waits for the user's yes; it has not run (M192).
    AwaitingConfirmation,
    /// The user said no; it never ran (M193).
    Declined,
}

/// Who asked for a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCaller {
    /// The model.
    Model,
    /// An `execute_tool` step of a block.
    Step,
    /// The engine, after the user answered a confirmation.
    Confirmation,
    /// The record doesn't say.
    Unknown,
    /// The engine, after a write of the entry that the tool validates (M209).
    Validation,
}

/// Where a tool lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSource {
    /// Code beside the agent.
    Local,
    /// An MCP server.
    Mcp,
    /// The record doesn't say.
    Unknown,
}
