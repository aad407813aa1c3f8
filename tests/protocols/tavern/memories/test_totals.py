"""Totals of lists that grow with each turn are counted up to a thousand."""

import pytest
from tests.protocols.tavern.memories.memory_calls import create_memory
from tests.serving import Caller, Served


@pytest.mark.parametrize(
    ("count", "offset", "expected"),
    [
        (1_000, 0, {"total": 1_000, "has_more": True}),
        (1_001, 0, {"total": 1_001, "has_more": True, "total_capped": True}),
        (1_200, 990, {"total": 1_041, "has_more": True, "total_capped": True}),
        (1_200, 1_100, {"total": 1_151, "has_more": True, "total_capped": True}),
        (1_200, 1_150, {"total": 1_200, "has_more": False}),
        (1_200, 1_300, {"total": 1_200, "has_more": False}),
    ],
)
async def test_a_total_beyond_a_thousand_says_so(
    served: Served, caller: Caller, count: int, offset: int, expected: dict[str, object]
) -> None:
    await create_memories(served, caller, count)

    for query in ({}, {"scope": "global"}):
        status, answer = await caller.get("/memories", offset=str(offset), **query)

        assert status == 200
        meta = answer["meta"]
        assert {k: meta[k] for k in ("total", "has_more", "total_capped") if k in meta} == expected
        assert len(answer["data"]) == max(0, min(50, count - offset))


@pytest.mark.parametrize(("count", "counted"), [(1_000, 1_000), (1_200, 1_001)])
async def test_counts_are_those_of_the_newest_and_say_so(
    served: Served, caller: Caller, count: int, counted: int
) -> None:
    await create_memories(served, caller, count)

    for query in ({}, {"scope": "global"}):
        _, answer = await caller.get("/memories/stats", **query)

        assert answer["data"].pop("total_capped", False) is (count > counted)
        assert answer["data"] == {
            "total": counted,
            "by_scope": {"global": counted},
            "by_type": {"fact": counted},
            "by_summary_tier": {},
            "by_lifecycle": {"active": counted},
            "by_status": {"active": counted},
        }


async def create_memories(served: Served, caller: Caller, count: int) -> None:
    """Create so many global facts."""
    memory = await create_memory(caller, "0")
    async with served.product.database.transaction() as tx:
        await tx.execute(
            "INSERT INTO memory_items (id, account_id, scope, kind, content, importance, "
            "confidence, replies) SELECT gen_random_uuid(), account_id, scope, kind, n::text, "
            "importance, confidence, replies FROM memory_items, generate_series(2, $2) n "
            "WHERE id = $1::text::uuid",
            memory["id"],
            count,
        )
