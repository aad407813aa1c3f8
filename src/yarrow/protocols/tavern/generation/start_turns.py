"""Start turns and wait for them or stream them: what all generating routes share."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from datetime import timedelta
from functools import partial
from typing import TypeVar

from fastapi import Request, Response
from msgspec import Struct
from msgspec.structs import replace

from yarrow.agents.storyteller.agent import STORYTELLER
from yarrow.db.errors import DatabaseUnavailable
from yarrow.db.retry import retry_while_away
from yarrow.errors import Unavailable
from yarrow.http.client_connection import run_while_connected, watch_connection
from yarrow.http.idempotency import has_waiting_repeat
from yarrow.http.streaming import PING
from yarrow.journal.log import NumberedEvent
from yarrow.protocols.tavern.envelope import build_data
from yarrow.protocols.tavern.errors import CANCELLED_FAULT, COMMIT_BUSY, render_fault
from yarrow.protocols.tavern.generation.encode import TurnStream, encode_result
from yarrow.protocols.tavern.generation.intake import TurnCall, build_run_request
from yarrow.protocols.tavern.generation.progress import TurnProgress
from yarrow.protocols.tavern.generation.wire import TurnConfigBody, TurnDebug
from yarrow.runs.accept import accept, find_accepted
from yarrow.runs.branch_queue import POLL_S
from yarrow.runs.cancel import cancel
from yarrow.runs.disconnect import cancel_when_closed
from yarrow.runs.engine import Engine
from yarrow.runs.errors import BranchQueueTimeout, SessionBusy
from yarrow.runs.executions import Executions
from yarrow.runs.model import (
    BusyPolicy,
    DisconnectPolicy,
    QueueWhenBusy,
    RejectWhenBusy,
    RunRef,
    RunRequest,
)
from yarrow.sessions.run_targets import NewTurn, RunTarget
from yarrow.settings import QueueMode, Settings
from yarrow.stories.place_turns import TurnPlace, find_started_turn, release_place
from yarrow.stories.tools.permissions import ToolPermissions
from yarrow.stories.tools.toolbox import StoryToolbox, read_permissions
from yarrow.stories.turn_input import TurnInput
from yarrow.stories.turn_runs import restore_prompts

Placed = TypeVar("Placed")


class PreparedTurn(Struct, frozen=True):
    """A turn whose request was checked: its text, its options and where it is to be stored."""

    text: str
    input: TurnInput
    target: RunTarget
    place: TurnPlace | None = None
    """The branch that was made for it, if one was."""


class RunningTurn(Struct, frozen=True):
    """An accepted turn: its run, its progress, and which debug parts its result has."""

    run: RunRef
    progress: TurnProgress
    debug: TurnDebug


class TurnGeneration(Struct, frozen=True):
    """Starts turns and follows them to their end."""

    engine: Engine
    executions: Executions
    when_busy: BusyPolicy
    toolbox: StoryToolbox
    has_session_state: bool = True

    async def find_tools(self, call: TurnCall, config: TurnConfigBody) -> ToolPermissions | None:
        """Which tools the turn offers; raises if their catalogue is not valid."""
        if not config.enableTools:
            return None
        permissions = await read_permissions(self.engine.database, call.account_id, call.session_id)
        return permissions if self.toolbox.offer_tools(permissions) else None

    async def prepare_and_start(
        self,
        request: Request,
        call: TurnCall,
        prepare: Callable[[], Awaitable[PreparedTurn]],
        debug: TurnDebug,
    ) -> RunningTurn:
        """Prepare the turn and start it, or find the turn of a repeated call."""
        if call.is_keyed:
            repeated = build_run_request(
                call, "", TurnInput(), target=NewTurn(), when_busy=self.when_busy
            )
            if accepted := await find_accepted(self.engine, repeated):
                return await self.open(accepted.ref, debug)
        return await self.start(request, call, await prepare(), debug)

    async def wait_for_name(self, make_place: Callable[[], Awaitable[Placed]]) -> Placed:
        """Make a branch. One whose name a running turn waits for is busy like any other."""
        if isinstance(self.when_busy, RejectWhenBusy):
            return await make_place()
        timeout_s = self.when_busy.timeout_s
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while True:
                    with suppress(SessionBusy):
                        return await make_place()
                    await asyncio.sleep(POLL_S)
        raise BranchQueueTimeout("that makes the branch", timeout_s=timeout_s)

    async def start(
        self, request: Request, call: TurnCall, turn: PreparedTurn, debug: TurnDebug
    ) -> RunningTurn:
        """Accept the turn. While it waits for its branch, its client may leave."""
        if isinstance(self.when_busy, RejectWhenBusy):
            return await self._start_turn(call, turn, self.when_busy, debug)
        async with watch_connection(request) as has_left:
            when_busy = self.when_busy
            if call.on_disconnect is DisconnectPolicy.CANCEL:
                when_busy = replace(when_busy, has_left=has_left)
            return await self._start_turn(call, turn, when_busy, debug)

    async def _start_turn(
        self, call: TurnCall, turn: PreparedTurn, when_busy: BusyPolicy, debug: TurnDebug
    ) -> RunningTurn:
        run_request = build_run_request(
            call, turn.text, turn.input, target=turn.target, when_busy=when_busy
        )
        return await self.open(await self._accept_run(run_request, turn.place), debug)

    @property
    def _patience(self) -> timedelta | None:
        """How long the request of an accepted turn waits for a database that went away."""
        return self.engine.agent(STORYTELLER).spec.commit_timeout

    async def _accept_run(self, run_request: RunRequest, place: TurnPlace | None) -> RunRef:
        is_accepted = False
        try:
            accepted = await accept(self.engine, self.executions, run_request)
            is_accepted = True
        finally:
            if not is_accepted and place is not None:
                await release_place(self.engine.database, place)
        return accepted.ref

    async def open(self, run: RunRef, debug: TurnDebug) -> RunningTurn:
        """The turn of a run, before any of its events."""
        claimed = self.executions.find_run(run.session_id, run.key)
        find_turn = partial(find_started_turn, self.engine.database, run.id, claimed)
        turn = await retry_while_away(find_turn, self._patience)
        return RunningTurn(run, TurnProgress(turn, str(run.id)), debug)

    async def answer(self, request: Request, call: TurnCall, running: RunningTurn) -> Response:
        """The result as one response. When the client disconnects, the turn is cancelled, unless
        it continues or a repeated call waits for it."""
        progress, run = running.progress, running.run
        if not await run_while_connected(request, self._wait_for_run(running)):
            is_followed = call.is_keyed and self.engine.journal.is_followed(run.id)
            can_cancel = call.on_disconnect is DisconnectPolicy.CANCEL and not is_followed
            if can_cancel and not await has_waiting_repeat(request):
                await cancel(
                    self.engine,
                    self.executions,
                    call.account_id,
                    session_id=run.session_id,
                    key=run.key,
                )
            return render_fault(CANCELLED_FAULT)
        if not progress.has_ended:
            raise Unavailable("the server is stopping; the turn continues elsewhere")
        if progress.fault is not None:
            return render_fault(progress.fault)
        return build_data(encode_result(progress, running.debug))

    async def _wait_for_run(self, running: RunningTurn) -> bool:
        """Apply all events of the run."""
        async for batch in self._follow_run(running):
            for each in batch:
                running.progress.apply(each.event)
        return True

    def _follow_run(self, running: RunningTurn) -> AsyncGenerator[list[NumberedEvent], None]:
        run, patience = running.run, self._patience
        patience_s = None if patience is None else patience.total_seconds()
        events = self.engine.journal.follow(run.id, after=0, patience_s=patience_s)
        if not running.debug.shows_prompt:
            return events
        return restore_prompts(self.engine.database, run, running.progress.turn.turn_id, events)

    def stream(self, call: TurnCall, running: RunningTurn) -> AsyncGenerator[bytes, None]:
        """Frames of the turn, which is cancelled if the client disconnects before the last one,
        unless it continues or a repeated call of this process follows it."""
        frames = self._encode_frames(running)
        if call.on_disconnect is DisconnectPolicy.CONTINUE:
            return frames
        return cancel_when_closed(
            self.engine,
            self.executions,
            call.account_id,
            running.run,
            frames,
            unless_followed=call.is_keyed,
        )

    async def _encode_frames(self, running: RunningTurn) -> AsyncGenerator[bytes, None]:
        stream = TurnStream(running.progress, running.debug)
        yield stream.encode_start()
        try:
            async with aclosing(self._follow_run(running)) as batches:
                async for batch in batches:
                    if not batch:
                        yield PING
                    elif frames := stream.encode_batch(batch):
                        yield frames
        except DatabaseUnavailable:
            yield stream.encode_error(COMMIT_BUSY)


def choose_policy(settings: Settings) -> BusyPolicy:
    match settings.generation_queue:
        case QueueMode.REJECT:
            return RejectWhenBusy()
        case QueueMode.QUEUE:
            return QueueWhenBusy(settings.generation_queue_timeout_ms / 1000)
