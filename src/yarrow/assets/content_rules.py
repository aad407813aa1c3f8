"""What the content of an asset must be. Only what is used is checked; all is stored as it came."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from msgspec import Struct

from yarrow.assets.book_entries import require_worldbook
from yarrow.assets.model import Asset, AssetDraft, AssetKind
from yarrow.assets.preset_entries import require_preset
from yarrow.errors import TooLarge
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.prompting.errors import FileRefused
from yarrow.prompting.file_faults import FileFault
from yarrow.prompting.formats.cards import read_card, read_persona, rename_card

CONTENT_BYTES = 10 * 1024 * 1024
NAME_CHARS = 200
DEPTH = 100
"""Real files are about ten levels deep; deeper recursion could exhaust the stack."""

SCRIPTS = "scripts"
"""The key of a regex profile's scripts; as a file it is a bare list."""


class _Kind(Struct, frozen=True):
    """The rules of one kind."""

    read_name: Callable[[JsonObject], str]
    """Read the name in the content, or nothing; raises if it is not of this kind."""
    default_name: str = ""
    rename: Callable[[JsonObject, str], JsonObject] | None = None
    """For cards and personas: their name is in the content, so renaming edits it."""


def make_draft(kind: AssetKind, content: JsonObject, *, name: str | None = None) -> AssetDraft:
    """Check content; without a name it gets the one in the content, or a default."""
    rules = _KINDS[kind]
    _require_shallow(content)
    if name is not None and rules.rename is not None:
        content = rules.rename(content, name)
    own_name = rules.read_name(content) or rules.default_name
    new_name = own_name if name is None or rules.rename is not None else name.strip()
    _require_name(new_name)
    return AssetDraft(kind, new_name, content, _hash_content(content))


def make_next_draft(asset: Asset, content: JsonObject, *, name: str | None = None) -> AssetDraft:
    """Check an asset's next content; without a name the asset keeps its own."""
    present = asset.name if _KINDS[asset.kind].rename is None else None
    return make_draft(asset.kind, content, name=present if name is None else name)


def _hash_content(content: JsonObject) -> str:
    """Hash the JSON as it is stored: an export returns the keys in the same order."""
    encoded = encode_json(content)
    if len(encoded) > CONTENT_BYTES:
        raise TooLarge(
            f"an asset may have at most {CONTENT_BYTES} bytes of JSON", limit=CONTENT_BYTES
        )
    if b"\\u0000" in encoded and any(map(_has_nul, _iterate_values(content))):
        raise FileRefused(FileFault.NUL, field="data")
    return f"sha256:{sha256(encoded).hexdigest()}"


def _require_name(name: str) -> None:
    if not name or len(name) > NAME_CHARS or "\0" in name:
        raise FileRefused(FileFault.NAME_LENGTH, field="name", limit=NAME_CHARS)


def _require_shallow(content: JsonObject) -> None:
    for depth, _ in enumerate(_iterate_levels(content)):
        if depth > DEPTH:
            raise FileRefused(FileFault.TOO_DEEP, field="data", limit=DEPTH)


def _iterate_levels(content: JsonObject) -> Iterator[list[JsonValue]]:
    """Yield the values level by level, without recursion: the depth is not checked yet."""
    level: list[JsonValue] = [content]
    while level:
        yield level
        level = [child for node in level for child in _iterate_children(node)]


def _iterate_values(content: JsonObject) -> Iterator[JsonValue]:
    for level in _iterate_levels(content):
        yield from level


def _iterate_children(node: JsonValue) -> Iterator[JsonValue]:
    match node:
        case dict():
            yield from node
            yield from node.values()
        case list():
            yield from node


def _has_nul(value: JsonValue) -> bool:
    return isinstance(value, str) and "\0" in value


def _read_preset_name(content: JsonObject) -> str:
    require_preset(content)
    return _read_short_name(content)


def _read_worldbook_name(content: JsonObject) -> str:
    require_worldbook(content)
    return _read_short_name(content)


def _read_scripts_name(content: JsonObject) -> str:
    scripts = content.get(SCRIPTS)
    if not isinstance(scripts, list) or not all(isinstance(script, dict) for script in scripts):
        raise FileRefused(FileFault.NOT_SCRIPTS, field="data")
    return ""


def _read_card_name(content: JsonObject) -> str:
    return read_card(content).name


def _read_persona_name(content: JsonObject) -> str:
    return read_persona(content).name


def _read_short_name(content: JsonObject) -> str:
    name = content.get("name")
    return name.strip() if isinstance(name, str) and len(name) <= NAME_CHARS else ""


def _rename_persona(content: JsonObject, name: str) -> JsonObject:
    return content | {"name": name}


_KINDS = {
    AssetKind.PRESET: _Kind(_read_preset_name, "Unnamed preset"),
    AssetKind.WORLDBOOK: _Kind(_read_worldbook_name, "Unnamed worldbook"),
    AssetKind.REGEX_PROFILE: _Kind(_read_scripts_name, "Unnamed regex profile"),
    AssetKind.CHARACTER: _Kind(_read_card_name, rename=rename_card),
    AssetKind.PERSONA: _Kind(_read_persona_name, rename=_rename_persona),
}
