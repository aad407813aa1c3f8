"""Build prompts of stories: load state and assets, then assemble, in a thread if it is large."""

import time
from hashlib import blake2b
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.assets.content_rules import SCRIPTS
from yarrow.assets.model import AssetKind
from yarrow.assets.parsed import ParsedAssets
from yarrow.clock import Clock
from yarrow.db import Database, Tx
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.assembly import (
    AssemblyAssets,
    AssemblyInput,
    AssemblyResult,
    AssetStamp,
    AssetStamps,
    CurrentInput,
    InputOrigin,
    MacroPreview,
    PromptRuntime,
    RunKind,
    assemble,
    preview_text,
    rewrite_reply,
)
from yarrow.prompting.formats.cards import find_book_name, read_card, read_persona
from yarrow.prompting.macros import MacroPhase
from yarrow.prompting.model import CharacterCard
from yarrow.prompting.policy import PolicyLayer, ResolvedPolicy, parse_policy, resolve_policy
from yarrow.prompting.preset import Preset, PromptIntent, parse_preset
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_engine.slow_patterns import SlowPatterns
from yarrow.prompting.regex_rules import RegexRule, RuleOutcome, parse_rules
from yarrow.prompting.tokens import TokenCounter
from yarrow.prompting.worldbook import BookKind, BookSource, CompiledBook, compile_book, parse_book
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.assembly_threads import AssemblyThreads
from yarrow.stories.history_store import ReadHistories
from yarrow.stories.model import BoundAsset, StoryState
from yarrow.stories.prompt_input import is_small, make_prompt_input
from yarrow.stories.story_state import move_state, read_state, rewind_state

Parsed = TypeVar("Parsed")

_UNNAMED = BookSource(BookKind.SESSION, None, "")


class _Character(Struct, frozen=True):
    card: CharacterCard
    book: CompiledBook | None
    rules: tuple[RegexRule, ...]


class _PresetFile(Struct, frozen=True):
    preset: Preset
    rules: tuple[RegexRule, ...]


