"""From turns and message versions to floors and pages."""

from yarrow.ids import SessionId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.changes import encode_changes
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.sessions.model import MAIN_BRANCH, Branch, MessageVersion, TurnStatus, TurnView
from yarrow.stories.branch_diff import BranchDiff
from yarrow.stories.timeline import Timeline

_STATES = {
    TurnStatus.OPEN: "generating",
    TurnStatus.ANSWERED: "committed",
    TurnStatus.FAILED: "failed",
    TurnStatus.SUPERSEDED: "committed",
}


def encode_timeline(timeline: Timeline) -> JsonObject:
    return {
        "session_id": str(timeline.session_id),
        "branch_id": timeline.branch,
        "floors": [encode_floor(turn) for turn in timeline.turns],
        "total": timeline.total,
    }


def encode_floor(turn: TurnView) -> JsonObject:
    """A floor: all its pages, and messages and token counts of the active ones."""
    replaced = turn.superseded_by
    active = [version for version in turn.versions if version.active]
    return {
        "id": str(turn.id),
        "session_id": str(turn.session_id),
        "floor_no": turn.number,
        "branch_id": turn.branch,
        "parent_floor_id": None if turn.parent_id is None else str(turn.parent_id),
        "state": _STATES[turn.status],
        "token_in": sum(version.tokens[0] for version in active),
        "token_out": sum(version.tokens[1] for version in active),
        "superseded_at": to_milliseconds(turn.updated_at)
        if turn.status is TurnStatus.SUPERSEDED
        else None,
        "superseded_by_floor_id": None if replaced is None else str(replaced),
        "created_at": to_milliseconds(turn.created_at),
        "updated_at": to_milliseconds(turn.updated_at),
        "pages": [encode_page(version) for version in turn.versions],
        "messages": [encode_message(version) for version in active],
    }


def encode_diff(diff: BranchDiff) -> JsonObject:
    """What two branches share, and the floors that only one of them has."""
    fork = diff.shared[-1] if diff.shared else None
    return {
        "session_id": str(diff.session_id),
        "base_branch_id": diff.base_branch,
        "target_branch_id": diff.target_branch,
        "fork_floor_id": None if fork is None else str(fork.id),
        "fork_floor_no": None if fork is None else fork.number,
        "shared_floor_nos": [turn.number for turn in diff.shared],
        "base_only_floors": [encode_floor(turn) for turn in diff.base_only],
        "target_only_floors": [encode_floor(turn) for turn in diff.target_only],
        "variable_changes": encode_changes(diff.base_variables, diff.target_variables),
    }


def encode_page(version: MessageVersion) -> JsonObject:
    """A page; alternatives have the same `slot_id`."""
    return {
        "id": str(version.id),
        "floor_id": str(version.turn_id),
        "slot_id": str(version.slot_id),
        "page_no": version.number,
        "page_kind": "input" if version.is_input else "output",
        "is_active": version.active,
        "message": encode_message(version),
    }


def encode_message(version: MessageVersion) -> JsonObject:
    return {
        "id": str(version.id),
        "page_id": str(version.id),
        "floor_id": str(version.turn_id),
        "seq": version.seq,
        "role": version.details.shown_role or version.role,
        "name": version.details.speaker or None,
        "content": version.content,
        "content_format": "text",
        "token_count": version.tokens[1],
        "is_hidden": version.hidden,
        "created_at": to_milliseconds(version.created_at),
    }


def encode_branch(session_id: SessionId, branch: Branch) -> JsonObject:
    after = branch.forked_after_seq
    return {
        "id": branch.name,
        "branch_id": branch.name,
        "session_id": str(session_id),
        "is_main": branch.name == MAIN_BRANCH,
        "parent_branch_id": branch.parent,
        "source_floor_id": None if branch.forked_after is None else str(branch.forked_after),
        "source_floor_no": None if after is None else after - 1,
        "floor_count": branch.own_turns,
        "materialized": branch.own_turns > 0,
        "created_at": to_milliseconds(branch.created_at),
    }
