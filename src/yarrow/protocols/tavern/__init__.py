"""The prompt runtime (seed 004) at the paths of a SillyTavern-like server."""

from yarrow.agents.storyteller.memory_jobs import MemoryWorker
from yarrow.http.wire_protocol import WireProtocol
from yarrow.protocols.tavern.assets.export_routes import make_export_router
from yarrow.protocols.tavern.assets.import_routes import make_import_router
from yarrow.protocols.tavern.assets.routes import make_asset_router
from yarrow.protocols.tavern.chats.routes import make_chat_router
from yarrow.protocols.tavern.errors import make_unrouted_formats
from yarrow.protocols.tavern.generation.replace_routes import make_replace_router
from yarrow.protocols.tavern.generation.routes import make_generate_router
from yarrow.protocols.tavern.generation.run_routes import make_run_router
from yarrow.protocols.tavern.generation.start_turns import TurnGeneration, choose_policy
from yarrow.protocols.tavern.memories.job_routes import make_memory_job_router
from yarrow.protocols.tavern.memories.routes import make_memory_router
from yarrow.protocols.tavern.policies.routes import make_policy_router
from yarrow.protocols.tavern.profiles.routes import make_profile_router
from yarrow.protocols.tavern.profiles.slot_routes import make_slot_router
from yarrow.protocols.tavern.prompts.explain_routes import make_explain_router
from yarrow.protocols.tavern.prompts.routes import make_prompt_router
from yarrow.protocols.tavern.sessions.routes import make_session_router
from yarrow.protocols.tavern.state.routes import make_state_router
from yarrow.protocols.tavern.tools.routes import make_tool_router
from yarrow.protocols.tavern.turns.routes import make_turn_router
from yarrow.protocols.tavern.turns.undo_routes import make_undo_router
from yarrow.protocols.tavern.variables.routes import make_variable_router
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import MemoryMode, Settings
from yarrow.stories.model_endpoints.endpoints import ModelEndpoints
from yarrow.stories.prompts import StoryPrompts
from yarrow.stories.tools.toolbox import StoryToolbox


def protocol(
    engine: Engine,
    executions: Executions,
    *,
    settings: Settings,
    prompts: StoryPrompts,
    story_tools: StoryToolbox,
    memory_worker: MemoryWorker,
    model_endpoints: ModelEndpoints,
) -> WireProtocol:
    generation = TurnGeneration(
        engine, executions, choose_policy(settings), story_tools, settings.session_state
    )
    return WireProtocol(
        hot_routers=[
            make_prompt_router(prompts),
            make_generate_router(generation),
            make_replace_router(generation),
        ],
        routers=[
            make_asset_router(engine),
            make_import_router(engine),
            make_export_router(engine),
            make_session_router(engine, executions),
            make_turn_router(engine),
            make_undo_router(engine),
            make_run_router(engine, executions),
            make_variable_router(engine),
            make_state_router(engine, is_on=settings.session_state),
            make_tool_router(engine, story_tools),
            make_memory_router(engine, is_on=settings.memory is not MemoryMode.OFF),
            make_memory_job_router(engine, memory_worker, settings.memory),
            make_profile_router(model_endpoints),
            make_slot_router(model_endpoints),
            make_chat_router(engine),
            make_policy_router(engine),
            make_explain_router(generation, prompts),
        ],
        error_formats=make_unrouted_formats(),
    )
