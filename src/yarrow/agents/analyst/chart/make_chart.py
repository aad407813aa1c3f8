"""Carry out a chart step: make its table, compile the chart, save the table."""

from functools import partial

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.output_variable import bind_output
from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, ResultTable, discard
from yarrow.charting import ChartIntent, ChartLanguage, compile_chart, parse_intent, read_meanings
from yarrow.charting.errors import ChartImpossible
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.kit.threads import in_thread_if_large
from yarrow.product_events.analyst import ChartDesign, CodeLanguage, DrawnChart


async def make_chart(
    workspace: AnalystWorkspace, action: Visualize, *, signer: HmacSigner, language: ChartLanguage
) -> DrawnChart:
    """The chart of a step; raises `CodeFailed` with what to repair.

    The table is saved only if its chart can be drawn.
    """
    if action.code:
        code = bind_output(action.code, action.output_variable)
        result = await workspace.make_table_by_python(code, action.output_variable)
    else:
        code = action.sql
        result = await workspace.make_table_by_sql(code)
    intent = parse_intent(action.chart)
    try:
        compiled = await in_thread_if_large(
            result.rows,
            partial(
                compile_chart,
                intent,
                result.shape,
                result.rows,
                meanings=read_meanings(action.field_metadata),
                display_names=_only_texts(action.display_names),
                language=language,
            ),
        )
    except ChartImpossible as impossible:
        discard(result)
        raise CodeFailed(str(impossible)) from impossible
    return DrawnChart(
        code=code,
        code_language=CodeLanguage.PYTHON if action.code else CodeLanguage.SQL,
        code_signature=signer.sign(code),
        table_name=await workspace.save(result, action.output_variable),
        row_count=result.shape.row_count,
        rows=result.rows,
        design=_design(action, result, intent),
        spec=compiled.spec,
        notes=tuple(compiled.notes),
    )


def _only_texts(names: JsonObject) -> dict[str, str]:
    return {field: name for field, name in names.items() if isinstance(name, str)}


def _design(action: Visualize, result: ResultTable, intent: ChartIntent) -> ChartDesign:
    return ChartDesign(
        instruction=action.instruction,
        output_variable=action.output_variable,
        output_fields=tuple(result.shape.names),
        chart_type=intent.chart_type.value,
        encodings={channel.value: name for channel, name in intent.encodings.items()},
        config=intent.config,
        field_metadata=action.field_metadata,
        display_names=action.display_names,
    )
