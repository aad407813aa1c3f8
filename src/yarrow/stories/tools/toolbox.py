"""The tools of all providers, and what a turn offers of them."""

from collections.abc import Mapping, Sequence
from random import Random, SystemRandom

from msgspec import Struct, field

from yarrow.clock import Clock
from yarrow.db import Database
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject
from yarrow.product_events.story_tools import StagedWrite
from yarrow.runs.agent import RunContext
from yarrow.stories import store as story_store
from yarrow.stories.model import StoryState
from yarrow.stories.prompts import TurnPrompt
from yarrow.stories.story_access import require_open, require_story
from yarrow.stories.story_state import require_own_story
from yarrow.stories.tools import store
from yarrow.stories.tools.builtin import BUILTIN_TOOLS
from yarrow.stories.tools.errors import ToolCatalogConflict
from yarrow.stories.tools.library import LIBRARY_TOOLS
from yarrow.stories.tools.model import (
    SearchMemory,
    StagedEffects,
    StoryTool,
    ToolProvider,
    ToolTurn,
)
from yarrow.stories.tools.permissions import (
    NARRATOR,
    ToolDecision,
    ToolPermissions,
    decide_tool,
    merge_permissions,
    parse_permissions,
)
from yarrow.stories.tools.turn_library import TurnLibrary
from yarrow.tools.model import ToolError
from yarrow.variables.model import Scope, ScopedVariables


class CatalogTool(Struct, frozen=True):
    """A tool and its provider."""

    tool: StoryTool
    provider: ToolProvider


async def refuse_search(_: StoryState, __: str, ___: int) -> Sequence[JsonObject]:
    """For a server without memory."""
    raise ToolError("this server keeps no memory; use what the conversation says")


class StoryToolbox(Struct):
    """The providers of this server's tools."""

    database: Database
    clock: Clock
    providers: list[ToolProvider] = field(default_factory=lambda: [BUILTIN_TOOLS, LIBRARY_TOOLS])
    search_memory: SearchMemory = refuse_search
    dice: Random = field(default_factory=SystemRandom)

    def list_tools(self) -> Mapping[str, CatalogTool]:
        """All tools by name; raises `ToolCatalogConflict` if two have the same one."""
        catalog: dict[str, CatalogTool] = {}
        for provider in self.providers:
            for tool in provider.tools:
                if (other := catalog.get(tool.name)) is not None:
                    owners = (other.provider.id, provider.id)
                    raise ToolCatalogConflict(tool.name, providers=owners)
                catalog[tool.name] = CatalogTool(tool, provider)
        return catalog

    def decide_tools(
        self, permissions: ToolPermissions
    ) -> Sequence[tuple[CatalogTool, ToolDecision]]:
        """All tools, each with whether the narrator, who alone calls tools, may call it."""
        return [
            (each, decide_tool(permissions, each.tool, NARRATOR))
            for each in self.list_tools().values()
        ]

    def offer_tools(self, permissions: ToolPermissions) -> Mapping[str, CatalogTool]:
        """The tools that the narrator may call."""
        return {
            each.tool.name: each
            for each, decision in self.decide_tools(permissions)
            if decision.refusal is None
        }

    def open_turn(
        self, context: RunContext, prompt: TurnPrompt, writes: Sequence[StagedWrite]
    ) -> ToolTurn:
        """What the tools of one reply may read; `writes` are those of the prompt's macros."""
        run, state, effects = context.run, prompt.state, StagedEffects()
        return ToolTurn(
            account_id=run.account_id,
            session_id=run.session_id,
            state=state,
            variables=_apply_writes(state.variables, writes),
            card=prompt.material.assets.card,
            library=TurnLibrary(self.database, run.account_id, effects),
            search_memory=self.search_memory,
            effects=effects,
            now=lambda: self.clock().astimezone(state.timezone),
            dice=self.dice,
            new_id=context.new_id,
        )


def _apply_writes(variables: ScopedVariables, writes: Sequence[StagedWrite]) -> ScopedVariables:
    if not writes:
        return variables
    scopes = {scope: dict(values) for scope, values in variables.by_scope.items()}
    for write in writes:
        values = scopes.setdefault(Scope(write.scope), {})
        if write.is_deleted:
            values.pop(write.name, None)
        else:
            values[write.name] = write.value
    return ScopedVariables(scopes)


async def read_permissions(
    database: Database, account_id: AccountId, session_id: SessionId
) -> ToolPermissions:
    """Read the tool permissions of a story."""
    async with database.connection() as tx:
        await require_own_story(tx, account_id, session_id)
        return parse_permissions(await store.read_permissions(tx, session_id))


async def change_permissions(
    database: Database,
    account_id: AccountId,
    session_id: SessionId,
    patch: JsonObject,
    *,
    is_replaced: bool,
) -> ToolPermissions:
    """Replace the tool permissions of a story, or merge a patch into them."""
    async with database.transaction() as tx:
        locked = await story_store.lock_session(tx, account_id, session_id)
        require_open(require_story(session_id, locked))
        present = parse_permissions(await store.read_permissions(tx, session_id))
        base = ToolPermissions() if is_replaced else present
        permissions = merge_permissions(base, patch)
        await store.write_permissions(tx, session_id, permissions.to_stored())
    return permissions
