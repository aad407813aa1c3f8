"""Parsing of `threadId` and `runId`."""

import re
from uuid import UUID

from yarrow.errors import InvalidInput
from yarrow.ids import SessionId

RUN_ID_CHARS = 128

THREAD_RULE = "threadId must be a valid UUID"
RUN_RULE = "runId exceeds length limit"

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""The canonical form only: Python's UUID() takes nearly anything with 32 digits."""


def parse_run_key(text: str) -> str:
    if len(text) > RUN_ID_CHARS:
        raise InvalidInput(RUN_RULE, field="runId")
    if not text.strip() or "\0" in text:
        raise InvalidInput("runId must not be empty or contain the NUL character", field="runId")
    return text


def parse_thread_id(text: str) -> SessionId:
    if _UUID.fullmatch(text) is None:
        raise InvalidInput(THREAD_RULE, field="threadId")
    return SessionId(UUID(text))
