"""Finds and renews loans. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Find one of the member's loans by the words the member uses.")
async def find_loan(title: str, context: ToolContext) -> ToolResult:
    loan = CATALOGUE.find(context.memory.get("project.member_id"), title)
    context.memory.set("item_id", loan.item_id)
    context.memory.set("item_title", loan.title)
    context.memory.set("renewals_left", loan.renewals_left)
    return ToolResult(llm_response={"status": "found", "item_id": loan.item_id, "due": loan.due})


@tool(description="Renew a loan for three weeks.")
async def renew_item(item_id: str, context: ToolContext) -> ToolResult:
    due = CATALOGUE.renew(item_id)
    context.memory.set("new_due", due)
    return ToolResult(llm_response={"status": "renewed", "due": due})


@tool(description="Read the member's loans again.")
async def refresh_loans(context: ToolContext) -> ToolResult:
    # Project memory is written once a session, so this can only fail.
    context.memory.set("project.loans", CATALOGUE.loans_as_text(context.memory.get("project.member_id")))
    return ToolResult(llm_response={"status": "refreshed"})
