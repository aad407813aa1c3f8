"""A prompt cut down to what the offline model can hold: pure, and on the safe side.

The model reads about 150 tokens a second on one thread, so the budget is kept well below its
context. Tokens are estimated, because its tokenizer lives in another process: three letters a
token, and one token for every digit, sign and byte of other scripts, which it splits that far.
"""

import re
from dataclasses import replace

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole

CONTEXT_TOKENS = 2048
PROMPT_TOKENS = 900
ANSWER_TOKENS = 400
_CALM: JsonObject = {"temperature": 0.2, "top_p": 0.9}
"""What its makers advise; at the server's defaults so small a model rambles."""
_MESSAGE_TOKENS = 6
_PER_LETTER = 1 / 3
_CHEAP = re.compile(r"[A-Za-z ]")


def fit_request(request: ChatRequest) -> ChatRequest:
    """The request without tools and pictures, its oldest messages left out until it fits."""
    messages = [plain for message in request.messages if (plain := _plain(message)).text]
    return ChatRequest(
        messages=tuple(_fit(messages)),
        response_schema=request.response_schema,
        sampler=_CALM | request.sampler | {"max_tokens": _answer_limit(request)},
    )


def estimate_tokens(text: str) -> int:
    """At least as many tokens as the model will count, save for odd strings of letters."""
    letters = len(_CHEAP.findall(text))
    others = len(text.encode("utf-8", "replace")) - letters
    return others + int(letters * _PER_LETTER) + 1


def _answer_limit(request: ChatRequest) -> int:
    asked: JsonValue = request.sampler.get("max_completion_tokens") or request.sampler.get(
        "max_tokens"
    )
    return min(asked, ANSWER_TOKENS) if isinstance(asked, int) and asked > 0 else ANSWER_TOKENS


def _plain(message: ChatMessage) -> ChatMessage:
    """A message its template can print: tool traffic becomes words, a lone picture too."""
    if message.role is ChatRole.TOOL:
        return ChatMessage(ChatRole.USER, f"Result: {message.text}")
    unseen = "[a picture]" if message.images else ""
    return ChatMessage(message.role, message.text or unseen)


def _fit(messages: list[ChatMessage]) -> list[ChatMessage]:
    kept = _indispensable(messages)
    share = PROMPT_TOKENS // max(1, len(kept))
    fitted = {at: _clip(messages[at], share) for at in kept}
    room = PROMPT_TOKENS - sum(_cost(message) for message in fitted.values())
    for at in reversed(range(len(messages))):
        if at in fitted:
            continue
        room -= _cost(messages[at])
        if room < 0:
            break
        fitted[at] = messages[at]
    return [fitted[at] for at in sorted(fitted)]


def _indispensable(messages: list[ChatMessage]) -> set[int]:
    """The first system message and the last thing the user said."""
    system = [at for at, m in enumerate(messages) if m.role is ChatRole.SYSTEM][:1]
    user = [at for at, m in enumerate(messages) if m.role is ChatRole.USER][-1:]
    return {*system, *user}


def _cost(message: ChatMessage) -> int:
    return _MESSAGE_TOKENS + estimate_tokens(message.text)


def _clip(message: ChatMessage, tokens: int) -> ChatMessage:
    """The beginning and the end of a text that is too long; the middle goes."""
    if _cost(message) <= tokens:
        return message
    text, side = message.text, (tokens - _MESSAGE_TOKENS - 4) // 2
    return replace(message, text=f"{_head(text, side)}…{_head(text[::-1], side)[::-1]}")


def _head(text: str, tokens: int) -> str:
    spent = 0.0
    for at, character in enumerate(text):
        spent += (
            _PER_LETTER if _CHEAP.match(character) else len(character.encode("utf-8", "replace"))
        )
        if spent > tokens:
            return text[:at]
    return text
