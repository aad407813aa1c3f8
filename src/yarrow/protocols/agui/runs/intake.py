"""From a `RunAgentInput` to a `RunRequest`. Messages of refusals are the seed's own.

The seed's own clients send exactly one user message. Stock AG-UI clients send the whole
conversation each time: the last user message, and the tool results after the last answer, are new.
A user message whose id was posted before replaces the turn that it began. What precedes the
question is read by `wire.read_history` and `wire.read_instructions`.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from yarrow.agents.assistant.agent import Assistant
from yarrow.agents.diviner.agent import Diviner
from yarrow.agents.diviner.errors import RuntimeModeInvalid
from yarrow.agents.diviner.input import MODE, PAYLOAD, RuntimeMode, parse_input
from yarrow.agents.storyteller.agent import STORYTELLER
from yarrow.attachments.errors import SignedUrlInvalid
from yarrow.attachments.paths import parse_owner, parse_type
from yarrow.errors import Forbidden, InvalidInput
from yarrow.ids import AccountId, SessionId
from yarrow.kit.json import JsonObject, JsonValue, encode_canonical
from yarrow.liuyao import derive
from yarrow.prompting.preset import PromptIntent
from yarrow.protocols.agui.runs.limits import (
    DATA_RULE,
    FIRST_RULE,
    HISTORY_MESSAGES,
    IMAGE_RULE,
    IMAGES,
    IMAGES_RULE,
    MESSAGES,
    MESSAGES_RULE,
    ONE_USER_RULE,
    RUN_ID_CHARS,
    RUN_RULE,
    SIGNED_URL_RULE,
    TEXT_CHARS,
    TEXT_RULE,
    THREAD_RULE,
    URL_RULE,
)
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
    find_last_answer,
    read_history,
    read_instructions,
    read_result,
    read_user_text,
)
from yarrow.runs.model import (
    ClientTool,
    ContextItem,
    DisconnectPolicy,
    InputImage,
    ReplaceInput,
    RunInput,
    RunRequest,
    SessionPolicy,
    ToolResult,
)
from yarrow.sessions.run_targets import NewTurn, ReplaceTurn, RunTarget
from yarrow.stories.replaced_turns import ReplacedTurn
from yarrow.stories.turn_input import TurnInput, TurnKind

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""The canonical form only: Python's UUID() takes nearly anything with 32 digits."""

_WEB_URL = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)

_DIVINATION_FIELDS: dict[str, type] = {"state": dict, "tools": list, "context": list}
"""Optional in AG-UI, required in a divination."""


class RequestContext(Struct, frozen=True):
    """What intake needs beside the body. An empty `agent` leaves the choice to the body."""

    account_id: AccountId
    request_id: str
    agent: str = ""
    find_path: Callable[[str], str | None] = lambda _: None
    """The path of the attachment behind a URL; None for URLs of other servers."""


def build_seed_request(body: RunAgentInput, raw: JsonValue, context: RequestContext) -> RunRequest:
    """The request of a seed client: exactly one user message, and it is the first."""
    require_ids(body)
    if len(body.messages) > MESSAGES:
        raise InvalidInput(MESSAGES_RULE, field="messages")
    users = [message for message in body.messages if isinstance(message, UserMessage)]
    if len(users) != 1:
        raise InvalidInput(ONE_USER_RULE, field="messages")
    if body.messages[0] is not users[0]:
        raise InvalidInput(FIRST_RULE, field="messages.0.role")
    results = [message for message in body.messages if isinstance(message, ToolMessage)]
    request = _build_request(body, raw, context, user=users[0], results=results)
    return replace(request, history=read_history(body.messages[1:]))


def build_stock_request(body: RunAgentInput, raw: JsonValue, context: RequestContext) -> RunRequest:
    """The request of a stock AG-UI client: its last user message is the input."""
    require_ids(body)
    if len(body.messages) > HISTORY_MESSAGES:
        raise InvalidInput(MESSAGES_RULE, field="messages")
    fresh = _cut_answered(body.messages)
    users = [message for message in fresh if isinstance(message, UserMessage)]
    results = [message for message in fresh if isinstance(message, ToolMessage)]
    if not users and not results:
        raise InvalidInput("RunAgentInput.messages must end with a user message or a tool result")
    user = users[-1] if users else None
    request = _build_request(body, raw, context, user=user, results=results)
    asked_before = body.messages[: len(body.messages) - len(fresh)]
    asked = user or _find_answered_question(asked_before)
    question = read_user_text(asked) if asked is not None and user is None else ""
    return replace(
        request,
        input=replace(request.input, message_id="" if asked is None else asked.id),
        target=ReplaceInput(question),
        history=read_history(asked_before),
    )


