"""What an asset may hold, and what it is called."""

import pytest
from tests.loose_json import JsonObject

from yarrow.assets.content_rules import CONTENT_BYTES, make_draft
from yarrow.assets.model import AssetKind
from yarrow.errors import InvalidInput, TooLarge

CARD: JsonObject = {"spec": "chara_card_v2", "data": {"name": " Luna "}}


def nested(levels: int) -> JsonObject:
    value: JsonObject = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "kind, content, name, expected",
    [
        (AssetKind.PRESET, {}, None, "Unnamed preset"),
        (AssetKind.PRESET, {"name": "Own"}, None, "Own"),
        (AssetKind.PRESET, {"name": "Own"}, " Given ", "Given"),
        (AssetKind.WORLDBOOK, {"entries": {}}, None, "Unnamed worldbook"),
        (AssetKind.WORLDBOOK, {"entries": {}, "name": 5}, None, "Unnamed worldbook"),
        (AssetKind.WORLDBOOK, {"entries": {}, "name": "n" * 201}, None, "Unnamed worldbook"),
        (AssetKind.REGEX_PROFILE, {"scripts": []}, "Filters", "Filters"),
        (AssetKind.CHARACTER, CARD, None, "Luna"),
        (AssetKind.CHARACTER, CARD, "Sol", "Sol"),
        (AssetKind.PERSONA, {"name": "Player"}, None, "Player"),
        (AssetKind.PERSONA, {"description": "brave"}, "Hero", "Hero"),
    ],
)
def test_name(kind: AssetKind, content: JsonObject, name: str | None, expected: str) -> None:
    assert make_draft(kind, content, name=name).name == expected


def test_renaming_somebody_is_written_into_their_file() -> None:
    content: JsonObject = make_draft(AssetKind.CHARACTER, CARD, name="Sol").content
    assert content["data"]["name"] == "Sol"
    assert make_draft(AssetKind.PERSONA, {}, name="Hero").content == {"name": "Hero"}


def test_naming_a_preset_leaves_its_file_alone() -> None:
    assert make_draft(AssetKind.PRESET, {"name": "Own"}, name="Mine").content == {"name": "Own"}


@pytest.mark.parametrize(
    "kind, content, name",
    [
        (AssetKind.PRESET, {}, "  "),
        (AssetKind.PRESET, {}, "n" * 201),
        (AssetKind.PRESET, {"prompts": {}}, None),
        (AssetKind.WORLDBOOK, {}, None),
        (AssetKind.REGEX_PROFILE, {"scripts": {}}, "x"),
        (AssetKind.REGEX_PROFILE, {"scripts": ["s/a/b/"]}, "x"),
        (AssetKind.CHARACTER, {"entries": {}}, None),
        (AssetKind.CHARACTER, CARD, ""),
        (AssetKind.PERSONA, {}, None),
        (AssetKind.PERSONA, {"name": "n" * 121}, None),
        (AssetKind.PERSONA, {"name": "Player", "description": 5}, None),
        (AssetKind.PRESET, {"note": "a\0b"}, None),
        (AssetKind.PRESET, {"deep": [{"a\0": 1}]}, None),
    ],
)
def test_what_is_none_of_its_kind_is_refused(
    kind: AssetKind, content: JsonObject, name: str | None
) -> None:
    with pytest.raises(InvalidInput):
        make_draft(kind, content, name=name)


def test_backslash_before_u0000_is_no_nul() -> None:
    assert make_draft(AssetKind.PRESET, {"note": "\\u0000"}).content == {"note": "\\u0000"}


def test_hundred_levels_are_allowed_and_more_are_not() -> None:
    make_draft(AssetKind.PRESET, nested(100))
    with pytest.raises(InvalidInput, match="100 levels"):
        make_draft(AssetKind.PRESET, nested(101))
    with pytest.raises(InvalidInput, match="100 levels"):
        make_draft(AssetKind.PRESET, nested(100_000))


def test_ten_mebibytes_are_allowed_and_more_are_not() -> None:
    frame = len(b'{"a":""}')

    make_draft(AssetKind.PRESET, {"a": "x" * (CONTENT_BYTES - frame)})
    with pytest.raises(TooLarge):
        make_draft(AssetKind.PRESET, {"a": "x" * (CONTENT_BYTES - frame + 1)})


def test_order_of_keys_is_part_of_the_content() -> None:
    one = make_draft(AssetKind.PRESET, {"a": 1, "b": 2})
    other = make_draft(AssetKind.PRESET, {"b": 2, "a": 1})

    assert one.content_hash != other.content_hash
    assert one.content_hash == make_draft(AssetKind.PRESET, {"a": 1, "b": 2}).content_hash
