"""Finds riders. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Find a rider by number.")
async def look_up_rider(number: str, context: ToolContext) -> ToolResult:
    rider = RIDERS.find(number)
    context.memory.set("project.rider_id", rider.id)
    return ToolResult(llm_response={"status": "found", "rider": rider.id})
