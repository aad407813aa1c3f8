"""From tools and recorded calls to responses."""

from yarrow.kit.json import JsonObject
from yarrow.product_events.story_tools import (
    ExecutionStatus,
    SideEffect,
    StoryToolFinished,
    StoryToolStarted,
)
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.stories.tools.permissions import NARRATOR, ToolDecision, ToolPermissions
from yarrow.stories.tools.replay_rules import CallFacts, Lifecycle, ToolExecution, rate_call
from yarrow.stories.tools.toolbox import CatalogTool


def encode_permissions(permissions: ToolPermissions) -> JsonObject:
    return permissions.to_stored()


def encode_tool(tool: CatalogTool) -> JsonObject:
    """A tool of the catalogue; its replay safety is that of a call that succeeds."""
    facts = CallFacts(
        tool.tool.name, tool.provider.type, tool.tool.side_effect, ExecutionStatus.SUCCESS
    )
    safety, reason = rate_call(facts)
    return {
        "name": tool.tool.name,
        "description": tool.tool.description,
        "parameters": tool.tool.parameters,
        "provider_id": tool.provider.id,
        "provider_type": tool.provider.type,
        "source": tool.provider.type,
        "side_effect_level": tool.tool.side_effect.value,
        "replay_safety": safety.value,
        "reason": reason,
    }


def encode_decision(tool: CatalogTool, decision: ToolDecision) -> JsonObject:
    """A tool with whether the session offers it."""
    refusal = decision.refusal
    return encode_tool(tool) | {
        "slot": NARRATOR,
        "available": refusal is None,
        "unavailable_reason": None if refusal is None else refusal.value,
    }


def encode_blocker(execution: ToolExecution) -> JsonObject:
    """A recorded call as the replay guard names it."""
    facts, (safety, reason) = execution.facts, execution.safety
    return {
        "execution_id": execution.id,
        "tool_name": facts.tool_name,
        "provider_id": execution.provider_id,
        "provider_type": facts.provider_type,
        "side_effect_level": _encode_level(facts.side_effect),
        "status": facts.status.value,
        "lifecycle_state": facts.lifecycle.value,
        "replay_safety": safety.value,
        "reason": reason,
    }


def encode_execution(execution: ToolExecution) -> JsonObject:
    return encode_blocker(execution) | {
        "session_id": execution.session_id,
        "floor_id": execution.turn_id,
        "slot": NARRATOR,
        "commit_outcome": execution.outcome.value,
        "arguments": execution.arguments,
        "result": execution.result,
        "message": execution.message,
        "duration_ms": execution.duration_ms,
        "attempt_no": execution.attempt,
        "created_at": to_milliseconds(execution.created_at),
    }


def encode_tool_frame(event: StoryToolStarted | StoryToolFinished) -> JsonObject:
    """The data of a `tool` event."""
    match event:
        case StoryToolStarted():
            status, lifecycle, phase = ExecutionStatus.RUNNING, Lifecycle.OPENED, "start"
            message, duration_ms = f"Calling {event.tool_name}", None
        case StoryToolFinished(status=status, message=message, duration_ms=duration_ms):
            lifecycle, phase = Lifecycle.FINISHED, status.value
    facts = CallFacts(event.tool_name, event.provider_type, event.side_effect, status, lifecycle)
    return {
        "execution_id": event.execution_id,
        "tool_name": event.tool_name,
        "provider_id": event.provider_id,
        "provider_type": event.provider_type,
        "side_effect_level": _encode_level(event.side_effect),
        "phase": phase,
        "message": message,
        "duration_ms": duration_ms,
        "replay_safety": rate_call(facts)[0].value,
    }


def _encode_level(side_effect: SideEffect | None) -> str | None:
    return None if side_effect is None else side_effect.value
