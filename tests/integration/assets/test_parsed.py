"""Parsed forms are made once for each version, and only so many are kept."""

from tests.loose_json import JsonObject

from yarrow.assets.model import AssetKind
from yarrow.assets.parsed import ParsedAssets
from yarrow.assets.write import create_asset, edit_asset
from yarrow.db import Database
from yarrow.ids import AccountId, VersionId, new_uuid


class Reader:
    """Parses, and remembers what it was asked to."""

    def __init__(self) -> None:
        self.seen: list[JsonObject] = []

    def __call__(self, content: JsonObject) -> str:
        self.seen.append(content)
        return f"n={content['n']}"


async def test_version_is_parsed_once_and_an_edit_is_seen(
    database: Database, account_id: AccountId
) -> None:
    reader = Reader()
    parsed = ParsedAssets(reader)
    made = await create_asset(database, account_id, AssetKind.PRESET, content={"n": 1})
    edited = await edit_asset(database, made.ref, lambda _: {"n": 2})
    unknown = VersionId(new_uuid())

    async with database.connection() as tx:
        for _ in range(3):
            found = await parsed.load(tx, [made.version_id, edited.version_id, unknown])

    assert found == {made.version_id: "n=1", edited.version_id: "n=2"}
    assert sorted(content["n"] for content in reader.seen) == [1, 2]


def test_least_recently_used_makes_room() -> None:
    reader = Reader()
    parsed = ParsedAssets(reader, most=2)
    one, two, three = (VersionId(new_uuid()) for _ in range(3))

    for version_id, number in ((one, 1), (two, 2), (one, 1), (three, 3), (one, 1), (two, 2)):
        parsed.keep(version_id, {"n": number})

    assert [content["n"] for content in reader.seen] == [1, 2, 3, 2]
    assert len(parsed) == 2


def test_large_files_count_by_their_bytes() -> None:
    parsed = ParsedAssets(Reader(), most=100, most_bytes=1000)

    for number in range(10):
        parsed.keep(VersionId(new_uuid()), {"n": number, "text": "x" * 300})

    assert len(parsed) == 3
    assert parsed.keep(VersionId(new_uuid()), {"n": 1, "text": "x" * 5000}) == "n=1"
    assert len(parsed) == 3
