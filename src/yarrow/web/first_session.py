"""A first session with curl that works as printed: this address, fresh ids, no other tools."""

import re
from dataclasses import dataclass
from uuid import UUID

from yarrow.kit.json import JsonObject, encode_json
from yarrow.settings import AuthMode

FALLBACK_URL = "http://127.0.0.1:3000"

_PLAIN_URL = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_BEARER = '-H "authorization: Bearer $TOKEN"'
_CUT_OUT = r"""| sed -E 's/.*"access_token": ?"([^"]+)".*/\1/')"""


@dataclass(frozen=True, slots=True)
class Step:
    """One command and why it is there."""

    title: str
    note: str
    command: str


def plain_url(given: str) -> str:
    """The address as the visitor wrote it if it is safe to paste into a shell."""
    url = given.rstrip("/")
    return url if _PLAIN_URL.fullmatch(url) else FALLBACK_URL


def first_session(url: str, mode: AuthMode, *, thread: UUID) -> list[Step]:
    """The steps, in order, for one shell. Run twice, they do no harm: a run has one id."""
    match mode:
        case AuthMode.OFF:
            return _talk(url, (), thread)
        case AuthMode.JWT:
            return [*_enter(url, thread), *_talk(url, (_BEARER,), thread), _points(url)]


def _enter(url: str, thread: UUID) -> list[Step]:
    email = f"me-{thread.hex[-8:]}@example.com"
    body = _json_body({"email": email, "password": "correct horse"})
    return [
        Step(
            "Make an account",
            "A new account starts with points to spend.",
            _command(f"curl -s {url}/api/v1/auth/signup", *body),
        ),
        Step(
            "Log in",
            "The token goes with every call.",
            _command(f"TOKEN=$(curl -s {url}/api/v1/auth/login", *body, _CUT_OUT),
        ),
    ]


def _talk(url: str, auth: tuple[str, ...], thread: UUID) -> list[Step]:
    said = {"id": "m1", "role": "user", "content": "Say hello in one sentence."}
    body = _json_body({"threadId": str(thread), "runId": "run-1", "messages": [said]})
    runs = f"{url}/api/v1/agent/runs"
    return [
        Step(
            "Ask",
            "202 means that the run is stored and will happen, whatever you do next.",
            _command(f"curl -s {runs}", *auth, *body),
        ),
        Step(
            "Follow the answer",
            "The stream ends with the run. Interrupt it and ask again: nothing is lost.",
            _command(f"curl -sN {runs}/{thread}/events", *auth),
        ),
        Step(
            "Read it later",
            "The conversation is kept.",
            _command(f"curl -sG {url}/api/v1/agent/history", *auth, f"-d threadId={thread}"),
        ),
    ]


def _points(url: str) -> Step:
    note = "A run that succeeded is paid for once; one that failed costs nothing."
    return Step("See what it cost", note, _command(f"curl -s {url}/api/v1/points", _BEARER))


def _json_body(fields: JsonObject) -> tuple[str, str]:
    lines = [f'    "{name}": {encode_json(value).decode()}' for name, value in fields.items()]
    return "-H 'content-type: application/json'", "-d '{\n" + ",\n".join(lines) + "\n  }'"


def _command(*parts: str) -> str:
    return " \\\n  ".join(parts)
