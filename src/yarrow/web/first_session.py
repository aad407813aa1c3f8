"""A first session with curl that works as printed: this server's address and fresh ids."""

import re
from uuid import UUID

from msgspec import Struct

from yarrow.kit.json import JsonObject, encode_json
from yarrow.settings import AuthMode

FALLBACK_URL = "http://127.0.0.1:3000"

_PLAIN_URL = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_BEARER = '-H "authorization: Bearer $TOKEN"'
_SED_FIELD = r"""| sed -E 's/.*"access_token": ?"([^"]+)".*/\1/')"""


class SessionStep(Struct, frozen=True):
    """One shell command with its title and explanation."""

    title: str
    note: str
    command: str


def choose_shell_safe_url(base_url: str) -> str:
    """Return the visitor's address if it is safe to paste into a shell, else the default one."""
    url = base_url.rstrip("/")
    return url if _PLAIN_URL.fullmatch(url) else FALLBACK_URL


def build_first_session(url: str, mode: AuthMode, *, thread: UUID) -> list[SessionStep]:
    """Build the steps in order, for one shell. Repeating them is harmless: run ids are fixed."""
    match mode:
        case AuthMode.OFF:
            return _build_run_steps(url, (), thread)
        case AuthMode.JWT:
            return [
                *_build_login_steps(url, thread),
                *_build_run_steps(url, (_BEARER,), thread),
                _build_points_step(url),
            ]


def _build_login_steps(url: str, thread: UUID) -> list[SessionStep]:
    email = f"me-{thread.hex[-8:]}@example.com"
    body = _write_json_body({"email": email, "password": "correct horse"})
    return [
        SessionStep(
            "Make an account",
            "A new account starts with points to spend.",
            _join_command(f"curl -s {url}/api/v1/auth/signup", *body),
        ),
        SessionStep(
            "Log in",
            "The token goes with every call.",
            _join_command(f"TOKEN=$(curl -s {url}/api/v1/auth/login", *body, _SED_FIELD),
        ),
    ]


def _build_run_steps(url: str, auth: tuple[str, ...], thread: UUID) -> list[SessionStep]:
    message = {"id": "m1", "role": "user", "content": "What time is it in Tokyo?"}
    body = _write_json_body({"threadId": str(thread), "runId": "run-1", "messages": [message]})
    runs = f"{url}/api/v1/agent/runs"
    return [
        SessionStep(
            "Ask",
            "202 means that the run is stored and will happen, whatever you do next.",
            _join_command(f"curl -s {runs}", *auth, *body),
        ),
        SessionStep(
            "Follow the answer",
            "The stream ends with the run. Interrupt it and ask again: nothing is lost.",
            _join_command(f"curl -sN {runs}/{thread}/events", *auth),
        ),
        SessionStep(
            "Read it later",
            "The conversation is kept.",
            _join_command(f"curl -sG {url}/api/v1/agent/history", *auth, f"-d threadId={thread}"),
        ),
    ]


def _build_points_step(url: str) -> SessionStep:
    note = "A run that succeeded is paid for once; one that failed costs nothing."
    return SessionStep(
        "See what it cost", note, _join_command(f"curl -s {url}/api/v1/points", _BEARER)
    )


def _write_json_body(fields: JsonObject) -> tuple[str, str]:
    lines = [f'    "{name}": {encode_json(value).decode()}' for name, value in fields.items()]
    return "-H 'content-type: application/json'", "-d '{\n" + ",\n".join(lines) + "\n  }'"


def _join_command(*parts: str) -> str:
    return " \\\n  ".join(parts)
