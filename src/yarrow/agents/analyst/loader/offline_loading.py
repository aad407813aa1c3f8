"""Loading without a model: the files that a message mentions are shown as tables."""

from collections.abc import AsyncIterator

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.loader.tools import use_tool
from yarrow.agents.analyst.loader.workspace import LoaderWorkspace
from yarrow.agents.conversation.reply import text_output
from yarrow.kit.json import JsonObject
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    RunEvent,
    TextDelta,
)

_WORDS = {
    "en": {
        "shown": "**{name}**: {rows} rows; columns: {columns}.\n",
        "failed": "**{name}** cannot be read as a table: {error}\n",
        "nothing": "Attach a file (CSV, Excel, JSON) and I show what it holds.\n",
    },
    "zh": {
        "shown": "**{name}**:{rows} 行;列:{columns}。\n",
        "failed": "**{name}** 无法读作表格:{error}\n",
        "nothing": "请附上文件(CSV、Excel 或 JSON),我会展示其中的内容。\n",
    },
}


async def plain_loading(
    context: RunContext, given: AnalystInput, workspace: LoaderWorkspace
) -> AsyncIterator[RunEvent]:
    """A line about each file, then the actions that load them."""
    words = _WORDS["zh" if given.language == "zh" else "en"]
    asked = context.run.input.text
    names = [name for name in await workspace.list_directory("") if name in asked]
    shown = (
        await use_tool(workspace, "show_user_data_preview", {"saved_dfs": names}) if names else {}
    )
    actions: list[JsonObject] = shown.get("actions", [])
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    lines = [_line(words, action) for action in actions] or [words["nothing"]]
    for line in lines:
        yield TextDelta(message_id, line)
    text = "".join(lines)
    yield MessageFinished(message_id, text_output(text))
    if actions:
        yield Produced("actions", {"actions": actions}, kept=False)
    yield Produced("done", {"full_text": text}, kept=False)


def _line(words: dict[str, str], action: JsonObject) -> str:
    if "error" in action:
        return words["failed"].format(name=action["name"], error=action["error"])
    columns = ", ".join(action["columns"])
    return words["shown"].format(name=action["name"], rows=action["total_rows"], columns=columns)
