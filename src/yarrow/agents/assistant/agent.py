"""The assistant: asks the model, runs our tools, asks again, until it has spoken."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from yarrow.agents.assistant.pictures import GONE, Sight, load_pictures
from yarrow.agents.assistant.prompt import build_prompt
from yarrow.agents.reply import Reply
from yarrow.json_values import decode_json
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ToolCall, ToolSpec
from yarrow.runs.agent import RunContext
from yarrow.runs.events import RunEvent, StepFinished, StepStarted, ToolReturned
from yarrow.runs.model import AgentSpec
from yarrow.tools.model import ToolCaller, ToolError

MAX_ROUNDS = 8
"""How often the model may ask for tools before it has to answer without them."""

STEP = "worker"


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
        call_ids: set[str] = set()
        for round_ in range(MAX_ROUNDS + 1):
            reply = Reply(context.new_id, call_ids)
            offered = tools if round_ < MAX_ROUNDS else ()
            request = ChatRequest(messages, offered)
            async for event in sight.listen(reply, context.model, request):
                yield event
            if not reply.calls:
                break
            results: list[ChatMessage] = []
            for call in reply.calls:
                if call.name in context.tools:
                    returned = await call_tool(context, call)
                    yield returned
                    results.append(
                        ChatMessage(ChatRole.TOOL, returned.content, tool_call_id=call.id)
                    )
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


async def call_tool(context: RunContext, call: ToolCall) -> ToolReturned:
    """Run one of our tools; what it cannot do is told to the model, not to the user."""
    message_id = str(context.new_id())
    try:
        arguments = decode_json(call.arguments or "{}")
        if not isinstance(arguments, dict):
            raise ToolError("arguments must be a JSON object")
        content = await context.tools[call.name].call(arguments, _caller(context))
    except msgspec.DecodeError:
        return ToolReturned(call.id, message_id, "arguments are not valid JSON", failed=True)
    except ToolError as failure:
        return ToolReturned(call.id, message_id, str(failure), failed=True)
    return ToolReturned(call.id, message_id, content)


def _caller(context: RunContext) -> ToolCaller:
    run = context.run
    client_time: Any = run.input.options.get("client_time")
    device = client_time.get("device_timezone") if isinstance(client_time, dict) else None
    timezone = device or run.preferences.get("timezone") or "UTC"
    return ToolCaller(run.account_id, context.clock, str(timezone))


def _said(reply: Reply) -> ChatMessage:
    return ChatMessage(
        ChatRole.ASSISTANT, reply.text, tool_calls=reply.calls, reasoning=reply.reasoning
    )
