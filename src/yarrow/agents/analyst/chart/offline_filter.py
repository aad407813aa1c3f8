"""Without a model: look up what a question names, and filter the rows of its chart."""

import msgspec
from msgspec.structs import replace

from yarrow.agents.analyst.workspace import AnalystWorkspace, CodeFailed, TableSummary
from yarrow.charting import (
    ChartLanguage,
    ChartSuggestion,
    FilterPlan,
    QuestionReading,
    RowFilter,
    TableFacts,
    explain_empty,
    explain_filter,
    explain_rank,
    explain_unknown_values,
    facts_query,
    rank_places,
    read_counts,
    read_facts,
    read_question,
    title_filter,
)


class TableReading(msgspec.Struct, frozen=True):
    """What the question names of one table, and what was looked up in its rows."""

    table: TableSummary
    question: QuestionReading
    facts: TableFacts = TableFacts()
    lookup_failure: str = ""


class FilteredChart(msgspec.Struct, frozen=True):
    """A suggestion with the filter of the question; without one, all rows are drawn."""

    suggestion: ChartSuggestion
    row_filter: RowFilter | None = None
    notes: tuple[str, ...] = ()


class NoRowLeft(Exception):
    """No row fulfils the conditions of the question; `notes` say so."""

    def __init__(self, notes: tuple[str, ...]) -> None:
        super().__init__("; ".join(notes))
        self.notes = notes


async def look_up_values(
    workspace: AnalystWorkspace, reading: TableReading, text: str
) -> TableReading:
    """The reading with the values of the table that the question names."""
    shape = reading.table.shape
    query, parameters = facts_query(shape, text)
    if not query:
        return reading
    try:
        rows = await workspace.look_up(reading.table.name, query, parameters)
    except CodeFailed as failure:
        return msgspec.structs.replace(reading, lookup_failure=str(failure))
    facts = read_facts(shape, rows)
    return TableReading(reading.table, read_question(text, shape, facts), facts)


async def filter_chart(
    workspace: AnalystWorkspace,
    reading: TableReading,
    suggestion: ChartSuggestion,
    language: ChartLanguage,
) -> FilteredChart:
    """The chart with the conditions and the rank of the question; `NoRowLeft` if none is left."""
    question, table = reading.question, reading.table
    notes: list[str] = []
    if reading.lookup_failure:
        notes.append(explain_unknown_values(table.name, reading.lookup_failure, language))
    ranked = rank_places(question, suggestion, table.shape)
    notes += explain_rank(question, ranked, language)
    rank = None
    if ranked is not None:
        suggestion, rank = ranked
    plan = FilterPlan(table.name, question.conditions, rank)
    if not plan.conditions and plan.rank is None:
        return FilteredChart(suggestion, None, tuple(notes))
    (row,) = await workspace.look_up(table.name, plan.write_count())
    counts = read_counts(row)
    if not counts.kept:
        raise NoRowLeft((*notes, *explain_empty(plan, reading.facts, language)))
    title, subtitle = title_filter(plan, counts, language)
    config = {**suggestion.intent.config, "title": title, "subtitle": subtitle}
    drawn = replace(suggestion, intent=replace(suggestion.intent, config=config))
    row_filter = RowFilter(table.name, plan.write_where(), counts.kept)
    return FilteredChart(drawn, row_filter, (*notes, *explain_filter(plan, counts, language)))
