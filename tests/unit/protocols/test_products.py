"""Products in the words of the seeds: each has one form, on every wire."""

import msgspec
import pytest
from tests.loose_json import JsonObject, decode_json

from yarrow.journal.events import RunEvent, encode_event
from yarrow.journal.snapshot import fold_events
from yarrow.kit.json import encode_json
from yarrow.product_events import ProductEvent, UntypedProduct
from yarrow.product_events.analyst import (
    AnalysisSummary,
    ChartAction,
    ChartDesign,
    ChartResult,
    Clarification,
    CodeLanguage,
    Delegation,
    DocumentFinished,
    DrawnChart,
    EmbeddedChart,
    EmbeddedTable,
    Explanation,
    LoadActions,
    ModelNote,
    QuestionKind,
    QuestionOption,
    RoundsExhausted,
    SuggestedQuestion,
    SuggestionsFinished,
    UserQuestion,
)
from yarrow.product_events.divination import DivinationDerived, ReadingExplained
from yarrow.protocols.encode_products import encode_product

CHART = DrawnChart(
    code="SELECT 1 AS a",
    code_language=CodeLanguage.SQL,
    code_signature="s",
    table_name="d_result",
    row_count=1,
    rows=[{"a": 1}],
    design=ChartDesign(
        instruction="**a**",
        output_variable="result",
        output_fields=("a",),
        chart_type="Bar Chart",
        encodings={"x": "a"},
        config={},
        field_metadata={"a": "Quantity"},
        display_names={"a": "A"},
    ),
    spec={"mark": "bar"},
    notes=("cut",),
)
CHART_FORM = {
    "status": "ok",
    "code": "SELECT 1 AS a",
    "code_language": "sql",
    "code_signature": "s",
    "content": {"rows": [{"a": 1}], "virtual": {"table_name": "d_result", "row_count": 1}},
    "refined_goal": {
        "display_instruction": "**a**",
        "output_variable": "result",
        "output_fields": ["a"],
        "chart": {"chart_type": "Bar Chart", "encodings": {"x": "a"}, "config": {}},
        "field_metadata": {"a": "Quantity"},
        "field_display_names": {"a": "A"},
    },
    "vega_lite": {"mark": "bar"},
    "notes": ["cut"],
    "agent": "DataAgent",
}
QUESTION = UserQuestion(
    "A?",
    QuestionKind.SINGLE_CHOICE,
    (QuestionOption("x"), QuestionOption("y", "c")),
    code="agent.x",
    params={"n": 1},
)
QUESTION_FORM = {
    "text": "A?",
    "responseType": "single_choice",
    "text_code": "agent.x",
    "text_params": {"n": 1},
    "options": [{"label": "x"}, {"label": "y", "label_code": "c"}],
    "required": True,
}
EXHAUSTED_FORM = {
    "text": "How?",
    "responseType": "single_choice",
    "text_code": "agent.clarifyExhausted",
    "text_params": {"steps": 12},
    "options": [
        {"label": "a", "label_code": "agent.clarifyOptionContinue"},
        {"label": "b", "label_code": "agent.clarifyOptionSimplify"},
        {"label": "c", "label_code": "agent.clarifyOptionSummary"},
    ],
    "required": True,
}
LIMIT_FORM = {
    "iteration": 5,
    "status": "max_iterations",
    "content": {
        "summary": "Stopped.",
        "summary_code": "agent.maxIterationsSummary",
        "total_steps": 4,
    },
}

