"""The prompt of a committed turn is stored once: in `turn_prompts`, not in the journal as well."""

from pathlib import Path

from tests.protocols.tavern.story_calls import create_session
from tests.serving import Caller, serving

from yarrow.db import Database
from yarrow.llm.scripted import Say, ScriptedModel

DEBUG = {"include_prompt_snapshot": True, "include_runtime_trace": True}
STORED_RECORD = """
SELECT event ->> 'record' FROM run_events r JOIN runs ON runs.id = r.run_id
CROSS JOIN jsonb_array_elements(r.events) event
WHERE runs.session_id = $1 AND event ->> 'kind' = 'prompt_sent'
"""


async def test_a_repeated_stream_shows_the_prompt_that_the_journal_does_not_have(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    model = ScriptedModel([Say("It rains.")])
    async with (
        serving(dsn, model=model, data_dir=tmp_path) as first,
        serving(dsn, model=ScriptedModel(), data_dir=tmp_path, slots=0) as other,
    ):
        caller = await first.account()
        session = (await create_session(caller))["id"]
        path = f"/sessions/{session}/respond/stream"
        answer = await read_answer(caller, first.url + path)
        repeated = await read_answer(caller, other.url + path)
    async with database.connection() as tx:
        records = await tx.fetch(STORED_RECORD, session)

    assert b'"prompt_snapshot":{' in answer
    assert find_result(repeated) == find_result(answer)
    assert [row[0] for row in records] == [""]


async def read_answer(caller: Caller, url: str) -> bytes:
    headers = caller.headers | {"Idempotency-Key": "k"}
    body = {"message": "Look up.", "debug_options": DEBUG}
    async with caller.http.post(url, json=body, headers=headers) as answer:
        assert answer.status == 200
        return await answer.read()


def find_result(answer: bytes) -> bytes:
    """The result alone: `run` frames have the times at which they are sent."""
    return answer.rpartition(b"event: done\n")[2]
