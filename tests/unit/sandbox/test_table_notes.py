"""Notes are sentences of one table with their facts, on the wire and in the database."""

import ast
from pathlib import Path

import msgspec

import yarrow
from yarrow.kit.notes import CodedNote, write_note
from yarrow.sandbox.table_notes import Sentence, decode_notes, encode_notes, list_some

MODULE = "table_notes.py"
SOURCES = [
    path
    for folder in ("sandbox", "tables", "sources", "protocols")
    for path in (Path(yarrow.__file__).parent / folder).rglob("*.py")
]


def test_a_note_has_its_facts_in_the_sentence() -> None:
    renamed = [write_note(Sentence.NOW_NAMED, written="a", name=f"a_{n}") for n in range(2, 14)]

    note = write_note(Sentence.RENAMED, names=list_some(renamed))

    assert note.message.startswith("columns were renamed: a is a_2, a is a_3, ")
    assert note.message.endswith(", a is a_11, and 2 more")
    assert note.code == "renamed"


def test_notes_are_the_same_after_the_wire_and_the_database() -> None:
    reason = write_note(Sentence.HEADLESS, row=write_note(Sentence.LINE))
    notes = [reason, write_note(Sentence.IN_UTC, names=["t", "u"]), CodedNote("of a driver")]

    assert decode_notes(encode_notes(notes)) == notes
    assert msgspec.json.decode(msgspec.json.encode(notes), type=list[CodedNote]) == notes


def test_notes_of_older_tables_have_a_message_only() -> None:
    assert decode_notes({"notes": ["v: in percent"]}) == [CodedNote("v: in percent")]
    assert decode_notes({"source": "shop"}) == []


def test_a_table_without_notes_has_no_fields_for_them() -> None:
    assert encode_notes([]) == {}


def test_every_sentence_is_said_and_no_note_is_made_without_one() -> None:
    trees = {path: [*ast.walk(ast.parse(path.read_text()))] for path in SOURCES}
    nodes = [node for tree in trees.values() for node in tree]
    others = [node for path, tree in trees.items() if path.name != MODULE for node in tree]

    said = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Sentence"
    }
    assert said == set(Sentence.__members__)
    calls = [node.func for node in others if isinstance(node, ast.Call)]
    assert [c for c in calls if isinstance(c, ast.Name) and c.id == "CodedNote"] == []
    assert [name for name, sentence in Sentence.__members__.items() if sentence.name != name] == []
