"""The assets of a story as its prompts use them. What was parsed is kept by version."""

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
from yarrow.stories.bindings.model import Bound
from yarrow.stories.model import Story

Parsed = TypeVar("Parsed")

_UNNAMED = BookSource(BookKind.SESSION, None, "")


@dataclass(frozen=True, slots=True)
class _Character:
    card: CharacterCard
    book: CompiledBook | None


class PromptAssets:
    """Parsed forms by version: a version never changes, so none of them is ever stale."""

    def __init__(self) -> None:
        self._presets = ParsedAssets(parse_preset)
        self._characters = ParsedAssets(_read_character)
        self._personas = ParsedAssets(read_persona)
        self._books = ParsedAssets(_compiled)
        self._rules = ParsedAssets(_read_rules)

    async def load(self, tx: Tx, story: Story) -> AssemblyAssets:
        """What a story is bound to, ready for an assembly."""
        character = await _loaded(tx, story, AssetKind.CHARACTER, self._characters)
        book = await _loaded(tx, story, AssetKind.WORLDBOOK, self._books)
        preset = await _loaded(tx, story, AssetKind.PRESET, self._presets)
        persona = await _loaded(tx, story, AssetKind.PERSONA, self._personas)
        rules = await _loaded(tx, story, AssetKind.REGEX_PROFILE, self._rules)
        return AssemblyAssets(
            preset=preset,
            card=None if character is None else character.card,
            persona=persona,
            books=_books(story, book, character),
            rules=rules or (),
            stamps=AssetStamps(
                preset=_stamp(story.bound(AssetKind.PRESET)),
                worldbook=_stamp(story.bound(AssetKind.WORLDBOOK)),
                regex_profile=_stamp(story.bound(AssetKind.REGEX_PROFILE)),
                character=_stamp(story.bound(AssetKind.CHARACTER)),
            ),
        )


async def _loaded(
    tx: Tx, story: Story, kind: AssetKind, shelf: ParsedAssets[Parsed]
) -> Parsed | None:
    bound = story.bound(kind)
    if bound is None:
        return None
    if (kept := shelf.find(bound.version_id)) is not None:
        return kept
    return (await shelf.load(tx, [bound.version_id])).get(bound.version_id)


def _read_character(content: JsonObject) -> _Character:
    card = read_card(content)
    return _Character(card, None if card.book is None else _compiled(card.book))


def _compiled(content: JsonObject) -> CompiledBook:
    return compile_book(parse_book(content, source=_UNNAMED))


def _read_rules(content: JsonObject) -> tuple[RegexRule, ...]:
    return parse_rules(content[SCRIPTS])


def _books(
    story: Story, book: CompiledBook | None, character: _Character | None
) -> tuple[CompiledBook, ...]:
    """The session's book, then the card's own, each under the name it has now."""
    found: list[CompiledBook] = []
    bound = story.bound(AssetKind.WORLDBOOK)
    if book is not None and bound is not None:
        source = BookSource(BookKind.SESSION, str(bound.asset_id), bound.name)
        found.append(_named(book, source))
    if character is not None and character.book is not None:
        name = str((character.card.book or {}).get("name") or character.card.name)
        found.append(_named(character.book, BookSource(BookKind.CHARACTER, None, name)))
    return tuple(found)


def _named(book: CompiledBook, source: BookSource) -> CompiledBook:
    return replace(book, book=replace(book.book, source=source))


def _stamp(bound: Bound | None) -> AssetStamp:
    if bound is None:
        return AssetStamp()
    updated_ms = round(bound.updated_at.timestamp() * 1000)
    return AssetStamp(str(bound.asset_id), updated_ms, bound.version)
