"""Cast a 六爻 hexagram in a conversation, by coins or by the user's lines, and read it."""

import secrets
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, encode_json
from yarrow.language.languages import Language
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
    identify_asker,
    is_other_matter,
    line_from_hua,
    parse_moment,
    to_output_fields,
    write_follow_up,
    write_other_matter,
    write_reading,
)
from yarrow.tools.arguments import (
    WITHOUT_NUL,
    Arguments,
    build_parameters,
    make_printable,
    read_arguments,
)
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.tools.words import WORDS, ToolWords

Throw = Callable[[], int]
"""Throws three coins; returns how many show 花, the back."""


def throw_three_coins() -> int:
    """Throw three coins with the system's random numbers."""
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
    cast_at: Annotated[
        str,
        Meta(
            description="With `lines`: when an earlier hexagram was cast, as its result says",
            max_length=40,
            pattern=WITHOUT_NUL,
        ),
    ] = ""
    follow_up: Annotated[
        str,
        Meta(
            description="A later question about that hexagram; `question` stays the first one",
            max_length=300,
            pattern=WITHOUT_NUL,
        ),
    ] = ""


class CastHexagram:
    """Casts, derives and reads; deterministic for given lines and time."""

    description = ToolDescription(
        name="cast_hexagram",
        description="Cast a 六爻 hexagram for a question of the user's and read it by the rules "
        "of the art, or answer a later question about one. Only when the user asks for a "
        "divination. Do not change what it says.",
        parameters=build_parameters(CastArguments),
    )

    def __init__(self, throw: Throw) -> None:
        self._throw = throw

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        query = read_arguments(CastArguments, arguments)
        derivation = derive(self._make_cast(query, caller))
        if query.follow_up.strip():
            return _answer_follow_up(derivation, make_printable(query.follow_up), caller)
        asker = identify_asker(derivation.cast.question, profile=caller.gender)
        reading = write_reading(derivation, asker=asker, language=caller.language)
        board = build_board(derivation, asker)
        if caller.language is Language.HANT:
            board = board_in_hant(board)
        words = WORDS[caller.language]
        text = encode_json(_describe_cast(derivation, board, reading)).decode()
        return ToolAnswer(text, _make_card(board, reading, words))

    def _make_cast(self, arguments: CastArguments, caller: ToolCaller) -> Cast:
        if arguments.follow_up.strip() and not (arguments.lines and arguments.cast_at):
            raise ToolError("follow_up needs the lines and cast_at of the hexagram it is about")
        lines = arguments.lines or tuple(line_from_hua(self._throw()) for _ in range(6))
        try:
            return Cast(
                lines=lines,
                moment=parse_moment(arguments.cast_at)
                if arguments.cast_at
                else caller.clock().astimezone(caller.zone),
                question=make_printable(arguments.question),
                question_type=arguments.question_type.strip() or Topic.OTHER.value,
                method="手动起卦" if arguments.lines else "自动起卦",
                day_boundary=caller.day_boundary,
            )
        except InvalidInput as error:
            raise ToolError(error.rule) from None


def _answer_follow_up(derivation: Derivation, question: str, caller: ToolCaller) -> ToolAnswer:
    cast, language = derivation.cast, caller.language
    if is_other_matter(question, cast):
        answer = write_other_matter(question, cast, language=language)
    else:
        asker = identify_asker(f"{cast.question} {question}", profile=caller.gender)
        answer = write_follow_up(derivation, question, asker=asker, language=language).answer
    return ToolAnswer(encode_json({"follow_up": question, "reading": {"answer": answer}}).decode())


def _describe_cast(derivation: Derivation, board: Board, reading: Reading) -> JsonObject:
    """The board in short and the reading, for the model; without a sign if none was drawn."""
    output = to_output_fields(reading)
    if reading.withheld:
        del output["sign_level"]
    return {
        "lines": list(derivation.cast.lines),
        "cast_at": derivation.cast.moment.isoformat(timespec="seconds"),
        "hexagram": board.name,
        "becomes": board.target_name,
        "time": board.moment,
        "pillars": _format_pillars(board),
        "void": board.void,
        "board": _list_rows(board, WORDS[reading.language]),
        "reading": output,
    }


def _make_card(board: Board, reading: Reading, words: ToolWords) -> JsonObject:
    name = f"{board.name} → {board.target_name}" if board.target_name else board.name
    facts = {
        words.question: board.question,
        words.time: f"{board.moment}　{_format_pillars(board)}",
    }
    return {
        "title": name,
        "badges": [] if reading.withheld else [reading.level.value],
        "facts": facts,
        "sections": [
            {
                "title": words.board,
                "table": {"columns": list(words.columns), "rows": _list_rows(board, words)},
            },
            {
                "title": words.conclusion,
                "items": [sentence.text for sentence in reading.conclusion],
            },
            {"title": words.advice, "items": [sentence.text for sentence in reading.advice]},
        ],
    }


def _format_pillars(board: Board) -> str:
    return " ".join(f"{pillar}{name}" for name, pillar in board.pillars)


def _list_rows(board: Board, words: ToolWords) -> list[list[str]]:
    """The lines as they are drawn, the top one first."""
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
