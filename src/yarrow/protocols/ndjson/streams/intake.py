"""From the body of a stream to a `RunRequest`."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace
from pydantic import SecretStr

from yarrow.agents.analyst.input import (
    ROW_FILES,
    AnalystInput,
    ClientChart,
    ClientMessage,
    to_options,
)
from yarrow.errors import InvalidInput, Misconfigured
from yarrow.ids import AccountId, SessionId
from yarrow.kit.endpoint import read_address, read_key
from yarrow.kit.json import JsonObject, JsonValue, encode_canonical
from yarrow.llm.client_models import ClientModels
from yarrow.llm.model import ChatRole
from yarrow.protocols.ndjson.streams.trajectory import ResumePoint, TrajectorySigner
from yarrow.protocols.ndjson.streams.wire import (
    ChatEntry,
    DataAgentBody,
    InlineTable,
    LoadingBody,
    ModelChoice,
    QuestionsBody,
    ReportBody,
    ReportedChart,
    TablesBody,
)
from yarrow.runs.model import DisconnectPolicy, RunInput, RunRequest, SessionPolicy

MAX_CHART_ROWS = 1000
"""Rows of one chart that are stored with a request for a report."""


class StreamContext(Struct, frozen=True):
    """What intake needs beside the body."""

    account_id: AccountId
    workspace: str
    language: str
    request_id: str
    on_disconnect: DisconnectPolicy
    new_id: Callable[[], UUID]
    is_repeatable: bool
    """Ids are made from an `Idempotency-Key`: the session may exist."""
    client_models: ClientModels
    server_model: str
    signer: TrajectorySigner


def build_analyst_request(body: DataAgentBody, context: StreamContext) -> RunRequest:
    start, client_messages = _find_start(body, context)
    if not body.user_question and not body.input_tables:
        raise InvalidInput("user_question or input_tables is required", field="user_question")
    analyst_input = AnalystInput(
        workspace=context.workspace,
        tables=_list_table_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=context.language,
        max_iterations=body.max_iterations,
        max_repairs=body.max_repair_attempts,
        completed_steps=body.completed_step_count if start is None else 0,
        client_steps=0 if start is None else body.completed_step_count,
        builds_on="" if start is None else start.run_key,
        exploration_rules=body.agent_exploration_rules,
        coding_rules=body.agent_coding_rules,
        focused_thread=_cut_thumbnails(body.focused_thread),
        other_threads=_cut_thumbnails(body.other_threads),
        images=_keep_inline_images(body.attached_images),
        client_messages=client_messages,
    )
    request = _build_request(
        "analyst", body.user_question, analyst_input, context=context, model=body.model
    )
    if start is None:
        return request
    return replace(request, session_id=start.session_id, session_policy=SessionPolicy.MUST_EXIST)


def _find_start(
    body: DataAgentBody, context: StreamContext
) -> tuple[ResumePoint | None, tuple[ClientMessage, ...]]:
    """Where to resume: a point signed by this server, or the messages of a foreign trajectory."""
    if body.trajectory is None:
        return None, ()
    if not body.user_question:
        raise InvalidInput("user_question is required to resume an analysis", field="user_question")
    point = context.signer.find_resume_point(context.account_id, body.trajectory)
    return point, () if point is not None else read_foreign_trajectory(body.trajectory)


def read_foreign_trajectory(trajectory: Sequence[JsonValue]) -> tuple[ClientMessage, ...]:
    """The messages of a conversation that another server began. System messages are dropped, and
    of tool calls only the results are read."""
    entries = (_read_entry(entry) for entry in trajectory if isinstance(entry, dict))
    return tuple(entry for entry in entries if entry is not None)


def _read_entry(entry: JsonObject) -> ClientMessage | None:
    text = _read_text(entry.get("content"))
    if not text:
        return None
    match entry.get("role"):
        case "assistant":
            return ClientMessage(ChatRole.ASSISTANT, text)
        case "user":
            return ClientMessage(ChatRole.USER, text)
        case "tool":
            return ClientMessage(ChatRole.USER, f"[TOOL RESULT]\n{text}")
        case _:
            return None


def _read_text(content: JsonValue) -> str:
    """The text of a message; content may be a list of parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def build_questions_request(body: QuestionsBody, context: StreamContext) -> RunRequest:
    analyst_input = AnalystInput(
        workspace=context.workspace,
        tables=_list_table_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=context.language,
        exploration_rules=body.agent_exploration_rules,
        focused_thread=_cut_thumbnails(body.focused_thread),
        other_threads=_cut_thumbnails(body.other_threads),
        images=_keep_inline_images([body.current_chart]),
    )
    text = body.start_question
    return _build_request(
        "analyst-questions", text, analyst_input, context=context, model=body.model
    )


