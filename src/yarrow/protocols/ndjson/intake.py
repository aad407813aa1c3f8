"""From a body to a `RunRequest`: the workspace, the language, the model, and where to go on."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from fastapi import Request

from yarrow.agents.analyst.input import (
    AnalystInput,
    ChartGiven,
    SaidBefore,
    as_options,
)
from yarrow.endpoint import read_address
from yarrow.errors import InvalidInput, Misconfigured
from yarrow.ids import AccountId, SessionId
from yarrow.json_values import JsonValue, encode_canonical
from yarrow.llm.brought import BroughtModels
from yarrow.protocols.ndjson.checkpoint import Checkpoints
from yarrow.protocols.ndjson.wire import (
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

WORKSPACE_HEADER = "X-Workspace-Id"
DEFAULT_WORKSPACE = "default"
MAX_WORKSPACE = 256


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, in which workspace and language; and what intake needs to answer with."""

    account_id: AccountId
    workspace: str
    language: str
    request_id: str
    new_id: Callable[[], UUID]
    brought: BroughtModels
    checkpoints: Checkpoints


def workspace_of(request: Request) -> str:
    """The client's name of its workspace; one without a name is the default one."""
    given = request.headers.get(WORKSPACE_HEADER, "").strip() or DEFAULT_WORKSPACE
    if len(given) > MAX_WORKSPACE or not given.isprintable():
        raise InvalidInput(
            f"{WORKSPACE_HEADER} must have at most {MAX_WORKSPACE} printable characters"
        )
    return given


def language_of(request: Request) -> str:
    """The first language the client accepts, without its region."""
    first = request.headers.get("accept-language", "").split(",")[0].split(";")[0]
    code = first.strip().split("-")[0].lower()
    return code if code.isascii() and code.isalpha() and len(code) <= 8 else ""


def data_agent_request(body: DataAgentBody, asking: Asking) -> RunRequest:
    session_id, said_before = _going_on(body, asking)
    given = AnalystInput(
        workspace=asking.workspace,
        tables=_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=asking.language,
        max_iterations=body.max_iterations,
        max_repairs=body.max_repair_attempts,
        completed_steps=body.completed_step_count,
        exploration_rules=body.agent_exploration_rules,
        coding_rules=body.agent_coding_rules,
        focused_thread=tuple(body.focused_thread),
        other_threads=tuple(body.other_threads),
        images=_images(body.attached_images),
        said_before=said_before,
    )
    if not body.user_question and not body.input_tables:
        raise InvalidInput("user_question or input_tables is required", field="user_question")
    return _request("analyst", body.user_question, given, asking, body.model, session_id)


def _going_on(
    body: DataAgentBody, asking: Asking
) -> tuple[SessionId | None, tuple[SaidBefore, ...]]:
    if body.trajectory is None:
        return None, ()
    if not body.user_question:
        raise InvalidInput("user_question is required to resume an analysis", field="user_question")
    session_id = asking.checkpoints.session_of(asking.account_id, body.trajectory)
    return session_id, () if session_id is not None else _raw(body.trajectory)


def _raw(trajectory: Sequence[JsonValue]) -> tuple[SaidBefore, ...]:
    """A conversation that another server began; its instructions are not taken over."""
    entries = [entry for entry in trajectory if isinstance(entry, dict)]
    return tuple(
        SaidBefore(str(entry["role"]), entry["content"])
        for entry in entries
        if entry.get("role") in ("user", "assistant") and isinstance(entry.get("content"), str)
    )


def questions_request(body: QuestionsBody, asking: Asking) -> RunRequest:
    given = AnalystInput(
        workspace=asking.workspace,
        tables=_names(body.input_tables),
        primary_tables=tuple(body.primary_tables),
        language=asking.language,
        exploration_rules=body.agent_exploration_rules,
        focused_thread=tuple(body.focused_thread),
        other_threads=tuple(body.other_threads),
        images=_images([body.current_chart] if body.current_chart else []),
    )
    return _request("analyst-questions", body.start_question, given, asking, body.model)


def report_request(body: ReportBody, asking: Asking) -> RunRequest:
    given = AnalystInput(
        workspace=asking.workspace,
        tables=_names(body.input_tables),
        language=asking.language,
        charts=tuple(_chart(chart) for chart in body.charts),
    )
    return _request("analyst-report", body.user_prompt, given, asking, body.model)


def loading_request(body: LoadingBody, asking: Asking) -> RunRequest:
    *before, last = body.messages
    given = AnalystInput(
        workspace=asking.workspace,
        language=asking.language,
        said_before=tuple(SaidBefore(entry.role, _spoken(entry)) for entry in before),
        images=_images(_pictures(last)),
        row_limit=body.row_limit,
    )
    return _request("analyst-loader", _spoken(last), given, asking, body.model)


def _chart(chart: ChartBody) -> ChartGiven:
    rows = (chart.chart_data or {}).get("rows")
    return ChartGiven(
        chart_id=chart.chart_id,
        chart_type=chart.chart_type,
        encodings=chart.encodings,
        table_ref=chart.table_ref,
        code=chart.code or "",
        rows=tuple(row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else (),
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


def _names(tables: Sequence[TableGiven]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table.name for table in tables))


def _request(
    agent: str,
    text: str,
    given: AnalystInput,
    asking: Asking,
    model: ModelGiven | None,
    session_id: SessionId | None = None,
) -> RunRequest:
    options = as_options(given)
    return RunRequest(
        account_id=asking.account_id,
        session_id=session_id or SessionId(asking.new_id()),
        key=str(asking.new_id()),
        agent=agent,
        input=RunInput(
            text=text,
            request_id=asking.request_id,
            model=_sealed(model, asking.brought),
            options=options,
        ),
        digest=hashlib.sha256(encode_canonical([agent, text, options])).digest(),
        session_policy=SessionPolicy.MUST_EXIST if session_id else SessionPolicy.CREATE,
    )


def _sealed(model: ModelGiven | None, brought: BroughtModels) -> str:
    if model is None or not model.api_base:
        return ""
    try:
        address = read_address(model.api_base, setting="model.api_base")
    except Misconfigured as unusable:
        raise InvalidInput(str(unusable), field="model.api_base") from None
    return brought.seal(
        base_url=address or "", model=model.model or "default", api_key=model.api_key or ""
    )
