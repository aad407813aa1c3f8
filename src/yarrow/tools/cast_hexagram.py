"""A cast of 六爻 in the middle of a conversation: coins thrown or lines given, read by rules."""

import secrets
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, encode_json
from yarrow.kit.language import Language
from yarrow.liuyao import (
    Board,
    Cast,
    Derivation,
    Reading,
    Topic,
    YaoLine,
    board_in_hant,
    build_board,
    derive,
    line_of_hua,
    read,
    to_output,
)
from yarrow.tools.arguments import WITHOUT_NUL, Arguments, parameters_of, printable, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

Throw = Callable[[], int]
"""Throws three coins and tells how many show 花, the back."""


def throw_coins() -> int:
    """A throw that nobody can foresee."""
    return sum(secrets.randbelow(2) for _ in range(3))


_TOPICS = " ".join(topic.value for topic in Topic)


class CastArguments(Arguments, frozen=True):
    question: Annotated[
        str,
        Meta(
            description="What is asked, in the user's own words",
            min_length=1,
            max_length=300,
            pattern=WITHOUT_NUL,
        ),
    ]
    question_type: Annotated[
        str, Meta(description=f"One of: {_TOPICS}", max_length=32, pattern=WITHOUT_NUL)
    ] = ""
    lines: Annotated[
        tuple[YaoLine, ...],
        Meta(
            min_length=6,
            max_length=6,
            description="Lines the user threw, bottom first; leave out to have coins thrown",
        ),
    ] = ()


class CastHexagram:
    """Casts, derives and reads; the same lines at the same time always read the same."""

    description = ToolDescription(
        name="cast_hexagram",
        description="Cast a 六爻 hexagram for a question of the user's and read it by the rules "
        "of the art. Only when the user asks for a divination. Do not change what it says.",
        parameters=parameters_of(CastArguments),
    )

    def __init__(self, throw: Throw) -> None:
        self._throw = throw

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        derivation = derive(self._cast(read_arguments(CastArguments, arguments), caller))
        reading = read(derivation, language=caller.language)
        board = build_board(derivation)
        if caller.language is Language.HANT:
            board = board_in_hant(board)
        words = WORDS[caller.language]
        text = encode_json(_told(derivation, board, reading)).decode()
        return ToolAnswer(text, _card(board, reading, words))

    def _cast(self, asked: CastArguments, caller: ToolCaller) -> Cast:
        thrown = asked.lines or tuple(line_of_hua(self._throw()) for _ in range(6))
        try:
            return Cast(
                lines=thrown,
                moment=caller.clock().astimezone(caller.zone),
                question=printable(asked.question),
                question_type=asked.question_type.strip() or Topic.OTHER.value,
                method="手动起卦" if asked.lines else "自动起卦",
                day_boundary=caller.day_boundary,
            )
        except InvalidInput as invalid:
            raise ToolError(invalid.rule) from None


def _told(derivation: Derivation, board: Board, reading: Reading) -> JsonObject:
    """For the model: the board in short, and the reading; no sign where none was drawn."""
    said = to_output(reading)
    if reading.withheld:
        del said["sign_level"]
    return {
        "lines": list(derivation.cast.lines),
        "hexagram": board.name,
        "becomes": board.target_name,
        "time": board.moment,
        "pillars": _pillars(board),
        "void": board.void,
        "board": _rows(board, WORDS[reading.language]),
        "reading": said,
    }


def _card(board: Board, reading: Reading, words: ToolWords) -> JsonObject:
    name = f"{board.name} → {board.target_name}" if board.target_name else board.name
    facts = {
        words.question: board.question,
        words.time: f"{board.moment}　{_pillars(board)}",
    }
    return {
        "title": name,
        "badges": [] if reading.withheld else [reading.level.value],
        "facts": facts,
        "sections": [
            {
                "title": words.board,
                "table": {"columns": list(words.columns), "rows": _rows(board, words)},
            },
            {"title": words.conclusion, "items": [said.text for said in reading.conclusion]},
            {"title": words.advice, "items": [said.text for said in reading.advice]},
        ],
    }


def _pillars(board: Board) -> str:
    return " ".join(f"{pillar}{name}" for name, pillar in board.pillars)


def _rows(board: Board, words: ToolWords) -> list[list[str]]:
    """The lines as they lie, the top one first."""
    return [
        [
            words.places[line.position - 1],
            line.spirit,
            f"{'━━━' if line.is_yang else '━　━'} {line.label}",
            " ".join((line.move, line.mark, *line.notes)).strip(),
            line.target_label,
        ]
        for line in board.lines
    ]
