"""The assistant: asks the model, runs our tools, asks again, until it has spoken."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import msgspec

from yarrow.accounts.preferences import preferences_of
from yarrow.agents.assistant.caller import caller_of
from yarrow.agents.assistant.pictures import GONE, Sight, load_pictures
from yarrow.agents.assistant.prompt import build_prompt
from yarrow.agents.reply import Reply
from yarrow.kit.json import JsonObject, decode_json
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ToolCall, ToolSpec
from yarrow.runs.agent import RunContext
from yarrow.runs.events import RunEvent, StepFinished, StepStarted, ToolReturned
from yarrow.runs.model import AgentSpec, ClaimedRun
from yarrow.tools.model import ToolError
from yarrow.uischema import Meta, stamped

MAX_ROUNDS = 8
"""How often the model may ask for tools before it has to answer without them."""

STEP = "worker"


@dataclass(frozen=True, slots=True)
class Called:
    """What came of a tool call, and the card it gave to the answer."""

    returned: ToolReturned
    answer_card: JsonObject | None = None


class Assistant:
    """A general conversation with tools."""

    spec = AgentSpec(name="assistant", price=20, deadline_s=300)

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        yield StepStarted(STEP)
        pictures = await load_pictures(context)
        if pictures.some_missing:
            yield GONE
        messages = build_prompt(context, pictures)
        sight = Sight()
        tools = tool_specs(context)
        theirs = {t.name for t in context.run.input.tools if t.name not in context.tools}
        call_ids: set[str] = set()
        card: JsonObject | None = None
        for round_ in range(MAX_ROUNDS + 1):
            reply = Reply(context.new_id, call_ids, card=card)
            offered = tools if round_ < MAX_ROUNDS else ()
            request = ChatRequest(messages, offered)
            async for event in sight.listen(reply, context.model, request):
                yield event
            if not reply.calls:
                break
            results: list[ChatMessage] = []
            for call in reply.calls:
                if call.name not in theirs:
                    called = await call_tool(context, call)
                    yield called.returned
                    card = called.answer_card or card
                    said = called.returned.content
                    results.append(ChatMessage(ChatRole.TOOL, said, tool_call_id=call.id))
            if len(results) < len(reply.calls):
                break  # the rest are the client's: it answers them with its next run
            messages = (*messages, _said(reply), *results)
        yield StepFinished(STEP)


def tool_specs(context: RunContext) -> tuple[ToolSpec, ...]:
    """Our tools and the client's, as the model is told; ours win a clash of names."""
    ours = [tool.description for tool in context.tools.values()]
    theirs = [tool for tool in context.run.input.tools if tool.name not in context.tools]
    return (
        *(ToolSpec(tool.name, tool.description, tool.parameters) for tool in ours),
        *(ToolSpec(tool.name, tool.description, tool.parameters) for tool in theirs),
    )


async def call_tool(context: RunContext, call: ToolCall) -> Called:
    """Run one of our tools; what it cannot do is told to the model, not to the user."""
    message_id = str(context.new_id())
    try:
        if call.name not in context.tools:
            raise ToolError(f"there is no tool {call.name}; known: {', '.join(context.tools)}")
        arguments = decode_json(call.arguments or "{}")
        if not isinstance(arguments, dict):
            raise ToolError("arguments must be a JSON object")
        answer = await context.tools[call.name].call(arguments, caller_of(context))
    except msgspec.DecodeError:
        told = ToolReturned(call.id, message_id, "arguments are not valid JSON", failed=True)
        return Called(told)
    except ToolError as failure:
        return Called(ToolReturned(call.id, message_id, str(failure), failed=True))
    hints = _kept(context.run, answer.card, tool=call.name)
    told = ToolReturned(call.id, message_id, answer.text, hints=hints)
    return Called(told, answer_card=_kept(context.run, answer.answer_card))


def _kept(run: ClaimedRun, card: JsonObject | None, *, tool: str = "") -> JsonObject | None:
    """The hints of a card with the language it is written in and where it comes from."""
    if card is None:
        return None
    locale = preferences_of(run.preferences).ai_language
    return stamped(card, locale=locale, meta=Meta(run.input.request_id, tool))


def _said(reply: Reply) -> ChatMessage:
    return ChatMessage(
        ChatRole.ASSISTANT, reply.text, tool_calls=reply.calls, reasoning=reply.reasoning
    )
