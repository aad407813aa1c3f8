"""Keep the lines of an imported turn beside the reply that a replacement answers again."""

from collections.abc import Iterable, Sequence

from yarrow.db import Tx
from yarrow.ids import MessageId, TurnId, new_uuid
from yarrow.runs.model import ClaimedRun
from yarrow.sessions import supersede_store, turn_store
from yarrow.sessions.model import MessageVersion
from yarrow.stories.chat_lines import list_slots


async def copy_lines(tx: Tx, run: ClaimedRun, source: TurnId) -> None:
    """Copy the lines of the replaced turn that are not answered again, such as those of other
    characters; the new answer has the place and the speaker of the reply it stands for."""
    view = await turn_store.read_turn(tx, source)
    assert view is not None
    answered = await supersede_store.find_answers(tx, source)
    slots = [slot for slot in list_slots(view) if not slot[0].is_input]
    place = max((n for n, slot in enumerate(slots) if _has_any(slot, answered)), default=len(slots))
    kept = [slot for slot in slots if not _has_any(slot, answered)]
    speaker = slots[place][0].details.speaker if place < len(slots) else ""
    if not kept and not speaker:
        return
    before = [slot for slot in slots[:place] if not _has_any(slot, answered)]
    await supersede_store.copy_lines(
        tx,
        run.session_id,
        run.turn_id,
        copies={version.id: MessageId(new_uuid()) for slot in kept for version in slot},
        before_answer=sum(map(len, before)),
        speaker=speaker,
    )


def _has_any(slot: Sequence[MessageVersion], ids: Iterable[MessageId]) -> bool:
    return any(version.id in ids for version in slot)
