"""Accept a run: transaction 1. After it, the run happens, whatever dies."""

from datetime import timedelta

import asyncpg

from yarrow.attachments import store as attachments
from yarrow.db import Tx
from yarrow.errors import InvalidInput, SessionBusy
from yarrow.ids import MessageId, RunId, TurnId
from yarrow.kit.telemetry import span
from yarrow.points import store as points
from yarrow.runs import store, transitions
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Slots
from yarrow.runs.model import AcceptedRun, ClaimedRun, RunRequest, SessionPolicy
from yarrow.runs.rules import NOTHING_KNOWN, SessionFacts, prior_answer, require_startable
from yarrow.runs.transitions import Begun
from yarrow.sessions.model import MessageDetails, MessageImage, MessageToolResult, OpenTurn, Role
from yarrow.sessions.rules import title_of

TRIES = 5


async def accept(engine: Engine, slots: Slots, request: RunRequest) -> AcceptedRun:
    """Take the request once, however often it is sent, and start it here if a slot is free.

    Two requests that race for one session meet at a unique index; the loser looks again and
    finds what the winner left.
    """
    with span("run.accept", session_id=request.session_id, agent=request.agent):
        for _ in range(TRIES):
            began = engine.clock()
            with slots.reserved() as due:
                try:
                    answer = await _try(engine, request, due)
                except asyncpg.UniqueViolationError:
                    continue
            match answer:
                case AcceptedRun():
                    return answer
                case Begun():
                    # After that time its job may have led a worker to it: then it is claimed anew.
                    is_late = engine.clock() >= began + due
                    await _start(
                        engine, slots, answer.accepted, None if is_late else answer.claimed
                    )
                    return answer.accepted
    raise SessionBusy(request.key)


async def _try(engine: Engine, request: RunRequest, due: timedelta) -> AcceptedRun | Begun | None:
    """The answer that was given before, or a new run; None if the session changed meanwhile.

    A run that can start here is claimed as it is stored. If this process dies before it does,
    the job finds a silent worker's run, as after any other claim.
    """
    agent = engine.agent(request.agent)
    facts = await _facts(engine, request)
    if (answer := prior_answer(request, facts)) is not None:
        return answer
    require_startable(facts, agent.spec)
    turn, price = _open_turn(engine, request), engine.price(agent)
    run_id = RunId(engine.new_id())
    database, one_statement = engine.database, price == 0 and not request.input.images
    async with database.connection() if one_statement else database.transaction() as tx:
        begun = await transitions.begin(
            tx,
            run_id,
            request,
            turn=turn,
            price=price,
            due=due,
            worker_id=engine.worker_id if due else None,
        )
        if begun is not None:
            await _use_images(tx, request, turn)
            await points.hold(tx, request.account_id, price)
    return begun


async def _start(
    engine: Engine, slots: Slots, accepted: AcceptedRun, claimed: ClaimedRun | None
) -> None:
    if slots.has(accepted.id):
        return
    if slots.start(accepted.id, claimed):
        engine.journal.expect(accepted.id)
    elif claimed is not None:
        await _hand_back(engine, claimed)


async def _hand_back(engine: Engine, claimed: ClaimedRun) -> None:
    """This process began to stop while the run was being stored: let another one have it."""
    async with engine.database.transaction() as tx:
        await store.hand_back(tx, claimed)


async def _facts(engine: Engine, request: RunRequest) -> SessionFacts:
    if request.session_policy is SessionPolicy.NEW:
        return NOTHING_KNOWN
    async with engine.database.connection() as tx:
        return await store.read_facts(tx, request)


async def _use_images(tx: Tx, request: RunRequest, turn: OpenTurn) -> None:
    """From now on the pictures are the message's; one that was swept meanwhile stops the run."""
    paths = {image.path for image in request.input.images}
    if not paths:
        return
    used = await attachments.use(tx, request.account_id, sorted(paths), message_id=turn.message_id)
    if used < len(paths):
        raise InvalidInput("an attached image no longer exists; upload it again")


def _open_turn(engine: Engine, request: RunRequest) -> OpenTurn:
    results = request.input.tool_results
    return OpenTurn(
        account_id=request.account_id,
        session_id=request.session_id,
        turn_id=TurnId(engine.new_id()),
        message_id=MessageId(engine.new_id()),
        role=Role.USER if request.input.text or not results else Role.TOOL,
        text=request.input.text or "\n".join(result.content for result in results),
        details=MessageDetails(
            run_key=request.key,
            images=tuple(MessageImage(i.path, i.mime_type) for i in request.input.images),
            options=request.input.options,
            tool_results=tuple(MessageToolResult(r.call_id, r.content) for r in results),
        ),
        title=title_of(request.input.text),
        visibility=engine.agent(request.agent).spec.visibility,
    )
