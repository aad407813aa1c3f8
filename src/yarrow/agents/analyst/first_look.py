"""Without a model: the first chart worth seeing, from the tables' own shape."""

from collections.abc import AsyncIterator, Sequence

from yarrow.agents.analyst.actions import Visualize
from yarrow.agents.analyst.signing import CodeSigner
from yarrow.agents.analyst.visualize import charted
from yarrow.charting.suggest import suggest_charts
from yarrow.json_values import JsonObject
from yarrow.runs.agent import RunContext
from yarrow.runs.desk import CodeFailed, Desk, TableFacts
from yarrow.runs.events import MessageFinished, MessageStarted, Produced, RunEvent, TextDelta

NO_TABLES = "There is no table to look at yet. Upload one first."
NOTHING = "The tables hold nothing that makes a chart."
NO_MODEL = (
    "No model is configured, so this chart comes from the shape of the data alone. "
    "Set YARROW_LLM_BASE_URL to ask questions in words."
)
CHARTS_TRIED = 3


async def first_look(
    context: RunContext, desk: Desk, tables: Sequence[TableFacts], sign: CodeSigner
) -> AsyncIterator[RunEvent]:
    """A chart, and words that say where it comes from."""
    shown = await _first_chart(desk, tables, sign)
    summary = NO_TABLES if not tables else NO_MODEL if shown is not None else NOTHING
    if shown is not None:
        step, result = shown
        yield Produced("action", _action(step))
        content = {"question": step.instruction, "result": result}
        yield Produced("result", {"iteration": 1, "status": "success", "content": content})
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    yield TextDelta(message_id, summary)
    yield MessageFinished(message_id, {"status": "success", "answer": summary, "error": ""})
    steps = 0 if shown is None else 1
    done = {"summary": summary, "total_steps": steps}
    yield Produced("completion", {"iteration": 1, "status": "success", "content": done})


async def _first_chart(
    desk: Desk, tables: Sequence[TableFacts], sign: CodeSigner
) -> tuple[Visualize, JsonObject] | None:
    for table in tables:
        for suggestion in suggest_charts(table.shape)[:CHARTS_TRIED]:
            fields = list(dict.fromkeys(suggestion.intent.encodings.values()))
            step = Visualize(
                thought=suggestion.reason,
                instruction=", ".join(f"**{field}**" for field in suggestion.title),
                input_tables=(table.name,),
                code="",
                sql=desk.selecting(table.name, fields),
                output_variable=f"{table.name}_chart",
                chart={
                    "chart_type": suggestion.intent.chart_type.value,
                    "encodings": {c.value: f for c, f in suggestion.intent.encodings.items()},
                },
            )
            try:
                return step, await charted(desk, step, sign)
            except CodeFailed:
                continue
    return None


def _action(step: Visualize) -> JsonObject:
    return {
        "iteration": 1,
        "action": "visualize",
        "thought": step.thought,
        "display_instruction": step.instruction,
        "input_tables": list(step.input_tables),
    }
