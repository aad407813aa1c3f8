"""The independent data that the derivation is held against, and casts built from it."""

import json
from pathlib import Path
from typing import Any

from yarrow.liuyao import Cast, DayBoundary, parse_moment

_DATA = Path(__file__).parents[2] / "data" / "liuyao"


def load(name: str) -> Any:
    return json.loads((_DATA / f"{name}.json").read_text("utf-8"))


def cast_of(row: dict[str, Any]) -> Cast:
    given, expected = row["input"], row["expect"]
    return Cast(
        lines=tuple(given["yaoLines"]),
        moment=parse_moment(given["divinationTimeIso"]),
        question=expected["question"],
        question_type=given["questionType"],
        method=expected["divinationMethod"],
        day_boundary=DayBoundary(given["dayBoundary"]),
    )


def cast_at(iso: str, lines: str = "少阳 少阴 老阳 少阴 少阳 老阴") -> Cast:
    """The seed's request, at another time or with other lines."""
    return Cast(
        lines=tuple(lines.split()),  # type: ignore[arg-type]
        moment=parse_moment(iso),
        question="我最近换工作是否合适?",
        question_type="事业",
        method="手动起卦",
    )
