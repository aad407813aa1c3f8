"""Bodies about assets, as they travel. What an asset holds is its own affair; these are ours."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from yarrow.kit.json import JsonObject, JsonValue

NUMBER_MAX = 2**31 - 1
TITLE_CHARS = 200

_Expected = Annotated[
    int | None,
    Field(
        ge=1,
        le=NUMBER_MAX,
        validation_alias=AliasChoices("expected_version", "expected_revision"),
        description="The version that was read; if it is no longer the newest, nothing is done.",
    ),
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class AssetBody(_Request):
    """A new asset. A character's name is in its card, so `name` may be left out there too."""

    data: JsonValue
    name: str | None = None


class AssetPatch(_Request):
    """What is sent replaces what was there; `data` is replaced as a whole."""

    data: JsonValue = None
    name: str | None = None
    expected_version: _Expected = None


class PersonaBody(_Request):
    """A new persona. `data` (or `snapshot`) may hold more than a name and a description."""

    name: str | None = None
    description: str | None = None
    data: Annotated[JsonObject | None, Field(validation_alias=AliasChoices("data", "snapshot"))] = (
        None
    )


class PersonaPatch(PersonaBody):
    """A name or a description alone changes that; `data` is replaced as a whole."""

    expected_version: _Expected = None


class RollbackBody(_Request):
    """Which version's content shall be the newest again."""

    version: Annotated[int, Field(ge=1, le=NUMBER_MAX)]
    expected_version: _Expected = None


class EntryBody(BaseModel):
    """An entry's own fields, as its file names them, and beside them the version it is based on."""

    model_config = ConfigDict(extra="allow", strict=True)

    expected_version: _Expected = None

    @property
    def fields(self) -> JsonObject:
        return self.model_extra or {}


class ReorderBody(_Request):
    """The entries that come first, in this order; the others follow as they were."""

    identifiers: Annotated[list[str], Field(max_length=10_000)]
    expected_version: _Expected = None


class RegexImport(_Request):
    """Scripts have no name as a whole, so one must be given."""

    name: str
    data: JsonValue


class CharacterImport(_Request):
    """A card as JSON; with `create_session` a story with it begins at once."""

    payload: JsonObject
    create_session: bool = False
    title: Annotated[str | None, Field(max_length=TITLE_CHARS)] = None
