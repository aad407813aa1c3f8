"""From a body to a `RunRequest`: the workspace, the language, the model, and where to go on."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from msgspec import structs
from pydantic import SecretStr

from yarrow.agents.analyst.input import (
    AnalystInput,
    ChartGiven,
    SaidBefore,
    as_options,
)
from yarrow.errors import InvalidInput, Misconfigured
from yarrow.ids import AccountId, SessionId
from yarrow.kit.endpoint import read_address, read_key
from yarrow.kit.json import JsonObject, JsonValue, encode_canonical
from yarrow.llm.client_models import ClientModels
from yarrow.llm.model import ChatRole
from yarrow.protocols.ndjson.streams.checkpoint import Checkpoints, Pause
from yarrow.protocols.ndjson.streams.wire import (
    AskBody,
    ChartBody,
    ChatEntry,
    DataAgentBody,
    LoadingBody,
    ModelGiven,
    QuestionsBody,
    ReportBody,
    TableGiven,
)
from yarrow.runs.model import RunInput, RunRequest, SessionPolicy

MAX_CHART_ROWS = 1000
"""Rows of a chart that are kept with a request for a report about it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, in which workspace and language; and what intake needs to answer with."""

    account_id: AccountId
    workspace: str
    language: str
    request_id: str
    new_id: Callable[[], UUID]
    client_models: ClientModels
    server_model: str
    checkpoints: Checkpoints


def data_agent_request(body: DataAgentBody, asking: Asking) -> RunRequest:
    pause, said_before = _going_on(body, asking)
    if not body.user_question and not body.input_tables:
        raise InvalidInput("user_question or input_tables is required", field="user_question")
    given = AnalystInput(
        workspace=asking.workspace,
        tables=_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=asking.language,
        max_iterations=body.max_iterations,
        max_repairs=body.max_repair_attempts,
        completed_steps=body.completed_step_count if pause is None else 0,
        builds_on="" if pause is None else pause.run_key,
        exploration_rules=body.agent_exploration_rules,
        coding_rules=body.agent_coding_rules,
        focused_thread=_steps(body.focused_thread),
        other_threads=_steps(body.other_threads),
        images=_images(body.attached_images),
        said_before=said_before,
    )
    wanted = _request("analyst", body.user_question, given, asking=asking, model=body.model)
    if pause is None:
        return wanted
    return replace(wanted, session_id=pause.session_id, session_policy=SessionPolicy.MUST_EXIST)


def _going_on(body: DataAgentBody, asking: Asking) -> tuple[Pause | None, tuple[SaidBefore, ...]]:
    """The pause of a trajectory of ours, or what another server's trajectory says."""
    if body.trajectory is None:
        return None, ()
    if not body.user_question:
        raise InvalidInput("user_question is required to resume an analysis", field="user_question")
    pause = asking.checkpoints.pause_of(asking.account_id, body.trajectory)
    return pause, () if pause is not None else said_by_others(body.trajectory)


def said_by_others(trajectory: Sequence[JsonValue]) -> tuple[SaidBefore, ...]:
    """A conversation that another server began. Its instructions are not taken over, and of its
    tools only what they answered."""
    said = (_entry(entry) for entry in trajectory if isinstance(entry, dict))
    return tuple(entry for entry in said if entry is not None)


def _entry(entry: JsonObject) -> SaidBefore | None:
    text = _words(entry.get("content"))
    if not text:
        return None
    match entry.get("role"):
        case "assistant":
            return SaidBefore(ChatRole.ASSISTANT, text)
        case "user":
            return SaidBefore(ChatRole.USER, text)
        case "tool":
            return SaidBefore(ChatRole.USER, f"[TOOL RESULT]\n{text}")
        case _:
            return None


def _words(content: JsonValue) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def questions_request(body: QuestionsBody, asking: Asking) -> RunRequest:
    given = AnalystInput(
        workspace=asking.workspace,
        tables=_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=asking.language,
        exploration_rules=body.agent_exploration_rules,
        focused_thread=_steps(body.focused_thread),
        other_threads=_steps(body.other_threads),
        images=_images([body.current_chart]),
    )
    text = body.start_question
    return _request("analyst-questions", text, given, asking=asking, model=body.model)


