"""What an asset may hold. Files are kept as they came; only what we rely on is checked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from yarrow.assets.book_entries import require_worldbook
from yarrow.assets.errors import AssetNotFound, VersionConflict
from yarrow.assets.model import Asset, AssetKind, AssetRef, Draft
from yarrow.assets.preset_entries import require_preset
from yarrow.errors import InvalidInput, TooLarge
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.prompting.formats.cards import read_card, read_persona, rename_card

CONTENT_BYTES = 10 * 1024 * 1024
NAME_CHARS = 200
DEPTH = 100
"""Real files are nested about ten levels deep; a hostile one would exhaust the stack."""

SCRIPTS = "scripts"
"""Where a regex profile, which is a list as a file, keeps its scripts as an asset."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How one kind differs from the others."""

    own_name: Callable[[JsonObject], str]
    """What the file calls itself, or nothing; raises if it is none of its kind."""
    unnamed: str = ""
    rename: Callable[[JsonObject, str], JsonObject] | None = None
    """For files about somebody: their name is the asset's, so that renaming edits the file."""


def draft(kind: AssetKind, content: JsonObject, *, name: str | None = None) -> Draft:
    """A version to be: without a name, it has the file's own or a plain one."""
    rules = _KINDS[kind]
    _require_shallow(content)
    if name is not None and rules.rename is not None:
        content = rules.rename(content, name)
    own = rules.own_name(content) or rules.unnamed
    chosen = own if name is None or rules.rename is not None else name.strip()
    _require_name(chosen)
    return Draft(kind, chosen, content, _content_hash(content))


def redraft(asset: Asset, content: JsonObject, *, name: str | None = None) -> Draft:
    """An asset's next version: without a name, it keeps the one it has."""
    kept = asset.name if _KINDS[asset.kind].rename is None else None
    return draft(asset.kind, content, name=kept if name is None else name)


def require_version(asset: Asset, expected: int | None) -> None:
    """Whoever edits what they read must have read the newest."""
    if expected is not None and expected != asset.version:
        raise VersionConflict(expected=expected, actual=asset.version)


def no_asset(ref: AssetRef) -> AssetNotFound:
    return AssetNotFound(f"{ref.kind} {ref.id}")


def no_version(ref: AssetRef, version: int) -> AssetNotFound:
    return AssetNotFound(f"version {version} of {ref.kind} {ref.id}")


def _content_hash(content: JsonObject) -> str:
    """Over the JSON as it is kept: the order of keys is part of what an export gives back."""
    encoded = encode_json(content)
    if len(encoded) > CONTENT_BYTES:
        raise TooLarge(
            f"an asset may have at most {CONTENT_BYTES} bytes of JSON", limit=CONTENT_BYTES
        )
    if b"\\u0000" in encoded and any(map(_has_nul, _values(content))):
        raise InvalidInput("text must not contain the NUL character", field="data")
    return f"sha256:{sha256(encoded).hexdigest()}"


def _require_name(name: str) -> None:
    if not name or len(name) > NAME_CHARS or "\0" in name:
        raise InvalidInput(f"name: 1 to {NAME_CHARS} characters", field="name")


def _require_shallow(content: JsonObject) -> None:
    for depth, _ in enumerate(_levels(content)):
        if depth > DEPTH:
            raise InvalidInput(f"JSON may be nested {DEPTH} levels deep", field="data")


def _levels(content: JsonObject) -> Iterator[list[JsonValue]]:
    """The values, level by level; without recursion, which is what depth is checked for."""
    level: list[JsonValue] = [content]
    while level:
        yield level
        level = [child for node in level for child in _children(node)]


def _values(content: JsonObject) -> Iterator[JsonValue]:
    for level in _levels(content):
        yield from level


def _children(node: JsonValue) -> Iterator[JsonValue]:
    match node:
        case dict():
            yield from node
            yield from node.values()
        case list():
            yield from node


def _has_nul(value: JsonValue) -> bool:
    return isinstance(value, str) and "\0" in value


def _name_of_preset(content: JsonObject) -> str:
    require_preset(content)
    return _short_name(content)


def _name_of_worldbook(content: JsonObject) -> str:
    require_worldbook(content)
    return _short_name(content)


def _name_of_scripts(content: JsonObject) -> str:
    scripts = content.get(SCRIPTS)
    if not isinstance(scripts, list) or not all(isinstance(script, dict) for script in scripts):
        raise InvalidInput("data: must be a list of regex scripts", field="data")
    return ""


def _name_of_card(content: JsonObject) -> str:
    return read_card(content).name


def _name_of_persona(content: JsonObject) -> str:
    return read_persona(content).name


def _short_name(content: JsonObject) -> str:
    name = content.get("name")
    return name.strip() if isinstance(name, str) and len(name) <= NAME_CHARS else ""


def _rename_persona(content: JsonObject, name: str) -> JsonObject:
    return content | {"name": name}


_KINDS = {
    AssetKind.PRESET: _Kind(_name_of_preset, "Unnamed preset"),
    AssetKind.WORLDBOOK: _Kind(_name_of_worldbook, "Unnamed worldbook"),
    AssetKind.REGEX_PROFILE: _Kind(_name_of_scripts, "Unnamed regex profile"),
    AssetKind.CHARACTER: _Kind(_name_of_card, rename=rename_card),
    AssetKind.PERSONA: _Kind(_name_of_persona, rename=_rename_persona),
}
