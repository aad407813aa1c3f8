"""Entries of worldbooks, by uid, in both shapes that files have."""

import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.assets.book_entries import (
    add_entry,
    change_entry,
    find_entry,
    list_entries,
    remove_entry,
    require_worldbook,
)
from yarrow.assets.errors import EntryNotFound, EntryTaken
from yarrow.errors import InvalidInput


def by_uid() -> JsonObject:
    """As SillyTavern saves it."""
    return {
        "name": "Lore",
        "entries": {"0": {"uid": 0, "key": ["moon"]}, "7": {"uid": 7, "key": ["sun"]}},
    }


def as_list() -> JsonObject:
    """As a card carries it."""
    return {"entries": [{"keys": ["moon"]}, {"keys": ["sun"], "uid": 7}], "extensions": {"x": 1}}


BOTH = pytest.mark.parametrize("book", [by_uid(), as_list()], ids=["object", "list"])


@BOTH
def test_every_entry_has_a_uid(book: JsonObject) -> None:
    assert [entry["uid"] for entry in list_entries(book)] == [0, 7]


@BOTH
def test_new_entry_gets_the_next_uid_at_the_end(book: JsonObject) -> None:
    changed, uid = add_entry(book, {"key": ["star"], "odd": {"y": 2}})

    assert uid == "8"
    assert list_entries(changed)[-1] == {"uid": 8, "key": ["star"], "odd": {"y": 2}}
    assert len(list_entries(book)) == 2


@BOTH
def test_given_uid_is_kept_unless_taken(book: JsonObject) -> None:
    changed, uid = add_entry(book, {"uid": 3, "key": []})

    assert (uid, find_entry(changed, "3")) == ("3", {"uid": 3, "key": []})
    with pytest.raises(EntryTaken):
        add_entry(book, {"uid": 7})


@BOTH
@pytest.mark.parametrize("uid", ["3", -1, 1.5, True, None])
def test_uid_is_a_whole_number(book: JsonObject, uid: JsonValue) -> None:
    with pytest.raises(InvalidInput):
        add_entry(book, {"uid": uid})


@BOTH
def test_change_replaces_the_fields_that_are_sent(book: JsonObject) -> None:
    before = find_entry(book, "7")

    changed = change_entry(book, "7", {"content": "hot", "constant": True})

    assert find_entry(changed, "7") == before | {"content": "hot", "constant": True}
    assert find_entry(changed, "0") == find_entry(book, "0")
    assert find_entry(book, "7") == before


@BOTH
def test_uid_stays(book: JsonObject) -> None:
    with pytest.raises(InvalidInput):
        change_entry(book, "7", {"uid": 8})


@BOTH
def test_removed_entry_is_gone_and_the_rest_is_as_it_was(book: JsonObject) -> None:
    changed = remove_entry(book, "0")

    assert [entry["uid"] for entry in list_entries(changed)] == [7]
    assert {k: v for k, v in changed.items() if k != "entries"} == {
        k: v for k, v in book.items() if k != "entries"
    }


@BOTH
def test_entry_that_is_not_there(book: JsonObject) -> None:
    with pytest.raises(EntryNotFound):
        remove_entry(book, "1")


def test_first_entry_of_an_empty_book_has_uid_0() -> None:
    changed, uid = add_entry({"entries": {}}, {"key": ["a"]})

    assert (uid, changed) == ("0", {"entries": {"0": {"uid": 0, "key": ["a"]}}})


@pytest.mark.parametrize(
    "content", [{}, {"entries": None}, {"entries": [1]}, {"entries": {"0": 1}}]
)
def test_worldbook_has_entries(content: JsonObject) -> None:
    with pytest.raises(InvalidInput) as refused:
        require_worldbook(content)

    assert refused.value.field == "data.entries"
