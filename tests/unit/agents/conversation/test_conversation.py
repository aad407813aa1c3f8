"""Asking a model: retries, filters, lengths, images, and what of a reply becomes an event."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

import pytest

from yarrow.agents.conversation.conversation import (
    IMAGES_REFUSED,
    NO_IMAGE,
    RETRYING,
    Conversation,
)
from yarrow.agents.conversation.history import CallIds
from yarrow.agents.conversation.reply import ANSWER_CUT, ReplyEvents
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ModelReplied,
    ReasoningDelta,
    ReasoningFinished,
    ReasoningStarted,
    RunEvent,
    RunStarted,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from yarrow.journal.steps import CompletedSteps
from yarrow.llm.errors import (
    AnswerEmpty,
    AnswerFiltered,
    ModelDenied,
    ModelError,
    ModelFailed,
    ModelMissing,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, FinishReason, ImagePart, ToolCall
from yarrow.llm.scripted import Call, Fail, Hold, Say, ScriptedModel, Spend, Stop, Think, Turn

REQUEST = ChatRequest((ChatMessage(ChatRole.USER, "?"),))
SHOWN = ChatRequest((ChatMessage(ChatRole.USER, "", (ImagePart("data:"),)),))
AT_ONCE = ModelRateLimited(0.0)


def conversation(model: ScriptedModel, *, deadline_s: float = 60) -> Conversation:
    return Conversation(model, uuid4, deadline_s=deadline_s)


async def ask(
    *script: Turn, events: ReplyEvents = ReplyEvents.ALL, request: ChatRequest = REQUEST
) -> tuple[Conversation, list[RunEvent]]:
    talk = conversation(ScriptedModel(*script))
    return talk, [event async for event in talk.ask(request, events)]


def texts(events: list[RunEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def types(events: list[RunEvent]) -> list[type]:
    """The types in order, pieces of one text as one."""
    kinds = [type(event) for event in events]
    return [kind for place, kind in enumerate(kinds) if kinds[place - 1 : place] != [kind]]


async def test_a_reply_is_streamed_and_kept_whole() -> None:
    talk, events = await ask([Think("hm"), Say("Hello "), Say("there"), Call("t", {"a": 1})])

    assert (talk.reply.text, talk.reply.reasoning) == ("Hello there", "hm")
    assert talk.reply.calls == (ToolCall("call_0", "t", '{"a":1}'),)
    assert talk.reply.message.reasoning == "hm"
    assert types(events) == [
        *(ReasoningStarted, ReasoningDelta, ReasoningFinished, MessageStarted, TextDelta),
        *(ToolCallStarted, ToolCallArguments, UsageReported, ToolCallFinished, MessageFinished),
        ModelReplied,
    ]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (
            ReplyEvents.TEXT,
            [
                *(ReasoningStarted, ReasoningDelta, ReasoningFinished),
                *(MessageStarted, TextDelta, UsageReported, MessageFinished, ModelReplied),
            ],
        ),
        (ReplyEvents.NONE, [UsageReported, ModelReplied]),
    ],
)
async def test_an_agent_chooses_what_is_shown(events: ReplyEvents, expected: list[type]) -> None:
    talk, shown = await ask([Think("hm"), Say("Hi "), Call("t")], events=events)

    assert types(shown) == expected
    assert (talk.reply.text, len(talk.reply.calls)) == ("Hi ", 1)


async def test_only_an_answer_has_an_output() -> None:
    _, answered = await ask([Say("Noon.")])
    _, calling = await ask([Say("A moment."), Call("t")])

    assert answered[-1].output == {"status": "success", "answer": "Noon.", "error": ""}  # type: ignore[union-attr]
    assert calling[-2].output is None  # type: ignore[union-attr]


@pytest.mark.parametrize("turn", [[Say("Noon.")], []])
async def test_the_answer_carries_a_card_and_may_be_nothing_else(turn: Turn) -> None:
    talk = conversation(ScriptedModel(turn))
    talk.answer_card = {"version": "1"}

    events = [event async for event in talk.ask(REQUEST)]

    assert MessageStarted in types(events)
    assert events[-1].output["ui_hints"] == {"version": "1"}  # type: ignore[index,union-attr]


async def test_a_call_gets_an_id_that_its_thread_does_not_have() -> None:
    """Stock clients add the arguments of a known id to the call of the earlier turn."""
    model = ScriptedModel([Call("t", id="rule_0")])
    talk = Conversation(model, uuid4, deadline_s=60, call_ids=CallIds(["rule_0"]))

    [event async for event in talk.ask(REQUEST)]

    assert talk.reply.calls[0].id.startswith("call_")


async def test_call_ids_are_unique_in_a_run() -> None:
    talk = conversation(ScriptedModel([Call("t", id="1")], [Call("t", id="1")]))
    ids = []
    for _ in range(2):
        [event async for event in talk.ask(REQUEST)]
        ids.append(talk.reply.calls[0].id)

    assert ids[0] == "1"
    assert ids[1].startswith("call_")


@pytest.mark.parametrize("events", ReplyEvents)
async def test_trouble_before_the_first_token_is_retried(events: ReplyEvents) -> None:
    talk, shown = await ask(
        [Fail(AT_ONCE)], [Fail(ModelFailed(503, 0.0))], [Say("whole"), Spend(7, 9)], events=events
    )

    assert talk.reply.text == "whole"
    assert shown[:2] == [RETRYING, RETRYING]
    assert [e for e in shown if isinstance(e, UsageReported)] == [UsageReported("scripted", 7, 9)]


@pytest.mark.parametrize("make", [lambda: ModelRateLimited(0.0), lambda: ModelFailed(503, 0.0)])
async def test_a_third_failure_is_the_last(make: Callable[[], ModelError]) -> None:
    model = ScriptedModel(*[[Fail(make())]] * 5)

    with pytest.raises(ModelError):
        [event async for event in conversation(model).ask(REQUEST)]

    assert len(model.requests) == 3


@pytest.mark.parametrize("failure", [ModelDenied(401), ModelRefused(400), ModelMissing()])
async def test_what_cannot_get_better_is_not_retried(failure: ModelError) -> None:
    model = ScriptedModel([Fail(failure)])

    with pytest.raises(type(failure)):
        [event async for event in conversation(model).ask(REQUEST)]

    assert len(model.requests) == 1


@pytest.mark.parametrize("begin", [Say("half"), Think("half"), Call("half")])
async def test_what_was_shown_is_not_said_twice(begin: Say | Think | Call) -> None:
    model = ScriptedModel([begin, Fail(AT_ONCE)], [Say("whole")])

    with pytest.raises(ModelRateLimited):
        [event async for event in conversation(model).ask(REQUEST)]

    assert len(model.requests) == 1


async def test_what_nobody_saw_is_retried_in_the_middle_too() -> None:
    talk, events = await ask([Say("half"), Fail(AT_ONCE)], [Say("whole")], events=ReplyEvents.NONE)

    assert talk.reply.text == "whole"
    assert types(events) == [type(RETRYING), UsageReported, ModelReplied]


@pytest.mark.parametrize("shown", list(ReplyEvents))
async def test_recorded_reply_is_repeated_without_the_model(shown: ReplyEvents) -> None:
    turn: Turn = [Think("hm"), Say("Hello "), Say("there"), Call("t", {"a": 1}, id="x")]
    first, events = await ask(turn, events=shown)
    model = ScriptedModel()
    steps = CompletedSteps([RunStarted(0), *events])
    again = Conversation(model, uuid4, deadline_s=60, steps=steps)

    repeated = [event async for event in again.ask(REQUEST, shown)]

    assert model.requests == []
    assert again.reply == first.reply
    assert repeated[-1] == events[-1]
    assert set(types(repeated)) == set(types(events)) - {UsageReported}


@pytest.mark.parametrize("asked_s", [500.0, 10_000.0])
async def test_no_retry_goes_beyond_the_deadline(asked_s: float) -> None:
    model = ScriptedModel([Fail(ModelRateLimited(asked_s))], [Say("late")])

    with pytest.raises(ModelRateLimited):
        [event async for event in conversation(model, deadline_s=400).ask(REQUEST)]

    assert len(model.requests) == 1


async def test_a_try_as_long_as_the_last_one_must_fit_the_deadline() -> None:
    hold = Hold()
    model = ScriptedModel([hold, Fail(ModelTimeout(300))], [Say("late")])
    asyncio.get_running_loop().call_later(0.3, hold.release.set)

    with pytest.raises(ModelTimeout):
        [event async for event in conversation(model, deadline_s=1.5).ask(REQUEST)]

    assert len(model.requests) == 1


@pytest.mark.parametrize("events", ReplyEvents)
async def test_a_filtered_reply_is_a_failure(events: ReplyEvents) -> None:
    with pytest.raises(AnswerFiltered):
        await ask([Say("I ca"), Stop(FinishReason.CONTENT_FILTER)], events=events)


@pytest.mark.parametrize("events", ReplyEvents)
async def test_a_reply_that_was_cut_stands_with_a_warning(events: ReplyEvents) -> None:
    talk, shown = await ask([Say("I ca"), Stop(FinishReason.LENGTH)], events=events)

    assert talk.reply.text == "I ca"
    assert shown.count(ANSWER_CUT) == 1


@pytest.mark.parametrize("turn", [[Say(" \n")], [Say("<think>hm</think>")], [Think("hm")], []])
@pytest.mark.parametrize("events", [ReplyEvents.ALL, ReplyEvents.TEXT])
async def test_an_empty_reply_is_a_failure(events: ReplyEvents, turn: Turn) -> None:
    with pytest.raises(AnswerEmpty):
        await ask(turn, events=events)


async def test_an_agent_that_shows_nothing_judges_an_empty_reply_itself() -> None:
    talk, _ = await ask([Say(" ")], events=ReplyEvents.NONE)

    assert (talk.reply.text, talk.reply.calls) == (" ", ())


@pytest.mark.parametrize("failure", [ModelRefused(400), ModelFailed(500, 0.0)])
async def test_a_model_that_takes_no_images_is_asked_without_them(failure: ModelError) -> None:
    tries = 3 if isinstance(failure, ModelFailed) else 1
    model = ScriptedModel(*[[Fail(failure)]] * tries, [Say("blind")], [Say("still")])
    talk = conversation(model)

    first = [event async for event in talk.ask(SHOWN)]
    second = [event async for event in talk.ask(SHOWN)]

    assert first.count(IMAGES_REFUSED) == 1
    assert IMAGES_REFUSED not in second
    sent = [request.messages[0] for request in model.requests]
    assert [len(message.images) for message in sent] == [*[1] * tries, 0, 0]
    assert sent[-1].text == NO_IMAGE


@pytest.mark.parametrize("failure", [ModelDenied(401), AnswerFiltered(400), ModelUnreachable()])
async def test_other_trouble_is_not_taken_for_blindness(failure: ModelError) -> None:
    failure.retry_after_s = 0.0
    model = ScriptedModel(*[[Fail(failure)]] * 3, [Say("never")])

    with pytest.raises(type(failure)):
        [event async for event in conversation(model).ask(SHOWN)]

    assert all(request.messages[0].images for request in model.requests)


async def test_closing_the_stream_closes_the_model() -> None:
    hold = Hold()
    model = ScriptedModel([Say("first "), hold, Say("second")])
    stream = conversation(model).ask(REQUEST)

    while not isinstance(await anext(stream), TextDelta):
        pass
    await stream.aclose()

    assert (model.active, model.cancelled) == (0, 1)


async def test_cancelling_closes_the_model() -> None:
    hold = Hold()
    model = ScriptedModel([hold])

    async def listen() -> None:
        async for _ in conversation(model).ask(REQUEST, ReplyEvents.NONE):
            pass

    listening = asyncio.create_task(listen())
    await hold.reached.wait()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)

    assert model.active == 0


async def test_text_after_reasoning_in_the_middle_is_text_again() -> None:
    talk, events = await ask([Say("One. "), Think("or two"), Say("Two.")])

    assert texts(events) == talk.reply.text == "One. Two."
    order = [ReasoningStarted, ReasoningDelta, ReasoningFinished, TextDelta]
    assert types(events)[2:6] == order
