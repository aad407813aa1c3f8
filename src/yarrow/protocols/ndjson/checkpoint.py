"""The trajectory on the wire: one signed entry that says where to go on.

The conversation itself stays in the session. A client sends back what it got, and cannot edit
what the model was told.
"""

import hashlib
import hmac
from dataclasses import dataclass
from uuid import UUID

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.json_values import JsonObject, JsonValue

ROLE = "checkpoint"
_PURPOSE = b"yarrow: where an analysis goes on"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Makes and checks the entry."""

    key: bytes

    def trajectory(self, account_id: AccountId, session_id: SessionId) -> list[JsonObject]:
        signature = self._signature(account_id, session_id)
        return [{"role": ROLE, "session_id": str(session_id), "signature": signature}]

    def session_of(self, account_id: AccountId, trajectory: list[JsonValue]) -> SessionId | None:
        """The session to go on in; None if the trajectory was not made by this server."""
        entry = next((item for item in trajectory if _is_checkpoint(item)), None)
        if entry is None:
            return None
        try:
            session_id = SessionId(UUID(str(entry.get("session_id"))))
        except ValueError:
            raise InvalidInput(CHANGED, field="trajectory") from None
        expected = self._signature(account_id, session_id)
        given = str(entry.get("signature")).encode("utf-8", "replace")
        if not hmac.compare_digest(expected.encode(), given):
            raise InvalidInput(CHANGED, field="trajectory")
        return session_id

    def _signature(self, account_id: AccountId, session_id: SessionId) -> str:
        said = f"{account_id}\n{session_id}".encode()
        return hmac.new(self.key, said, hashlib.sha256).hexdigest()


CHANGED = "trajectory was changed, or belongs to somebody else; send it back as it came"


def _is_checkpoint(item: JsonValue) -> bool:
    return isinstance(item, dict) and item.get("role") == ROLE


def checkpoints(secret: bytes) -> Checkpoints:
    """A key for trajectories alone, so that no other signature of ours passes for one."""
    return Checkpoints(hmac.digest(secret, _PURPOSE, hashlib.sha256))
