"""Load and parse the assets of a story for its prompts; parsed versions are cached."""

from dataclasses import dataclass, replace
from typing import TypeVar

from yarrow.assets.model import AssetKind
from yarrow.assets.parsed import ParsedAssets
from yarrow.assets.rules import SCRIPTS
from yarrow.db import Tx
from yarrow.kit.json import JsonObject
from yarrow.prompting.assembly import AssemblyAssets, AssetStamp, AssetStamps
from yarrow.prompting.formats.cards import read_card, read_persona
from yarrow.prompting.model import CharacterCard
from yarrow.prompting.preset import parse_preset
from yarrow.prompting.regex_rules import RegexRule, parse_rules
from yarrow.prompting.worldbook import BookKind, BookSource, CompiledBook, compile_book, parse_book
from yarrow.stories.model import BoundAsset, StoryState

Parsed = TypeVar("Parsed")

_UNNAMED = BookSource(BookKind.SESSION, None, "")


@dataclass(frozen=True, slots=True)
class _Character:
    card: CharacterCard
    book: CompiledBook | None


class PromptAssets:
    """Caches of parsed assets by version id. A version never changes, so no entry gets stale."""

    def __init__(self) -> None:
        self._presets = ParsedAssets(parse_preset)
        self._characters = ParsedAssets(_parse_character)
        self._personas = ParsedAssets(read_persona)
        self._books = ParsedAssets(_compile_book)
        self._rules = ParsedAssets(_parse_rules)

    async def load(self, tx: Tx, state: StoryState) -> AssemblyAssets:
        """Load all assets that a story is bound to."""
        character = await _load_bound(tx, state, AssetKind.CHARACTER, self._characters)
        book = await _load_bound(tx, state, AssetKind.WORLDBOOK, self._books)
        preset = await _load_bound(tx, state, AssetKind.PRESET, self._presets)
        persona = await _load_bound(tx, state, AssetKind.PERSONA, self._personas)
        rules = await _load_bound(tx, state, AssetKind.REGEX_PROFILE, self._rules)
        return AssemblyAssets(
            preset=preset,
            card=None if character is None else character.card,
            persona=persona,
            books=_books(state, book, character),
            rules=rules or (),
            stamps=AssetStamps(
                preset=_stamp(state.find_bound(AssetKind.PRESET)),
                worldbook=_stamp(state.find_bound(AssetKind.WORLDBOOK)),
                regex_profile=_stamp(state.find_bound(AssetKind.REGEX_PROFILE)),
                character=_stamp(state.find_bound(AssetKind.CHARACTER)),
            ),
        )


async def _load_bound(
    tx: Tx, state: StoryState, kind: AssetKind, cache: ParsedAssets[Parsed]
) -> Parsed | None:
    bound = state.find_bound(kind)
    if bound is None:
        return None
    if (parsed := cache.find(bound.version_id)) is not None:
        return parsed
    return (await cache.load(tx, [bound.version_id])).get(bound.version_id)


def _parse_character(content: JsonObject) -> _Character:
    card = read_card(content)
    return _Character(card, None if card.book is None else _compile_book(card.book))


def _compile_book(content: JsonObject) -> CompiledBook:
    return compile_book(parse_book(content, source=_UNNAMED))


def _parse_rules(content: JsonObject) -> tuple[RegexRule, ...]:
    scripts = content[SCRIPTS]
    return parse_rules(scripts if isinstance(scripts, list) else [])


def _books(
    state: StoryState, book: CompiledBook | None, character: _Character | None
) -> tuple[CompiledBook, ...]:
    """The session's worldbook, then the card's, each under its present name."""
    books: list[CompiledBook] = []
    bound = state.find_bound(AssetKind.WORLDBOOK)
    if book is not None and bound is not None:
        source = BookSource(BookKind.SESSION, str(bound.asset_id), bound.name)
        books.append(_rename_book(book, source))
    if character is not None and character.book is not None:
        name = str((character.card.book or {}).get("name") or character.card.name)
        books.append(_rename_book(character.book, BookSource(BookKind.CHARACTER, None, name)))
    return tuple(books)


def _rename_book(book: CompiledBook, source: BookSource) -> CompiledBook:
    return replace(book, book=replace(book.book, source=source))


def _stamp(bound: BoundAsset | None) -> AssetStamp:
    if bound is None:
        return AssetStamp()
    updated_ms = round(bound.updated_at.timestamp() * 1000)
    return AssetStamp(str(bound.asset_id), updated_ms, bound.version)
