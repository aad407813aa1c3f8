"""Compile a chart request and a table to a Vega-Lite spec.

Pure. Checking a spec against the schema is `yarrow.rendering.validate`, pictures are
`yarrow.rendering.render`; both read files and load large libraries, so they are not imported here.
"""

from yarrow.charting.columns import ChartColumn, TableShape, field_kind, guess_meaning
from yarrow.charting.compile import compile_chart
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
from yarrow.charting.question_words import QuestionTag
from yarrow.charting.questions import TableQuestion, suggest_questions
from yarrow.charting.reduce.source import ROW, ChartSource, read_shape
from yarrow.charting.safety import strip_external
from yarrow.charting.suggest import ChartSuggestion, suggest_charts

__all__ = [
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
    "QuestionTag",
    "ReductionKind",
    "SemanticType",
    "TableQuestion",
    "TableShape",
    "compile_chart",
    "field_kind",
    "guess_meaning",
    "parse_intent",
    "read_meanings",
    "read_shape",
    "strip_external",
    "suggest_charts",
    "suggest_questions",
]
