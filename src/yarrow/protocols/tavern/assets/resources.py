"""The kinds of assets on the wire: the table from which their routes are made."""

from collections.abc import Callable
from typing import TypeAlias
from uuid import UUID

from msgspec import Struct

from yarrow.assets import book_entries, preset_entries
from yarrow.assets.content_rules import SCRIPTS
from yarrow.assets.errors import AssetNotFound
from yarrow.assets.model import AssetKind, AssetRef
from yarrow.assets.write import ContentEdit
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.protocols.tavern.assets.wire import AssetBody, AssetPatch, PersonaBody, PersonaPatch

NewAssetBody: TypeAlias = AssetBody | PersonaBody
AssetPatchBody: TypeAlias = AssetPatch | PersonaPatch

SHOWN_CHARS = 64


class EntryFunctions(Struct, frozen=True):
    """Functions on the entries of one kind; `key` is the field that identifies an entry."""

    key: str
    list: Callable[[JsonObject], list[JsonObject]]
    find: Callable[[JsonObject, str], JsonObject]
    add: Callable[[JsonObject, JsonObject], tuple[JsonObject, str]]
    change: Callable[[JsonObject, str, JsonObject], JsonObject]
    remove: Callable[[JsonObject, str], JsonObject]


def _require_object(data: JsonValue) -> JsonObject:
    if not isinstance(data, dict):
        raise InvalidInput("data: must be an object", field="data")
    return data


def _wrap_scripts(data: JsonValue) -> JsonObject:
    """SillyTavern exports one script as an object, several as a list."""
    return {SCRIPTS: [data] if isinstance(data, dict) else data}


def _return_content(content: JsonObject) -> JsonValue:
    return content


def _unwrap_scripts(content: JsonObject) -> JsonValue:
    return content[SCRIPTS]


class AssetResource(Struct, frozen=True):
    """One kind of asset: names in paths, bodies, and conversion between file and content."""

    kind: AssetKind
    path: str
    word: str
    body: type[NewAssetBody] = AssetBody
    patch: type[AssetPatchBody] = AssetPatch
    to_content: Callable[[JsonValue], JsonObject] = _require_object
    to_data: Callable[[JsonObject], JsonValue] = _return_content
    top_level_fields: tuple[str, ...] = ()
    """Fields of the content that are repeated beside `data`."""
    entries: EntryFunctions | None = None

    def ref(self, account_id: AccountId, asset_id: str) -> AssetRef:
        """Any text is allowed: one that is no UUID is an asset that does not exist."""
        try:
            return AssetRef(account_id, self.kind, AssetId(UUID(asset_id)))
        except ValueError:
            raise AssetNotFound(f"{self.word} {asset_id[:SHOWN_CHARS]}") from None

    def build_content(self, body: NewAssetBody) -> JsonObject:
        """The content of a new asset."""
        match body:
            case PersonaBody():
                return (body.data or {}) | _collect_sent(body, "name", "description")
            case AssetBody():
                return self.to_content(body.data)

    def build_edit(self, patch: AssetPatchBody) -> ContentEdit | None:
        """The function that a patch applies to the content; None if it only renames."""
        match patch:
            case PersonaPatch():
                return _build_persona_edit(patch)
            case AssetPatch():
                if "data" not in patch.model_fields_set:
                    return None
                content = self.to_content(patch.data)
                return lambda _: content


def _collect_sent(body: PersonaBody, *names: str) -> JsonObject:
    return {name: getattr(body, name) for name in names if name in body.model_fields_set}


def _build_persona_edit(patch: PersonaPatch) -> ContentEdit | None:
    fields, data = _collect_sent(patch, "description"), patch.data
    if data is None and not fields:
        return None
    return lambda content: (content if data is None else data) | fields


PRESETS = AssetResource(
    AssetKind.PRESET,
    "presets",
    "preset",
    entries=EntryFunctions(
        "identifier",
        list=preset_entries.list_entries,
        find=preset_entries.find_entry,
        add=preset_entries.add_entry,
        change=preset_entries.change_entry,
        remove=preset_entries.remove_entry,
    ),
)
WORLDBOOKS = AssetResource(
    AssetKind.WORLDBOOK,
    "worldbooks",
    "worldbook",
    entries=EntryFunctions(
        "uid",
        list=book_entries.list_entries,
        find=book_entries.find_entry,
        add=book_entries.add_entry,
        change=book_entries.change_entry,
        remove=book_entries.remove_entry,
    ),
)
REGEX_PROFILES = AssetResource(
    AssetKind.REGEX_PROFILE,
    "regex-profiles",
    "regex",
    to_content=_wrap_scripts,
    to_data=_unwrap_scripts,
)
CHARACTERS = AssetResource(AssetKind.CHARACTER, "characters", "character")
PERSONAS = AssetResource(
    AssetKind.PERSONA,
    "users",
    "user",
    body=PersonaBody,
    patch=PersonaPatch,
    top_level_fields=("description",),
)

RESOURCES = (PRESETS, WORLDBOOKS, REGEX_PROFILES, CHARACTERS, PERSONAS)
