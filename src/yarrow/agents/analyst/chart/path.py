"""Which turns of a session a run builds on.

A pause can be answered more than once. Each answer is a turn of the same session that names the
run whose pause it answers, so turns form a tree that is written down in one row; the model is told
the way from the root, and nothing of the answers beside it.
"""

from collections.abc import Sequence

from yarrow.agents.analyst.input import BUILDS_ON
from yarrow.sessions.model import Message, Role


def path_to(history: Sequence[Message], run_key: str) -> tuple[Message, ...]:
    """The messages of the run and of those it builds on; all of them if no run is named.

    A turn that was deleted ends the path: what came before it is not guessed.
    """
    before = _turns(history)
    keys = list(before)
    wanted = run_key or (keys[-1] if keys else "")
    path: set[str] = set()
    while wanted in keys:
        path.add(wanted)
        keys = keys[: keys.index(wanted)]
        wanted = before[wanted] or (keys[-1] if keys else "")
    return tuple(message for message in history if _key(message) in path)


def _turns(history: Sequence[Message]) -> dict[str, str]:
    """Each run of the session, oldest first, and the one it names."""
    turns: dict[str, str] = {}
    for message in history:
        named = turns.setdefault(_key(message), "")
        if message.role is Role.USER and not named:
            turns[_key(message)] = message.details.options.get(BUILDS_ON, "")
    return turns


def _key(message: Message) -> str:
    return message.details.run_key
