"""The trajectory on the wire: one signed entry that says where to go on.

The conversation itself stays in the session. A client sends back what it got, and cannot edit
what the model was told.
"""

from dataclasses import dataclass
from uuid import UUID

from yarrow.errors import InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.kit.signing import HmacSigner

ROLE = "checkpoint"


@dataclass(frozen=True, slots=True)
class Pause:
    """Where an analysis waits for an answer: the session, and the run that paused in it."""

    session_id: SessionId
    run_key: str


class Checkpoints:
    """Makes and checks the entry, with a signature under which no other of ours passes."""

    def __init__(self, secret: bytes) -> None:
        self._signer = HmacSigner(secret, purpose="where an analysis goes on")

    def trajectory(self, account_id: AccountId, pause: Pause) -> list[JsonObject]:
        entry = {"role": ROLE, "session_id": str(pause.session_id), "run_id": pause.run_key}
        return [{**entry, "signature": self._signer.sign(_text(account_id, pause))}]

    def pause_of(self, account_id: AccountId, trajectory: list[JsonValue]) -> Pause | None:
        """Where to go on; None if the trajectory was not made by this server."""
        if not any(map(_is_ours, trajectory)):
            return None
        entry, *more = trajectory
        if more or not isinstance(entry, dict) or entry.get("role") != ROLE:
            raise InvalidInput(CHANGED, field="trajectory")
        try:
            session_id = SessionId(UUID(str(entry.get("session_id"))))
        except ValueError:
            raise InvalidInput(CHANGED, field="trajectory") from None
        pause = Pause(session_id, str(entry.get("run_id")))
        if not self._signer.verify(_text(account_id, pause), str(entry.get("signature"))):
            raise InvalidInput(CHANGED, field="trajectory")
        return pause


CHANGED = "trajectory was changed, or belongs to somebody else; send it back as it came"


def _is_ours(item: JsonValue) -> bool:
    return isinstance(item, dict) and (item.get("role") == ROLE or "signature" in item)


def _text(account_id: AccountId, pause: Pause) -> str:
    return f"{account_id}\n{pause.session_id}\n{pause.run_key}"
