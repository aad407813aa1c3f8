"""Carry out a chart step: make the table, check it, draw it."""

from functools import partial

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.output_variable import with_output
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, ResultTable, discard
from yarrow.charting import ChartIntent, ChartLanguage, compile_chart, parse_intent, read_meanings
from yarrow.charting.errors import ChartImpossible
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.kit.threads import in_thread_if_large


async def charted(
    workspace: AnalystWorkspace, step: Visualize, *, sign: HmacSigner, language: ChartLanguage
) -> JsonObject:
    """The step's result as clients know it; raises `CodeFailed` with what to mend.

    Only a table whose chart can be drawn is kept.
    """
    code = with_output(step.code, step.output_variable) if step.code else step.sql
    frame = await _made(workspace, step, code)
    intent = parse_intent(step.chart)
    try:
        compiled = await in_thread_if_large(
            frame.rows,
            partial(
                compile_chart,
                intent,
                frame.shape,
                frame.rows,
                meanings=read_meanings(step.field_metadata),
                display_names=_words(step.display_names),
                language=language,
            ),
        )
    except ChartImpossible as impossible:
        discard(frame)
        raise CodeFailed(str(impossible)) from impossible
    name = await workspace.save(frame, step.output_variable)
    return {
        "status": "ok",
        "code": code,
        "code_language": "python" if step.code else "sql",
        "code_signature": sign.sign(code),
        "content": {
            "rows": frame.rows,
            "virtual": {"table_name": name, "row_count": frame.shape.row_count},
        },
        "refined_goal": _goal(step, frame, intent),
        "vega_lite": compiled.spec,
        **({"notes": list(compiled.notes)} if compiled.notes else {}),
        "agent": "DataAgent",
    }


def _words(names: JsonObject) -> dict[str, str]:
    return {field: shown for field, shown in names.items() if isinstance(shown, str)}


async def _made(workspace: AnalystWorkspace, step: Visualize, code: str) -> ResultTable:
    if step.code:
        return await workspace.make_table_by_python(code, step.output_variable)
    return await workspace.make_table_by_sql(code)


def _goal(step: Visualize, frame: ResultTable, intent: ChartIntent) -> JsonObject:
    return {
        "display_instruction": step.instruction,
        "output_variable": step.output_variable,
        "output_fields": list(frame.shape.names),
        "chart": {
            "chart_type": intent.chart_type.value,
            "encodings": {channel.value: name for channel, name in intent.encodings.items()},
            "config": intent.config,
        },
        "field_metadata": step.field_metadata,
        "field_display_names": step.display_names,
    }
