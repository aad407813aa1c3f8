"""The values of read-only macros such as `{{char}}` and `{{lastMessage}}`."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from yarrow.kit.json import JsonMapping
from yarrow.prompting.assembly.history import PromptTurns
from yarrow.prompting.assembly.inputs import AssemblyInput, HistoryTurn
from yarrow.prompting.assembly.layout import DEFAULT_SYSTEM_PROMPT
from yarrow.prompting.formats.chats import CHARACTER_NAME, USER_NAME
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
    """Macro values by name. Macros inside an authored value are expanded on first access.

    A description may contain `{{char}}`, and most prompts never read most values.
    """

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
        """Called for every macro; avoids the KeyError that `Mapping.get` would raise and catch."""
        return self[name] if name in self._unread else self._values.get(name, default)

    def add_values(self, values: Values) -> None:
        """Add values that were not known at construction."""
        self._values.update(values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def find_speaker_names(inputs: AssemblyInput) -> Mapping[PromptRole, str]:
    """Return both names; without a card or persona a stored variable is used."""
    stored, names = inputs.variables.stored, _find_asset_names(inputs)
    return {
        PromptRole.USER: names[PromptRole.USER] or _read_string(stored, "user") or NAMELESS_USER,
        PromptRole.ASSISTANT: names[PromptRole.ASSISTANT] or _read_string(stored, "char") or "",
    }


def _find_asset_names(inputs: AssemblyInput) -> Mapping[PromptRole, str]:
    """Return the names of card and persona, else those of the chat file; empty if there is none."""
    assets, metadata = inputs.assets, inputs.session.metadata
    persona = assets.persona.name if assets.persona else ""
    card = assets.card.name if assets.card else ""
    return {
        PromptRole.USER: persona or _read_string(metadata, USER_NAME) or "",
        PromptRole.ASSISTANT: card or _read_string(metadata, CHARACTER_NAME) or "",
    }


def find_reserved_collisions(inputs: AssemblyInput) -> tuple[str, ...]:
    """Return the stored variables that are hidden by the macros `{{char}}` and `{{user}}`."""
    variables = inputs.variables
    scopes = (variables.local, variables.shared, variables.stored)
    return tuple(name for name in RESERVED if any(name in scope for scope in scopes))


def build_static_values(inputs: AssemblyInput, *, max_input: int) -> Values:
    """Return the values that do not depend on the history; None is a missing optional value."""
    names = _find_asset_names(inputs)
    return {
        "user": names[PromptRole.USER] or None,
        "char": names[PromptRole.ASSISTANT] or None,
        "notchar": find_speaker_names(inputs)[PromptRole.USER],
        **_build_card_values(inputs),
        **_build_session_values(inputs, max_input),
    }


def _build_card_values(inputs: AssemblyInput) -> Values:
    assets = inputs.assets
    card, persona, preset = assets.card or _NO_CARD, assets.persona, assets.preset
    entries = _index_contents(preset.entries) if preset else {}
    texts = preset.texts if preset else _NO_TEXTS
    metadata = inputs.session.metadata
    depth_prompt = card.depth_prompt.text if card.depth_prompt else None
    return {
        "description": card.description,
        "personality": card.personality,
        "scenario": card.scenario,
        "persona": (persona.description if persona else None) or None,
        "systemprompt": _find_first_nonempty(
            _read_string(metadata, "systemPrompt"), entries.get(MAIN), card.system_prompt
        ),
        "defaultsystemprompt": DEFAULT_SYSTEM_PROMPT,
        "charprompt": _find_first_nonempty(card.system_prompt, entries.get(MAIN)),
        "charinstruction": _find_first_nonempty(
            card.post_history, texts.continue_nudge, texts.assistant_prefill
        ),
        "chardepthprompt": _find_first_nonempty(
            depth_prompt, card.post_history, texts.continue_nudge
        ),
        "mesexamples": card.examples,
        "charauthorsnote": card.creator_notes or None,
        "charcreatornotes": card.creator_notes or None,
        "authorsnote": _find_first_nonempty(
            inputs.session.note.text, entries.get(JAILBREAK), entries.get(NSFW), card.creator_notes
        ),
        "defaultauthorsnote": inputs.session.note.text or None,
        "charversion": card.version,
        "charfirstmessage": card.first_message,
    }


def _build_session_values(inputs: AssemblyInput, max_input: int) -> Values:
    model, preset = inputs.model, inputs.assets.preset
    reply = model.max_output_tokens or (preset.reply_tokens if preset else None)
    context = model.context_tokens or (preset.context_tokens if preset else None)
    return {
        "model": _find_first_nonempty(model.name, _read_string(inputs.session.metadata, "model")),
        "runkind": inputs.runtime.run_kind.value,
        "lastgenerationtype": inputs.runtime.run_kind.value,
        "promptmode": inputs.mode.value,
        "maxprompt": str(max_input),
        "maxcontext": None if context is None else str(context),
        "maxresponse": None if reply is None else str(reply),
        "summary": inputs.memory_summary,
    }


def build_history_values(inputs: AssemblyInput, turns: PromptTurns) -> Values:
    """Return the last messages and message ids; the current input counts as a message."""
    messages = [turn for turn in turns.all[-_LOOKBACK:] if turn.content.strip()]
    return {
        "lastmessage": messages[-1].content if messages else None,
        "lastusermessage": _find_last_text(messages, PromptRole.USER),
        "lastcharmessage": _find_last_text(messages, PromptRole.ASSISTANT),
        "input": turns.current.content,
        **_build_id_values(inputs, turns),
    }


def _build_id_values(inputs: AssemblyInput, turns: PromptTurns) -> Values:
    """Return ids as SillyTavern counts: messages from 0, swipes from 1."""
    chat = inputs.chat
    newest = chat.message_count - (not inputs.message.text)
    return {
        "lastmessageid": _format_optional(newest if newest >= 0 else None),
        "firstincludedmessageid": _format_optional(_find_first_included(inputs, turns, newest)),
        "currentswipeid": _format_optional(chat.swipe),
        "lastswipeid": _format_optional(chat.swipe_count),
    }


def _find_first_included(inputs: AssemblyInput, turns: PromptTurns, newest: int) -> int | None:
    """Return the first message shown, before trimming: trimming depends on the expanded texts."""
    shown = next((id_ for turn in turns.all for id_ in turn.message_ids), None)
    for index, entry in enumerate(inputs.history):
        if shown is not None and entry.message_id == shown:
            return index if entry.number is None else entry.number
    return newest if newest >= 0 else None


def _format_optional(number: int | None) -> str | None:
    return None if number is None else str(number)


def find_text_to_continue(turns: PromptTurns) -> str:
    """Return the last answer: a continue intent extends it, not the user's request to continue."""
    for turn in reversed(turns.all):
        if turn.role is PromptRole.ASSISTANT and turn.content.strip():
            return turn.content
    return turns.current.content


def _find_last_text(turns: Sequence[HistoryTurn], role: PromptRole) -> str | None:
    return next((turn.content for turn in reversed(turns) if turn.role is role), None)


def _index_contents(entries: Sequence[PresetEntry]) -> dict[str, str]:
    return {entry.identifier: entry.content for entry in entries}


def _find_first_nonempty(*texts: str | None) -> str | None:
    return next((text for text in texts if text), None)


def _read_string(values: JsonMapping, name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) else None
