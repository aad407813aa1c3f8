"""What the assistant's model is told."""

from collections.abc import Iterable, Sequence

from yarrow.agents.assistant.caller import language_line, zone_of
from yarrow.agents.assistant.pictures import NO_PICTURE, Pictures
from yarrow.agents.recall import only_answered_calls
from yarrow.kit.json import encode_json
from yarrow.llm.model import ChatMessage, ChatRole, ToolCall
from yarrow.runs.agent import RunContext
from yarrow.runs.images import images_of
from yarrow.runs.model import ClientTool, ContextItem
from yarrow.sessions.model import Message, Role

HISTORY_CHARS = 48_000
"""How much of the past is sent along, newest first, in whole messages."""

INSTRUCTIONS = (
    "You are a helpful assistant. Answer plainly and correctly, and say so when you do not know. "
    "Use a tool when it gives a better answer than memory. "
    "Answer in {language} unless the user asks for another language. "
    "The user's timezone is {timezone}."
)


def build_prompt(context: RunContext, pictures: Pictures) -> tuple[ChatMessage, ...]:
    """The whole prompt: instructions, what was said before, and the input."""
    given = context.run.input
    system = "\n\n".join(
        part
        for part in (
            INSTRUCTIONS.format(
                language=language_line(context.run), timezone=zone_of(context.run).key
            ),
            build_context_prompt(given.context),
            build_tools_prompt(given.tools),
        )
        if part
    )
    past = [spoken for message in newest(context.history) for spoken in recall(message, pictures)]
    now = [
        ChatMessage(ChatRole.TOOL, result.content, tool_call_id=result.call_id)
        for result in given.tool_results
    ]
    seen = pictures.of(given.images)
    if given.text or seen or not now:
        text = given.text if given.text or seen else NO_PICTURE
        now.append(ChatMessage(ChatRole.USER, text, seen))
    return (ChatMessage(ChatRole.SYSTEM, system), *only_answered_calls([*past, *now]))


def build_tools_prompt(tools: Sequence[ClientTool]) -> str:
    """The client's tools, in the words the input protocol fixes; nothing when there are none."""
    if not tools:
        return ""
    lines = ["<!-- TOOLS_START -->"]
    for tool in tools:
        lines.append(f"- {tool.name}: {tool.description}")
        lines.append(f"- args_schema: {encode_json(tool.parameters).decode()}")
    lines += ["Note: tool arguments must strictly match args_schema.", "<!-- TOOLS_END -->"]
    return "\n".join(lines)


def build_context_prompt(items: Sequence[ContextItem]) -> str:
    """What the client wants known."""
    if not items:
        return ""
    return "\n".join(
        ["Context from the application:", *(f"- {i.description}: {i.value}" for i in items)]
    )


def newest(history: Sequence[Message]) -> list[Message]:
    """The newest messages that fit, oldest first."""
    kept: list[Message] = []
    room = HISTORY_CHARS
    for message in reversed(history):
        room -= len(message.content)
        if room < 0:
            break
        kept.append(message)
    return kept[::-1]


def recall(message: Message, pictures: Pictures) -> Iterable[ChatMessage]:
    """A stored message as the model said or heard it."""
    if message.role is Role.USER:
        seen = pictures.of(images_of(message))
        yield ChatMessage(ChatRole.USER, message.content or ("" if seen else NO_PICTURE), seen)
    elif message.role is Role.ASSISTANT:
        calls = tuple(ToolCall(c.id, c.name, c.arguments) for c in message.details.tool_calls)
        yield ChatMessage(ChatRole.ASSISTANT, message.content, tool_calls=calls)
    elif (call := message.details.tool_call) is not None:
        calls = (ToolCall(call.id, call.name, call.arguments),)
        yield ChatMessage(ChatRole.ASSISTANT, "", tool_calls=calls)
        yield ChatMessage(ChatRole.TOOL, message.content, tool_call_id=call.id)
    else:
        for result in message.details.tool_results:
            yield ChatMessage(ChatRole.TOOL, result.content, tool_call_id=result.call_id)
