"""Sentences for people that pages can say in other languages: a code and its facts."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec
from msgspec import Struct

from yarrow.kit.json import JsonObject


class CodedNote(Struct, frozen=True):
    """A sentence, or part of one. Notes that older versions stored have a message only."""

    message: str
    code: str = ""
    """The name of the sentence in its table, in lower case."""
    facts: "dict[str, Fact]" = {}

    def __str__(self) -> str:
        return self.message


Fact: TypeAlias = str | CodedNote | list[str | CodedNote]
"""A text, a part, or a list: texts are names, parts are clauses."""


def write_note(sentence: StrEnum, **facts: "int | Fact") -> CodedNote:
    """The note in English; the value of `sentence` has slots for the facts.

    Of two forms with ` | ` between them the first is for a `count` of one.
    """
    given = {name: str(fact) if isinstance(fact, int) else fact for name, fact in facts.items()}
    shown = {name: _write_fact(fact) for name, fact in given.items()}
    one, _, many = sentence.partition(" | ")
    form = many if many and given.get("count") != "1" else one
    return CodedNote(form.format(**shown), sentence.name.lower(), given)


def _write_fact(fact: Fact) -> str:
    return ", ".join(map(str, fact)) if isinstance(fact, list) else str(fact)


def encode_note(note: CodedNote) -> JsonObject:
    """The message, the code, and the facts of which some are notes themselves."""
    encoded: JsonObject = msgspec.to_builtins(note)
    return encoded


def list_messages(notes: Sequence[CodedNote]) -> list[str]:
    """The notes in English."""
    return [note.message for note in notes]
