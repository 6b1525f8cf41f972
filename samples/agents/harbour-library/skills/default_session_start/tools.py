"""Reads the member's card. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Read the member's card into project memory.")
async def load_member(context: ToolContext) -> ToolResult:
    member = CATALOGUE.member_of(context)
    context.memory.set("project.member_id", member.id)
    context.memory.set("project.member_name", member.first_name)
    context.memory.set("project.loans", member.loans_as_text())
    return ToolResult(llm_response={"ok": True, "loans": member.loan_count})
