"""Build prompts of stories: read the state, then assemble it, in a thread if it is large."""

import time
from dataclasses import dataclass, field

from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId, TurnId
from yarrow.kit.json import JsonObject
from yarrow.prompting.assembly import (
    AssemblyInput,
    AssemblyResult,
    CurrentInput,
    MacroPreview,
    PromptRuntime,
    RunKind,
    assemble,
    preview_text,
)
from yarrow.prompting.macros import MacroPhase
from yarrow.prompting.policy import PolicyLayer, ResolvedPolicy, parse_policy, resolve_policy
from yarrow.prompting.preset import PromptIntent
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_engine.slow import SlowPatterns
from yarrow.prompting.tokens import TokenCounter
from yarrow.sessions.model import MAIN_BRANCH
from yarrow.stories.assembly_threads import AssemblyThreads
from yarrow.stories.model import StoryState
from yarrow.stories.prompt_assets import PromptAssets
from yarrow.stories.prompt_input import cut_history, is_small, make_prompt_input
from yarrow.stories.state import read_state


@dataclass(frozen=True, slots=True)
class PromptPosition:
    """The branch that a prompt continues: after `source_turn`, or at its end."""

    account_id: AccountId
    session_id: SessionId
    branch: str = MAIN_BRANCH
    source_turn: TurnId | None = None


@dataclass(frozen=True, slots=True)
class PromptQuery:
    """The input of a prompt; `policy` is the request's layer of the prompt policy."""

    message: str
    intent: PromptIntent = PromptIntent.NORMAL
    policy: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DryRun:
    """A prompt that is not sent to a model."""

    state: StoryState
    policy: ResolvedPolicy
    assembly: AssemblyResult


@dataclass(frozen=True, slots=True)
class PreviewRun:
    """One text with its macros expanded."""

    state: StoryState
    policy: ResolvedPolicy
    preview: MacroPreview


class StoryPrompts:
    """Builds prompts of stories; keeps parsed assets and token counts between calls."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._assets = PromptAssets()
        self._count = TokenCounter()
        self._threads = AssemblyThreads()
        self._slow = SlowPatterns(time.monotonic)

    async def dry_run(self, position: PromptPosition, query: PromptQuery) -> DryRun:
        """Build the prompt that the next turn would send. Nothing is written."""
        state, policy, material = await self._load(position, query, MacroPhase.DRY_RUN)
        if is_small(material):
            return DryRun(state, policy, assemble(material))
        result = await self._threads.run(position.account_id, lambda: assemble(material))
        return DryRun(state, policy, result)

    async def preview(self, position: PromptPosition, text: str, policy: JsonObject) -> PreviewRun:
        """Expand the macros of one text."""
        query = PromptQuery("", policy=policy)
        state, resolved, material = await self._load(position, query, MacroPhase.PREVIEW)
        result = await self._threads.run(position.account_id, lambda: preview_text(material, text))
        return PreviewRun(state, resolved, result)

    async def _load(
        self, position: PromptPosition, query: PromptQuery, phase: MacroPhase
    ) -> tuple[StoryState, ResolvedPolicy, AssemblyInput]:
        async with self._database.connection() as tx:
            state = await read_state(tx, position.account_id, position.session_id, position.branch)
            assets = await self._assets.load(tx, state)
        policy = resolve_policy(
            {PolicyLayer.SESSION: state.policy, PolicyLayer.REQUEST: query.policy}
        )
        material = make_prompt_input(
            state,
            cut_history(state.history, position.source_turn),
            message=CurrentInput(query.message, intent=query.intent),
            assets=assets,
            policy=parse_policy(policy.values),
            runtime=self._runtime(state, phase),
        )
        return state, policy, material

    def _runtime(self, state: StoryState, phase: MacroPhase) -> PromptRuntime:
        now = self._clock()
        session_id = str(state.session.session_id)
        return PromptRuntime(
            now=now.astimezone(state.timezone),
            count=self._count,
            regexes=QuickJsEngine(slow=self._slow, owner=str(state.session.account_id)),
            seed=f"{session_id}:{now.timestamp()}",
            chat_id=session_id,
            phase=phase,
            run_kind=RunKind.DRY_RUN,
        )
