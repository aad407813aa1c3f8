"""Compile a chart request and a table to a Vega-Lite spec.

Pure. Pictures are `yarrow.rendering.render`, which reads files and loads a large library.
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
from yarrow.charting.question_chart import chart_question, explain_reading, explain_replacement
from yarrow.charting.question_reader import QuestionReading, find_question_language, read_question
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
    "QuestionReading",
    "QuestionTag",
    "ReductionKind",
    "SemanticType",
    "TableQuestion",
    "TableShape",
    "chart_question",
    "compile_chart",
    "explain_reading",
    "explain_replacement",
    "field_kind",
    "find_question_language",
    "guess_meaning",
    "parse_intent",
    "read_meanings",
    "read_question",
    "read_shape",
    "strip_external",
    "suggest_charts",
    "suggest_questions",
]
