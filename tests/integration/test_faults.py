"""Each fault once, with real processes; `make faults` does the same many times."""

from collections.abc import AsyncIterator

import pytest
from benchmarks.deployment import scratch
from benchmarks.fault_bed import Bed, Untried
from benchmarks.fault_cases import CASES, Case
from benchmarks.faults import bed_in, try_case


@pytest.fixture(scope="module")
async def bed() -> AsyncIterator[Bed]:
    with scratch() as folder:
        async with bed_in(folder) as bed:
            yield bed


@pytest.mark.parametrize("case", [case for case, _ in CASES], ids=lambda case: case.__name__)
async def test_nothing_is_lost_charged_twice_or_stuck(bed: Bed, case: Case) -> None:
    try:
        outcome = await try_case(bed, case, 1)
    except Untried as reason:
        pytest.skip(str(reason))

    assert outcome.wrong == []
    assert outcome.trials > 0
