"""The options of `yarrow derive`, as click passes them."""

from typing import BinaryIO, Final, Literal, TypedDict

METHODS: Final[dict[str, Literal["手动起卦", "自动起卦"]]] = {
    "手动起卦": "手动起卦",
    "manual": "手动起卦",
    "自动起卦": "自动起卦",
    "auto": "自动起卦",
}


class DeriveOptions(TypedDict):
    """The options as click passes them."""

    lines: str | None
    coins: str | None
    seed: int | None
    question: str
    question_type: str
    time: str | None
    method: str | None
    day_boundary: str
    lang: str
    as_json: bool
    reading: bool | None
    svg: str | None
    batch: BinaryIO | None
