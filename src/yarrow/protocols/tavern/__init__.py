"""The prompt runtime (seed 004) at the paths of a SillyTavern-like server."""

from yarrow.http.protocol import WireProtocol
from yarrow.protocols.tavern.assets.export_routes import export_routes
from yarrow.protocols.tavern.assets.import_routes import import_routes
from yarrow.protocols.tavern.assets.routes import asset_routes
from yarrow.protocols.tavern.chats.routes import chat_routes
from yarrow.protocols.tavern.errors import unrouted_formats
from yarrow.protocols.tavern.policies.routes import policy_routes
from yarrow.protocols.tavern.prompts.routes import prompt_routes
from yarrow.protocols.tavern.sessions.routes import session_routes
from yarrow.protocols.tavern.turns.routes import turn_routes
from yarrow.protocols.tavern.variables.routes import variable_routes
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.stories.prompts import StoryPrompts


def protocol(engine: Engine, executions: Executions) -> WireProtocol:
    database = engine.database
    return WireProtocol(
        hot_routers=[prompt_routes(StoryPrompts(database, engine.clock))],
        routers=[
            asset_routes(database),
            import_routes(database, engine.clock),
            export_routes(database),
            session_routes(engine, executions),
            turn_routes(database),
            variable_routes(database),
            chat_routes(engine),
            policy_routes(database),
        ],
        error_formats=unrouted_formats(),
    )
