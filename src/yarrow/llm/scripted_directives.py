"""Parse directives in double brackets, by which a prompt controls the scripted server.

They are listed in `scripted_server`. Unknown words in double brackets are plain text.
"""

import json
import re

from msgspec import Struct
from msgspec.structs import replace

_OPEN = re.compile(
    r"\[\[(?=(?:tokens|delay|say|reasoning|tool|status|retry|cut|hang|error|whole|garbage|finish|usage)\b)"
)
_PAIR = re.compile(r"(\w+)(?:=(\S+))?")
_TOOL = re.compile(r"tool=([\w.-]+)\s*")
_json = json.JSONDecoder()


class AnswerPlan(Struct, frozen=True):
    """How the server answers one request."""

    tokens: int | None = None
    delay_ms: float = 0.0
    say: str | None = None
    reasoning: str = ""
    tools: tuple[tuple[str, str], ...] = ()
    """Name and JSON arguments of each tool to call."""
    status: int = 200
    retry_after: str = "1"
    cut_after: int | None = None
    hang_after: int | None = None
    error_after: int | None = None
    garbage_after: int | None = None
    whole: bool = False
    finish: str = ""
    """The finish reason to send instead of the natural one."""
    usage: str = ""
    """JSON to send as `usage` instead of the real counts."""


def read_plan(text: str, *, default: AnswerPlan) -> AnswerPlan:
    """The plan of the directives in `text`; `ValueError` for an invalid number."""
    plan = default
    for match in _OPEN.finditer(text):
        plan = _apply_directive(plan, text, match.end())
    return plan


def _apply_directive(plan: AnswerPlan, text: str, start: int) -> AnswerPlan:
    if tool := _TOOL.match(text, start):
        arguments = _read_value(text, tool.end())
        return replace(plan, tools=(*plan.tools, (tool[1], arguments or "{}")))
    if text.startswith("say=", start):
        return replace(plan, say=_read_value(text, start + len("say=")))
    if text.startswith("usage=", start):
        return replace(plan, usage=_read_value(text, start + len("usage=")))
    if text.startswith("reasoning=", start):
        return replace(plan, reasoning=_read_value(text, start + len("reasoning=")))
    inside = _read_value(text, start)
    for name, value in _PAIR.findall(inside):
        plan = _set_plan_field(plan, name, value)
    return plan


def _read_value(text: str, start: int) -> str:
    """The text up to the closing brackets, which JSON may contain as well."""
    if text.startswith(("{", "["), start):
        try:
            _, end = _json.raw_decode(text, start)
        except ValueError:
            end = start
        if text.startswith("]]", end):
            return text[start:end]
    end = text.find("]]", start)
    end = len(text) if end < 0 else end
    return text[start:end].strip()


def _set_plan_field(plan: AnswerPlan, name: str, value: str) -> AnswerPlan:
    match name:
        case "tokens":
            plan = replace(plan, tokens=int(value))
        case "status":
            plan = replace(plan, status=int(value))
        case "delay":
            plan = replace(plan, delay_ms=float(value))
        case "cut":
            plan = replace(plan, cut_after=int(value or 0))
        case "hang":
            plan = replace(plan, hang_after=int(value or 0))
        case "error":
            plan = replace(plan, error_after=int(value or 0))
        case "garbage":
            plan = replace(plan, garbage_after=int(value or 0))
        case "retry":
            plan = replace(plan, retry_after=value)
        case "finish":
            plan = replace(plan, finish=value)
        case "whole":
            plan = replace(plan, whole=True)
    return plan
