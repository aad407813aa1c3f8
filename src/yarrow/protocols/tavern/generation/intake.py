"""From bodies of generating calls to run requests."""

import hashlib

from fastapi import Request
from msgspec import Struct

from yarrow.agents.storyteller.agent import STORYTELLER
from yarrow.errors import InvalidInput
from yarrow.http.idempotency import read_key
from yarrow.http.middleware import current_request_id
from yarrow.ids import AccountId, SessionId, new_uuid
from yarrow.kit.json import encode_canonical
from yarrow.protocols.tavern.generation.wire import GenerateBody
from yarrow.runs.model import BusyPolicy, DisconnectPolicy, RunInput, RunRequest, SessionPolicy
from yarrow.sessions.run_targets import RunTarget
from yarrow.stories.errors import StateTurnedOff, ToolModeUnsupported
from yarrow.stories.turn_input import TurnInput

INLINE = "inline"


class TurnCall(Struct, frozen=True):
    """A generating call: its account and session, its key and its digest."""

    account_id: AccountId
    session_id: SessionId
    key: str
    is_keyed: bool
    """The client sent the key, so the call may be a repeated one."""
    digest: bytes
    on_disconnect: DisconnectPolicy


def read_call(
    request: Request, account_id: AccountId, session_id: SessionId, body: GenerateBody
) -> TurnCall:
    """The call of a request; the same key with another route or body is a conflict."""
    header = read_key(request)
    key = new_uuid().hex if header is None else f"key-{_digest_bytes(header.encode()).hex()}"
    path = request.scope["path"].removesuffix("/stream")
    sent = encode_canonical([path, body.model_dump(mode="json", exclude_unset=True)])
    return TurnCall(
        account_id=account_id,
        session_id=session_id,
        key=key,
        is_keyed=header is not None,
        digest=_digest_bytes(sent),
        on_disconnect=_read_policy(request),
    )


def _read_policy(request: Request) -> DisconnectPolicy:
    text = request.query_params.get("on_disconnect", DisconnectPolicy.CANCEL.value)
    try:
        return DisconnectPolicy(text)
    except ValueError:
        raise InvalidInput(
            "on_disconnect must be continue or cancel", field="on_disconnect"
        ) from None


def require_supported(body: GenerateBody, *, has_session_state: bool) -> None:
    """Refuse what this server does not do, before anything is stored."""
    if body.session_state_writes and not has_session_state:
        raise StateTurnedOff
    mode = body.config.toolMode
    if mode is not None and mode != INLINE:
        raise ToolModeUnsupported(mode)


def build_run_request(
    call: TurnCall, text: str, turn: TurnInput, *, target: RunTarget, when_busy: BusyPolicy
) -> RunRequest:
    return RunRequest(
        account_id=call.account_id,
        session_id=call.session_id,
        key=call.key,
        agent=STORYTELLER,
        input=RunInput(text, request_id=current_request_id() or "", options=turn.to_options()),
        digest=call.digest,
        session_policy=SessionPolicy.MUST_EXIST,
        target=target,
        when_busy=when_busy,
        on_disconnect=call.on_disconnect,
    )


def _digest_bytes(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
