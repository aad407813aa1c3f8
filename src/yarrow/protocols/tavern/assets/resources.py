"""The kinds of assets as the wire names them: one table, from which all their routes are made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from yarrow.assets import book_entries, preset_entries
from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import AssetKind, AssetRef
from yarrow.assets.rules import SCRIPTS
from yarrow.assets.write import ContentEdit
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.protocols.tavern.assets.wire import AssetBody, AssetPatch, PersonaBody, PersonaPatch

Body: TypeAlias = AssetBody | PersonaBody
Patch: TypeAlias = AssetPatch | PersonaPatch

SHOWN_CHARS = 64


@dataclass(frozen=True, slots=True)
class Entries:
    """How entries of one kind are read and changed, and what names one of them."""

    key: str
    list: Callable[[JsonObject], list[JsonObject]]
    find: Callable[[JsonObject, str], JsonObject]
    add: Callable[[JsonObject, JsonObject], tuple[JsonObject, str]]
    change: Callable[[JsonObject, str, JsonObject], JsonObject]
    remove: Callable[[JsonObject, str], JsonObject]


def _whole(data: JsonValue) -> JsonObject:
    if not isinstance(data, dict):
        raise InvalidInput("data: must be an object", field="data")
    return data


def _scripts(data: JsonValue) -> JsonObject:
    """SillyTavern exports one script as an object and several as a list."""
    return {SCRIPTS: [data] if isinstance(data, dict) else data}


def _as_it_is(content: JsonObject) -> JsonValue:
    return content


def _unwrapped(content: JsonObject) -> JsonValue:
    return content[SCRIPTS]


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind of asset: its words in paths, its bodies, and its file as an asset's content."""

    kind: AssetKind
    path: str
    word: str
    body: type[Body] = AssetBody
    patch: type[Patch] = AssetPatch
    to_content: Callable[[JsonValue], JsonObject] = _whole
    to_data: Callable[[JsonObject], JsonValue] = _as_it_is
    lifted: tuple[str, ...] = ()
    """Fields of the content that are shown beside it too."""
    entries: Entries | None = None

    def ref(self, account_id: AccountId, asset_id: str) -> AssetRef:
        """Ids are opaque to clients: one we never gave out is an asset that is not there."""
        try:
            return AssetRef(account_id, self.kind, AssetId(UUID(asset_id)))
        except ValueError:
            raise AssetNotFound(f"{self.word} {asset_id[:SHOWN_CHARS]}") from None

    def created(self, body: Body) -> JsonObject:
        """What a new asset holds."""
        match body:
            case PersonaBody():
                return (body.data or {}) | _sent(body, "name", "description")
            case AssetBody():
                return self.to_content(body.data)

    def altered(self, patch: Patch) -> ContentEdit | None:
        """How a patch changes what the asset holds; None if it leaves it alone."""
        match patch:
            case PersonaPatch():
                return _persona_alter(patch)
            case AssetPatch():
                if "data" not in patch.model_fields_set:
                    return None
                content = self.to_content(patch.data)
                return lambda _: content


def _sent(body: PersonaBody, *names: str) -> JsonObject:
    return {name: getattr(body, name) for name in names if name in body.model_fields_set}


def _persona_alter(patch: PersonaPatch) -> ContentEdit | None:
    fields, data = _sent(patch, "description"), patch.data
    if data is None and not fields:
        return None
    return lambda content: (content if data is None else data) | fields


PRESETS = Resource(
    AssetKind.PRESET,
    "presets",
    "preset",
    entries=Entries(
        "identifier",
        list=preset_entries.list_entries,
        find=preset_entries.find_entry,
        add=preset_entries.add_entry,
        change=preset_entries.change_entry,
        remove=preset_entries.remove_entry,
    ),
)
WORLDBOOKS = Resource(
    AssetKind.WORLDBOOK,
    "worldbooks",
    "worldbook",
    entries=Entries(
        "uid",
        list=book_entries.list_entries,
        find=book_entries.find_entry,
        add=book_entries.add_entry,
        change=book_entries.change_entry,
        remove=book_entries.remove_entry,
    ),
)
REGEX_PROFILES = Resource(
    AssetKind.REGEX_PROFILE, "regex-profiles", "regex", to_content=_scripts, to_data=_unwrapped
)
CHARACTERS = Resource(AssetKind.CHARACTER, "characters", "character")
PERSONAS = Resource(
    AssetKind.PERSONA,
    "users",
    "user",
    body=PersonaBody,
    patch=PersonaPatch,
    lifted=("description",),
)

RESOURCES = (PRESETS, WORLDBOOKS, REGEX_PROFILES, CHARACTERS, PERSONAS)
