"""Entries of presets. The shapes are those of SillyTavern's chat completion presets; reference,
presets: track 100001, else 100000, else the first; without tracks, as declared."""

import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.assets.errors import EntryNotFound, EntryTaken
from yarrow.assets.preset_entries import (
    add_entry,
    change_entry,
    find_entry,
    list_entries,
    remove_entry,
    reorder_entries,
    require_preset,
)
from yarrow.errors import InvalidInput
from yarrow.prompting.preset import parse_preset


def place(name: str, *, on: bool = True) -> JsonObject:
    return {"identifier": name, "enabled": on}


def preset(**tracks: list[JsonObject]) -> JsonObject:
    """Three prompts; a track is named after its character, as in `t100001`."""
    order = [{"character_id": int(name[1:]), "order": places} for name, places in tracks.items()]
    prompts = [{"identifier": name, "content": name, "x": 1} for name in ("main", "lore", "end")]
    return {"temperature": 1, "prompts": prompts} | ({"prompt_order": order} if order else {})


def order_of(content: JsonObject) -> list[tuple[JsonValue, JsonValue]]:
    return [(entry["identifier"], entry["enabled"]) for entry in list_entries(content)]


def test_live_track_orders_the_entries_and_switches_them() -> None:
    content = preset(
        t7=[place("main")],
        t100000=[place("lore")],
        t100001=[place("end"), place("main", on=False), place("gone")],
    )

    assert order_of(content) == [("end", True), ("main", False), ("lore", False)]


def test_older_track_counts_without_the_live_one_and_any_without_both() -> None:
    older = preset(t7=[place("main")], t100000=[place("lore")])

    assert order_of(older)[0] == ("lore", True)
    assert order_of(preset(t7=[place("end")], t8=[place("main")]))[0] == ("end", True)


def test_without_tracks_prompts_stand_as_declared() -> None:
    content = preset()
    content["prompts"][1]["enabled"] = False

    assert order_of(content) == [("main", True), ("lore", False), ("end", True)]


def test_places_without_a_track_around_them_are_one_track() -> None:
    content = preset() | {"prompt_order": [place("end"), place("main")]}

    assert order_of(content) == [("end", True), ("main", True), ("lore", False)]
    assert order_of(remove_entry(content, "end")) == [("main", True), ("lore", False)]
    assert order_of(change_entry(content, "lore", {"enabled": True}))[2] == ("lore", True)


def test_new_entry_comes_last_and_is_on() -> None:
    content = preset(t100001=[place("main")])

    entry: JsonObject = {"identifier": "new", "content": "hi", "odd": [1]}
    added: tuple[JsonObject, str] = add_entry(content, entry)

    changed, identifier = added
    assert identifier == "new"
    assert changed["prompts"][-1] == entry
    assert changed["prompt_order"][0]["order"] == [place("main"), place("new")]
    assert content == preset(t100001=[place("main")])


def test_entry_may_come_switched_off() -> None:
    changed, _ = add_entry(preset(), {"identifier": "new", "enabled": False})

    assert order_of(changed)[-1] == ("new", False)


@pytest.mark.parametrize("identifier", [None, "", "  ", 5, ["main"], "x" * 129])
def test_new_entry_needs_an_identifier(identifier: JsonValue) -> None:
    with pytest.raises(InvalidInput) as refused:
        add_entry(preset(), {"identifier": identifier})

    assert refused.value.field == "identifier"


def test_identifier_is_used_once() -> None:
    with pytest.raises(EntryTaken):
        add_entry(preset(), {"identifier": "main"})


def test_change_replaces_the_fields_that_are_sent() -> None:
    changed: JsonObject = change_entry(
        preset(t100001=[place("main")]), "main", {"content": "new", "role": "user"}
    )

    assert changed["prompts"][0] == {"identifier": "main", "content": "new", "x": 1, "role": "user"}
    assert changed["prompt_order"] == preset(t100001=[place("main")])["prompt_order"]


def test_switch_is_in_the_live_track_only() -> None:
    content = preset(t100000=[place("main")], t100001=[place("main")])

    changed: JsonObject = change_entry(content, "main", {"enabled": False})

    assert changed["prompts"] == content["prompts"]
    assert changed["prompt_order"][0] == content["prompt_order"][0]
    assert changed["prompt_order"][1]["order"] == [place("main", on=False)]


@pytest.mark.parametrize("fields", [{"identifier": "other"}, {"enabled": "yes"}])
def test_identifier_stays_and_a_switch_is_true_or_false(fields: JsonObject) -> None:
    with pytest.raises(InvalidInput):
        change_entry(preset(t100001=[place("main")]), "main", fields)


def test_removed_entry_leaves_every_track() -> None:
    content = preset(t100000=[place("main")], t100001=[place("main"), place("end")])

    changed: JsonObject = remove_entry(content, "main")

    assert order_of(changed) == [("end", True), ("lore", False)]
    assert [track["order"] for track in changed["prompt_order"]] == [[], [place("end")]]


def test_named_entries_come_first_and_the_others_keep_their_order() -> None:
    content = preset(t100001=[place("main"), place("lore", on=False), place("end")])

    changed = reorder_entries(content, ["end"])

    assert order_of(changed) == [("end", True), ("main", True), ("lore", False)]


def test_entry_no_track_names_can_be_put_in_order_and_stays_off() -> None:
    changed = reorder_entries(preset(t100001=[place("main")]), ["lore", "main"])

    assert order_of(changed)[:2] == [("lore", False), ("main", True)]


def test_without_tracks_the_prompts_themselves_are_reordered() -> None:
    assert [name for name, _ in order_of(reorder_entries(preset(), ["end", "lore"]))] == [
        "end",
        "lore",
        "main",
    ]


def test_preset_without_prompts_has_nothing_to_reorder() -> None:
    assert list_entries(reorder_entries({}, [])) == []


def test_reordering_names_each_entry_once_and_only_what_is_there() -> None:
    with pytest.raises(EntryNotFound):
        reorder_entries(preset(), ["gone"])
    with pytest.raises(InvalidInput):
        reorder_entries(preset(), ["main", "main"])


@pytest.mark.parametrize(
    "act", [find_entry, remove_entry, lambda c, i: change_entry(c, i, {"a": 1})]
)
def test_entry_that_is_not_there(act) -> None:
    with pytest.raises(EntryNotFound):
        act(preset(), "gone")


def test_odd_files_are_listed_as_far_as_they_can_be() -> None:
    content: JsonObject = {
        "prompts": [{}, {"identifier": ["x"]}, {"identifier": "main"}, {"identifier": "main"}],
        "prompt_order": [{"order": [{"identifier": {}}, 5, place("main")]}, {"order": None}],
    }
    require_preset(content)

    assert order_of(content) == [("main", True)]


@pytest.mark.parametrize("key", ["prompts", "prompt_order"])
@pytest.mark.parametrize("value", [None, {}, "x", [1]])
def test_prompts_and_tracks_are_lists_of_objects(key: str, value: JsonValue) -> None:
    with pytest.raises(InvalidInput) as refused:
        require_preset({key: value})

    assert refused.value.field == f"data.{key}"


def test_the_track_that_is_edited_is_the_one_that_prompts_use() -> None:
    content = preset(t7=[place("main")])
    content["prompt_order"].append({"character_id": "100001", "order": [place("end")]})

    assert order_of(content)[0] == ("end", True)
    assert [entry.identifier for entry in parse_preset(content).entries] == ["end"]