def build_report_request(body: ReportBody, context: StreamContext) -> RunRequest:
    analyst_input = AnalystInput(
        workspace=context.workspace,
        tables=_list_table_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=context.language,
        exploration_rules=body.agent_exploration_rules,
        charts=tuple(_read_chart(chart) for chart in body.charts),
    )
    return _build_request(
        "analyst-report", body.user_prompt, analyst_input, context=context, model=body.model
    )


def build_loading_request(body: LoadingBody, context: StreamContext) -> RunRequest:
    *before, last = body.messages
    analyst_input = AnalystInput(
        workspace=context.workspace,
        language=context.language,
        client_messages=tuple(
            ClientMessage(_read_role(entry), _add_file_notes(entry)) for entry in before
        ),
        images=_keep_inline_images(_find_image_urls(last)),
        row_limit=body.row_limit,
    )
    return _build_request(
        "analyst-loader", _add_file_notes(last), analyst_input, context=context, model=body.model
    )


def _cut_thumbnails(thread: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Earlier steps without their thumbnails, which no model gets."""
    return tuple(
        {key: value for key, value in step.items() if key != "chart_thumbnail"}
        if isinstance(step, dict)
        else step
        for step in thread
    )


def _read_role(entry: ChatEntry) -> ChatRole:
    return ChatRole.ASSISTANT if entry.role == ChatRole.ASSISTANT.value else ChatRole.USER


def _read_chart(chart: ReportedChart) -> ClientChart:
    rows = chart.chart_data.get("rows")
    return ClientChart(
        chart_id=chart.chart_id,
        chart_type=chart.chart_type,
        encodings=chart.encodings,
        table_ref=chart.table_ref,
        code=chart.code,
        rows=tuple(row for row in rows[:MAX_CHART_ROWS] if isinstance(row, dict))
        if isinstance(rows, list)
        else (),
    )


def _add_file_notes(entry: ChatEntry) -> str:
    """The message, followed by a note for each attached file."""
    notes = [
        f"[file {note.get('name', '')} at {note.get('scratchPath', '')}]\n{note.get('preview', '')}"
        for note in entry.attachments
        if note.get("type") in ("file", "text_file")
    ]
    return "\n\n".join([entry.content, *notes]).strip()


def _find_image_urls(entry: ChatEntry) -> list[str]:
    return [str(item.get("url", "")) for item in entry.attachments if item.get("type") == "image"]


def _keep_inline_images(urls: Sequence[str]) -> tuple[str, ...]:
    """Only `data:` URLs: no other URL is ever fetched."""
    return tuple(url for url in urls if url.startswith("data:image/"))


def collect_inline_rows(body: TablesBody) -> dict[str, list[JsonObject]]:
    """Rows by table name, of the tables that were sent with rows."""
    return {table.name: table.rows for table in body.input_tables if table.rows}


def add_row_files(request: RunRequest, files: Mapping[str, str]) -> RunRequest:
    """The request with the names of the files that hold inline rows."""
    if not files:
        return request
    options = {**request.input.options, ROW_FILES: dict(files)}
    return replace(request, input=replace(request.input, options=options))


def _list_table_names(tables: Sequence[InlineTable]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table.name for table in tables))


def _build_request(
    agent: str,
    text: str,
    analyst_input: AnalystInput,
    *,
    context: StreamContext,
    model: ModelChoice | None,
) -> RunRequest:
    options = to_options(analyst_input)
    return RunRequest(
        account_id=context.account_id,
        session_id=SessionId(context.new_id()),
        key=str(context.new_id()),
        agent=agent,
        input=RunInput(
            text=text,
            request_id=context.request_id,
            model=_encrypt_model(model, context.client_models),
            model_left_out=_is_unknown_model(model, context.server_model),
            options=options,
        ),
        digest=hashlib.sha256(encode_canonical([agent, text, options])).digest(),
        session_policy=SessionPolicy.CREATE if context.is_repeatable else SessionPolicy.NEW,
        on_disconnect=context.on_disconnect,
    )


def _is_unknown_model(model: ModelChoice | None, server_model: str) -> bool:
    return model is not None and not model.api_base and model.model not in ("", server_model)


def _encrypt_model(model: ModelChoice | None, client_models: ClientModels) -> str:
    """The client's own model with its key encrypted; empty for the server's model."""
    if model is None or not model.api_base:
        return ""
    try:
        address = read_address(model.api_base, setting="model.api_base")
        key = read_key(SecretStr(model.api_key), setting="model.api_key")
    except Misconfigured as unusable:
        raise InvalidInput(str(unusable), field="model") from None
    return client_models.encrypt(
        base_url=address or "", model=model.model or "default", api_key=key
    )
