"""Loading without a model: offer the files that the message names."""

from collections.abc import AsyncIterator

from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.loader.tools import list_actions, use_tool
from yarrow.agents.analyst.loader.workspace import LoaderWorkspace
from yarrow.agents.analyst.unreadable_tables import explain_unreadable
from yarrow.agents.conversation.reply import build_text_output
from yarrow.charting import ChartLanguage, add_traditional
from yarrow.journal.events import MessageFinished, MessageStarted, RunEvent, TextDelta
from yarrow.kit.json import JsonObject
from yarrow.product_events.analyst import DocumentFinished, LoadActions
from yarrow.runs.agent import RunContext

_WORDS = {
    "shown": add_traditional(
        {
            ChartLanguage.EN: "**{name}**: {rows} rows; columns: {columns}.\n",
            ChartLanguage.ZH: "**{name}**：{rows} 行；列：{columns}。\n",
        }
    ),
    "failed": add_traditional(
        {
            ChartLanguage.EN: "**{name}** cannot be read as a table: {error}\n",
            ChartLanguage.ZH: "**{name}** 无法读作表格：{error}\n",
        }
    ),
    "nothing": add_traditional(
        {
            ChartLanguage.EN: "No model is configured (YARROW_LLM_BASE_URL): I read no questions. "
            "Attach a file (CSV, Excel, JSON) and I show what it holds.\n",
            ChartLanguage.ZH: "没有配置模型（YARROW_LLM_BASE_URL），我读不懂问题："
            "请附上文件（CSV、Excel 或 JSON），我会展示其中的内容。\n",
        }
    ),
}


async def offer_named_files(
    context: RunContext, analyst_input: AnalystInput, workspace: LoaderWorkspace
) -> AsyncIterator[RunEvent]:
    """A line for each file that the message names, then the actions that load them."""
    words = {name: texts[analyst_input.chart_language] for name, texts in _WORDS.items()}
    text = context.run.input.text
    names = [name for name in await workspace.list_directory("") if name in text]
    if workspace.unreadable is not None:
        words["nothing"] = explain_unreadable(workspace.unreadable, analyst_input.chart_language)
        names = []
    actions: list[JsonObject] = []
    if names:
        result = await use_tool(workspace, "show_user_data_preview", {"saved_dfs": names})
        actions = list_actions(result)
    lines = [_describe_action(words, action) for action in actions] or [words["nothing"]]
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    for line in lines:
        yield TextDelta(message_id, line)
    answer = "".join(lines)
    yield MessageFinished(message_id, build_text_output(answer))
    if actions:
        yield LoadActions(tuple(actions))
    yield DocumentFinished(answer)


def _describe_action(words: dict[str, str], action: JsonObject) -> str:
    if "error" in action:
        return words["failed"].format(name=action["name"], error=action["error"])
    columns = action["columns"]
    names = ", ".join(map(str, columns)) if isinstance(columns, list) else ""
    return words["shown"].format(name=action["name"], rows=action["total_rows"], columns=names)
