"""The signed `trajectory` of a paused analysis.

It is one entry that says where to resume. The conversation itself is stored in the session: a
client sends the entry back and cannot change what the model has seen.
"""

from uuid import UUID

from msgspec import Struct

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.signing import HmacSigner

ROLE = "checkpoint"
CHANGED = "trajectory was changed, or belongs to somebody else; send it back as it came"


class ResumePoint(Struct, frozen=True):
    """Where a paused analysis resumes: the session, and the run that paused in it."""

    session_id: SessionId
    run_key: str


class TrajectorySigner:
    """Makes and verifies trajectories; the key is derived for this purpose alone."""

    def __init__(self, secret: bytes) -> None:
        self._signer = HmacSigner(secret, purpose="where an analysis goes on")

    def make_trajectory(self, account_id: AccountId, point: ResumePoint) -> list[JsonObject]:
        entry = {"role": ROLE, "session_id": str(point.session_id), "run_id": point.run_key}
        return [{**entry, "signature": self._signer.sign(_join_signed_fields(account_id, point))}]

    def find_resume_point(
        self, account_id: AccountId, trajectory: list[JsonValue]
    ) -> ResumePoint | None:
        """The signed point; None if the trajectory is another server's."""
        if not any(map(_is_checkpoint, trajectory)):
            return None
        entry, *more = trajectory
        if more or not isinstance(entry, dict) or entry.get("role") != ROLE:
            raise InvalidInput(CHANGED, field="trajectory")
        try:
            session_id = SessionId(UUID(str(entry.get("session_id"))))
        except ValueError:
            raise InvalidInput(CHANGED, field="trajectory") from None
        point = ResumePoint(session_id, str(entry.get("run_id")))
        if not self._signer.verify(
            _join_signed_fields(account_id, point), str(entry.get("signature"))
        ):
            raise InvalidInput(CHANGED, field="trajectory")
        return point


def _is_checkpoint(item: JsonValue) -> bool:
    return isinstance(item, dict) and (item.get("role") == ROLE or "signature" in item)


def _join_signed_fields(account_id: AccountId, point: ResumePoint) -> str:
    return f"{account_id}\n{point.session_id}\n{point.run_key}"
