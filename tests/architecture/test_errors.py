"""Error classes are defined by their features, and every protocol maps every one of them."""

from collections import Counter

import pytest
from tests.architecture.error_tree import draw_tree, error_classes, written_tree
from tests.architecture.wire_words import error_maps, run_error_maps

from yarrow.errors import Misconfigured, RunFenced, YarrowError
from yarrow.journal.events import FailureReason
from yarrow.llm.errors import ModelError
from yarrow.points.errors import PointsHeld, TicketUsed
from yarrow.runs.errors import AgentRefused, NoTextToKeep, RunWasCancelled

NEVER_AT_A_ROUTE: dict[type[YarrowError], str] = {
    ModelError: "a model is asked inside a run only; `execute` turns it into a FailureReason",
    RunFenced: "`execute` drops what a fenced worker holds; no client waits for it",
    AgentRefused: "raised inside a run only; `execute` turns it into its FailureReason",
    NoTextToKeep: "`execute` settles the run as cancelled; there is no answer to keep",
    RunWasCancelled: "`execute` settles the run as cancelled; its client sees that end",
    Misconfigured: "raised while the process starts, or by the command line",
    PointsHeld: "an operator's verb, reached from the command line",
    TicketUsed: "an operator's verb, reached from the command line",
}
"""What no route can raise. If one does all the same it is a bug of ours, and the logged 500 is
the right answer. Every other class must be mapped by every protocol: routes share identity,
stores and the engine, so what one protocol can meet the others can meet too, and a class added
tomorrow must not become a 500 in a protocol nobody thought of."""


def test_the_page_draws_the_tree_of_all_errors() -> None:
    assert written_tree() == draw_tree(), "run: python -m tests.architecture.write_docs"


def test_every_error_is_in_the_page_once() -> None:
    names = [line.split("─ ")[-1].split()[0] for line in written_tree().splitlines()]

    assert Counter(names) == Counter(["YarrowError", *(kind.__name__ for kind in error_classes())])


def test_errors_are_defined_in_the_errors_module_of_their_feature() -> None:
    strays = [kind for kind in error_classes() if kind.__module__.rpartition(".")[2] != "errors"]

    assert strays == []


@pytest.mark.parametrize("protocol", sorted(error_maps()))
def test_a_protocol_maps_every_error_a_route_can_raise(protocol: str) -> None:
    faults = error_maps()[protocol]
    exempt = tuple(NEVER_AT_A_ROUTE)

    unmapped = [
        kind.__name__
        for kind in error_classes()
        if not issubclass(kind, exempt) and not any(base in faults for base in kind.__mro__)
    ]

    assert unmapped == []


@pytest.mark.parametrize("protocol", sorted(run_error_maps()))
def test_a_protocol_maps_every_way_a_run_can_fail(protocol: str) -> None:
    assert set(run_error_maps()[protocol]) == set(FailureReason)


def test_every_model_error_names_the_reason_a_run_fails_with() -> None:
    kinds = {kind for kind in error_classes() if issubclass(kind, ModelError)} - {ModelError}

    assert {vars(kind).get("reason") for kind in kinds} <= set(FailureReason)
