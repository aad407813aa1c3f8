"""Charts from tables: a wish and the shape of a table in, a Vega-Lite spec out.

Pure. Checking a spec against the schema is `yarrow.rendering.validate`, pictures are
`yarrow.rendering.render`; both read files and load large libraries, so they are not imported here.
"""

from yarrow.charting.columns import ChartColumn, TableShape, field_kind, guess_meaning, shape_of
from yarrow.charting.compile import compile_chart, parse_intent, read_meanings
from yarrow.charting.model import (
    Channel,
    ChartIntent,
    ChartLanguage,
    ChartType,
    CompiledChart,
    DType,
    FieldKind,
    FieldMeaning,
    SemanticType,
    Size,
)
from yarrow.charting.question_words import Tag
from yarrow.charting.questions import Question, suggest_questions
from yarrow.charting.safety import strip_external
from yarrow.charting.suggest import Suggestion, suggest_charts

__all__ = [
    "Channel",
    "ChartColumn",
    "ChartIntent",
    "ChartLanguage",
    "ChartType",
    "CompiledChart",
    "DType",
    "FieldKind",
    "FieldMeaning",
    "Question",
    "SemanticType",
    "Size",
    "Suggestion",
    "TableShape",
    "Tag",
    "compile_chart",
    "field_kind",
    "guess_meaning",
    "parse_intent",
    "read_meanings",
    "shape_of",
    "strip_external",
    "suggest_charts",
    "suggest_questions",
]
