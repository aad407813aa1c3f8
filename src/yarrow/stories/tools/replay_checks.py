"""Whether a turn may be answered again, given the effects of its tools and its state writes."""

from uuid import UUID

from yarrow.db import Database, Tx
from yarrow.ids import SessionId, TurnId
from yarrow.runs.model import ClaimedRun
from yarrow.stories.session_state import read_mutations
from yarrow.stories.tools import store
from yarrow.stories.tools.errors import ReplacedTurnChanged, ReplayRefused, ReplyNotRepeatable
from yarrow.stories.tools.replay_rules import ConfirmedEffects, find_refusal
from yarrow.stories.turn_input import TurnInput, TurnKind


async def require_replayable(
    tx: Tx, session_id: SessionId, turn_id: TurnId, confirmed: ConfirmedEffects
) -> None:
    """Raise `ReplayRefused` if answering the turn again would repeat effects that are not safe."""
    executions = await store.read_committed_calls(tx, turn_id)
    mutations = await read_mutations(tx, session_id, turn_id)
    if (refusal := find_refusal(executions, mutations, confirmed)) is not None:
        raise refusal


async def require_still_replayable(database: Database, run: ClaimedRun, turn: TurnInput) -> None:
    """Raise if the turn that a run replaces has unconfirmed effects now.

    They were checked before the run was accepted; while it waited for its branch, another one may
    have given the turn another reply.
    """
    replaced = run.turn_id if run.is_retry else run.replaces
    if turn.source_turn:
        replaced = TurnId(UUID(turn.source_turn))
    if replaced is None:
        return
    try:
        async with database.connection() as tx:
            await require_replayable(tx, run.session_id, replaced, turn.confirmed)
    except ReplayRefused:
        if turn.kind is TurnKind.RESPOND:
            raise ReplyNotRepeatable from None
        raise ReplacedTurnChanged from None
