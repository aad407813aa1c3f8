"""Prompts of stories: what is stored, read and kept parsed, then assembled in a thread."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

from yarrow.clock import Clock
from yarrow.db import Database, Tx
from yarrow.errors import SourceFloorNotFound
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.json_values import JsonObject, JsonValue
from yarrow.library.assets.model import AssetKind
from yarrow.library.assets.parsed import ParsedAssets
from yarrow.library.assets.rules import SCRIPTS
from yarrow.library.bindings.model import DEFAULT_MODE, Bound
from yarrow.library.variables.model import Scope, ScopedVariables
from yarrow.prompting.assembly import (
    Assembly,
    AssemblyInput,
    Assets,
    CurrentInput,
    Preview,
    RunKind,
    SessionFacts,
    Surroundings,
    Variables,
    assemble,
    authors_note_of,
    preview,
)
from yarrow.prompting.budget import ModelFacts
from yarrow.prompting.card import Card
from yarrow.prompting.formats.cards import read_card
from yarrow.prompting.formats.personas import read_persona
from yarrow.prompting.history import EntryRole, HistoryEntry
from yarrow.prompting.js_engine import JsEngine
from yarrow.prompting.macros import Phase
from yarrow.prompting.mode import PromptMode
from yarrow.prompting.policy import PolicyLayer, ResolvedPolicy, read_policy, resolve_policy
from yarrow.prompting.preset import PromptIntent, parse_preset
from yarrow.prompting.regex_rules import RegexRule, parse_rules
from yarrow.prompting.snapshot import AssetStamp, AssetStamps
from yarrow.prompting.tokens import TokenCounter
from yarrow.prompting.worldbook import BookKind, BookSource, CompiledBook, compile_book, parse_book
from yarrow.runs.story.model import Names, Story
from yarrow.runs.story.names import with_names
from yarrow.runs.story.read import read_lineage, read_story
from yarrow.sessions.model import Role
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.sessions.timeline.model import Utterance

Parsed = TypeVar("Parsed")

_ROLES = {
    Role.USER: EntryRole.USER,
    Role.ASSISTANT: EntryRole.ASSISTANT,
    Role.SYSTEM: EntryRole.SYSTEM,
    Role.TOOL: EntryRole.SYSTEM,
}
_UNNAMED = BookSource(BookKind.SESSION, None, "")


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a story a prompt stands; without a floor, at the branch's end."""

    account_id: AccountId
    session_id: SessionId
    branch: str = MAIN_BRANCH
    source_floor: TurnId | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a prompt is to answer; `policy` is the request's own layer."""

    message: str
    intent: PromptIntent = PromptIntent.NORMAL
    policy: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DryRun:
    """A prompt that nobody sends."""

    story: Story
    policy: ResolvedPolicy
    assembly: Assembly


@dataclass(frozen=True, slots=True)
class PreviewRun:
    """One text as the session's prompts would say it."""

    story: Story
    policy: ResolvedPolicy
    preview: Preview


@dataclass(frozen=True, slots=True)
class _Character:
    card: Card
    book: CompiledBook | None


