"""SillyTavern's chat-completion presets: parsed, with a report of what is not supported."""

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
