"""Reads and takes fees. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Read what the member owes.")
async def look_up_fees(context: ToolContext) -> ToolResult:
    account = TILL.account_of(context.memory.get("project.member_id"))
    context.memory.set("balance", account.balance)
    context.memory.set("card_hint", account.card_hint)
    return ToolResult(llm_response={"status": "read", "balance": account.balance})


@tool(description="Take the whole balance from the card on file.")
async def take_payment(context: ToolContext) -> ToolResult:
    receipt = TILL.take(context.memory.get("balance"))
    context.memory.set("balance", 0)
    return ToolResult(llm_response={"status": "paid", "receipt": receipt})
