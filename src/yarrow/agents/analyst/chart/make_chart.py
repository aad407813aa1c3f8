"""One chart step: make its table, compile the chart, let the model repair its code."""

import ast
from collections.abc import AsyncIterator

from msgspec import Struct

from yarrow.agents.analyst.chart.actions import Visualize
from yarrow.agents.analyst.chart.choose_action import ActionChoice
from yarrow.agents.analyst.chart.prompt import FAILED, OBSERVED, REPAIR
from yarrow.agents.analyst.prompt import clip_row
from yarrow.agents.analyst.workspace import AnalystWorkspace, ChartTable, CodeFailed
from yarrow.charting import ChartLanguage, ReductionKind, RowFilter
from yarrow.journal.events import ModelReplied, Progressed, RunEvent, UsageReported, Warned
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.signing import HmacSigner
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.product_events.analyst import ChartAction, ChartDesign, CodeLanguage, DrawnChart
from yarrow.sandbox.model import ChartRequest

OBSERVED_ROWS = 3
_LIBRARIES = frozenset({"pd", "np", "duckdb", "plt", "alt", "math", "json", "re"})
"""Names that a program imports and that are never its result."""


class ChartStep(Struct):
    """A chart to make; after `make` it has either a `chart` or an `error`."""

    action: Visualize
    raw: JsonObject
    """The action as the model wrote it."""
    chart: DrawnChart | None = None
    error: str = ""

    async def make(
        self, workspace: AnalystWorkspace, *, signer: HmacSigner, language: ChartLanguage
    ) -> None:
        try:
            chart = await make_chart(workspace, self.action, signer=signer, language=language)
            self.chart, self.error = chart, ""
        except CodeFailed as failure:
            self.error = str(failure) or "the step failed"

    async def repair(
        self, messages: list[ChatMessage], choice: ActionChoice
    ) -> AsyncIterator[RunEvent]:
        """Let the model write the step anew; only another chart step counts.

        Of the events on the way only usage, records, progress and warnings are passed on.
        """
        messages.append(ChatMessage(ChatRole.USER, REPAIR.format(error=self.error)))
        async for event in choice.decide():
            if isinstance(event, UsageReported | ModelReplied | Progressed | Warned):
                yield event
        decision = choice.decision
        if isinstance(decision.action, Visualize):
            self.action, self.raw, self.error = decision.action, decision.raw, ""

    def observation(self) -> str:
        """The outcome in words for the model."""
        instruction = self.action.instruction
        if self.chart is None:
            return FAILED.format(instruction=instruction, error=self.error)
        sample = [clip_row(row) for row in self.chart.rows[:OBSERVED_ROWS]]
        text = OBSERVED.format(
            instruction=instruction,
            table=self.chart.table_name,
            rows=self.chart.row_count,
            columns=", ".join(self.chart.design.output_fields),
            sample=encode_json(sample).decode(),
        )
        return text + "".join(f"\nNote: {note}" for note in self.chart.notes)


async def make_chart(
    workspace: AnalystWorkspace, action: Visualize, *, signer: HmacSigner, language: ChartLanguage
) -> DrawnChart:
    """The chart of a step; raises `CodeFailed` with what to repair.

    The table is saved only if its chart can be drawn.
    """
    request = ChartRequest(
        action.chart, action.field_metadata, action.display_names, language, action.row_filter
    )
    if action.code:
        code = bind_output(action.code, action.output_variable)
        table = await workspace.chart_by_python(code, action.output_variable, request)
    elif action.stored_table:
        code = action.sql
        table = await workspace.chart_stored(action.stored_table, request)
    else:
        code = action.sql
        table = await workspace.chart_by_sql(code, request)
    return DrawnChart(
        code=code,
        code_language=CodeLanguage.PYTHON if action.code else CodeLanguage.SQL,
        code_signature=signer.sign(code),
        table_name=await workspace.save(table, action.output_variable),
        row_count=table.row_count,
        rows=table.rows,
        design=_make_design(action, table),
        spec=table.chart.spec,
        notes=tuple(table.chart.notes),
        reduction=_describe_reduction(table, action.row_filter),
    )


def _describe_reduction(table: ChartTable, row_filter: RowFilter | None) -> JsonObject:
    """How the rows became those of the chart; empty if all are drawn as they are."""
    reduction = table.chart.reduction
    if reduction.kind is ReductionKind.NONE and row_filter is None:
        return {}
    filtered: JsonObject = {}
    if row_filter is not None:
        filtered = {"filter": row_filter.condition, "filtered_rows": row_filter.row_count}
    sampled: JsonObject = {}
    if table.chart.is_sample and table.rows is table.chart.rows:
        sampled = {"sampled_rows": len(table.rows)}
    return {
        **filtered,
        **sampled,
        "kind": reduction.kind.value,
        "table_rows": table.row_count,
        "chart_rows": len(table.chart.spec["data"]["values"]),
        "by": list(reduction.by),
        "aggregates": dict(reduction.aggregates),
    }


def announce_chart(action: Visualize, iteration: int) -> ChartAction:
    """A chart step before it is done."""
    return ChartAction(iteration, action.thought, action.instruction, action.input_tables)


def _make_design(action: Visualize, table: ChartTable) -> ChartDesign:
    intent = table.chart.intent
    return ChartDesign(
        instruction=action.instruction,
        output_variable=action.output_variable,
        output_fields=tuple(table.columns),
        chart_type=intent.chart_type.value,
        encodings={channel.value: name for channel, name in intent.encodings.items()},
        config=intent.config,
        field_metadata=action.field_metadata,
        display_names=action.display_names,
        aggregates={c.value: aggregate.value for c, aggregate in intent.aggregates.items()},
    )


def bind_output(code: str, output_variable: str) -> str:
    """The program; if it does not assign the variable, its last assigned name is bound to it.

    A program that cannot be parsed stays as it is: running it gives the better error.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    names = [name for statement in body for name in _list_assigned(statement)]
    if not names or output_variable in names or not output_variable.isidentifier():
        return code
    likely = [name for name in names if not name.startswith("_") and name not in _LIBRARIES]
    return f"{code}\n{output_variable} = {(likely or names)[-1]}\n"


def _list_assigned(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Assign(targets=targets):
            return [name for target in targets for name in _list_target_names(target)]
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return _list_target_names(target)
        case _:
            return []


def _list_target_names(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [name for part in parts for name in _list_target_names(part)]
        case _:
            return []


def make_code_signer(secret: bytes) -> HmacSigner:
    """The signer of `code_signature`."""
    return HmacSigner(secret, purpose="code of the analyst")
