"""Compile a chart request and a table to a Vega-Lite spec.

Pure. Checking a spec against the schema is `yarrow.rendering.validate`, pictures are
`yarrow.rendering.render`; both read files and load large libraries, so they are not imported here.
"""

from yarrow.charting.columns import ChartColumn, TableShape, field_kind, guess_meaning, infer_shape
from yarrow.charting.compile import compile_chart, parse_intent, read_meanings
from yarrow.charting.model import (
    ChartChannel,
    ChartIntent,
    ChartLanguage,
    ChartSize,
    ChartType,
    CompiledChart,
    DType,
    FieldKind,
    FieldMeaning,
    SemanticType,
)
from yarrow.charting.question_words import QuestionTag
from yarrow.charting.questions import TableQuestion, suggest_questions
from yarrow.charting.safety import strip_external
from yarrow.charting.suggest import ChartSuggestion, suggest_charts

__all__ = [
    "ChartChannel",
    "ChartColumn",
    "ChartIntent",
    "ChartLanguage",
    "ChartSize",
    "ChartSuggestion",
    "ChartType",
    "CompiledChart",
    "DType",
    "FieldKind",
    "FieldMeaning",
    "QuestionTag",
    "SemanticType",
    "TableQuestion",
    "TableShape",
    "compile_chart",
    "field_kind",
    "guess_meaning",
    "infer_shape",
    "parse_intent",
    "read_meanings",
    "strip_external",
    "suggest_charts",
    "suggest_questions",
]
