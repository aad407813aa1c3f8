"""A SillyTavern chat-completion preset: what it asks for, and what of it we do not follow."""

from yarrow.prompting.preset.model import (
    ChatPosition,
    NamesBehavior,
    Preset,
    PresetEntry,
    PresetMarker,
    PresetTexts,
    PromptIntent,
    SamplingParameters,
)
from yarrow.prompting.preset.parse import parse_preset
from yarrow.prompting.preset.report import PresetReport, PresetWarning

__all__ = [
    "ChatPosition",
    "NamesBehavior",
    "Preset",
    "PresetEntry",
    "PresetMarker",
    "PresetReport",
    "PresetTexts",
    "PresetWarning",
    "PromptIntent",
    "SamplingParameters",
    "parse_preset",
]
