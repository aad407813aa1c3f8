"""What a story gives an assembly."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from yarrow.ids import TurnId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.assembly import (
    AssemblyAssets,
    AssemblyInput,
    ChatFacts,
    CurrentInput,
    EntryRole,
    HistoryEntry,
    ModelFacts,
    PromptRuntime,
    SessionContext,
    StoredVariables,
    parse_authors_note,
)
from yarrow.prompting.model import CharacterCard, PromptMode
from yarrow.prompting.policy import PromptPolicy
from yarrow.sessions.model import Role
from yarrow.sessions.timeline.model import Utterance
from yarrow.stories.bindings.model import DEFAULT_MODE
from yarrow.stories.errors import SourceTurnNotFound
from yarrow.stories.model import Story
from yarrow.variables.model import Scope, ScopedVariables

_ROLES = {
    Role.USER: EntryRole.USER,
    Role.ASSISTANT: EntryRole.ASSISTANT,
    Role.SYSTEM: EntryRole.SYSTEM,
    Role.TOOL: EntryRole.SYSTEM,
}


def prompt_input(
    story: Story,
    said: Sequence[Utterance],
    *,
    message: CurrentInput,
    assets: AssemblyAssets,
    policy: PromptPolicy,
    runtime: PromptRuntime,
) -> AssemblyInput:
    """One prompt's material; `said` is the history up to where the prompt stands."""
    return AssemblyInput(
        message=message,
        runtime=runtime,
        assets=assets,
        history=_history(said),
        variables=_variables(story.variables),
        session=SessionContext(
            note=parse_authors_note(story.metadata),
            metadata=story.metadata,
            idle_since=_last_said(said),
            chat=_chat(said),
        ),
        policy=policy,
        mode=_mode(story),
        model=_model(story),
    )


def until(said: Sequence[Utterance], floor: TurnId | None) -> Sequence[Utterance]:
    """What was said up to a floor, that one included."""
    if floor is None:
        return said
    wanted = str(floor)
    places = [at for at, one in enumerate(said) if one.turn_id == wanted]
    if not places:
        raise SourceTurnNotFound(wanted)
    return said[: places[-1] + 1]


def _history(said: Sequence[Utterance]) -> list[HistoryEntry]:
    return [
        HistoryEntry(
            _ROLES[one.role],
            one.content,
            one.turn_id,
            one.message_id,
            one.floor_no,
            one.from_card,
            number,
        )
        for number, one in enumerate(said)
        if not one.hidden
    ]


def _chat(said: Sequence[Utterance]) -> ChatFacts:
    if not said:
        return ChatFacts(0)
    return ChatFacts(len(said), swipe=said[-1].page_no + 1, swipe_count=said[-1].page_count)


def _last_said(said: Sequence[Utterance]) -> datetime | None:
    last = next((one for one in reversed(said) if one.role is Role.USER), None)
    return None if last is None else datetime.fromtimestamp(last.said_at, UTC)


def _variables(scoped: ScopedVariables) -> StoredVariables:
    shared, chat, local = (scoped.of(s) for s in (Scope.GLOBAL, Scope.CHAT, Scope.BRANCH))
    return StoredVariables(local=local, shared=shared, stored=_merged(shared, chat, local))


def _merged(*layers: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for layer in layers for key, value in layer.items()}


def _mode(story: Story) -> PromptMode:
    """What the session chose, else what its metadata says, else the default."""
    if story.head.bindings.prompt_mode is not None:
        return story.head.bindings.prompt_mode
    told = story.metadata.get("promptMode")
    return PromptMode(told) if told in set(PromptMode) else DEFAULT_MODE


def _model(story: Story) -> ModelFacts:
    model = story.head.bindings.model
    params = model.get("params")
    given = params if isinstance(params, dict) else {}
    return ModelFacts(
        name=str(model.get("name") or ""),
        context_tokens=_count_of(given, "context_tokens"),
        max_output_tokens=_count_of(given, "max_output_tokens"),
    )


def _count_of(params: JsonObject, name: str) -> int | None:
    value = params.get(name)
    return value if isinstance(value, int) and value > 0 else None


LIGHT = 500
"""Messages, entries of books and entries of a preset that take a millisecond or two together."""
LIGHT_CHARACTERS = 200_000


def is_light(given: AssemblyInput) -> bool:
    """Whether a prompt is made sooner than a thread is found for it.

    Small, and without patterns: those are foreign programs, and belong into a thread.
    """
    assets = given.assets
    if assets.rules or any(book.late for book in assets.books):
        return False
    entries = () if assets.preset is None else assets.preset.entries
    lore = sum(len(book.plans) for book in assets.books)
    if lore + len(entries) + len(given.history) > LIGHT:
        return False
    texts = [*(entry.content for entry in entries), *(said.content for said in given.history)]
    written = sum(map(len, (given.message.text, *_card_texts(assets.card), *texts)))
    return written + sum(book.characters for book in assets.books) <= LIGHT_CHARACTERS


def _card_texts(card: CharacterCard | None) -> tuple[str, ...]:
    if card is None:
        return ()
    return (
        card.description,
        card.personality,
        card.scenario,
        card.examples,
        card.system_prompt,
        card.post_history,
    )
