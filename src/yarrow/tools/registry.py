"""The tools that ship."""

from yarrow.tools.current_time import CurrentTime
from yarrow.tools.model import Tool, Toolbox


def shipped_tools() -> Toolbox:
    """Every tool by its name."""
    tools: tuple[Tool, ...] = (CurrentTime(),)
    return {tool.description.name: tool for tool in tools}
