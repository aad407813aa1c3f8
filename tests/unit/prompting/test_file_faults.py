"""Refusals of files are made of sentences of one table."""

from pathlib import Path

import yarrow
from yarrow.prompting.errors import ChatUnreadable, FileRefused
from yarrow.prompting.file_faults import FileFault


def test_a_refusal_has_its_facts_in_the_sentence() -> None:
    refused = FileRefused(FileFault.TOO_MANY_BYTES, field="data.name", limit=120)

    assert str(refused) == "data.name: at most 120 bytes"
    assert refused.note.facts == {"field": "data.name", "limit": "120"}
    assert str(ChatUnreadable(FileFault.LINE_JSON, line=3)) == "line 3: is not valid JSON"


def test_every_fault_is_used() -> None:
    sources = "\n".join(path.read_text() for path in Path(yarrow.__file__).parent.rglob("*.py"))

    assert [name for name in FileFault.__members__ if f"FileFault.{name}" not in sources] == []
