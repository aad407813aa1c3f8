"""All routes of stories, for `app.py`."""

from fastapi import APIRouter

from yarrow.protocols.tavern.chats.routes import chat_routes
from yarrow.protocols.tavern.floors.routes import floor_routes
from yarrow.protocols.tavern.policy.routes import policy_routes
from yarrow.protocols.tavern.sessions.routes import session_routes
from yarrow.protocols.tavern.variables.routes import variable_routes
from yarrow.runs.engine import Engine
from yarrow.runs.slots import Slots


def story_routes(engine: Engine, slots: Slots) -> list[APIRouter]:
    """Sessions, floors, variables, chat files and prompt policies."""
    return [
        session_routes(engine, slots),
        floor_routes(engine.database),
        variable_routes(engine.database),
        chat_routes(engine),
        policy_routes(engine.database),
    ]
