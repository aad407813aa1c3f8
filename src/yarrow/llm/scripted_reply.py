"""Turn a plan of the scripted server into the deltas of an answer."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from yarrow.kit.json import JsonMapping, JsonObject, JsonValue
from yarrow.llm.scripted import split_tokens
from yarrow.llm.scripted_directives import AnswerPlan, read_plan

_SPARE_TOKENS = 5
"""Tokens of an answer beyond the point where it is to break off."""


def plan_reply(messages: Sequence[JsonMapping], *, default: AnswerPlan) -> AnswerPlan:
    """The plan for this conversation; it always has an answer."""
    prompt = next((_read_text(m) for m in reversed(messages) if m.get("role") == "user"), "")
    plan = read_plan(prompt, default=default)
    results = _list_tool_results(messages)
    if results:
        text = f"{plan.say} " if plan.say else ""
        return replace(plan, tools=(), say=f"{text}The tool answered: {' | '.join(results)}")
    if plan.say is not None or plan.tokens is not None or plan.tools:
        return plan
    breaks = [plan.cut_after, plan.hang_after, plan.error_after, plan.garbage_after]
    if any(after is not None for after in breaks):
        return replace(plan, tokens=_SPARE_TOKENS + max(after or 0 for after in breaks))
    return replace(plan, say=f"You said: {prompt}")


def split_deltas(plan: AnswerPlan) -> Iterator[JsonObject]:
    """The answer in pieces, as `choices[0].delta`."""
    for token in split_tokens(plan.reasoning):
        yield {"reasoning_content": token}
    for token in _iterate_words(plan):
        yield {"content": token}
    for index, (name, arguments) in enumerate(plan.tools):
        function = {"name": name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": f"call_{index}", "function": function}]}
        yield {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def build_message(plan: AnswerPlan) -> JsonObject:
    """The answer in one piece, as `choices[0].message`."""
    calls: list[JsonValue] = [
        {"id": f"call_{index}", "type": "function", "function": {"name": n, "arguments": a}}
        for index, (n, a) in enumerate(plan.tools)
    ]
    whole: JsonObject = {"role": "assistant", "content": "".join(_iterate_words(plan))}
    if plan.reasoning:
        whole["reasoning_content"] = plan.reasoning
    if calls:
        whole["tool_calls"] = calls
    return whole


def _iterate_words(plan: AnswerPlan) -> Iterator[str]:
    yield from split_tokens(plan.say or "")
    for number in range(plan.tokens or 0):
        yield f"tok{number % 100:02d} "


def _list_tool_results(messages: Sequence[JsonMapping]) -> list[str]:
    """The tool messages at the very end."""
    results: list[str] = []
    for entry in reversed(messages):
        if entry.get("role") != "tool":
            break
        results.insert(0, _read_text(entry))
    return results


def _read_text(entry: JsonMapping) -> str:
    content = entry.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