class StoryPrompts:
    """Assembles prompts. What was parsed is kept by version, and can never be stale."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._presets = ParsedAssets(parse_preset)
        self._characters = ParsedAssets(_read_character)
        self._personas = ParsedAssets(read_persona)
        self._books = ParsedAssets(_compiled)
        self._rules = ParsedAssets(_read_rules)
        self._count = TokenCounter()

    async def dry_run(self, place: Place, asked: Asked) -> DryRun:
        """The prompt that the next turn would send; nothing is written, no model is asked."""
        story, policy, given = await self._given(place, asked, Phase.DRY_RUN)
        return DryRun(story, policy, await asyncio.to_thread(assemble, given))

    async def preview(self, place: Place, text: str, policy: JsonObject) -> PreviewRun:
        """One text with its macros run."""
        story, resolved, given = await self._given(place, Asked("", policy=policy), Phase.PREVIEW)
        return PreviewRun(story, resolved, await asyncio.to_thread(preview, given, text))

    async def _given(
        self, place: Place, asked: Asked, phase: Phase
    ) -> tuple[Story, ResolvedPolicy, AssemblyInput]:
        async with self._database.reading() as tx:
            story = await read_story(tx, place.account_id, place.session_id, place.branch)
            lineage = await read_lineage(tx, place.session_id, place.branch)
            assets = await self._assets(tx, story)
        said = _until(lineage, place.source_floor)
        policy = resolve_policy(
            {PolicyLayer.SESSION: story.policy, PolicyLayer.REQUEST: asked.policy}
        )
        given = AssemblyInput(
            message=CurrentInput(asked.message, intent=asked.intent),
            surroundings=self._surroundings(story, phase),
            assets=assets,
            history=_history(said, story.head.names),
            variables=_variables(story.variables),
            session=SessionFacts(
                note=authors_note_of(story.metadata),
                metadata=story.metadata,
                idle_since=_last_said(said),
            ),
            policy=read_policy(policy.values),
            mode=_mode(story),
            model=_model(story),
        )
        return story, policy, given

    async def _assets(self, tx: Tx, story: Story) -> Assets:
        character = await _loaded(tx, story, AssetKind.CHARACTER, self._characters)
        book = await _loaded(tx, story, AssetKind.WORLDBOOK, self._books)
        preset = await _loaded(tx, story, AssetKind.PRESET, self._presets)
        persona = await _loaded(tx, story, AssetKind.PERSONA, self._personas)
        rules = await _loaded(tx, story, AssetKind.REGEX_PROFILE, self._rules)
        return Assets(
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

    def _surroundings(self, story: Story, phase: Phase) -> Surroundings:
        now = self._clock()
        session_id = str(story.head.session_id)
        return Surroundings(
            now=now.astimezone(story.zone),
            count=self._count,
            regexes=JsEngine(),
            seed=f"{session_id}:{now.timestamp()}",
            chat_id=session_id,
            phase=phase,
            run_kind=RunKind.DRY_RUN,
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


def _until(said: Sequence[Utterance], floor: TurnId | None) -> Sequence[Utterance]:
    """What was said up to a floor, that one included."""
    if floor is None:
        return said
    places = [at for at, one in enumerate(said) if one.turn_id == floor]
    if not places:
        raise SourceFloorNotFound(str(floor))
    return said[: places[-1] + 1]


def _history(said: Sequence[Utterance], names: Names) -> list[HistoryEntry]:
    return [
        HistoryEntry(
            _ROLES[one.role],
            with_names(one.content, names) if one.from_card else one.content,
            str(one.turn_id),
            str(one.message_id),
            one.floor_no,
        )
        for one in said
        if not one.hidden
    ]


def _last_said(said: Sequence[Utterance]) -> datetime | None:
    last = next((one for one in reversed(said) if one.role is Role.USER), None)
    return None if last is None else datetime.fromtimestamp(last.said_at, UTC)


def _variables(scoped: ScopedVariables) -> Variables:
    shared, chat, local = (scoped.of(s) for s in (Scope.GLOBAL, Scope.CHAT, Scope.BRANCH))
    return Variables(local=local, shared=shared, stored=_merged(shared, chat, local))


def _merged(*layers: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for layer in layers for key, value in layer.items()}


def _mode(story: Story) -> PromptMode:
    """What the session chose, else what its metadata says, else the default."""
    if story.head.bindings.prompt_mode is not None:
        return story.head.bindings.prompt_mode
    told = story.metadata.get("promptMode")
    return PromptMode(told) if told in set(PromptMode) else DEFAULT_MODE


def _model(story: Story) -> ModelFacts:
    model = story.head.bindings.model
    params = model.get("params")
    given = params if isinstance(params, dict) else {}
    return ModelFacts(
        name=str(model.get("name") or ""),
        context_tokens=_count_of(given, "context_tokens"),
        max_output_tokens=_count_of(given, "max_output_tokens"),
    )


def _count_of(params: JsonObject, name: str) -> int | None:
    value = params.get(name)
    return value if isinstance(value, int) and value > 0 else None
