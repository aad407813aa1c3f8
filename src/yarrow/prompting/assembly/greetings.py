"""Greetings: what the card's author wrote at the beginning of a chat."""

from collections.abc import Sequence

from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import AssemblyInput
from yarrow.prompting.history import HistoryEntry
from yarrow.prompting.macros import MacroRun


def greeted(given: AssemblyInput, run: MacroRun) -> Sequence[HistoryEntry]:
    """The history with the macros of its greetings run; one of which nothing is left goes.

    As long as nobody has answered, a greeting's writes belong to the coming turn. Afterwards
    they were kept with the first one.
    """
    history = given.history
    authored = sum(entry.is_authored for entry in history)
    if not authored:
        return history
    is_past = authored < given.chat.message_count
    run_through = [
        _greeting(entry, run, is_past=is_past) if entry.is_authored else entry for entry in history
    ]
    return [entry for entry in run_through if entry.content or not entry.is_authored]


def _greeting(entry: HistoryEntry, run: MacroRun, *, is_past: bool) -> HistoryEntry:
    place = f"greeting:{entry.message_id}"
    return replace(entry, content=run.begin_with(entry.content, place=place, is_past=is_past))