def report_request(body: ReportBody, asking: Asking) -> RunRequest:
    given = AnalystInput(
        workspace=asking.workspace,
        tables=_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=asking.language,
        exploration_rules=body.agent_exploration_rules,
        charts=tuple(_chart(chart) for chart in body.charts),
    )
    return _request("analyst-report", body.user_prompt, given, asking=asking, model=body.model)


def loading_request(body: LoadingBody, asking: Asking) -> RunRequest:
    *before, last = body.messages
    given = AnalystInput(
        workspace=asking.workspace,
        language=asking.language,
        said_before=tuple(SaidBefore(_role(entry), _spoken(entry)) for entry in before),
        images=_images(_pictures(last)),
        row_limit=body.row_limit,
    )
    return _request("analyst-loader", _spoken(last), given, asking=asking, model=body.model)


def _steps(thread: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """What was done before, without its pictures: nobody looks at them again."""
    return tuple(
        {key: value for key, value in step.items() if key != "chart_thumbnail"}
        if isinstance(step, dict)
        else step
        for step in thread
    )


def _role(entry: ChatEntry) -> ChatRole:
    return ChatRole.ASSISTANT if entry.role == ChatRole.ASSISTANT.value else ChatRole.USER


def _chart(chart: ChartBody) -> ChartGiven:
    rows = chart.chart_data.get("rows")
    return ChartGiven(
        chart_id=chart.chart_id,
        chart_type=chart.chart_type,
        encodings=chart.encodings,
        table_ref=chart.table_ref,
        code=chart.code,
        rows=tuple(row for row in rows[:MAX_CHART_ROWS] if isinstance(row, dict))
        if isinstance(rows, list)
        else (),
    )


def _spoken(entry: ChatEntry) -> str:
    """What was said, and under it the files that came with it."""
    notes = [
        f"[file {note.get('name', '')} at {note.get('scratchPath', '')}]\n{note.get('preview', '')}"
        for note in entry.attachments
        if note.get("type") in ("file", "text_file")
    ]
    return "\n\n".join([entry.content, *notes]).strip()


def _pictures(entry: ChatEntry) -> list[str]:
    return [str(item.get("url", "")) for item in entry.attachments if item.get("type") == "image"]


def _images(given: Sequence[str]) -> tuple[str, ...]:
    """Only pictures that came along: no address is ever fetched."""
    return tuple(url for url in given if url.startswith("data:image/"))


def rows_given(body: AskBody) -> dict[str, list[JsonObject]]:
    """The tables that came with their rows."""
    return {table.name: table.rows for table in body.input_tables if table.rows}


def with_rows(wanted: RunRequest, files: Mapping[str, str]) -> RunRequest:
    """The same, with the files that hold the rows that came along."""
    if not files:
        return wanted
    options = {**wanted.input.options, "rows_put_down": dict(files)}
    return replace(wanted, input=structs.replace(wanted.input, options=options))


def _names(tables: Sequence[TableGiven]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table.name for table in tables))


def _request(
    agent: str, text: str, given: AnalystInput, *, asking: Asking, model: ModelGiven | None
) -> RunRequest:
    options = as_options(given)
    return RunRequest(
        account_id=asking.account_id,
        session_id=SessionId(asking.new_id()),
        key=str(asking.new_id()),
        agent=agent,
        input=RunInput(
            text=text,
            request_id=asking.request_id,
            model=_encrypt_model(model, asking.client_models),
            model_left_out=_is_left_out(model, asking.server_model),
            options=options,
        ),
        digest=hashlib.sha256(encode_canonical([agent, text, options])).digest(),
        session_policy=SessionPolicy.NEW,
    )


def _is_left_out(model: ModelGiven | None, server_model: str) -> bool:
    return model is not None and not model.api_base and model.model not in ("", server_model)


def _encrypt_model(model: ModelGiven | None, client_models: ClientModels) -> str:
    """A model that the client brings, with its key locked away; empty for the server's own."""
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
