"""Books study rooms. Plain text for the samples: nothing here is ever run."""

from rasa.mantle.tools.decorator import ToolContext, tool
from rasa.mantle.tools.result import ToolResult


@tool(description="Book a study room.")
async def book_room(size: str, day: str, context: ToolContext) -> ToolResult:
    booking = ROOMS.book(size, day)
    context.memory.set("booking", booking.as_text())
    return ToolResult(llm_response={"status": "booked", "booking": booking.as_text()})
