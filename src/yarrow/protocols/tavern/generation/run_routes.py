"""Routes of the runs of turns: read, follow, cancel."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from fastapi import APIRouter, Request, Response
from msgspec import Struct

from yarrow.http.auth import CurrentAccount
from yarrow.http.body import read_optional_body
from yarrow.http.openapi import describe_body
from yarrow.http.streaming import PING, EventStream, read_last_event_id
from yarrow.journal.events import UsageReported, Warned
from yarrow.kit.json import JsonObject
from yarrow.product_events.story import StoryReply
from yarrow.protocols.tavern import ids
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.generation.encode import TurnStream, encode_result
from yarrow.protocols.tavern.generation.progress import SCHEDULED, GenerationStatus, TurnProgress
from yarrow.protocols.tavern.generation.wire import CancelBody, TurnDebug
from yarrow.protocols.tavern.openapi import (
    CHAT,
    TURN_RESULT_SCHEMA,
    describe_success,
    make_router,
)
from yarrow.runs.cancel import cancel, finish_early
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.runs.model import RunRef
from yarrow.stories.place_turns import find_started_turn
from yarrow.stories.turn_runs import find_active_run, read_result, read_turn_run

BODY_LIMIT = 1024
NO_DEBUG = TurnDebug()
END_TIMEOUT_S = 5.0
"""How long a cancel waits for the end of the run; a worker that died takes longer to notice."""

_LAST_EVENT_ID: JsonObject = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"},
}


def make_run_router(engine: Engine, executions: Executions) -> APIRouter:
    router = make_router(CHAT)
    reader = TurnRunReader(engine)
    _add_reads(router, reader)
    _add_events(router, reader)
    _add_cancel(router, reader, executions)
    return router


class TurnRunReader(Struct, frozen=True):
    """Reads runs of turns as clients see them."""

    engine: Engine

    async def open(self, run: RunRef) -> TurnProgress:
        """The turn of a run, before any of its events."""
        turn = await find_started_turn(self.engine.database, run.id)
        return TurnProgress(turn, str(run.id))

    async def encode_present(self, run: RunRef) -> JsonObject:
        """The state of a run as its `run` frames show it."""
        progress = await self.open(run)
        events = await self.engine.journal.read_present(run.id)
        for each in events:
            progress.apply(each.event, each.at_ms)
        number = events[-1].number if events else 0
        if progress.status is GenerationStatus.COMPLETED:
            return progress.encode_run(number + 1, SCHEDULED)
        return progress.encode_run(number)

    async def stream(
        self, run: RunRef, progress: TurnProgress, *, after: int, is_resumed: bool
    ) -> AsyncGenerator[bytes, None]:
        """The frames of a run behind a number; `start` only for a new client."""
        stream = TurnStream(progress, NO_DEBUG, after=after)
        if not is_resumed:
            yield stream.encode_start()
        async for batch in self.engine.journal.follow(run.id, after=0):
            if not batch:
                yield PING
            elif frames := stream.encode_batch(batch):
                yield frames

    async def wait_for_end(self, run: RunRef) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(END_TIMEOUT_S):
                async for _ in self.engine.journal.follow(run.id, after=0):
                    pass


def _add_reads(router: APIRouter, reader: TurnRunReader) -> None:
    engine = reader.engine

    @router.get("/sessions/{id}/active-run", summary="The turn that is being generated, or null")
    async def show_active(
        id: str,  # noqa: A002
        account_id: CurrentAccount,
        branch_id: str | None = None,
    ) -> Response:
        session_id = ids.parse_session_id(id)
        run = await find_active_run(engine.database, account_id, session_id, branch=branch_id)
        return build_data(None if run is None else await reader.encode_present(run))

    @router.get("/floors/{id}/run", summary="The last run of a floor")
    async def show_run(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        run = await read_turn_run(engine.database, account_id, ids.parse_turn_id(id))
        return build_data(await reader.encode_present(run))

    @router.get(
        "/floors/{id}/result",
        summary="The result of a committed floor",
        responses=describe_success(TURN_RESULT_SCHEMA),
    )
    async def show_result(id: str, account_id: CurrentAccount) -> Response:  # noqa: A002
        stored = await read_result(engine.database, account_id, ids.parse_turn_id(id))
        progress = await reader.open(stored.run)
        progress.apply(StoryReply(stored.text, stored.summaries))
        progress.apply(UsageReported("", stored.usage.input_tokens, stored.usage.output_tokens))
        progress.usage = stored.usage
        progress.memory_mode = stored.memory_mode
        progress.warnings = [Warned(code, message) for code, message in stored.warnings]
        return build_data(encode_result(progress, NO_DEBUG))


def _add_events(router: APIRouter, reader: TurnRunReader) -> None:
    @router.get(
        "/floors/{id}/run/events",
        summary="Follow the last run of a floor; Last-Event-ID resumes",
        response_class=EventStream,
        status_code=200,
        openapi_extra={"parameters": [_LAST_EVENT_ID]},
    )
    async def follow_run(id: str, request: Request, account_id: CurrentAccount) -> Response:  # noqa: A002
        after = read_last_event_id(request)
        run = await read_turn_run(reader.engine.database, account_id, ids.parse_turn_id(id))
        is_resumed = "last-event-id" in request.headers
        progress = await reader.open(run)
        return EventStream(reader.stream(run, progress, after=after, is_resumed=is_resumed))


def _add_cancel(router: APIRouter, reader: TurnRunReader, executions: Executions) -> None:
    @router.post(
        "/floors/{id}/run/cancel",
        summary="Stop a turn; with `keep` its text so far is the reply",
        openapi_extra=describe_body(CancelBody),
    )
    async def cancel_run(id: str, request: Request, account_id: CurrentAccount) -> Response:  # noqa: A002
        body = await read_optional_body(CancelBody, request, limit=BODY_LIMIT)
        engine = reader.engine
        run = await read_turn_run(engine.database, account_id, ids.parse_turn_id(id))
        stop = finish_early if body.keep else cancel
        await stop(engine, executions, account_id, session_id=run.session_id, key=run.key)
        await reader.wait_for_end(run)
        return build_data(await reader.encode_present(run))
