"""Where read-only macros have their values from."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from yarrow.kit.json import JsonValue
from yarrow.prompting.assembly.history import HistoryTurn, PromptTurns
from yarrow.prompting.assembly.inputs import AssemblyInput
from yarrow.prompting.assembly.layout import DEFAULT_SYSTEM_PROMPT
from yarrow.prompting.macros import has_macros
from yarrow.prompting.model import NAMELESS_USER, CharacterCard, PromptRole
from yarrow.prompting.preset import PresetEntry, PresetTexts
from yarrow.prompting.preset.model import JAILBREAK, MAIN, NSFW

Values = dict[str, str | None]
RESERVED = ("char", "user")
_LOOKBACK = 50
_NO_CARD = CharacterCard("")
_NO_TEXTS = PresetTexts(continue_nudge="")

_AUTHORED_NAMES = (
    "description",
    "personality",
    "scenario",
    "persona",
    "systemprompt",
    "charprompt",
    "charinstruction",
    "chardepthprompt",
    "mesexamples",
    "charauthorsnote",
    "authorsnote",
    "charfirstmessage",
)


class LazyMacroValues(Mapping[str, str | None]):
    """Values by name. A text an author wrote has its own macros run, once, when it is asked for:
    a description may name the character, and nobody may ask for it."""

    def __init__(self, values: Values, peek: Callable[[str, str], str]) -> None:
        self._values, self._peek = values, peek
        self._unread = {name for name in _AUTHORED_NAMES if has_macros(values.get(name) or "")}

    def __getitem__(self, name: str) -> str | None:
        if name in self._unread:
            self._unread.discard(name)
            self._values[name] = self._peek(self._values[name] or "", f"value:{name}")
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Asked for by every macro: without a detour through KeyError for names nobody has."""
        return self[name] if name in self._unread else self._values.get(name, default)

    def learn(self, values: Values) -> None:
        """Values that were not known before."""
        self._values.update(values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def speaker_names(given: AssemblyInput) -> Mapping[PromptRole, str]:
    """The two names; a stored variable stands in where there is no card or persona."""
    stored, cast = given.variables.stored, _asset_names(given)
    return {
        PromptRole.USER: cast[PromptRole.USER] or _stored_name(stored, "user") or NAMELESS_USER,
        PromptRole.ASSISTANT: cast[PromptRole.ASSISTANT] or _stored_name(stored, "char"),
    }


def _asset_names(given: AssemblyInput) -> Mapping[PromptRole, str]:
    """The names that card and persona give."""
    assets = given.assets
    return {
        PromptRole.USER: assets.persona.name if assets.persona else "",
        PromptRole.ASSISTANT: assets.card.name if assets.card else "",
    }


def find_reserved_collisions(given: AssemblyInput) -> tuple[str, ...]:
    """Stored variables that can never be read, because a name of the cast is in the way."""
    variables = given.variables
    scopes = (variables.local, variables.shared, variables.stored)
    return tuple(name for name in RESERVED if any(name in scope for scope in scopes))


def static_values(given: AssemblyInput, *, max_input: int) -> Values:
    """Values that do not depend on the history; None is an optional value nobody gave."""
    cast = _asset_names(given)
    return {
        "user": cast[PromptRole.USER] or None,
        "char": cast[PromptRole.ASSISTANT] or None,
        "notchar": speaker_names(given)[PromptRole.USER],
        **_card_values(given),
        **_session_values(given, max_input),
    }


def _card_values(given: AssemblyInput) -> Values:
    card, persona, preset = given.assets.card or _NO_CARD, given.assets.persona, given.assets.preset
    entries = _contents_by_identifier(preset.entries) if preset else {}
    texts = preset.texts if preset else _NO_TEXTS
    metadata = given.session.metadata
    depth_prompt = card.depth_prompt.text if card.depth_prompt else None
    return {
        "description": card.description,
        "personality": card.personality,
        "scenario": card.scenario,
        "persona": (persona.description if persona else None) or None,
        "systemprompt": _first_nonempty(
            _string_value(metadata, "systemPrompt"), entries.get(MAIN), card.system_prompt
        ),
        "defaultsystemprompt": DEFAULT_SYSTEM_PROMPT,
        "charprompt": _first_nonempty(card.system_prompt, entries.get(MAIN)),
        "charinstruction": _first_nonempty(
            card.post_history, texts.continue_nudge, texts.assistant_prefill
        ),
        "chardepthprompt": _first_nonempty(depth_prompt, card.post_history, texts.continue_nudge),
        "mesexamples": card.examples,
        "charauthorsnote": card.creator_notes or None,
        "charcreatornotes": card.creator_notes or None,
        "authorsnote": _first_nonempty(
            given.session.note.text, entries.get(JAILBREAK), entries.get(NSFW), card.creator_notes
        ),
        "defaultauthorsnote": given.session.note.text or None,
        "charversion": card.version,
        "charfirstmessage": card.first_message,
    }


def _session_values(given: AssemblyInput, max_input: int) -> Values:
    model, preset = given.model, given.assets.preset
    reply = model.max_output_tokens or (preset.reply_tokens if preset else None)
    context = model.context_tokens or (preset.context_tokens if preset else None)
    return {
        "model": _first_nonempty(model.name, _string_value(given.session.metadata, "model")),
        "runkind": given.surroundings.run_kind.value,
        "lastgenerationtype": given.surroundings.run_kind.value,
        "promptmode": given.mode.value,
        "maxprompt": str(max_input),
        "maxcontext": None if context is None else str(context),
        "maxresponse": None if reply is None else str(reply),
        "summary": given.memory_summary,
    }


def history_values(given: AssemblyInput, turns: PromptTurns) -> Values:
    """What was said last, and ids of messages; the current input is part of it."""
    said = [turn for turn in turns.all[-_LOOKBACK:] if turn.content.strip()]
    return {
        "lastmessage": said[-1].content if said else None,
        "lastusermessage": _last_text(said, PromptRole.USER),
        "lastcharmessage": _last_text(said, PromptRole.ASSISTANT),
        "input": turns.current.content,
        **_id_values(given, turns),
    }


def _id_values(given: AssemblyInput, turns: PromptTurns) -> Values:
    """SillyTavern's ids count messages from nought, its swipes count from one."""
    chat = given.chat
    newest = chat.message_count - (not given.message.text)
    return {
        "lastmessageid": _optional_text(newest if newest >= 0 else None),
        "firstincludedmessageid": _optional_text(_first_included(given, turns, newest)),
        "currentswipeid": _optional_text(chat.swipe),
        "lastswipeid": _optional_text(chat.swipe_count),
    }


def _first_included(given: AssemblyInput, turns: PromptTurns, newest: int) -> int | None:
    """Before the budget has cut anything: what it cuts depends on these very texts."""
    shown = next((id_ for turn in turns.all for id_ in turn.message_ids), None)
    for at, entry in enumerate(given.history):
        if shown is not None and entry.message_id == shown:
            return at if entry.number is None else entry.number
    return newest if newest >= 0 else None


def _optional_text(number: int | None) -> str | None:
    return None if number is None else str(number)


def text_to_continue(turns: PromptTurns) -> str:
    """What an answer is to go on from: the last answer, not the wish that it should go on."""
    for turn in reversed(turns.all):
        if turn.role is PromptRole.ASSISTANT and turn.content.strip():
            return turn.content
    return turns.current.content


def _last_text(turns: Sequence[HistoryTurn], role: PromptRole) -> str | None:
    return next((turn.content for turn in reversed(turns) if turn.role is role), None)


def _contents_by_identifier(entries: Sequence[PresetEntry]) -> dict[str, str]:
    return {entry.identifier: entry.content for entry in entries}


def _first_nonempty(*texts: str | None) -> str | None:
    return next((text for text in texts if text), None)


def _string_value(values: Mapping[str, JsonValue], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) else None


def _stored_name(stored: Mapping[str, JsonValue], name: str) -> str:
    return _string_value(stored, name) or ""
