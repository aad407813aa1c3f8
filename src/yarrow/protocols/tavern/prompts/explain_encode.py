"""From stored prompts to explanations, inspections and comparisons on the wire."""

import msgspec

from yarrow.kit.json import JsonObject, encode_json
from yarrow.product_events.story_tools import StagedWrite
from yarrow.prompting.assembly import AssetStamps, RuntimeTrace
from yarrow.prompting.assembly.result import TextOrigin
from yarrow.protocols.tavern.changes import encode_changes
from yarrow.protocols.tavern.prompts.encode import (
    WireObject,
    encode_cut,
    encode_history,
    encode_limitations,
    encode_match,
    encode_snapshot,
    encode_trace,
)
from yarrow.protocols.tavern.turns.encode import encode_floor
from yarrow.sessions.model import TurnView
from yarrow.stories.explanations import TurnExplanation
from yarrow.stories.prompt_record import PromptRecord, make_record
from yarrow.stories.prompts import TurnPrompt
from yarrow.stories.turn_state import TurnState, VariableWrite

NO_SNAPSHOT = "The floor was not generated here, so its prompt is not known."

_LISTS = ("trim_reasons", "excluded_sources", "section_stats", "messages", "limitations", "sources")
_OBJECTS = ("assets", "resolved_policy", "source_map", "governance", "diagnostics")

_COMPARED = {
    "scope_changes": "scope",
    "policy_changes": "resolved_policy",
    "asset_changes": "assets",
    "diagnostics_changes": "diagnostics",
    "trim_changes": "trim_reasons",
    "exclusion_changes": "excluded_sources",
    "governance_changes": "governance",
    "message_changes": "messages",
}
"""Lists of a comparison, and the part of an explanation that each compares."""


def encode_explanation(explanation: TurnExplanation) -> WireObject:
    record, turn = explanation.record, explanation.turn
    encoded: WireObject = {
        "floor": _encode_turn(turn),
        "scope": encode_scope(turn),
        "snapshot_available": record is not None,
    }
    if record is None:
        encoded |= {name: {} for name in _OBJECTS} | {name: [] for name in _LISTS}
        encoded |= {"prompt_snapshot": None, "memory": None, "worldbook": None}
        encoded["limitations"] = _list_limitations(explanation)
    else:
        encoded |= encode_record(record)
    state = explanation.state
    encoded["variables"] = None if state is None else state.variables
    encoded["staged_writes"] = _encode_writes(state)
    encoded["result"] = _encode_result(explanation)
    return encoded


def encode_record(record: PromptRecord) -> WireObject:
    """The parts that an explanation and an inspection have in common."""
    trace = record.trace
    return {
        "assets": _encode_assets(record.snapshot.assets),
        "prompt_snapshot": encode_snapshot(record.snapshot),
        "resolved_policy": record.policy,
        "source_map": record.source_map,
        "trim_reasons": trace.budgets.trim_reasons,
        "excluded_sources": trace.source_selection.excluded_sources,
        "section_stats": trace.budgets.by_group,
        "governance": _encode_governance(record),
        "diagnostics": _encode_diagnostics(trace),
        "limitations": encode_limitations(record.limitations),
        "memory": {
            "summary": record.memory_summary,
            "summary_injected": trace.memory.summary_injected,
            "token_count": trace.memory.token_count,
        },
        "messages": record.messages,
        "sources": [_encode_origin(origin) for origin in trace.origins],
        "worldbook": {
            "matches": [encode_match(match) for match in trace.worldbook.matches],
            "cut": [encode_cut(cut) for cut in trace.worldbook.cut],
        },
    }


def encode_inspection(prompt: TurnPrompt, sampler: JsonObject) -> WireObject:
    """The prepared turn; `generation_params` are those that would reach the model."""
    record = make_record(prompt)
    return {
        "scope": {
            "session_id": str(prompt.state.session.session_id),
            "branch_id": prompt.state.branch,
            "local": "branch",
            "global": "global",
        },
        "token_estimate": record.token_estimate,
        "available_for_reply": record.available_for_reply,
        **encode_record(record),
        "runtime_trace": encode_trace(record.trace, with_matches=True),
        "generation_params": sampler,
    }


