"""Who says the lines of a story, and the name macros of its greetings."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from yarrow.kit.json import JsonObject
from yarrow.product_events.story import CHARACTER, PROMPT_SENT, USER
from yarrow.prompting.formats.chats import DEFAULT_CHARACTER
from yarrow.sessions.model import MessageVersion, Role, TurnView
from yarrow.stories.model import StoryNames

_NAME = re.compile(
    r"\{\{\s*(?P<braced>user|char)\s*\}\}|<(?P<angled>user|bot|char)>", re.IGNORECASE
)


def insert_names(text: str, names: StoryNames) -> str:
    """Replace the name macros; `{{char}}` stays as it is while no character is bound."""
    if "{{" not in text and "<" not in text:
        return text

    def replace_name(match: re.Match[str]) -> str:
        macro = (match["braced"] or match["angled"]).lower()
        name = names.user if macro == USER else names.character
        return match[0] if name is None else name

    return _NAME.sub(replace_name, text)


def name_turns(turns: Sequence[TurnView], names: StoryNames) -> tuple[TurnView, ...]:
    """Name the speakers of the turns' lines; `names` are the present ones."""
    return tuple(name_lines(turn, names) for turn in turns)


def name_lines(turn: TurnView, names: StoryNames) -> TurnView:
    """Give each line the name of its speaker, and insert the present names into greetings.

    A line of an imported chat has its own name, one of a turn that was generated here that of the
    time of the turn, and all others the present one. Alternatives have the name of the first.
    """
    prompts = [_read_stored_names(version) for version in turn.versions]
    user = next((str(each[USER]) for each in prompts if USER in each), names.user)
    speakers = {
        version.id: version.details.speaker or _find_speaker(version, prompt, user, names)
        for version, prompt in zip(turn.versions, prompts, strict=True)
    }
    return replace(
        turn,
        versions=tuple(
            _name_version(each, names, speaker=speakers.get(each.slot_id) or speakers[each.id])
            for each in turn.versions
        ),
    )


def _find_speaker(version: MessageVersion, prompt: JsonObject, user: str, names: StoryNames) -> str:
    """The name of a line that has none; a narrator has none either."""
    if version.is_input:
        return user
    if version.role is not Role.ASSISTANT or version.details.is_narrator:
        return ""
    return str(prompt.get(CHARACTER) or names.character or DEFAULT_CHARACTER)


def _read_stored_names(version: MessageVersion) -> JsonObject:
    """The names that were stored with the prompt of a reply, by their keys."""
    stored = version.details.products.get(PROMPT_SENT)
    return stored if isinstance(stored, dict) else {}


def _name_version(version: MessageVersion, names: StoryNames, *, speaker: str) -> MessageVersion:
    content = version.content
    return replace(
        version,
        content=insert_names(content, names) if version.details.greeting else content,
        details=replace(version.details, speaker=speaker),
    )
