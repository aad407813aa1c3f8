"""Build the prompt of the assistant."""

from collections.abc import Iterator, Sequence
from functools import partial

from yarrow.agents.assistant.caller import language_line, user_zone
from yarrow.agents.assistant.images import LoadedImages
from yarrow.agents.conversation.conversation import NO_IMAGE
from yarrow.agents.conversation.history import pair_calls, recall_messages, text_message
from yarrow.kit.json import encode_json
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.runs.agent import RunContext
from yarrow.runs.model import ClientTool, ContextItem
from yarrow.sessions.model import Message, Role

HISTORY_CHARS = 48_000
"""How much of the history is sent, in whole messages, newest first."""

INSTRUCTIONS = (
    "You are a helpful assistant. Answer plainly and correctly, and say so when you do not know. "
    "Use a tool when it gives a better answer than memory. "
    "Answer in {language} unless the user asks for another language. "
    "The user's timezone is {timezone}."
)


def build_prompt(context: RunContext, images: LoadedImages) -> list[ChatMessage]:
    """The whole prompt: instructions, history and the input of this turn."""
    run_input = context.run.input
    system = "\n\n".join(
        part
        for part in (
            INSTRUCTIONS.format(
                language=language_line(context.run), timezone=user_zone(context.run).key
            ),
            build_context_prompt(run_input.context),
            build_tools_prompt(run_input.tools),
        )
        if part
    )
    past = recall_messages(newest_messages(context.history), partial(_to_chat, images))
    current = [
        ChatMessage(ChatRole.TOOL, result.content, tool_call_id=result.call_id)
        for result in run_input.tool_results
    ]
    shown = images.of(run_input.images)
    if run_input.text or shown or not current:
        text = run_input.text if run_input.text or shown else NO_IMAGE
        current.append(ChatMessage(ChatRole.USER, text, shown))
    return [ChatMessage(ChatRole.SYSTEM, system), *pair_calls([*past, *current])]


def build_tools_prompt(tools: Sequence[ClientTool]) -> str:
    """The client's tools, in the format that the input protocol prescribes; empty without any."""
    if not tools:
        return ""
    lines = ["<!-- TOOLS_START -->"]
    for tool in tools:
        lines.append(f"- {tool.name}: {tool.description}")
        lines.append(f"- args_schema: {encode_json(tool.parameters).decode()}")
    lines += ["Note: tool arguments must strictly match args_schema.", "<!-- TOOLS_END -->"]
    return "\n".join(lines)


def build_context_prompt(items: Sequence[ContextItem]) -> str:
    """The context items of the client."""
    if not items:
        return ""
    return "\n".join(
        ["Context from the application:", *(f"- {i.description}: {i.value}" for i in items)]
    )


def newest_messages(history: Sequence[Message]) -> list[Message]:
    """The newest messages that fit into `HISTORY_CHARS`, oldest first."""
    newest: list[Message] = []
    chars_left = HISTORY_CHARS
    for message in reversed(history):
        chars_left -= len(message.content)
        if chars_left < 0:
            break
        newest.append(message)
    return newest[::-1]


def _to_chat(images: LoadedImages, message: Message) -> Iterator[ChatMessage]:
    if message.role is not Role.USER:
        yield from text_message(message)
        return
    shown = images.of(message.details.images)
    yield ChatMessage(ChatRole.USER, message.content or ("" if shown else NO_IMAGE), shown)
