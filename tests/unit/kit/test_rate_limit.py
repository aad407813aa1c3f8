"""Token buckets, by the clock that they are told."""

import pytest

from yarrow.kit.rate_limit import RateLimit


def test_a_bucket_is_refilled_up_to_its_burst() -> None:
    limit = RateLimit(burst=2, per_s=1.0)

    waits = [limit.take("key", now=now) for now in (0.0, 0.0, 0.0, 0.5, 1.0, 100.0, 100.0, 100.0)]

    assert waits == [0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("backwards_s", [1.0, 3600.0])
def test_a_clock_that_is_set_back_takes_no_tokens(backwards_s: float) -> None:
    limit = RateLimit(burst=3, per_s=1.0)
    limit.take("key", now=10_000.0)

    waits = [limit.take("key", now=10_000.0 - backwards_s) for _ in range(3)]

    assert waits == [0.0, 0.0, 1.0]


def test_a_bucket_is_refilled_by_a_clock_that_was_set_back() -> None:
    limit = RateLimit(burst=1, per_s=1.0)
    limit.take("key", now=10_000.0)

    first, later = limit.take("key", now=100.0), limit.take("key", now=101.0)

    assert (first, later) == (1.0, 0.0)
