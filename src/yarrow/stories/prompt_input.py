"""Convert the state of a story into the input of a prompt assembly."""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from yarrow.ids import TurnId
from yarrow.kit.json import JsonMapping, JsonObject, JsonValue
from yarrow.prompting.assembly import (
    AssemblyAssets,
    AssemblyInput,
    ChatFacts,
    CurrentInput,
    ModelFacts,
    PromptRuntime,
    SessionContext,
    StoredVariables,
    apply_chat_overrides,
    parse_authors_note,
)
from yarrow.prompting.model import CharacterCard, PromptMode, PromptRole
from yarrow.prompting.policy import PromptPolicy
from yarrow.prompting.worldbook import timers_from_json
from yarrow.stories.errors import SourceTurnNotFound
from yarrow.stories.model import DEFAULT_MODE, HistoryMessage, StoryState
from yarrow.variables.model import Scope, ScopedVariables


def make_prompt_input(
    state: StoryState,
    *,
    message: CurrentInput,
    assets: AssemblyAssets,
    policy: PromptPolicy,
    runtime: PromptRuntime,
) -> AssemblyInput:
    """Collect the input of one prompt; the state's history ends where the prompt continues."""
    history = state.history
    if assets.card is not None:
        assets = replace(assets, card=apply_chat_overrides(assets.card, state.metadata))
    return AssemblyInput(
        message=message,
        runtime=runtime,
        assets=assets,
        history=_select_shown(history),
        variables=_merge_variables(state.variables),
        session=SessionContext(
            note=parse_authors_note(state.metadata),
            memories=[memory.to_entry() for memory in state.list_memories()],
            metadata=state.metadata,
            lore_timers=timers_from_json(state.timers),
            idle_since=_find_last_input(history),
            chat=_build_chat_facts(history),
        ),
        policy=policy,
        mode=_choose_mode(state),
        model=_read_model(state),
    )


def cut_history(history: Sequence[HistoryMessage], last_turn: TurnId) -> Sequence[HistoryMessage]:
    """Drop all messages after a turn."""
    turn_id = str(last_turn)
    indexes = [index for index, message in enumerate(history) if message.turn_id == turn_id]
    if not indexes:
        raise SourceTurnNotFound(turn_id)
    return history[: indexes[-1] + 1]


def cut_history_at_turn(
    history: Sequence[HistoryMessage], turn_id: TurnId
) -> Sequence[HistoryMessage]:
    """Drop a turn and all messages after it."""
    text = str(turn_id)
    first = next((index for index, each in enumerate(history) if each.turn_id == text), None)
    return history if first is None else history[:first]


def _select_shown(history: Sequence[HistoryMessage]) -> Sequence[HistoryMessage]:
    shown = [message for message in history if not message.hidden]
    return history if len(shown) == len(history) else shown


def _build_chat_facts(history: Sequence[HistoryMessage]) -> ChatFacts:
    if not history:
        return ChatFacts(0)
    last = history[-1]
    return ChatFacts(len(history), swipe=last.version_number + 1, swipe_count=last.version_count)


def _find_last_input(history: Sequence[HistoryMessage]) -> datetime | None:
    last = next((message for message in reversed(history) if message.role is PromptRole.USER), None)
    return None if last is None else datetime.fromtimestamp(last.created_s, UTC)


def _merge_variables(scoped: ScopedVariables) -> StoredVariables:
    shared, chat, local = (scoped.get(s) for s in (Scope.GLOBAL, Scope.CHAT, Scope.BRANCH))
    return StoredVariables(local=local, shared=shared, stored=_merge_layers(shared, chat, local))


def _merge_layers(*layers: JsonMapping) -> dict[str, JsonValue]:
    return {key: value for layer in layers for key, value in layer.items()}


def _choose_mode(state: StoryState) -> PromptMode:
    """Take the session's mode, else `promptMode` of its metadata, else the default."""
    if state.session.bindings.prompt_mode is not None:
        return state.session.bindings.prompt_mode
    name = state.metadata.get("promptMode")
    return PromptMode(name) if name in set(PromptMode) else DEFAULT_MODE


def _read_model(state: StoryState) -> ModelFacts:
    model = state.session.bindings.model
    stored = model.get("params")
    params = stored if isinstance(stored, dict) else {}
    return ModelFacts(
        name=str(model.get("name") or ""),
        context_tokens=_read_positive(params, "context_tokens"),
        max_output_tokens=_read_positive(params, "max_output_tokens"),
    )


def _read_positive(params: JsonObject, name: str) -> int | None:
    value = params.get(name)
    return value if isinstance(value, int) and value > 0 else None


SMALL_ITEMS = 500
"""Messages, worldbook entries and preset entries that are assembled in one or two milliseconds."""
SMALL_CHARACTERS = 200_000


def is_small(material: AssemblyInput) -> bool:
    """Whether assembling takes less time than handing it to a thread.

    Input with regexes never is: they are foreign programs and can block the event loop.
    """
    assets = material.assets
    if assets.rules or any(book.deferred for book in assets.books):
        return False
    entries = () if assets.preset is None else assets.preset.entries
    book_entries = sum(len(book.plans) for book in assets.books)
    if book_entries + len(entries) + len(material.history) > SMALL_ITEMS:
        return False
    texts = [*(entry.content for entry in entries), *(entry.content for entry in material.history)]
    characters = sum(map(len, (material.message.text, *_list_card_texts(assets.card), *texts)))
    return characters + sum(book.characters for book in assets.books) <= SMALL_CHARACTERS


def _list_card_texts(card: CharacterCard | None) -> tuple[str, ...]:
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