FORMS: list[tuple[ProductEvent, str, JsonObject]] = [
    (DivinationDerived({"a": 1}), "DIVINATION_DERIVED", {"a": 1}),
    (ReadingExplained({"points": []}), "READING_EXPLAINED", {"points": []}),
    (ModelNote("hm"), "thinking_text", {"content": "hm"}),
    (
        ChartAction(1, "t", "i", ("sales",)),
        "action",
        {
            "iteration": 1,
            "action": "visualize",
            "thought": "t",
            "display_instruction": "i",
            "input_tables": ["sales"],
        },
    ),
    (
        ChartResult(1, "Q?", CHART),
        "result",
        {
            "iteration": 1,
            "status": "success",
            "content": {"question": "Q?", "result": CHART_FORM},
        },
    ),
    (
        Clarification(1, "t", (QUESTION,), 2),
        "clarify",
        {"iteration": 1, "thought": "t", "questions": [QUESTION_FORM], "completed_step_count": 2},
    ),
    (
        RoundsExhausted(1, 12, "How?", ("a", "b", "c"), 0),
        "clarify",
        {"iteration": 1, "thought": "", "questions": [EXHAUSTED_FORM], "completed_step_count": 0},
    ),
    (
        Explanation(1, "t", "So.", (QuestionOption("More"),), 0),
        "explain",
        {
            "iteration": 1,
            "thought": "t",
            "questions": [
                {
                    "text": "So.",
                    "responseType": "single_choice",
                    "options": [{"label": "More"}],
                    "required": False,
                }
            ],
            "completed_step_count": 0,
        },
    ),
    (
        Explanation(1, "", "So.", (), 0),
        "explain",
        {
            "iteration": 1,
            "thought": "",
            "questions": [{"text": "So.", "responseType": "free_text", "required": False}],
            "completed_step_count": 0,
        },
    ),
    (
        Delegation(1, "t", "report_gen", ("Write",), "m", 1),
        "delegate",
        {
            "iteration": 1,
            "thought": "t",
            "target": "report_gen",
            "options": ["Write"],
            "message": "m",
            "completed_step_count": 1,
        },
    ),
    (
        AnalysisSummary(2, "Done.", 1, "t"),
        "completion",
        {
            "iteration": 2,
            "status": "success",
            "content": {"thought": "t", "summary": "Done.", "total_steps": 1},
        },
    ),
    (AnalysisSummary(5, "Stopped.", 4, limit_reached=True), "completion", LIMIT_FORM),
    (
        SuggestedQuestion("A?", "**a**", "pivot"),
        "question",
        {"text": "A?", "goal": "**a**", "tag": "pivot"},
    ),
    (SuggestionsFinished(4), "done", {"count": 4}),
    (EmbeddedChart("c1", "C"), "embed_chart", {"chart_id": "c1", "caption": "C"}),
    (
        EmbeddedTable("sales", "C", ("a",), [{"a": 1}], 25),
        "embed_table",
        {
            "table_id": "sales",
            "caption": "C",
            "columns": ["a"],
            "rows": [{"a": 1}],
            "row_count": 25,
        },
    ),
    (LoadActions(({"type": "load_plan"},)), "actions", {"actions": [{"type": "load_plan"}]}),
    (DocumentFinished("# T"), "done", {"full_text": "# T"}),
]


@pytest.mark.parametrize("product, name, form", FORMS)
def test_each_product_has_the_seeds_name_and_fields_in_order(
    product: ProductEvent, name: str, form: JsonObject
) -> None:
    encoded_name, fields = encode_product(product)

    assert encoded_name == name
    assert encode_json(fields) == encode_json(form)


@pytest.mark.parametrize("product", [product for product, _, _ in FORMS])
def test_a_replayed_product_has_the_same_form(product: RunEvent) -> None:
    stored = decode_json(encode_event(product))

    replayed = msgspec.convert(stored, RunEvent)

    assert type(replayed) is type(product)
    assert encode_event(replayed) == encode_event(product)


@pytest.mark.parametrize("kept", [True, False])
def test_products_of_journals_without_types_keep_their_name_and_value(kept: bool) -> None:
    stored: JsonObject = {"kind": "produced", "name": "READING_EXPLAINED", "value": {"points": []}}

    product = msgspec.convert(stored | ({} if kept else {"kept": False}), RunEvent)

    assert isinstance(product, UntypedProduct)
    assert encode_product(product) == ("READING_EXPLAINED", {"points": []})
    assert fold_events([product]).products == ({"READING_EXPLAINED": product} if kept else {})