class PromptAssets:
    """Caches of parsed assets by version id. A version never changes, so no entry gets stale."""

    def __init__(self) -> None:
        self._presets = ParsedAssets(_parse_preset)
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
            preset=None if preset is None else preset.preset,
            card=None if character is None else character.card,
            persona=persona,
            books=_list_books(state, book, character),
            rules=(
                *(rules or ()),
                *(() if preset is None else preset.rules),
                *(() if character is None else character.rules),
            ),
            stamps=AssetStamps(
                preset=_build_stamp(state.find_bound(AssetKind.PRESET)),
                worldbook=_build_stamp(state.find_bound(AssetKind.WORLDBOOK)),
                regex_profile=_build_stamp(state.find_bound(AssetKind.REGEX_PROFILE)),
                character=_build_stamp(state.find_bound(AssetKind.CHARACTER)),
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
    book = None if card.book is None else _compile_book(card.book)
    return _Character(card, book, _parse_own_rules(card.extensions))


def _parse_preset(content: JsonObject) -> _PresetFile:
    extensions = content.get("extensions")
    own = extensions if isinstance(extensions, dict) else {}
    return _PresetFile(parse_preset(content), _parse_own_rules(own))


def _compile_book(content: JsonObject) -> CompiledBook:
    return compile_book(parse_book(content, source=_UNNAMED))


def _parse_rules(content: JsonObject) -> tuple[RegexRule, ...]:
    return _parse_scripts(content[SCRIPTS])


def _parse_own_rules(extensions: JsonObject) -> tuple[RegexRule, ...]:
    """The scripts that a card or a preset brings."""
    return _parse_scripts(extensions.get("regex_scripts"))


def _parse_scripts(scripts: JsonValue) -> tuple[RegexRule, ...]:
    return parse_rules(scripts if isinstance(scripts, list) else [])


def _list_books(
    state: StoryState, book: CompiledBook | None, character: _Character | None
) -> tuple[CompiledBook, ...]:
    """The session's worldbook, then the card's, each under its present name."""
    books: list[CompiledBook] = []
    bound = state.find_bound(AssetKind.WORLDBOOK)
    if book is not None and bound is not None:
        source = BookSource(BookKind.SESSION, str(bound.asset_id), bound.name)
        books.append(_rename_book(book, source))
    if character is not None and character.book is not None:
        source = BookSource(BookKind.CHARACTER, None, find_book_name(character.card))
        books.append(_rename_book(character.book, source))
    return tuple(books)


def _rename_book(book: CompiledBook, source: BookSource) -> CompiledBook:
    return replace(book, book=replace(book.book, source=source))


def _build_stamp(bound: BoundAsset | None) -> AssetStamp:
    if bound is None:
        return AssetStamp()
    updated_ms = round(bound.updated_at.timestamp() * 1000)
    return AssetStamp(str(bound.asset_id), updated_ms, bound.version)


_NEXT_TURN = frozenset({RunKind.DRY_RUN, RunKind.RESPOND})
"""Prompts of a turn that replaces none: a dry run rolls the dice of the turn that follows it."""


def _name_position(state: StoryState, message: str) -> str:
    """Name the place of a new turn: another one, if anything before it or the message differs."""
    last = state.history[-1].message_id if state.history else None
    place = f"{state.history_version}:{last}:{message}"
    return blake2b(place.encode(errors="surrogatepass"), digest_size=16).hexdigest()


class PromptPosition(Struct, frozen=True):
    """The branch that a prompt continues: after `source_turn`, or at its end."""

    account_id: AccountId
    session_id: SessionId
    branch: str = MAIN_BRANCH
    source_turn: TurnId | None = None
    before_turn: TurnId | None = None
    """The turn that is answered again: history and state end before it."""
    drops_later: bool = False
    """The turns behind it are replaced with it."""


class PromptQuery(Struct, frozen=True):
    """The input of a prompt; `policy` is the request's layer of the prompt policy."""

    message: str
    intent: PromptIntent = PromptIntent.NORMAL
    policy: JsonObject = field(default_factory=dict)
    origin: InputOrigin = InputOrigin.TYPED


class DryRun(Struct, frozen=True):
    """A prompt that is not sent to a model."""

    state: StoryState
    policy: ResolvedPolicy
    assembly: AssemblyResult


class TurnPrompt(Struct, frozen=True):
    """A prompt that is sent to a model, and what it was made from."""

    state: StoryState
    policy: ResolvedPolicy
    material: AssemblyInput
    assembly: AssemblyResult


class PreviewRun(Struct, frozen=True):
    """One text with its macros expanded."""

    state: StoryState
    policy: ResolvedPolicy
    preview: MacroPreview


class StoryPrompts:
    """Builds prompts of stories; keeps histories, parsed assets and token counts between calls."""

    def __init__(self, database: Database, clock: Clock, *, has_memory: bool = True) -> None:
        self._database, self._clock, self._has_memory = database, clock, has_memory
        self._assets, self._histories = PromptAssets(), ReadHistories()
        self._count = TokenCounter()
        self._threads = AssemblyThreads()
        self._slow = SlowPatterns(time.monotonic)

    async def dry_run(self, position: PromptPosition, query: PromptQuery) -> DryRun:
        """Build the prompt that the next turn would send. Nothing is written."""
        state, policy, material = await self._load_material(position, query, MacroPhase.DRY_RUN)
        return DryRun(state, policy, await self._assemble_prompt(position.account_id, material))

    async def build_turn(
        self, position: PromptPosition, query: PromptQuery, run_kind: RunKind
    ) -> TurnPrompt:
        """Build the prompt of a turn. Writes of its macros are staged, none is stored."""
        state, policy, material = await self._load_material(
            position, query, MacroPhase.ASSEMBLE, run_kind
        )
        assembly = await self._assemble_prompt(position.account_id, material)
        return TurnPrompt(state, policy, material, assembly)

    async def inspect(self, position: PromptPosition, query: PromptQuery) -> TurnPrompt:
        """Build the prompt that a turn would send, with what it is made from. Nothing is staged."""
        state, policy, material = await self._load_material(position, query, MacroPhase.DRY_RUN)
        return TurnPrompt(
            state, policy, material, await self._assemble_prompt(position.account_id, material)
        )

    async def rewrite_reply(self, prompt: TurnPrompt, reply: str) -> RuleOutcome:
        """Apply the scripts for storage to a reply, in a thread: they are foreign programs."""
        account_id = prompt.state.session.account_id
        return await self._threads.run(account_id, lambda: rewrite_reply(prompt.material, reply))

    async def _assemble_prompt(
        self, account_id: AccountId, material: AssemblyInput
    ) -> AssemblyResult:
        if is_small(material):
            return assemble(material)
        return await self._threads.run(account_id, lambda: assemble(material))

    async def preview(self, position: PromptPosition, text: str, policy: JsonObject) -> PreviewRun:
        """Expand the macros of one text."""
        query = PromptQuery("", policy=policy)
        state, resolved, material = await self._load_material(position, query, MacroPhase.PREVIEW)
        result = await self._threads.run(position.account_id, lambda: preview_text(material, text))
        return PreviewRun(state, resolved, result)

    async def _load_material(
        self,
        position: PromptPosition,
        query: PromptQuery,
        phase: MacroPhase,
        run_kind: RunKind = RunKind.DRY_RUN,
    ) -> tuple[StoryState, ResolvedPolicy, AssemblyInput]:
        async with self._database.connection() as tx:
            state = await read_state(
                tx,
                position.account_id,
                position.session_id,
                position.branch,
                histories=self._histories,
            )
            if position.before_turn is not None:
                state = await rewind_state(
                    tx, state, position.before_turn, drops_later=position.drops_later
                )
            if position.source_turn is not None:
                state = await move_state(tx, state, position.source_turn)
            assets = await self._assets.load(tx, state)
        if not self._has_memory:
            state = replace(state, memories=())
        policy = resolve_policy(
            {PolicyLayer.SESSION: state.policy, PolicyLayer.REQUEST: query.policy}
        )
        material = make_prompt_input(
            state,
            message=CurrentInput(query.message, query.origin, query.intent),
            assets=assets,
            policy=parse_policy(policy.values),
            runtime=self._build_runtime(state, query.message, phase, run_kind),
        )
        return state, policy, material

    def _build_runtime(
        self, state: StoryState, message: str, phase: MacroPhase, run_kind: RunKind
    ) -> PromptRuntime:
        now = self._clock()
        session_id = str(state.session.session_id)
        is_next = phase is not MacroPhase.PREVIEW and run_kind in _NEXT_TURN
        moment = _name_position(state, message) if is_next else str(now.timestamp())
        return PromptRuntime(
            now=now.astimezone(state.timezone),
            count=self._count,
            regexes=QuickJsEngine(slow=self._slow, owner=str(state.session.account_id)),
            seed=f"{session_id}:{moment}",
            chat_id=session_id,
            phase=phase,
            run_kind=run_kind,
        )
