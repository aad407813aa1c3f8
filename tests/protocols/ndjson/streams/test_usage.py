"""The last line of a stream says what its run took."""

from tests.loose_json import JsonObject, decode_json
from tests.protocols.ndjson.analyst_client import (
    CLARIFY,
    DATA_AGENT,
    SUMMARY,
    AnalystClient,
    read_lines,
    visualize,
)
from tests.protocols.switchable_model import SwitchableModel

from yarrow.journal import NumberedEvent
from yarrow.journal.events import RunSucceeded, RunUsage
from yarrow.llm.scripted import Spend
from yarrow.product_events.analyst import SuggestionsFinished
from yarrow.protocols.ndjson.streams.encode import LineEncoder, ToolCallName

QUESTION: JsonObject = {"user_question": "Who sells most?", "input_tables": [{"name": "sales"}]}


async def ask(analyst: AnalystClient) -> list[JsonObject]:
    async with analyst.post(DATA_AGENT, QUESTION) as answer:
        return [line async for line in read_lines(answer)]


async def test_a_chart_adds_up_the_calls_of_its_run(
    analyst: AnalystClient, switchable: SwitchableModel
) -> None:
    switchable.script([Spend(100, 20), visualize()], [Spend(200, 5), SUMMARY])

    *earlier, last = await ask(analyst)

    assert last["type"] == "completion"
    usage = last["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["points"]) == (300, 25, 0)
    assert {*usage} == {"model", "input_tokens", "output_tokens", "cost", "points"}
    assert not any("usage" in line for line in earlier)


async def test_a_question_says_it_too(analyst: AnalystClient, switchable: SwitchableModel) -> None:
    switchable.script([Spend(7, 3), CLARIFY])

    last = (await ask(analyst))[-1]

    assert last["type"] == "clarify"
    assert (last["usage"]["input_tokens"], last["usage"]["output_tokens"]) == (7, 3)


async def test_tokens_that_no_model_reported_are_left_out() -> None:
    encoder = LineEncoder(ToolCallName.TOOL_CALL, list)
    usage = RunUsage("", 0, 0, cost="0.000000", points=20)

    held = encoder.encode_batch([NumberedEvent(1, SuggestionsFinished(0))])
    line = encoder.encode_batch([NumberedEvent(2, RunSucceeded(0, {}, usage))])

    assert held == b""
    assert decode_json(line)["usage"] == {"points": 20}