def require_ids(body: RunAgentInput) -> None:
    parse_thread_id(body.threadId)
    parse_run_key(body.runId)


def parse_run_key(text: str) -> str:
    if len(text) > RUN_ID_CHARS:
        raise InvalidInput(RUN_RULE, field="runId")
    if not text.strip() or "\0" in text:
        raise InvalidInput("runId must not be empty or contain the NUL character", field="runId")
    return text


def parse_thread_id(text: str) -> SessionId:
    if _UUID.fullmatch(text) is None:
        raise InvalidInput(THREAD_RULE, field="threadId")
    return SessionId(UUID(text))


def _find_answered_question(messages: Sequence[WireMessage]) -> UserMessage | None:
    """The last user message, unless it has images: their addresses may have expired."""
    users = [message for message in messages if isinstance(message, UserMessage)]
    return users[-1] if users and isinstance(users[-1].content, str) else None


def _cut_answered(messages: Sequence[WireMessage]) -> Sequence[WireMessage]:
    """The messages after the last answer."""
    answers = [
        index for index, message in enumerate(messages) if isinstance(message, AssistantMessage)
    ]
    return messages[answers[-1] + 1 :] if answers else messages


def _build_request(
    body: RunAgentInput,
    raw: JsonValue,
    context: RequestContext,
    *,
    user: UserMessage | None,
    results: Sequence[ToolMessage],
) -> RunRequest:
    options: JsonObject = body.forwardedProps if isinstance(body.forwardedProps, dict) else {}
    agent = context.agent or choose_agent(options)
    policy = SessionPolicy.CREATE
    if agent == Diviner.spec.name:
        policy = _require_divination(raw, options)
    place = f"messages.{body.messages.index(user)}.content" if user is not None else ""
    with name_error_fields(place):
        text = require_text(user) if user is not None else ""
        images, left_out = _find_images(user, context)
    request = RunRequest(
        account_id=context.account_id,
        session_id=parse_thread_id(body.threadId),
        key=body.runId,
        agent=agent,
        session_policy=policy,
        digest=hashlib.sha256(encode_canonical(raw)).digest(),
        input=RunInput(
            text=text,
            images=images,
            images_left_out=left_out,
            tool_results=tuple(ToolResult(r.toolCallId, read_result(r)) for r in results),
            instructions=read_instructions(body.messages),
            last_answer=find_last_answer(body.messages),
            tools=_read_tools(body),
            context=tuple(ContextItem(c.description, c.value) for c in body.context),
            on_disconnect=read_disconnect_policy(options),
            request_id=context.request_id,
            options=options,
        ),
    )
    return to_story_request(request, None) if agent == STORYTELLER else request


def _read_tools(body: RunAgentInput) -> tuple[ClientTool, ...]:
    """The tools, of each name the last one: endpoints refuse a name that comes twice."""
    tools = [ClientTool(tool.name, tool.description, tool.parameters) for tool in body.tools]
    return tuple({tool.name: tool for tool in tools}.values())


def _require_divination(raw: JsonValue, options: JsonObject) -> SessionPolicy:
    """Validate what seed 000 demands beyond AG-UI; a follow-up needs an existing session."""
    with name_error_fields("forwardedProps." + PAYLOAD):
        divination = parse_input(options)
    fields = raw if isinstance(raw, dict) else {}
    for name, kind in _DIVINATION_FIELDS.items():
        if not isinstance(fields.get(name), kind):
            type_name = "an object" if kind is dict else "an array"
            raise InvalidInput(f"{name} is required and must be {type_name}", field=name)
    with name_error_fields("forwardedProps." + PAYLOAD):
        derive(divination.cast)
    follows_up = divination.mode is RuntimeMode.FOLLOW_UP
    return SessionPolicy.MUST_EXIST if follows_up else SessionPolicy.CREATE


