"""Compile a chart request and a table to a Vega-Lite spec.

Pure. Pictures are `yarrow.rendering.render`, which reads files and loads a large library.
"""

from typing import TYPE_CHECKING

from yarrow.kit.lazy_names import import_names_lazily

if TYPE_CHECKING:
    from yarrow.charting.columns import ChartColumn, TableShape, field_kind, guess_meaning
    from yarrow.charting.compile import compile_chart
    from yarrow.charting.filters.facts import TableFacts, facts_query, read_facts
    from yarrow.charting.filters.plan import (
        FilterPlan,
        explain_empty,
        explain_filter,
        explain_unknown_values,
        read_counts,
        title_filter,
    )
    from yarrow.charting.intent import parse_intent, read_meanings
    from yarrow.charting.model import (
        Aggregate,
        ChartChannel,
        ChartIntent,
        ChartLanguage,
        ChartSize,
        ChartType,
        CompiledChart,
        DType,
        FieldKind,
        FieldMeaning,
        ReductionKind,
        SemanticType,
    )
    from yarrow.charting.percentages import PERCENT_UNIT, looks_like_fraction
    from yarrow.charting.question_chart import chart_question, list_open_suggestions
    from yarrow.charting.question_notes import explain_reading, explain_replacement
    from yarrow.charting.question_rank import explain_rank, rank_places
    from yarrow.charting.question_reader import QuestionReading, read_question
    from yarrow.charting.question_text import find_question_language
    from yarrow.charting.question_words import QuestionTag
    from yarrow.charting.questions import TableQuestion, suggest_questions
    from yarrow.charting.reduce.source import ROW, ChartSource, RowFilter, read_shape
    from yarrow.charting.suggest import ChartSuggestion, suggest_charts
    from yarrow.charting.traditional import add_traditional

__all__ = [
    "PERCENT_UNIT",
    "ROW",
    "Aggregate",
    "ChartChannel",
    "ChartColumn",
    "ChartIntent",
    "ChartLanguage",
    "ChartSize",
    "ChartSource",
    "ChartSuggestion",
    "ChartType",
    "CompiledChart",
    "DType",
    "FieldKind",
    "FieldMeaning",
    "FilterPlan",
    "QuestionReading",
    "QuestionTag",
    "ReductionKind",
    "RowFilter",
    "SemanticType",
    "TableFacts",
    "TableQuestion",
    "TableShape",
    "add_traditional",
    "chart_question",
    "compile_chart",
    "explain_empty",
    "explain_filter",
    "explain_rank",
    "explain_reading",
    "explain_replacement",
    "explain_unknown_values",
    "facts_query",
    "field_kind",
    "find_question_language",
    "guess_meaning",
    "list_open_suggestions",
    "looks_like_fraction",
    "parse_intent",
    "rank_places",
    "read_counts",
    "read_facts",
    "read_meanings",
    "read_question",
    "read_shape",
    "suggest_charts",
    "suggest_questions",
    "title_filter",
]

_MODULES = {
    "columns": ("ChartColumn", "TableShape", "field_kind", "guess_meaning"),
    "compile": ("compile_chart",),
    "filters.facts": ("TableFacts", "facts_query", "read_facts"),
    "filters.plan": (
        "FilterPlan",
        "explain_empty",
        "explain_filter",
        "explain_unknown_values",
        "read_counts",
        "title_filter",
    ),
    "intent": ("parse_intent", "read_meanings"),
    "model": (
        "Aggregate",
        "ChartChannel",
        "ChartIntent",
        "ChartLanguage",
        "ChartSize",
        "ChartType",
        "CompiledChart",
        "DType",
        "FieldKind",
        "FieldMeaning",
        "ReductionKind",
        "SemanticType",
    ),
    "percentages": ("PERCENT_UNIT", "looks_like_fraction"),
    "question_chart": ("chart_question", "list_open_suggestions"),
    "question_notes": ("explain_reading", "explain_replacement"),
    "question_rank": ("explain_rank", "rank_places"),
    "question_reader": ("QuestionReading", "read_question"),
    "question_text": ("find_question_language",),
    "question_words": ("QuestionTag",),
    "questions": ("TableQuestion", "suggest_questions"),
    "reduce.source": ("ChartSource", "ROW", "RowFilter", "read_shape"),
    "suggest": ("ChartSuggestion", "suggest_charts"),
    "traditional": ("add_traditional",),
}
"""Where the names are defined: the server needs a few of their types, its sandbox the rest."""

__getattr__ = import_names_lazily(__name__, _MODULES)
