"""The schema of a reading, and the parsing of one that a model wrote."""

from typing import Annotated

import msgspec
from msgspec import Struct

from yarrow.agents.conversation.json_text import find_objects
from yarrow.kit.json import JsonObject
from yarrow.liuyao import SignLevel

_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
_Texts = Annotated[list[_Text], msgspec.Meta(min_length=1, max_length=8)]

_LINE: JsonObject = {"type": "string", "minLength": 1, "maxLength": 2_000}
_LISTS: JsonObject = {"type": "array", "items": _LINE, "minItems": 1, "maxItems": 8}

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "sign_level": {"type": "string", "enum": [level.value for level in SignLevel]},
        "sign_level_reason": {"type": "string"},
        "conclusion": _LISTS,
        "focus_points": _LISTS,
        "advice": _LISTS,
        "keywords": _LISTS,
        "answer": _LINE,
    },
    "required": ["sign_level", "conclusion", "focus_points", "advice", "keywords", "answer"],
    "additionalProperties": False,
}


class WrittenReading(Struct, frozen=True):
    """A reading as a model wrote it."""

    sign_level: SignLevel
    conclusion: _Texts
    focus_points: _Texts
    advice: _Texts
    keywords: _Texts
    answer: _Text
    sign_level_reason: str = ""


class ReadingInvalid(Exception):
    """The model's text is not a reading; the message says what is wrong with it."""


def parse_reading(text: str) -> WrittenReading:
    """The first object of the text that is a reading; raises `ReadingInvalid`."""
    complaint = "there is no JSON object in it"
    for index, span in enumerate(find_objects(text)):
        try:
            return msgspec.convert(span.value, WrittenReading)
        except msgspec.ValidationError as invalid:
            complaint = complaint if index else str(invalid)
    raise ReadingInvalid(complaint)


def merge_reading(written: WrittenReading, by_rules: JsonObject) -> JsonObject:
    """The model's text with the level of the rules, unless the model gives a reason for another."""
    level = (
        written.sign_level.value if written.sign_level_reason.strip() else by_rules["sign_level"]
    )
    return {
        "sign_level": level,
        "conclusion": written.conclusion,
        "focus_points": written.focus_points,
        "advice": written.advice,
        "keywords": written.keywords,
        "answer": written.answer,
    }


def build_chat_output(reading: JsonObject, derived: JsonObject) -> JsonObject:
    """All fields of a first run's answer; an empty error means none.

    A follow-up has only status, answer and error: `conversation.reply.build_text_output`.
    """
    return {"status": "success", **reading, "error": "", "divination_derived": derived}