@contextmanager
def name_error_fields(place: str) -> Iterator[None]:
    """Name the fields of errors by their path in the body, as `validate` does."""
    try:
        yield
    except RuntimeModeInvalid as invalid:
        invalid.field = f"forwardedProps.{MODE}"
        raise
    except InvalidInput as invalid:
        is_whole = invalid.field in (None, "content", PAYLOAD)
        invalid.field = place if is_whole else f"{place}.{invalid.field}"
        raise


def read_disconnect_policy(options: JsonObject) -> DisconnectPolicy:
    """`forwardedProps.onDisconnect`; a run continues by default."""
    try:
        return DisconnectPolicy(str(options.get("onDisconnect", DisconnectPolicy.CONTINUE)))
    except ValueError:
        field = "forwardedProps.onDisconnect"
        raise InvalidInput(f"{field} must be continue or cancel", field=field) from None


def to_story_request(request: RunRequest, replaced: ReplacedTurn | None) -> RunRequest:
    """The same request for a session that turned out to be a story: its next turn on `main`, or
    one in the place of a turn whose message was sent again."""
    if not request.input.text.strip():
        raise InvalidInput("a story needs a message with text", field="messages.content")
    target: RunTarget = NewTurn()
    turn = TurnInput()
    if replaced is not None:
        target = ReplaceTurn(replaced.id, and_later=True)
        turn = TurnInput(
            kind=TurnKind.REGENERATE, branch=replaced.branch, intent=PromptIntent.REGENERATE
        )
    return replace(
        request,
        agent=STORYTELLER,
        session_policy=SessionPolicy.MUST_EXIST,
        target=target,
        input=replace(request.input, options=turn.to_options()),
    )


def find_repeated_message(request: RunRequest) -> str:
    """The id of a message that may have been sent before; empty without one."""
    return request.input.message_id if isinstance(request.target, ReplaceInput) else ""


def choose_agent(options: JsonObject) -> str:
    """The diviner if the options ask for a divination, else the assistant."""
    is_divination = MODE in options or PAYLOAD in options
    return Diviner.spec.name if is_divination else Assistant.spec.name


def require_text(message: UserMessage) -> str:
    """The text of all text blocks; raises if it is too long, or empty and without an image."""
    text = read_user_text(message)
    length = sum(map(len, _list_texts(message)))
    if length > TEXT_CHARS:
        raise InvalidInput(TEXT_RULE, field="content")
    if not text.strip() and not read_image_urls(message):
        raise InvalidInput("RunAgentInput user message is empty", field="content")
    return text


def _list_texts(message: UserMessage) -> list[str]:
    if isinstance(message.content, str):
        return [message.content]
    return [block.text for block in message.content if isinstance(block, TextBlock)]


def _find_images(
    user: UserMessage | None, context: RequestContext
) -> tuple[tuple[InputImage, ...], int]:
    """The images stored here, and how many URLs lead elsewhere."""
    urls = read_image_urls(user) if user is not None else ()
    images = [_find_image(url, context) for url in urls]
    own = tuple(dict.fromkeys(image for image in images if image is not None))
    return own, images.count(None)


def _find_image(url: str, context: RequestContext) -> InputImage | None:
    """The attachment behind one of our URLs; its type is the stored one, not the client's."""
    try:
        path = context.find_path(url)
    except SignedUrlInvalid as invalid:
        raise InvalidInput(f"{SIGNED_URL_RULE}: {invalid}", field="content") from None
    if path is None and _WEB_URL.match(url) is None:
        raise InvalidInput(f"{SIGNED_URL_RULE}: not an http or https URL", field="content")
    if path is None:
        return None
    if parse_owner(path) != context.account_id:
        raise Forbidden
    return InputImage(path, parse_type(path).value)


def read_image_urls(message: UserMessage) -> tuple[str, ...]:
    """The URLs of the user's images, in both forms that AG-UI has."""
    if isinstance(message.content, str):
        return ()
    urls = tuple(_read_image_url(b) for b in message.content if not isinstance(b, TextBlock))
    if len(urls) > IMAGES:
        raise InvalidInput(IMAGES_RULE, field="content")
    return urls


def _read_image_url(block: BinaryBlock | ImageBlock) -> str:
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
        raise InvalidInput(IMAGE_RULE, field="content")
    if data:
        raise InvalidInput(DATA_RULE, field="content")
    if not url:
        raise InvalidInput(URL_RULE, field="content")
    return url
