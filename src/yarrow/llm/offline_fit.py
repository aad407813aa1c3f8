"""Trim a prompt to the context of the offline model.

The model reads about 150 tokens a second on one thread, so the budget is well below its context.
Tokens are overestimated, because its tokenizer is in another process: three letters a token, and
one token for every digit, sign and byte of other scripts.
"""

import re

from msgspec.structs import replace

from yarrow.kit.json import JsonObject
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole

CONTEXT_TOKENS = 2048
PROMPT_TOKENS = 400
ANSWER_TOKENS = 120
_SAMPLER: JsonObject = {"temperature": 0.2, "top_p": 0.9}
"""As its makers advise; with the server's defaults so small a model rambles."""
_MESSAGE_TOKENS = 6
_PER_LETTER = 1 / 3
_CHEAP = re.compile(r"[A-Za-z ]")


def fit_request(request: ChatRequest) -> ChatRequest:
    """The request without tools and images, its oldest messages dropped until it fits."""
    messages = [plain for message in request.messages if (plain := _convert_to_text(message)).text]
    return ChatRequest(
        messages=tuple(_fit_messages(messages)),
        response_schema=request.response_schema,
        sampler=_SAMPLER | request.sampler | {"max_tokens": _choose_answer_limit(request)},
    )


def bound_tokens(text: str) -> int:
    """An upper bound of the tokens, except for unusual strings of letters."""
    letters = len(_CHEAP.findall(text))
    others = len(text.encode("utf-8", "replace")) - letters
    return others + int(letters * _PER_LETTER) + 1


def _choose_answer_limit(request: ChatRequest) -> int:
    requested = request.sampler.get("max_completion_tokens") or request.sampler.get("max_tokens")
    if isinstance(requested, int) and requested > 0:
        return min(requested, ANSWER_TOKENS)
    return ANSWER_TOKENS


def _convert_to_text(message: ChatMessage) -> ChatMessage:
    """The message in the form that the chat template supports: tool results and images as text."""
    if message.role is ChatRole.TOOL:
        return ChatMessage(ChatRole.USER, f"Result: {message.text}")
    placeholder = "[a picture]" if message.images else ""
    return ChatMessage(message.role, message.text or placeholder)


def _fit_messages(messages: list[ChatMessage]) -> list[ChatMessage]:
    required = _find_required(messages)
    share = PROMPT_TOKENS // max(1, len(required))
    fitted = {at: _clip_message(messages[at], share) for at in required}
    room = PROMPT_TOKENS - sum(_estimate_cost(message) for message in fitted.values())
    for at in reversed(range(len(messages))):
        if at in fitted:
            continue
        room -= _estimate_cost(messages[at])
        if room < 0:
            break
        fitted[at] = messages[at]
    return [fitted[at] for at in sorted(fitted)]


def _find_required(messages: list[ChatMessage]) -> set[int]:
    """The indexes of the first system message and the last user message."""
    system = [at for at, m in enumerate(messages) if m.role is ChatRole.SYSTEM][:1]
    user = [at for at, m in enumerate(messages) if m.role is ChatRole.USER][-1:]
    return {*system, *user}


def _estimate_cost(message: ChatMessage) -> int:
    return _MESSAGE_TOKENS + bound_tokens(message.text)


def _clip_message(message: ChatMessage, tokens: int) -> ChatMessage:
    """Keep the beginning and the end of a text that is too long."""
    if _estimate_cost(message) <= tokens:
        return message
    text, side = message.text, (tokens - _MESSAGE_TOKENS - 4) // 2
    return replace(message, text=f"{_cut_head(text, side)}…{_cut_head(text[::-1], side)[::-1]}")


def _cut_head(text: str, tokens: int) -> str:
    spent = 0.0
    for at, character in enumerate(text):
        spent += (
            _PER_LETTER if _CHEAP.match(character) else len(character.encode("utf-8", "replace"))
        )
        if spent > tokens:
            return text[:at]
    return text
