"""From a `RunAgentInput` to a `RunRequest`: the seed's rules, in the seed's words.

Two doors. The seed's own clients send exactly one user message. Stock AG-UI clients send the
whole conversation each time; the server keeps its own, so only what is new counts: the last
user message and the results of tools behind the last answer.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from yarrow.agents.assistant.agent import Assistant
from yarrow.agents.diviner.agent import Diviner
from yarrow.agents.diviner.input import MODE, PAYLOAD
from yarrow.attachments.errors import SignedUrlInvalid
from yarrow.attachments.rules import owner_of, type_of
from yarrow.errors import Forbidden, InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, JsonValue, encode_canonical
from yarrow.protocols.agui.runs.divination import require_divination
from yarrow.protocols.agui.runs.wire import (
    AssistantMessage,
    BinaryBlock,
    ImageBlock,
    InlineSource,
    RunAgentInput,
    TextBlock,
    ToolMessage,
    UserMessage,
    WireMessage,
)
from yarrow.runs.model import (
    ClientTool,
    ContextItem,
    InputImage,
    RunInput,
    RunRequest,
    SessionPolicy,
    ToolResult,
)

BODY_BYTES = 256 * 1024
HISTORY_BODY_BYTES = 4 * 1024 * 1024
"""Stock clients send the whole conversation; it grows."""
RUN_ID_CHARS = 128
MESSAGES = 200
HISTORY_MESSAGES = 5_000
TEXT_CHARS = 10_000
IMAGES = 8

SIZE_RULE = "RunAgentInput payload exceeds size limit"
THREAD_RULE = "threadId must be a valid UUID"
RUN_RULE = "runId exceeds length limit"
MESSAGES_RULE = "RunAgentInput.messages exceeds limit"
TEXT_RULE = "RunAgentInput user message text exceeds limit"
ONE_USER_RULE = "RunAgentInput.messages must contain exactly one user message"
FIRST_RULE = "RunAgentInput.messages[0].role must be user"
IMAGE_RULE = "binary content requires image mimeType"
URL_RULE = "binary content requires url"
DATA_RULE = "binary content data is not allowed"
IMAGES_RULE = "RunAgentInput user message images exceed limit"
SIGNED_URL_RULE = "binary content url must be a valid signed URL"

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""The one way to write a UUID; Python's own reader takes nearly anything with 32 digits."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, and which agent by name; an empty name leaves the choice to the body."""

    account_id: AccountId
    request_id: str
    agent: str = ""
    path_of: Callable[[str], str | None] = lambda _: None
    """The attachment that an address leads to; None for other servers' addresses."""


def seed_request(body: RunAgentInput, raw: JsonValue, asking: Asking) -> RunRequest:
    """The request of one of the seed's own clients: one user message, and it comes first."""
    require_ids(body)
    if len(body.messages) > MESSAGES:
        raise InvalidInput(MESSAGES_RULE, field="messages")
    users = [message for message in body.messages if isinstance(message, UserMessage)]
    if len(users) != 1:
        raise InvalidInput(ONE_USER_RULE, field="messages")
    if body.messages[0] is not users[0]:
        raise InvalidInput(FIRST_RULE, field="messages.0.role")
    results = [message for message in body.messages if isinstance(message, ToolMessage)]
    return _request(body, raw, asking, user=users[0], results=results)


def stock_request(body: RunAgentInput, raw: JsonValue, asking: Asking) -> RunRequest:
    """The request of a stock AG-UI client: the last user message wins."""
    require_ids(body)
    if len(body.messages) > HISTORY_MESSAGES:
        raise InvalidInput(MESSAGES_RULE, field="messages")
    fresh = _behind_last_answer(body.messages)
    users = [message for message in fresh if isinstance(message, UserMessage)]
    results = [message for message in fresh if isinstance(message, ToolMessage)]
    if not users and not results:
        raise InvalidInput("RunAgentInput.messages must end with a user message or a tool result")
    user = users[-1] if users else None
    return _request(body, raw, asking, user=user, results=results)


def require_ids(body: RunAgentInput) -> None:
    """Thread and run are named in a form we can keep."""
    thread_id(body.threadId)
    run_key(body.runId)


def run_key(given: str) -> str:
    """The run a client means."""
    if len(given) > RUN_ID_CHARS:
        raise InvalidInput(RUN_RULE, field="runId")
    if not given.strip() or "\0" in given:
        raise InvalidInput("runId must not be empty or contain the NUL character", field="runId")
    return given


