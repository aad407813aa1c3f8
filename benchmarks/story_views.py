"""All that an account can see of a story, in a form in which two stories can be compared."""

import re
from collections.abc import Iterator

from benchmarks.client import Client
from benchmarks.fault_stories import Story, ask
from msgspec import Struct, field
from tests.loose_json import JsonObject

_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|key-[0-9a-f]{64}|\b[0-9a-f]{32}\b|branch-[0-9a-f]{8}"
)
"""Also the key of a run, which comes from that of its request, the id of a request, and the name
that an edit makes up."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
_EARLIEST_MS = 1_500_000_000_000
_MEASURED = frozenset({"duration_ms", "attempt_no", "attempt", "phase_seq"})
"""They tell how a run went, not what it made."""
_SHOWN = 4

View = dict[str, object]


class _Labels(Struct):
    """Gives each id a name by the order in which ids appear."""

    names: dict[str, str] = field(default_factory=dict)

    def rename(self, match: re.Match[str]) -> str:
        return self.names.setdefault(match[0], f"id{len(self.names)}")


async def read_view(story: Story) -> View:
    """Read everything; times and measures are left out."""
    view, session = View(), story.session
    paths = [
        f"/sessions/{session}/branches",
        f"/memories?session_id={session}&limit=200",
        f"/sessions/{session}/active-run",
        "/worldbooks?limit=1",
        "/api/v1/points",
        "/api/v1/points/ledger",
        "/variables?scope=global&limit=200",
        f"/floors/{story.floor}",
    ]
    for path in paths:
        view[path] = await _read(story.client, path)
    memories: JsonObject = view[paths[1]]  # type: ignore[assignment]
    memories["data"].sort(key=lambda memory: memory["content"])  # made at once, in any order
    order = {memory["id"]: place for place, memory in enumerate(memories["data"])}
    floors: dict[str, None] = {}
    for name in _list_branches(view[paths[0]]):
        for path in (
            f"/sessions/{session}/timeline?branch_id={name}",
            f"/variables/resolve?session_id={session}&branch_id={name}",
            f"/sessions/{session}/state/resolve?branch_id={name}",
        ):
            view[path] = await _read(story.client, path)
        timeline: JsonObject = view[f"/sessions/{session}/timeline?branch_id={name}"]  # type: ignore[assignment]
        floors |= dict.fromkeys(floor["id"] for floor in timeline["data"]["floors"])
        body = {"message": "What comes next?", "branch_id": name}
        dry = await ask(story.client, "POST", f"/sessions/{session}/respond/dry-run", body)
        traced = dry["data"]["runtime_trace"]["memory"]
        traced["omitted"].sort(key=lambda each: order.get(each["memory_id"], -1))
        prompt = {"messages": dry["data"]["messages"], "memory": traced}
        view[f"next prompt on {name}"] = _scrub(prompt)
    for floor in floors:
        for part in ("prompt-runtime/explain", "result", "tool-executions"):
            view[f"/floors/{floor}/{part}"] = await _read(story.client, f"/floors/{floor}/{part}")
    return view


async def _read(client: Client, path: str) -> object:
    _, answer = await client.call("GET", path)
    return _scrub(answer)


def _list_branches(answer: object) -> list[str]:
    assert isinstance(answer, dict)
    return [branch["id"] for branch in answer["data"]]


def _scrub(value: object) -> object:
    """The value without times and measures."""
    match value:
        case dict():
            kept = value.items()
            return {key: _scrub(each) for key, each in kept if key not in _MEASURED}
        case list():
            return [_scrub(each) for each in value]
        case str():
            return _TIME.sub("T", value)
        case int() if value > _EARLIEST_MS:
            return 0
        case _:
            return value


def name_ids(view: View) -> object:
    """The view with ids named by their order, to compare it with that of another story."""
    return _rename(view, _Labels())


def _rename(value: object, labels: _Labels) -> object:
    match value:
        case dict():
            return {_rename(key, labels): _rename(each, labels) for key, each in value.items()}
        case list():
            return [_rename(each, labels) for each in value]
        case str():
            return _ID.sub(labels.rename, value)
        case _:
            return value


def describe_difference(one: object, other: object) -> str:
    """The first places where two views differ."""
    found = [text for text, _ in zip(_differences(one, other, ""), range(_SHOWN), strict=False)]
    return "; ".join(found)


def _differences(one: object, other: object, place: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from _differences(one.get(key), other.get(key), f"{place} {key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, f"{place}[{number}]")
    elif one != other:
        yield f"{place}: {str(one)[:200]} != {str(other)[:200]}"
