"""Conditions beside the keys: who is speaking, what is asked, how far the chat has come."""

from yarrow.prompting.worldbook.found import Barrier
from yarrow.prompting.worldbook.model import BookSource, CharacterFilter, Decorator, Entry
from yarrow.prompting.worldbook.request import CutReason, ScanRequest
from yarrow.prompting.worldbook.timers import Effect, TimedEffects


def barrier(
    entry: Entry, source: BookSource, *, request: ScanRequest, timed: TimedEffects
) -> Barrier | None:
    """The first condition that the entry does not meet."""
    if entry.character_filter and not _admits(entry.character_filter, request):
        return Barrier(CutReason.CHARACTER_FILTER, f"not for {request.character_name}")
    if entry.intents and request.intent not in entry.intents:
        return Barrier(CutReason.INTENT, f"only for {', '.join(entry.intents)}")
    if request.chat_length < entry.delay:
        detail = f"from message {entry.delay} on, the chat has {request.chat_length}"
        return Barrier(CutReason.DELAY, detail)
    resting = timed.running(Effect.COOLDOWN, source, entry)
    if resting and not timed.running(Effect.STICKY, source, entry):
        return Barrier(CutReason.COOLDOWN, f"rests until message {resting.end}")
    if _forbidden(entry.decorators):
        return Barrier(CutReason.DECORATOR, Decorator.DONT_ACTIVATE.value)
    return None


def _forbidden(decorators: tuple[Decorator, ...]) -> bool:
    return Decorator.DONT_ACTIVATE in decorators and Decorator.ACTIVATE not in decorators


def _admits(wanted: CharacterFilter, request: ScanRequest) -> bool:
    """Names and tags are asked one after the other; both must agree."""
    if wanted.names and (request.character_name in wanted.names) is wanted.excludes:
        return False
    tags = {tag.casefold() for tag in request.character_tags}
    shared = not tags.isdisjoint(tag.casefold() for tag in wanted.tags)
    return not wanted.tags or shared is not wanted.excludes
