"""Product events in the words of seed 001, which NDJSON lines and CUSTOM events of AG-UI share."""

from typing import assert_never

from yarrow.kit.json import JsonObject
from yarrow.product_events import ProductEvent, UntypedProduct
from yarrow.product_events.analyst import (
    AnalysisSummary,
    ChartAction,
    ChartDesign,
    ChartResult,
    Clarification,
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
from yarrow.product_events.divination import (
    DIVINATION_DERIVED,
    READING_EXPLAINED,
    DivinationDerived,
    ReadingExplained,
)
from yarrow.product_events.story import (
    MEMORY_NOTED,
    PROMPT_SENT,
    STORY_REPLY,
    MemoryNoted,
    PromptSent,
    ReplyDraft,
    ReplyRejected,
    StoryProduct,
    StoryReply,
    VerifierReport,
)
from yarrow.product_events.story_tools import StoryToolFinished, StoryToolStarted

_EXHAUSTED_CODE = "agent.clarifyExhausted"
_EXHAUSTED_OPTION_CODES = (
    "agent.clarifyOptionContinue",
    "agent.clarifyOptionSimplify",
    "agent.clarifyOptionSummary",
)
_LIMIT_CODE = "agent.maxIterationsSummary"


def encode_product(event: ProductEvent) -> tuple[str, JsonObject]:
    """The type and the fields of a product."""
    match event:
        case DivinationDerived(divination):
            return DIVINATION_DERIVED, divination
        case ReadingExplained(explanation):
            return READING_EXPLAINED, explanation
        case ModelNote(text):
            return "thinking_text", {"content": text}
        case ChartAction():
            return "action", _encode_action(event)
        case ChartResult(iteration, question, chart):
            content: JsonObject = {"question": question, "result": _encode_chart(chart)}
            return "result", {"iteration": iteration, "status": "success", "content": content}
        case Clarification() | RoundsExhausted() | Explanation() | Delegation():
            return _encode_pause(event)
        case AnalysisSummary():
            return "completion", _encode_summary(event)
        case SuggestedQuestion(text, goal, tag):
            return "question", {"text": text, "goal": goal, "tag": tag}
        case SuggestionsFinished(count):
            return "done", {"count": count}
        case EmbeddedChart(chart_id, caption):
            return "embed_chart", {"chart_id": chart_id, "caption": caption}
        case EmbeddedTable(table_id, caption, columns, rows, row_count):
            head: JsonObject = {"table_id": table_id, "caption": caption}
            shown: JsonObject = {"columns": columns, "rows": rows, "row_count": row_count}
            return "embed_table", head | shown
        case LoadActions(actions):
            return "actions", {"actions": actions}
        case DocumentFinished(text):
            return "done", {"full_text": text}
        case (
            PromptSent()
            | StoryReply()
            | ReplyDraft()
            | ReplyRejected()
            | VerifierReport()
            | MemoryNoted()
            | StoryToolStarted()
            | StoryToolFinished()
        ):
            return _encode_story(event)
        case UntypedProduct(name, value):
            return name, value
        case _:
            assert_never(event)


def _encode_story(event: StoryProduct) -> tuple[str, JsonObject]:
    match event:
        case PromptSent(digest):
            return PROMPT_SENT, {"digest": digest}
        case ReplyDraft(text):
            return "REPLY_DRAFT", {"text": text}
        case StoryReply(text, summaries):
            return STORY_REPLY, {"text": text, "summaries": summaries}
        case ReplyRejected():
            return "REPLY_REJECTED", {}
        case VerifierReport():
            return "VERIFIER_REPORT", encode_verdict(event)
        case MemoryNoted(mode, notes):
            return MEMORY_NOTED, {"mode": mode, "note_count": len(notes)}
        case StoryToolStarted(execution_id, tool_name):
            return "TOOL_STARTED", {"execution_id": execution_id, "tool_name": tool_name}
        case StoryToolFinished(execution_id=execution_id, tool_name=tool_name):
            finished: JsonObject = {"execution_id": execution_id, "tool_name": tool_name}
            return "TOOL_FINISHED", {**finished, "status": event.status, "message": event.message}
        case _:
            assert_never(event)


def encode_verdict(report: VerifierReport) -> JsonObject:
    return {
        "status": report.status.value,
        "suggestion": report.suggestion,
        "issues": [
            {"description": issue.description, "severity": issue.severity}
            for issue in report.issues
        ],
    }


def _encode_action(event: ChartAction) -> JsonObject:
    return {
        "iteration": event.iteration,
        "action": "visualize",
        "thought": event.thought,
        "display_instruction": event.instruction,
        "input_tables": event.input_tables,
    }


def _encode_chart(chart: DrawnChart) -> JsonObject:
    return {
        "status": "ok",
        "code": chart.code,
        "code_language": chart.code_language.value,
        "code_signature": chart.code_signature,
        "content": {
            "rows": chart.rows,
            "virtual": {"table_name": chart.table_name, "row_count": chart.row_count},
            **({"reduction": chart.reduction} if chart.reduction else {}),
        },
        "refined_goal": _encode_design(chart.design),
        "vega_lite": chart.spec,
        **({"notes": chart.notes} if chart.notes else {}),
        "agent": "DataAgent",
    }


def _encode_design(design: ChartDesign) -> JsonObject:
    return {
        "display_instruction": design.instruction,
        "output_variable": design.output_variable,
        "output_fields": design.output_fields,
        "chart": {
            "chart_type": design.chart_type,
            "encodings": design.encodings,
            "config": design.config,
            **({"aggregates": design.aggregates} if design.aggregates else {}),
        },
        "field_metadata": design.field_metadata,
        "field_display_names": design.display_names,
    }


def _encode_pause(
    event: Clarification | RoundsExhausted | Explanation | Delegation,
) -> tuple[str, JsonObject]:
    match event:
        case Clarification(thought=thought, questions=questions):
            name = "clarify"
            fields: JsonObject = {"thought": thought, "questions": _encode_questions(questions)}
        case RoundsExhausted():
            name, fields = "clarify", {"thought": "", "questions": [_ask_how_to_continue(event)]}
        case Explanation(thought=thought):
            name = "explain"
            fields = {"thought": thought, "questions": [_encode_explanation(event)]}
        case Delegation(thought=thought, target=target, options=options, message=message):
            name = "delegate"
            fields = {"thought": thought, "target": target, "options": options}
            fields |= {"message": message} if message else {}
        case _:
            assert_never(event)
    steps = {"completed_step_count": event.completed_steps}
    return name, {"iteration": event.iteration, **fields, **steps}


def _encode_questions(questions: tuple[UserQuestion, ...]) -> list[JsonObject]:
    return [_encode_question(question) for question in questions]


def _encode_question(question: UserQuestion) -> JsonObject:
    encoded: JsonObject = {"text": question.text, "responseType": question.kind.value}
    if question.code:
        encoded["text_code"] = question.code
    if question.params is not None:
        encoded["text_params"] = question.params
    if question.options:
        encoded["options"] = [_encode_option(option) for option in question.options]
    return {**encoded, "required": question.required}


def _encode_option(option: QuestionOption) -> JsonObject:
    return {"label": option.label, **({"label_code": option.code} if option.code else {})}


def _encode_explanation(event: Explanation) -> JsonObject:
    kind = QuestionKind.SINGLE_CHOICE if event.follow_ups else QuestionKind.FREE_TEXT
    return _encode_question(UserQuestion(event.text, kind, event.follow_ups, required=False))


def _ask_how_to_continue(event: RoundsExhausted) -> JsonObject:
    codes = zip(event.options, _EXHAUSTED_OPTION_CODES, strict=True)
    question = UserQuestion(
        event.question,
        QuestionKind.SINGLE_CHOICE,
        tuple(QuestionOption(label, code) for label, code in codes),
        code=_EXHAUSTED_CODE,
        params={"steps": event.rounds},
    )
    return _encode_question(question)


def _encode_summary(event: AnalysisSummary) -> JsonObject:
    content: JsonObject = {"thought": event.thought} if event.thought else {}
    content["summary"] = event.text
    if event.limit_reached:
        content["summary_code"] = _LIMIT_CODE
    content["total_steps"] = event.total_steps
    status = "max_iterations" if event.limit_reached else "success"
    return {"iteration": event.iteration, "status": status, "content": content}
