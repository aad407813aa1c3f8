"""Prompts of stories: what is stored is read, then assembled in a thread."""

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
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.stories.assembly_threads import AssemblyThreads
from yarrow.stories.model import Story
from yarrow.stories.prompt_assets import PromptAssets
from yarrow.stories.prompt_input import is_light, prompt_input, until
from yarrow.stories.state import read_story


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
    assembly: AssemblyResult


@dataclass(frozen=True, slots=True)
class PreviewRun:
    """One text as the session's prompts would say it."""

    story: Story
    policy: ResolvedPolicy
    preview: MacroPreview


class StoryPrompts:
    """Assembles prompts of stories."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._assets = PromptAssets()
        self._count = TokenCounter()
        self._threads = AssemblyThreads()
        self._slow = SlowPatterns(time.monotonic)

    async def dry_run(self, place: Place, asked: Asked) -> DryRun:
        """The prompt that the next turn would send; nothing is written, no model is asked."""
        story, policy, given = await self._given(place, asked, MacroPhase.DRY_RUN)
        if is_light(given):
            return DryRun(story, policy, assemble(given))
        made = await self._threads.run(place.account_id, lambda: assemble(given))
        return DryRun(story, policy, made)

    async def preview(self, place: Place, text: str, policy: JsonObject) -> PreviewRun:
        """One text with its macros run."""
        story, resolved, given = await self._given(
            place, Asked("", policy=policy), MacroPhase.PREVIEW
        )
        made = await self._threads.run(place.account_id, lambda: preview_text(given, text))
        return PreviewRun(story, resolved, made)

    async def _given(
        self, place: Place, asked: Asked, phase: MacroPhase
    ) -> tuple[Story, ResolvedPolicy, AssemblyInput]:
        async with self._database.connection() as tx:
            story = await read_story(tx, place.account_id, place.session_id, place.branch)
            assets = await self._assets.load(tx, story)
        policy = resolve_policy(
            {PolicyLayer.SESSION: story.policy, PolicyLayer.REQUEST: asked.policy}
        )
        given = prompt_input(
            story,
            until(story.said, place.source_floor),
            message=CurrentInput(asked.message, intent=asked.intent),
            assets=assets,
            policy=parse_policy(policy.values),
            runtime=self._runtime(story, phase),
        )
        return story, policy, given

    def _runtime(self, story: Story, phase: MacroPhase) -> PromptRuntime:
        now = self._clock()
        session_id = str(story.head.session_id)
        return PromptRuntime(
            now=now.astimezone(story.zone),
            count=self._count,
            regexes=QuickJsEngine(slow=self._slow, owner=str(story.head.account_id)),
            seed=f"{session_id}:{now.timestamp()}",
            chat_id=session_id,
            phase=phase,
            run_kind=RunKind.DRY_RUN,
        )
