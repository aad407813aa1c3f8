"""Which turns of a session a run builds on.

A pause can be answered more than once. Each answer is a turn of the same session that names the
run whose pause it answers, so the turns are a tree that is stored as a list. The prompt has the
path from the root to the run, without the other answers.
"""

from collections.abc import Sequence

from yarrow.agents.analyst.input import BUILDS_ON
from yarrow.sessions.model import Message, Role


def messages_leading_to(history: Sequence[Message], run_key: str) -> tuple[Message, ...]:
    """The messages of the run and of all runs it builds on; everything if no run is named.

    A deleted turn ends the path: nothing before it can be known.
    """
    parents = _parent_runs(history)
    keys = list(parents)
    key = run_key or (keys[-1] if keys else "")
    path: set[str] = set()
    while key in keys:
        path.add(key)
        keys = keys[: keys.index(key)]
        key = parents[key] or (keys[-1] if keys else "")
    return tuple(message for message in history if message.details.run_key in path)


def _parent_runs(history: Sequence[Message]) -> dict[str, str]:
    """The runs of the session, oldest first, each with the run it names; empty for none."""
    parents: dict[str, str] = {}
    for message in history:
        key = message.details.run_key
        parent = parents.setdefault(key, "")
        if message.role is Role.USER and not parent:
            parents[key] = str(message.details.options.get(BUILDS_ON, ""))
    return parents
