"""Each code in the trace of a prompt is sent by some part of it."""

from enum import StrEnum
from pathlib import Path

import pytest

import yarrow.prompting
from yarrow.prompting.assembly.result import ExclusionReason, TrimCause
from yarrow.prompting.macros.model import MacroWarningCode

SOURCES = [path.read_text() for path in Path(yarrow.prompting.__path__[0]).rglob("*.py")]


@pytest.mark.parametrize("codes", [ExclusionReason, MacroWarningCode, TrimCause])
def test_each_code_is_sent_somewhere(codes: type[StrEnum]) -> None:
    unused = [
        code.name
        for code in codes
        if not any(f"{codes.__name__}.{code.name}" in source for source in SOURCES)
    ]

    assert unused == []
