"""Sends the van. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Have a bike picked up at a stand.")
async def order_pick_up(stand: int, context: ToolContext) -> ToolResult:
    return ToolResult(llm_response={"status": "ordered", "stand": stand})
