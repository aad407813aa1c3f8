"""Putting a prompt together until nothing that was cut has left a trace in it."""

from collections.abc import Callable, Container

from msgspec.structs import replace

from yarrow.prompting.assembly.parts import TextKey
from yarrow.prompting.assembly.story import Attempt
from yarrow.prompting.assembly.trim import Unit, cuttable

_MOST_ATTEMPTS = 8


def settle(attempt: Callable[[Container[TextKey]], Attempt]) -> Attempt:
    """What is cut has not run: a prompt whose cut texts had effects is made again without them.

    A prompt that does not come to rest loses all texts that may be cut.
    """
    gone: dict[TextKey, Unit] = {}
    made = attempt(gone)
    for left in reversed(range(_MOST_ATTEMPTS)):
        lost = [unit for unit in made.fitted.cut if unit.has_effects]
        if not lost:
            break
        gone |= {unit.key: unit for unit in (lost if left else cuttable(made.whole))}
        made = attempt(gone)
    if not gone:
        return made
    return replace(made, fitted=replace(made.fitted, cut=(*made.fitted.cut, *gone.values())))
