"""A cast: six thrown lines, their time and the question; and the rules for what clients send."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, get_args

from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.liuyao.coins import YAO_LINES, YaoLine
from yarrow.liuyao.pillars import DayBoundary

DivinationMethod = Literal["手动起卦", "自动起卦"]

_METHODS: Final[tuple[DivinationMethod, ...]] = get_args(DivinationMethod)
_RFC3339: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:[0-5]\d)", re.ASCII
)
_BOUNDARIES: Final = {boundary.value: boundary for boundary in DayBoundary}
QUESTION_MAX: Final = 300
QUESTION_TYPE_MAX: Final = 32


class Cast(Struct, frozen=True):
    """Six lines from the bottom up, thrown at an aware moment, and what was asked."""

    lines: tuple[YaoLine, ...]
    moment: datetime
    question: str
    question_type: str
    method: DivinationMethod
    day_boundary: DayBoundary = DayBoundary.LATE_ZI

    def __post_init__(self) -> None:
        if len(self.lines) != 6:
            raise InvalidInput("a cast has exactly 6 lines, 初爻 to 上爻", field="yaoLines")
        for line in self.lines:
            if line not in YAO_LINES:
                words = " | ".join(YAO_LINES)
                raise InvalidInput(f"a line must be one of {words}", field="yaoLines")
        if self.method not in _METHODS:
            raise InvalidInput(
                f"divinationMethod must be one of {' | '.join(_METHODS)}", field="divinationMethod"
            )
        _require_text(self.question, QUESTION_MAX, "question")
        _require_text(self.question_type, QUESTION_TYPE_MAX, "questionType")


def _require_text(text: str, limit: int, field: str) -> None:
    if not text.strip():
        raise InvalidInput(f"{field} must not be empty", field=field)
    if len(text) > limit:
        raise InvalidInput(f"{field} must have at most {limit} characters", field=field)


def parse_moment(text: str) -> datetime:
    """An RFC 3339 date-time with seconds and an offset."""
    if not _RFC3339.fullmatch(text):
        raise InvalidInput(
            "divinationTimeIso must be an RFC 3339 date-time with a timezone offset",
            field="divinationTimeIso",
        )
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        raise InvalidInput(
            "divinationTimeIso is not a real time", field="divinationTimeIso"
        ) from None


def parse_cast(
    *,
    yao_lines: Sequence[str],
    time_iso: str,
    question: str,
    question_type: str,
    method: str,
    day_boundary: str = DayBoundary.LATE_ZI.value,
) -> Cast:
    """A cast from words that nobody has checked yet."""
    boundary = _BOUNDARIES.get(day_boundary)
    if boundary is None:
        raise InvalidInput("dayBoundary must be 23:00 or 00:00", field="dayBoundary")
    return Cast(
        lines=tuple(yao_lines),  # type: ignore[arg-type]  # Cast checks the words
        moment=parse_moment(time_iso),
        question=question,
        question_type=question_type,
        method=method,  # type: ignore[arg-type]
        day_boundary=boundary,
    )
