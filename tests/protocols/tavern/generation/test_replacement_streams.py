"""Regenerate, retry and edit as streams: the same frames as those of a new turn."""

import pytest
from tests.protocols.switchable_model import SwitchableModel
from tests.protocols.tavern.generation.test_replacements import WAYS, make_call
from tests.protocols.tavern.generation.turn_calls import (
    create_counting_session,
    read_frames,
    respond,
)
from tests.protocols.tavern.story_calls import read_floors
from tests.serving import Caller, Served

from yarrow.llm.scripted import Say


@pytest.mark.parametrize("way", WAYS)
async def test_a_replacement_is_streamed_to_who_accepts_a_stream(
    served: Served, caller: Caller, switchable: SwitchableModel, way: str
) -> None:
    session = await create_counting_session(served, caller)
    switchable.script([Say("one")], [Say("two")])
    await respond(caller, session, "a")
    path, body = make_call(way, session, (await read_floors(caller, session))[-1])
    headers = caller.headers | {"Accept": "text/event-stream"}

    async with caller.http.post(caller.url + path, json=body, headers=headers) as answer:
        frames = await read_frames(answer)

    assert frames[0].event == "start"
    assert "".join(frame.data["chunk"] for frame in frames if frame.event == "chunk") == "two"
    assert (frames[-1].event, frames[-1].data["generated_text"]) == ("done", "two")
