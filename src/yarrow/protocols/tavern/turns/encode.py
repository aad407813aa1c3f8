"""From values to the wire."""

from yarrow.ids import SessionId
from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.assets.encode import milliseconds
from yarrow.sessions.model import TurnStatus
from yarrow.sessions.store import MAIN_BRANCH
from yarrow.sessions.timeline.model import Branch, Floor, Page
from yarrow.stories.timeline import Timeline

_STATES = {
    TurnStatus.OPEN: "generating",
    TurnStatus.ANSWERED: "committed",
    TurnStatus.FAILED: "failed",
    TurnStatus.SUPERSEDED: "committed",
}


def timeline_shape(timeline: Timeline) -> JsonObject:
    return {
        "session_id": str(timeline.head.session_id),
        "branch_id": timeline.branch,
        "floors": [floor_shape(floor) for floor in timeline.floors],
        "total": timeline.total,
    }


def floor_shape(floor: Floor) -> JsonObject:
    """A floor: all its pages, and the messages of those that are shown."""
    replaced = floor.superseded_by
    return {
        "id": str(floor.id),
        "session_id": str(floor.session_id),
        "floor_no": floor.number,
        "branch_id": floor.branch,
        "parent_floor_id": None if floor.parent_id is None else str(floor.parent_id),
        "state": _STATES[floor.status],
        "token_in": sum(page.tokens[0] for page in floor.pages),
        "token_out": sum(page.tokens[1] for page in floor.pages),
        "superseded_at": None if replaced is None else milliseconds(floor.updated_at),
        "superseded_by_floor_id": None if replaced is None else str(replaced),
        "created_at": milliseconds(floor.created_at),
        "updated_at": milliseconds(floor.updated_at),
        "pages": [page_shape(page) for page in floor.pages],
        "messages": [message_shape(page) for page in floor.pages if page.active],
    }


def page_shape(page: Page) -> JsonObject:
    """A page; alternates of one another have the same `slot_id`."""
    return {
        "id": str(page.id),
        "floor_id": str(page.turn_id),
        "slot_id": str(page.slot),
        "page_no": page.number,
        "page_kind": page.kind,
        "is_active": page.active,
        "message": message_shape(page),
    }


def message_shape(page: Page) -> JsonObject:
    return {
        "id": str(page.id),
        "page_id": str(page.id),
        "floor_id": str(page.turn_id),
        "seq": page.seq,
        "role": page.details.shown_role or page.role,
        "name": page.details.speaker or None,
        "content": page.content,
        "content_format": "text",
        "token_count": page.tokens[1],
        "is_hidden": page.hidden,
        "created_at": milliseconds(page.created_at),
    }


def branch_shape(session_id: SessionId, branch: Branch) -> JsonObject:
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
        "created_at": milliseconds(branch.created_at),
    }
