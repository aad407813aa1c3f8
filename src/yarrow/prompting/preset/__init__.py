"""A SillyTavern chat-completion preset: what it asks for, and what of it we do not follow."""

from yarrow.prompting.preset.model import (
    Entry,
    InChat,
    Marker,
    NamesBehavior,
    Preset,
    PresetTexts,
    PromptIntent,
    Sampling,
)
from yarrow.prompting.preset.parse import parse_preset
from yarrow.prompting.preset.report import PresetReport, PresetWarning

__all__ = [
    "Entry",
    "InChat",
    "Marker",
    "NamesBehavior",
    "Preset",
    "PresetReport",
    "PresetTexts",
    "PresetWarning",
    "PromptIntent",
    "Sampling",
    "parse_preset",
]
