"""Bodies of the asset routes. The content of assets is validated by `assets/`."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.protocols.tavern.parameters import NUMBER_MAX
from yarrow.protocols.tavern.wire import StrictBody

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


class AssetBody(StrictBody):
    """A new asset. `name` may be left out for a character: its card has one."""

    data: JsonValue
    name: str | None = None


class AssetPatch(StrictBody):
    """Fields that are sent replace the old ones; `data` is replaced as a whole."""

    data: JsonValue = None
    name: str | None = None
    expected_version: _Expected = None


class PersonaBody(StrictBody):
    """A new persona. `data` (or `snapshot`) may hold more than a name and a description."""

    name: str | None = None
    description: str | None = None
    data: Annotated[JsonObject | None, Field(validation_alias=AliasChoices("data", "snapshot"))] = (
        None
    )


class PersonaPatch(PersonaBody):
    """A name or a description alone changes that; `data` is replaced as a whole."""

    expected_version: _Expected = None


class RollbackBody(StrictBody):
    """The version whose content becomes the newest again."""

    version: Annotated[int, Field(ge=1, le=NUMBER_MAX)]
    expected_version: _Expected = None


class EntryBody(BaseModel):
    """The fields of an entry as its file has them, and the expected version of the asset."""

    model_config = ConfigDict(extra="allow", strict=True)

    expected_version: _Expected = None

    @property
    def fields(self) -> JsonObject:
        return self.model_extra or {}


class ReorderBody(StrictBody):
    """The first entries in their new order; the others follow in their old order."""

    identifiers: Annotated[list[str], Field(max_length=10_000)]
    expected_version: _Expected = None


class RegexImport(StrictBody):
    """Regex scripts; their file has no name, so one is required."""

    name: str
    data: JsonValue


class CharacterImport(StrictBody):
    """A card as JSON; `create_session` also creates a story with it."""

    payload: JsonObject
    create_session: bool = False
    title: Annotated[str | None, Field(max_length=TITLE_CHARS)] = None
