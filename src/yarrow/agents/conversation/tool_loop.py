"""Let a model use tools: ask, run the calls of its reply, ask again with their results."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from yarrow.agents.conversation.conversation import Conversation
from yarrow.agents.conversation.json_text import decode_lenient
from yarrow.agents.conversation.reply import ModelReply, ReplyEvents
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ToolCall, ToolSpec
from yarrow.runs.events import RunEvent, ToolCallArguments, ToolCallFinished, ToolCallStarted


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A tool call whose arguments have been read; None if they are no JSON object."""

    call: ToolCall
    arguments: JsonObject | None


class ToolRound:
    """The tool calls of one reply. The agent answers them in any order, or leaves some open."""

    def __init__(self, reply: ModelReply) -> None:
        self.reply = reply
        self.calls = tuple(_parse_call(call) for call in reply.calls)
        self.is_last = False
        """Set by the agent to leave the loop after this round."""
        self._results: list[ChatMessage] = []

    @property
    def is_answered(self) -> bool:
        return len(self._results) == len(self.calls)

    def answer(self, call: ToolCall, text: str) -> None:
        """What the model reads as the result of the call."""
        self._results.append(ChatMessage(ChatRole.TOOL, text, tool_call_id=call.id))

    def messages(self) -> list[ChatMessage]:
        """The reply and the results for the next prompt; arguments are valid JSON now."""
        calls = tuple(parsed.call for parsed in self.calls)
        return [replace(self.reply.as_message(), tool_calls=calls), *self._results]


UseTools: TypeAlias = Callable[[ToolRound], AsyncIterator[RunEvent]]


class ToolLoop:
    """Asks until a reply calls no tool, leaves a call open, or the rounds are used up.

    `messages` is the prompt; replies that called tools, and the results, are appended to it.
    """

    def __init__(
        self,
        conversation: Conversation,
        messages: list[ChatMessage],
        use_tools: UseTools,
        *,
        tools: tuple[ToolSpec, ...],
        max_rounds: int,
        events: ReplyEvents,
    ) -> None:
        self.rounds_left = max_rounds
        self.is_exhausted = False
        """The rounds were used up and the model still called tools."""
        self._conversation, self._messages, self._use_tools = conversation, messages, use_tools
        self._tools, self._events = tools, events

    async def run(self) -> AsyncIterator[RunEvent]:
        """The events of replies and tools. The last reply is the conversation's."""
        while self.rounds_left:
            self.rounds_left -= 1
            request = ChatRequest(tuple(self._messages), self._tools)
            async for event in self._conversation.ask(request, self._events):
                yield event
            if not self._conversation.reply.calls:
                return
            round_ = ToolRound(self._conversation.reply)
            async for event in self._use_tools(round_):
                yield event
            if not round_.is_answered:
                return
            self._messages += round_.messages()
            if round_.is_last:
                return
        self.is_exhausted = True

    def allow_answer(self) -> None:
        """Allow one more reply, without tools: the model has to answer now."""
        self.rounds_left, self._tools = 1, ()


def call_events(
    call: ToolCall, message_id: str, *, text: str = "", reasoning: str = ""
) -> Sequence[RunEvent]:
    """A whole tool call as events; text and reasoning beside it are kept for later prompts."""
    return (
        ToolCallStarted(call.id, call.name, message_id, text, reasoning),
        ToolCallArguments(call.id, call.arguments),
        ToolCallFinished(call.id),
    )


def _parse_call(call: ToolCall) -> ParsedCall:
    arguments = decode_lenient(call.arguments or "{}")
    written = encode_json(arguments or {}).decode()
    return ParsedCall(replace(call, arguments=written), arguments)
