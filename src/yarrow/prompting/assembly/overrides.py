"""What a card says in the place of a preset: its system prompt and its last word."""

import re
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from yarrow.prompting.card import Card
from yarrow.prompting.preset.model import JAILBREAK, MAIN, Entry

_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)


class Overridden(msgspec.Struct, frozen=True):
    """Entries with the card's texts in them, and the texts for which there was no entry."""

    entries: tuple[Entry, ...]
    system_prompt: str = ""
    post_history: str = ""


def override(entries: Sequence[Entry], card: Card | None) -> Overridden:
    """Put the card's texts into `main` and `jailbreak`, unless these forbid it.

    An entry that is switched off stays off, with the card's text in it.
    """
    if card is None:
        return Overridden(tuple(entries))
    texts = {
        MAIN: card.system_prompt,
        JAILBREAK: card.post_history,
    }
    present = {entry.identifier for entry in entries}
    return Overridden(
        entries=tuple(_overridden(entry, texts.get(entry.identifier, "")) for entry in entries),
        system_prompt="" if MAIN in present else with_original(card.system_prompt, ""),
        post_history="" if JAILBREAK in present else with_original(card.post_history, ""),
    )


def with_original(text: str, original: str) -> str:
    """The text with `{{original}}` filled in: once, as SillyTavern does; later ones are blank.

    Filled in before macros run, so that the original's own macros run in their place.
    """
    match = _ORIGINAL.search(text)
    if match is None:
        return text
    return text[: match.start()] + original + _ORIGINAL.sub("", text[match.end() :])


def _overridden(entry: Entry, text: str) -> Entry:
    if entry.forbids_overrides or not text.strip():
        return entry
    return replace(entry, content=with_original(text, entry.content))
