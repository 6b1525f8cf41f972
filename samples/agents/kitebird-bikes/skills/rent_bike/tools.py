"""Unlocks bikes. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Unlock a bike.")
async def unlock_bike(stand: int, context: ToolContext) -> ToolResult:
    bike = STANDS.unlock(stand)
    context.memory.set("bike_id", bike.id)
    return ToolResult(llm_response={"status": "unlocked", "bike": bike.id})