def encode_scope(turn: TurnView) -> WireObject:
    return {
        "session_id": str(turn.session_id),
        "branch_id": turn.branch,
        "local": "branch",
        "global": "global",
    }


def encode_comparison(left: TurnExplanation, right: TurnExplanation) -> WireObject:
    sides = [_flatten_explanation(left), _flatten_explanation(right)]
    is_known = left.record is not None and right.record is not None
    encoded: WireObject = {
        "left": {"floor_id": str(left.turn.id)},
        "right": {"floor_id": str(right.turn.id)},
    }
    for name, part in _COMPARED.items():
        is_compared = is_known or part == "scope"
        encoded[name] = encode_changes(*(side[part] for side in sides)) if is_compared else []
    limitations = [text for each in (left, right) for text in _list_limitations(each)]
    encoded["limitations"] = list(dict.fromkeys(limitations))
    return encoded


def _list_limitations(explanation: TurnExplanation) -> list[str]:
    record = explanation.record
    return [NO_SNAPSHOT] if record is None else encode_limitations(record.limitations)


def _flatten_explanation(explanation: TurnExplanation) -> JsonObject:
    """The explanation as clients read it."""
    flattened: JsonObject = msgspec.json.decode(encode_json(encode_explanation(explanation)))
    return flattened


def _encode_turn(turn: TurnView) -> JsonObject:
    floor = encode_floor(turn)
    return {name: value for name, value in floor.items() if name not in ("pages", "messages")}


def _encode_assets(stamps: AssetStamps) -> WireObject:
    return {
        "preset": stamps.preset,
        "worldbook": stamps.worldbook,
        "regex_profile": stamps.regex_profile,
        "character": stamps.character,
    }


def _encode_governance(record: PromptRecord) -> WireObject:
    """The rules that shaped the prompt."""
    trace = encode_trace(record.trace, with_matches=False)
    return {
        "prompt_intent": record.intent,
        "prompt_mode": record.snapshot.prompt_mode,
        "max_input_tokens": record.trace.budgets.max_input_tokens,
        "reserved_completion_tokens": record.trace.budgets.reserved_completion_tokens,
        "structure": trace["structure"],
        "delivery": trace["delivery"],
        "visibility": trace.get("visibility"),
    }


def _encode_origin(origin: TextOrigin) -> WireObject:
    return {
        "message_index": origin.message,
        "char_start": origin.start,
        "char_end": origin.end,
        "place": origin.place,
        "token_count": origin.token_count,
        "template": origin.template,
        "match_index": origin.match,
        "floor_ids": origin.turn_ids,
    }


def _encode_diagnostics(trace: RuntimeTrace) -> WireObject:
    return {
        "preset": trace.preset,
        "macro_warnings": trace.macro.warnings,
        "worldbook_warnings": trace.worldbook.warnings,
        "regex": trace.regex,
        "history_violations": encode_history(trace.history_normalization)["violations"],
    }


def _encode_writes(state: TurnState | None) -> list[WireObject]:
    """The variables and values that the turn wrote when it was committed."""
    if state is None:
        return []
    own = [_encode_write(write, write.key) for write in state.writes]
    return [*own, *(_encode_write(write, write.name) for write in state.global_writes)]


def _encode_write(write: VariableWrite | StagedWrite, key: str) -> WireObject:
    if write.is_deleted:
        return {"kind": "delete", "scope": write.scope, "key": key}
    return {"kind": "set", "scope": write.scope, "key": key, "value": write.value}


def _encode_result(explanation: TurnExplanation) -> WireObject:
    reply = explanation.reply
    sent, received = (0, 0) if reply is None else reply.tokens
    return {
        "generated_text": "" if reply is None else reply.content,
        "summaries": explanation.summaries,
        "total_usage": {
            "prompt_tokens": sent,
            "completion_tokens": received,
            "total_tokens": sent + received,
        },
    }
