"""Pictures in messages: checked, kept as paths, seen by the model, shown in history."""

import base64
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from tests.loose_json import JsonObject
from tests.protocols.agui.account_rows import read_account_rows as all_rows_of
from tests.protocols.agui.attachments.uploads import (
    HISTORY,
    JPEG,
    PNG,
    fetch,
    list_stored_files,
    make_image_run,
    start_thread,
    upload,
    wait_until_expired,
)
from tests.protocols.switchable_model import SwitchableModel
from tests.serving import RUNS, Caller, Frame, Served, run_body, serving

from yarrow.llm.errors import ModelRefused
from yarrow.llm.model import ChatMessage, ImagePart
from yarrow.llm.scripted import Fail, Say, ScriptedModel

FOREIGN = "https://storage.example.com/agent-inputs/user-123/image.png?signature=xxx"


def data_url(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


async def ask(caller: Caller, body: JsonObject) -> list[Frame]:
    await caller.submit(body)
    return await caller.events(body["threadId"], body["runId"])


def warnings(frames: list[Frame]) -> list[str]:
    return [frame.data["value"]["code"] for frame in frames if frame.data.get("name") == "WARNING"]


def asked(model: ScriptedModel, place: int = 0) -> ChatMessage:
    """The last message of what the model was asked."""
    return model.requests[place].messages[-1]


async def test_model_gets_the_picture(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    attachment = await upload(caller, thread)
    model = switchable.script([Say("A cat.")])

    frames = await ask(caller, make_image_run(thread, attachment["url"]))

    assert asked(model).text == "what is it?"
    assert asked(model).images == (ImagePart(data_url(PNG)),)
    assert frames[-1].type == "RUN_FINISHED"
    assert warnings(frames) == []


async def test_picture_in_the_form_of_agui_reaches_the_model(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    attachment = await upload(caller, thread, JPEG)
    source = {"type": "url", "value": attachment["url"], "mimeType": "image/jpeg"}
    message = {"id": "m", "role": "user", "content": [{"type": "image", "source": source}]}
    model = switchable.script([Say("A dog.")])

    await ask(caller, run_body(thread=thread, messages=[message]))

    assert asked(model).images == (ImagePart(data_url(JPEG, "image/jpeg")),)


async def test_picture_of_an_earlier_turn_is_sent_again(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    attachment = await upload(caller, thread)
    model = switchable.script([Say("A cat.")], [Say("Grey.")])
    await ask(caller, make_image_run(thread, attachment["url"]))

    await ask(caller, run_body("what colour?", thread=thread))

    images = [message.images for message in model.requests[1].messages if message.images]
    assert images == [(ImagePart(data_url(PNG)),)]


async def test_only_the_newest_pictures_of_the_past_are_sent(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    urls = [(await upload(caller, thread, PNG + bytes([n])))["url"] for n in range(6)]
    model = switchable.script([Say("Six.")], [Say("Yes.")])
    await ask(caller, make_image_run(thread, *urls))

    await ask(caller, run_body("sure?", thread=thread))

    sent = [image.url for message in model.requests[1].messages for image in message.images]
    assert sent == [data_url(PNG + bytes([n])) for n in range(2, 6)]


async def test_history_has_a_fresh_url(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    attachment = await upload(caller, thread)
    body = make_image_run(thread, attachment["url"], text="")
    await ask(caller, body)

    _, answer = await caller.get(HISTORY, threadId=thread)

    # seed 0, history snapshot contract
    shown = [message["attachments"] for message in answer["messages"] if "attachments" in message]
    assert [[set(item) for item in items] for items in shown] == [[{"mimeType", "url"}]]
    assert shown[0][0]["mimeType"] == "image/png"
    assert urlsplit(shown[0][0]["url"]).path == urlsplit(attachment["url"]).path
    assert (await fetch(caller, shown[0][0]["url"]))[1] == PNG


async def test_day_scope_has_one_url(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    attachment = await upload(caller, thread)
    await ask(caller, make_image_run(thread, attachment["url"]))

    _, answer = await caller.get(HISTORY, threadId=thread, scope="history_day")

    # seed 2, HistoryMessageUser
    urls = [message["url"] for message in answer["messages"] if message["role"] == "user"]
    assert urls[0] is None
    assert (await fetch(caller, urls[1]))[1] == PNG


async def test_resuming_client_gets_the_picture(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    attachment = await upload(caller, thread)
    body = make_image_run(thread, attachment["url"])
    await ask(caller, body)

    frames = await caller.events(thread, body["runId"], after=1, profile="agui")

    snapshot = next(frame for frame in frames if frame.type == "MESSAGES_SNAPSHOT")
    content = snapshot.data["messages"][-2]["content"]
    assert [block["type"] for block in content] == ["text", "image"]
    assert (await fetch(caller, content[1]["source"]["value"]))[1] == PNG


async def test_foreign_picture_is_left_out_with_a_warning(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    model = switchable.script([Say("Cannot see it.")])

    frames = await ask(caller, make_image_run(thread, FOREIGN))

    _, answer = await caller.get(HISTORY, threadId=thread)
    assert warnings(frames) == ["IMAGE_NOT_AVAILABLE"]
    assert frames[-1].type == "RUN_FINISHED"
    assert (asked(model).text, asked(model).images) == ("what is it?", ())
    assert not any("attachments" in message for message in answer["messages"])


async def test_divination_says_that_it_does_not_look_at_pictures(
    caller: Caller, thread: str
) -> None:
    attachment = await upload(caller, thread)
    cast = {
        "divinationMethod": "手动起卦",
        "questionType": "事业",
        "question": "我最近换工作是否合适?",
        "divinationTimeIso": "2026-04-03T20:30:00+08:00",
        "yaoLines": ["少阳"] * 6,
    }
    body = make_image_run(str(uuid4()), attachment["url"])
    body["forwardedProps"] = {"runtime_mode": "chat", "divinationPayload": cast}

    frames = await ask(caller, body)

    assert warnings(frames)[0] == "IMAGE_NOT_AVAILABLE"
    assert frames[-1].type == "RUN_FINISHED"


async def test_message_with_only_a_foreign_picture_still_asks_something(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    model = switchable.script([Say("I see nothing.")])

    await ask(caller, make_image_run(thread, FOREIGN, text=""))

    assert asked(model).text == "[an image that cannot be shown]"


@pytest.mark.parametrize("place", [-1, -50, -60, 30])
async def test_changed_url_of_ours_is_refused(
    served: Served, caller: Caller, thread: str, place: int
) -> None:
    url = (await upload(caller, thread))["url"]
    at = place % len(url)
    changed = url[:at] + ("A" if url[at] != "A" else "B") + url[at + 1 :]
    before = await all_rows_of(served.product.database, caller.id)

    status, answer = await caller.post(RUNS, make_image_run(thread, changed))

    assert (status, answer["code"]) == (422, "AGENT_INPUT_INVALID")
    assert answer["detail"].startswith("binary content url must be a valid signed URL: ")
    assert await all_rows_of(served.product.database, caller.id) == before


async def test_expired_url_is_refused(dsn: str, tmp_path: Path) -> None:
    async with serving(
        dsn, model=ScriptedModel(), data_dir=tmp_path, attachment_url_ttl_s=1
    ) as served:
        caller = await served.account()
        thread = await start_thread(caller)
        url = (await upload(caller, thread))["url"]
        await wait_until_expired(caller, url)

        status, answer = await caller.post(RUNS, make_image_run(thread, url))

    assert (status, answer["code"]) == (422, "AGENT_INPUT_INVALID")
    assert answer["detail"].endswith("this address has expired; ask for a new one")


async def test_picture_of_another_account_is_forbidden(
    served: Served, caller: Caller, thread: str
) -> None:
    url = (await upload(caller, thread))["url"]
    other = await served.account()

    status, answer = await other.post(RUNS, make_image_run(await start_thread(other), url))

    assert (status, answer["code"]) == (403, "AGENT_FORBIDDEN")


async def test_picture_that_was_swept_is_refused(
    served: Served, caller: Caller, thread: str
) -> None:
    attachment = await upload(caller, thread)
    async with served.product.database.transaction() as tx:
        await tx.execute("DELETE FROM attachments WHERE path = $1", attachment["path"])
    before = await all_rows_of(served.product.database, caller.id)

    status, answer = await caller.post(RUNS, make_image_run(thread, attachment["url"]))

    assert (status, answer["code"]) == (422, "AGENT_INPUT_INVALID")
    assert await all_rows_of(served.product.database, caller.id) == before


async def test_nine_pictures_are_too_many(caller: Caller, thread: str) -> None:
    url = (await upload(caller, thread))["url"]

    status, answer = await caller.post(RUNS, make_image_run(thread, *[url] * 9))

    assert (status, answer["detail"]) == (422, "RunAgentInput user message images exceed limit")


async def test_the_same_picture_twice_is_one(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    url = (await upload(caller, thread))["url"]
    model = switchable.script([Say("One.")])

    await ask(caller, make_image_run(thread, url, url))

    assert len(asked(model).images) == 1


async def test_lost_file_is_a_warning_not_a_failure(
    served: Served, caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    url = (await upload(caller, thread))["url"]
    (stored,) = list_stored_files(served, caller)
    stored.unlink()
    model = switchable.script([Say("Nothing to see.")])

    frames = await ask(caller, make_image_run(thread, url))

    assert warnings(frames) == ["IMAGE_NOT_AVAILABLE"]
    assert frames[-1].type == "RUN_FINISHED"
    assert asked(model).images == ()


async def test_model_that_refuses_images_is_asked_without_them(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    url = (await upload(caller, thread))["url"]
    model = switchable.script([Fail(ModelRefused(400))], [Say("I cannot see.")])

    frames = await ask(caller, make_image_run(thread, url))

    assert frames[-1].type == "RUN_FINISHED"
    assert warnings(frames) == ["IMAGE_NOT_AVAILABLE"]
    assert asked(model, 1).images == ()


async def test_refused_key_is_not_retried_without_images(
    caller: Caller, switchable: SwitchableModel, thread: str
) -> None:
    url = (await upload(caller, thread))["url"]
    model = switchable.script([Fail(ModelRefused(401))], [Say("never")])

    frames = await ask(caller, make_image_run(thread, url))

    assert frames[-1].type == "RUN_ERROR"
    assert len(model.requests) == 1
