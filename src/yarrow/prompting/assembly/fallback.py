"""A prompt for a session without a preset: who the character and the user are, and the history."""

from yarrow.prompting.card import Card, Persona
from yarrow.prompting.preset import Entry, Marker, Preset, PresetReport
from yarrow.prompting.preset.model import MAIN

DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant. Answer in the language of the user."

_TRACK = (
    Marker.LORE_BEFORE,
    Marker.DESCRIPTION,
    Marker.PERSONALITY,
    Marker.PERSONA,
    Marker.LORE_AFTER,
    Marker.HISTORY,
)


def fallback_preset(card: Card | None, persona: Persona | None) -> Preset:
    """The preset of a session that has none; it says nothing about tokens."""
    known = [persona.description] if persona else []
    if card is not None:
        known += [card.description, card.personality]
    opening = () if any(text.strip() for text in known) else (_GENERIC,)
    markers = tuple(Entry(identifier=marker.value, marker=marker) for marker in _TRACK)
    return Preset(entries=(*opening, *markers), report=PresetReport())


_GENERIC = Entry(identifier=MAIN, content=DEFAULT_SYSTEM_PROMPT)
