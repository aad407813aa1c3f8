"""What the tables must say, as far as the code knows it; words written by hand are kept."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from tests.architecture.pages import PROBLEM_TABLE, RUN_ERROR_TABLE, Table
from tests.architecture.wire_words import (
    agui_names,
    problem_codes,
    run_error_codes,
    run_events,
)

from yarrow.protocols.agui.runs.encode import StreamFormat

HAND_WRITTEN = 2
"""How many cells at the end of a row are written by hand: the meaning, and what to do."""


def problem_rows() -> list[list[str]]:
    """code, status, where, meaning, what to do."""
    facts = {
        code: [", ".join(sorted(found.statuses)), ", ".join(sorted(found.places))]
        for code, found in problem_codes().items()
    }
    return _with_words(PROBLEM_TABLE, facts)


def run_error_rows() -> list[list[str]]:
    """code, where, meaning, what to do."""
    facts = {code: [", ".join(sorted(places))] for code, places in run_error_codes().items()}
    return _with_words(RUN_ERROR_TABLE, facts)


def run_event_rows() -> list[list[str]]:
    """event, meaning, what AG-UI clients see."""
    return [[f"`{tag}`", _first_line(kind), _seen(kind)] for tag, kind in run_events().items()]


def _with_words(table: Table, facts: Mapping[str, Sequence[str]]) -> list[list[str]]:
    written = table.named()
    blank = [""] * HAND_WRITTEN
    return [
        [f"`{code}`", *cells, *written.get(code, blank)[-HAND_WRITTEN:]]
        for code, cells in sorted(facts.items())
    ]


def _seen(kind: type[msgspec.Struct]) -> str:
    seed, stock = (
        _coded(agui_names(kind, profile)) for profile in (StreamFormat.SEED, StreamFormat.AGUI)
    )
    return seed if seed == stock else f"{seed}; stock clients: {stock}"


def _first_line(kind: type[msgspec.Struct]) -> str:
    return (kind.__doc__ or "").strip().split("\n")[0]


def _coded(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"
