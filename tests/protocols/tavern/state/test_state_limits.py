"""Limits of session state that need much stored data to be reached. Issue 14 §6."""

from uuid import UUID

import pytest
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, Served

MIB = 1024 * 1024
FILL = """
INSERT INTO state_values (branch_id, session_id, namespace, slot, entry, bytes)
SELECT b.id, b.session_id, 'inv', 'slot-' || n, '{"present": true, "value": 1}', $3
FROM branches b, generate_series(1, $2) n WHERE b.session_id = $1 AND b.name = 'main'
"""


@pytest.mark.parametrize(
    ("elsewhere", "slots", "slot_bytes", "code"),
    [
        (False, 10_000, 30, "session_state_namespace_item_limit_exceeded"),
        (True, 100_000, 30, "session_state_account_item_limit_exceeded"),
        (True, 100, MIB, "session_state_account_byte_limit_exceeded"),
    ],
    ids=["namespace items", "account items", "account bytes"],
)
async def test_a_full_store_is_told_before_the_model_is_asked(
    served: Served,
    caller: Caller,
    switchable: SwitchableModel,
    *,
    elsewhere: bool,
    slots: int,
    slot_bytes: int,
    code: str,
) -> None:
    session = str((await create_session(caller))["id"])
    other = str((await create_session(caller))["id"])
    await caller.post(f"/sessions/{session}/state/namespaces", {"namespace": "inv"})
    async with served.product.database.connection() as tx:
        await tx.execute(FILL, UUID(other if elsewhere else session), slots, slot_bytes)
    model = switchable.script()
    writes = [{"namespace": "inv", "slot": "new", "value": 1}]

    status, answer = await caller.post(
        f"/sessions/{session}/respond", {"message": "a", "session_state_writes": writes}
    )

    assert (status, answer["error"]["code"]) == (409, code)
    assert model.requests == []
