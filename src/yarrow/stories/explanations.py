"""Read what a committed turn was made from: its stored prompt and its writes, never computed."""

from collections.abc import Sequence

from msgspec import Struct

from yarrow.db import Database
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.product_events.story import STORY_REPLY
from yarrow.sessions import branch_store
from yarrow.sessions.errors import TurnNotFound
from yarrow.sessions.model import MAIN_BRANCH, MessageVersion, TurnStatus, TurnView
from yarrow.stories import turn_state_store
from yarrow.stories.branch_names import require_branch_name
from yarrow.stories.errors import WrongState
from yarrow.stories.place_turns import find_source
from yarrow.stories.prompt_record import PromptRecord, decompress_record
from yarrow.stories.story_state import require_own_story
from yarrow.stories.timeline import read_turn
from yarrow.stories.turn_runs import NOT_COMMITTED
from yarrow.stories.turn_state import TurnState


class TurnExplanation(Struct, frozen=True):
    """A committed turn with the prompt and the state of its active reply, where they are known."""

    turn: TurnView
    record: PromptRecord | None
    state: TurnState | None

    @property
    def reply(self) -> MessageVersion | None:
        """The last active message that is no input."""
        active = [each for each in self.turn.versions if each.active and not each.is_input]
        return active[-1] if active else None

    @property
    def summaries(self) -> Sequence[str]:
        stored = None if self.reply is None else self.reply.details.products.get(STORY_REPLY)
        found = stored.get("summaries") if isinstance(stored, dict) else None
        return [str(each) for each in found] if isinstance(found, list) else []


async def explain_turn(
    database: Database,
    account_id: AccountId,
    turn_id: TurnId,
    *,
    session_id: SessionId | None = None,
) -> TurnExplanation:
    """Read the explanation of a committed turn, replaced or not; of one session, if it is named."""
    turn = await read_turn(database, account_id, turn_id)
    if session_id not in (None, turn.session_id):
        raise TurnNotFound(str(turn_id))
    if turn.status not in (TurnStatus.ANSWERED, TurnStatus.SUPERSEDED):
        raise WrongState(NOT_COMMITTED)
    async with database.connection() as tx:
        stored = await turn_state_store.find_prompt(tx, turn_id)
        state = await turn_state_store.find_state(tx, turn_id)
    return TurnExplanation(turn, None if stored is None else decompress_record(stored), state)


async def find_inspected_branch(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    *,
    branch: str | None,
    source: TurnId | None,
) -> tuple[str, TurnId | None]:
    """Find where the history of a turn ends that would be sent with this branch and source."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        if source is not None:
            return (await find_source(tx, session_id, source)).branch, source
        name = MAIN_BRANCH if branch is None else branch
        require_branch_name(name)
        is_known = bool(await branch_store.read_branches(tx, session_id, name))
        return (name if is_known else MAIN_BRANCH), None