def thread_id(given: str) -> SessionId:
    """The session a client means."""
    if _UUID.fullmatch(given) is None:
        raise InvalidInput(THREAD_RULE, field="threadId")
    return SessionId(UUID(given))


def _behind_last_answer(
    messages: Sequence[WireMessage],
) -> Sequence[WireMessage]:
    answers = [
        place for place, message in enumerate(messages) if isinstance(message, AssistantMessage)
    ]
    return messages[answers[-1] + 1 :] if answers else messages


def _request(
    body: RunAgentInput,
    raw: JsonValue,
    asking: Asking,
    *,
    user: UserMessage | None,
    results: Sequence[ToolMessage],
) -> RunRequest:
    options: JsonObject = body.forwardedProps if isinstance(body.forwardedProps, dict) else {}
    agent = asking.agent or choose_agent(options)
    policy = SessionPolicy.CREATE
    if agent == Diviner.spec.name:
        policy = require_divination(raw, options)
    images, left_out = _images(user, asking)
    return RunRequest(
        account_id=asking.account_id,
        session_id=thread_id(body.threadId),
        key=body.runId,
        agent=agent,
        session_policy=policy,
        digest=hashlib.sha256(encode_canonical(raw)).digest(),
        input=RunInput(
            text=text_of(user) if user is not None else "",
            images=images,
            images_left_out=left_out,
            tool_results=tuple(ToolResult(r.toolCallId, _result_text(r)) for r in results),
            tools=tuple(ClientTool(t.name, t.description, t.parameters) for t in body.tools),
            context=tuple(ContextItem(c.description, c.value) for c in body.context),
            request_id=asking.request_id,
            options=options,
        ),
    )


def choose_agent(options: JsonObject) -> str:
    """One route, two contracts: what asks for a divination is one, all else is the assistant's."""
    asks = MODE in options or PAYLOAD in options
    return Diviner.spec.name if asks else Assistant.spec.name


def text_of(message: UserMessage) -> str:
    """What the user wrote, over all text blocks."""
    if isinstance(message.content, str):
        text = message.content
    else:
        text = "\n".join(b.text for b in message.content if isinstance(b, TextBlock))
    length = sum(map(len, _texts(message)))
    if length > TEXT_CHARS:
        raise InvalidInput(TEXT_RULE, field="messages.content")
    if not text.strip() and not image_urls(message):
        raise InvalidInput("RunAgentInput user message is empty", field="messages.content")
    return text


def _texts(message: UserMessage) -> list[str]:
    if isinstance(message.content, str):
        return [message.content]
    return [block.text for block in message.content if isinstance(block, TextBlock)]


def _images(user: UserMessage | None, asking: Asking) -> tuple[tuple[InputImage, ...], int]:
    """The pictures that are ours, and how many are not."""
    found = [_own_image(url, asking) for url in (image_urls(user) if user is not None else ())]
    own = tuple(dict.fromkeys(image for image in found if image is not None))
    return own, found.count(None)


def _own_image(url: str, asking: Asking) -> InputImage | None:
    """An address of ours as the internal path; what the picture is, we know better."""
    try:
        path = asking.path_of(url)
    except SignedUrlInvalid as invalid:
        raise InvalidInput(f"{SIGNED_URL_RULE}: {invalid}", field="messages.content") from None
    if path is None:
        return None
    if owner_of(path) != asking.account_id:
        raise Forbidden
    return InputImage(path, type_of(path).value)


def image_urls(message: UserMessage) -> tuple[str, ...]:
    """The addresses of the pictures the user sent, whichever way AG-UI wrote them."""
    if isinstance(message.content, str):
        return ()
    urls = tuple(_image_url(b) for b in message.content if not isinstance(b, TextBlock))
    if len(urls) > IMAGES:
        raise InvalidInput(IMAGES_RULE, field="messages.content")
    return urls


def _image_url(block: BinaryBlock | ImageBlock) -> str:
    if isinstance(block, ImageBlock):
        source = block.source
        data = isinstance(source, InlineSource)
        kind, url = (
            source.mimeType or "image/*",
            "" if isinstance(source, InlineSource) else source.value,
        )
    else:
        kind, url, data = block.mimeType or "", block.url or "", block.data is not None
    if not kind.lower().startswith("image/"):
        raise InvalidInput(IMAGE_RULE, field="messages.content")
    if data:
        raise InvalidInput(DATA_RULE, field="messages.content")
    if not url:
        raise InvalidInput(URL_RULE, field="messages.content")
    return url


def _result_text(message: ToolMessage) -> str:
    if isinstance(message.content, str):
        return message.error or message.content
    return "\n".join(str(part.get("text", "")) for part in message.content)
