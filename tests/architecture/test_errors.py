"""The drawn tree is the real one, and every protocol has a word for every error it can meet."""

import re
from collections.abc import Iterator

import pytest
from tests.architecture.wire_words import error_maps, run_error_maps

from yarrow import errors
from yarrow.errors import (
    Misconfigured,
    ModelBroken,
    ModelError,
    PointsHeld,
    RunFenced,
    RunWasCancelled,
    TicketUsed,
    YarrowError,
)
from yarrow.runs.events import FailureReason
from yarrow.runs.execute import MODEL_FAILURES

NEVER_AT_A_ROUTE: dict[type[YarrowError], str] = {
    ModelError: "a model is asked inside a run only; `execute` turns it into a FailureReason",
    RunFenced: "`execute` drops what a fenced worker holds; no client waits for it",
    RunWasCancelled: "`execute` settles the run as cancelled; its client sees that end",
    Misconfigured: "raised while the process starts, or by the command line; told to the operator",
    PointsHeld: "an operator's verb, reached from the command line",
    TicketUsed: "an operator's verb, reached from the command line",
}
"""What no route can raise. If one does all the same it is a bug of ours, and the backstop's
logged 500 is the right answer. Every other class must have a word in every protocol: routes
share identity, stores and the engine, so what one protocol can meet the others can meet too,
and a class added tomorrow must not come out as a 500 in a protocol nobody thought of."""


def subclasses(kind: type[YarrowError]) -> Iterator[type[YarrowError]]:
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


def test_the_drawn_tree_is_the_real_one() -> None:
    drawn = dict(_drawn(errors.__doc__ or ""))
    real = {kind.__name__: kind.__bases__[0].__name__ for kind in subclasses(YarrowError)}

    assert drawn == real


def test_every_error_is_defined_in_one_place() -> None:
    strays = [k for k in subclasses(YarrowError) if not k.__module__.startswith(errors.__name__)]

    assert strays == []


@pytest.mark.parametrize("protocol", sorted(error_maps()))
def test_a_protocol_has_a_word_for_every_error_a_route_can_raise(protocol: str) -> None:
    faults = error_maps()[protocol]
    exempt = tuple(NEVER_AT_A_ROUTE)

    unmapped = [
        kind.__name__
        for kind in subclasses(YarrowError)
        if not issubclass(kind, exempt) and not any(base in faults for base in kind.__mro__)
    ]

    assert unmapped == []


@pytest.mark.parametrize("protocol", sorted(run_error_maps()))
def test_a_protocol_has_a_word_for_every_way_a_run_can_fail(protocol: str) -> None:
    assert set(run_error_maps()[protocol]) == set(FailureReason)


def test_every_model_error_has_a_reason_of_its_own() -> None:
    """`execute` reads an unlisted one as a broken answer, which only `ModelBroken` is."""
    assert set(subclasses(ModelError)) - {ModelBroken} == set(MODEL_FAILURES)


def _drawn(text: str) -> Iterator[tuple[str, str]]:
    """Each class of the drawing with the class it hangs on."""
    above: list[str] = []
    for line in text.splitlines():
        found = re.match(r"^    (?P<branches>[│├└─ ]*)(?P<name>[A-Z]\w+)", line)
        if found is None:
            continue
        depth = len(found["branches"]) // 3
        above[depth:] = [found["name"]]
        if depth:
            yield found["name"], above[depth - 1]
