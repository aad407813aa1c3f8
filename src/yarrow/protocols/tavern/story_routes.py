"""All routes of stories, for `app.py`."""

from fastapi import APIRouter

from yarrow.assets.model import AssetKind
from yarrow.ids import AccountId, AssetId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.assets.import_routes import OpenStory
from yarrow.protocols.tavern.chats.routes import chat_routes
from yarrow.protocols.tavern.policies.routes import policy_routes
from yarrow.protocols.tavern.sessions.encode import session_shape
from yarrow.protocols.tavern.sessions.routes import session_routes
from yarrow.protocols.tavern.turns.routes import floor_routes
from yarrow.protocols.tavern.variables.routes import variable_routes
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.stories.create import create_story
from yarrow.stories.model import StoryPatch


def story_routes(engine: Engine, executions: Executions) -> list[APIRouter]:
    """Sessions, floors, variables, chat files and prompt policies."""
    return [
        session_routes(engine, executions),
        floor_routes(engine.database),
        variable_routes(engine.database),
        chat_routes(engine),
        policy_routes(engine.database),
    ]


def story_opener(engine: Engine) -> OpenStory:
    """How the import of a character begins a session with it."""

    async def begin(account_id: AccountId, character_id: AssetId, title: str | None) -> JsonObject:
        wanted = StoryPatch(title=title, assets={AssetKind.CHARACTER: character_id})
        story = await create_story(engine.database, account_id, wanted, now=engine.clock())
        return session_shape(story)

    return begin
