"""Example dialogues of a card: blocks that begin with `<START>`."""

import re

_START = re.compile(r"<START>", re.IGNORECASE)


def example_blocks(examples: str, separator: str) -> tuple[str, ...]:
    """The dialogues of a card, each under the preset's separator, else as the card has them."""
    if not examples.strip():
        return ()
    opening, *dialogues = _START.split(examples)
    bodies = [("", opening), *(("<START>", dialogue) for dialogue in dialogues)]
    return tuple(
        f"{separator}\n{body.strip()}" if separator.strip() else f"{mark}{body}".strip()
        for mark, body in bodies
        if body.strip()
    )
