"""The assistant's prompt: instructions, language and timezone of the user, history, images."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from zoneinfo import ZoneInfo

from msgspec import Struct

from yarrow.accounts.preferences import DEFAULTS, find_zone, read_preferences
from yarrow.agents.conversation.conversation import NO_IMAGE
from yarrow.agents.conversation.history import pair_calls, recall_messages, to_text_message
from yarrow.attachments.images import IMAGE_NOT_AVAILABLE
from yarrow.journal.events import Warned
from yarrow.kit.json import JsonValue, encode_json
from yarrow.language.languages import Language, find_nearest_language, find_requested_language
from yarrow.liuyao import DayBoundary
from yarrow.llm.model import ChatMessage, ChatRole, ImagePart
from yarrow.llm.rule_based.language import detect_language
from yarrow.llm.rule_based.model import RuleModel
from yarrow.runs.agent import RunContext
from yarrow.runs.model import ClaimedRun, ClientTool, ContextItem, InputImage, LastAnswer
from yarrow.sessions.model import Message, MessageImage, Role
from yarrow.tools.model import ToolCaller

RECENT_IMAGES = 4
"""How many images of earlier turns are sent, the newest ones."""

IMAGE_MISSING = Warned(
    IMAGE_NOT_AVAILABLE, "An image could not be loaded; the answer does without it."
)
HISTORY_DIFFERS = Warned(
    "HISTORY_DIFFERS",
    "The last answer in the client's conversation is not the last stored one; the stored "
    "conversation is used.",
)
HISTORY_CUT = Warned(
    "HISTORY_CUT",
    "The conversation has become long: from now on the model does not see its beginning.",
)
"""Sent with the first run that leaves something out."""
INSTRUCTIONS_IGNORED = Warned(
    "MESSAGES_IGNORED",
    "No model is configured: the rules that answer follow no system or developer messages.",
)
TOOL_RESULT_IGNORED = Warned(
    "TOOL_RESULT_IGNORED", "A tool result answers no call of the stored conversation."
)


class LoadedImages(Struct, frozen=True):
    """Images by path, and whether one of this turn could not be loaded."""

    parts: Mapping[str, ImagePart]
    some_missing: bool

    def of(self, images: Sequence[InputImage | MessageImage]) -> tuple[ImagePart, ...]:
        return tuple(self.parts[image.path] for image in images if image.path in self.parts)


async def load_images(context: RunContext) -> LoadedImages:
    """The images of this turn, and the newest of earlier turns."""
    current = [image.path for image in context.run.input.images]
    recent = [image.path for image in select_recent_images(context.history)]
    parts: dict[str, ImagePart] = {}
    for path in (*current, *recent):
        if path not in parts and (url := await context.load_image(path)) is not None:
            parts[path] = ImagePart(url)
    return LoadedImages(parts, some_missing=any(path not in parts for path in current))


def select_recent_images(history: Sequence[Message]) -> list[MessageImage]:
    """The newest images of earlier turns."""
    images = [image for message in history for image in message.details.images]
    return images[-RECENT_IMAGES:]


HISTORY_TURNS = 200
HISTORY_CHARS = 48_000
"""How much of the history is sent, in whole messages of the newest turns, newest first."""

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
                language=write_language_rule(context.run), timezone=choose_zone(context.run).key
            ),
            build_instructions_prompt(run_input.instructions),
            build_context_prompt(run_input.context),
            build_tools_prompt(run_input.tools),
        )
        if part
    )
    past = recall_messages(
        select_newest_messages(context.history), partial(_make_chat_messages, images)
    )
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


def build_instructions_prompt(instructions: Sequence[str]) -> str:
    """The system and developer messages of the client."""
    if not instructions:
        return ""
    return "\n\n".join(["Instructions from the application:", *instructions])


def build_context_prompt(items: Sequence[ContextItem]) -> str:
    """The context items of the client."""
    if not items:
        return ""
    return "\n".join(
        ["Context from the application:", *(f"- {i.description}: {i.value}" for i in items)]
    )


def find_ignored_messages(context: RunContext, prompt: Sequence[ChatMessage]) -> Iterator[Warned]:
    """What the client sent, or sees, and the prompt does not have."""
    if context.run.input.instructions and isinstance(context.model, RuleModel):
        yield INSTRUCTIONS_IGNORED
    if not isinstance(context.model, RuleModel) and _begins_to_cut(context):
        yield HISTORY_CUT
    last_answer = context.run.input.last_answer
    if last_answer is not None and not _has_answer(context.history, last_answer):
        yield HISTORY_DIFFERS
    shown = {message.tool_call_id for message in prompt}
    if any(result.call_id not in shown for result in context.run.input.tool_results):
        yield TOOL_RESULT_IGNORED


def _has_answer(history: Sequence[Message], last_answer: LastAnswer) -> bool:
    """Whether the stored conversation ends with the same answer, by its id or its text."""
    answers = [message for message in history if message.role is Role.ASSISTANT]
    if not answers:
        return False
    stored = answers[-1]
    is_same = last_answer.id in (str(stored.id), stored.details.client_id)
    return is_same or stored.content.startswith(last_answer.text_start or "\0")


def select_newest_messages(history: Sequence[Message]) -> list[Message]:
    """The newest messages that fit into `HISTORY_CHARS`, oldest first."""
    newest: list[Message] = []
    chars_left = HISTORY_CHARS
    for message in reversed(history):
        chars_left -= len(message.content)
        if chars_left < 0:
            break
        newest.append(message)
    return newest[::-1]


def _begins_to_cut(context: RunContext) -> bool:
    """Whether the prompt has not all of the history, and that of the last turn had."""
    history, turns = context.history, context.run.turn_seq - 1
    if not history:
        return False
    earlier = [m for m in history if m.details.run_key != history[-1].details.run_key]
    return _is_cut(history, turns) and not _is_cut(earlier, turns - 1)


def _is_cut(history: Sequence[Message], turns: int) -> bool:
    return turns > HISTORY_TURNS or len(select_newest_messages(history)) < len(history)


def _make_chat_messages(images: LoadedImages, message: Message) -> Iterator[ChatMessage]:
    if message.role is not Role.USER:
        yield from to_text_message(message)
        return
    shown = images.of(message.details.images)
    yield ChatMessage(ChatRole.USER, message.content or ("" if shown else NO_IMAGE), shown)


def make_caller(context: RunContext) -> ToolCaller:
    """The caller that the tools of this run get."""
    run = context.run
    preferences = read_preferences(run.preferences)
    return ToolCaller(
        account_id=run.account_id,
        session_id=run.session_id,
        clock=context.clock,
        zone=choose_zone(run),
        language=choose_card_language(context),
        day_boundary=DayBoundary(preferences.day_boundary),
        gender=preferences.gender,
    )


def choose_card_language(context: RunContext) -> Language:
    """The profile's language; that of the question where rules answer in it."""
    preferences = read_preferences(context.run.preferences)
    profile = find_nearest_language(preferences.ai_language, script=preferences.script)
    if not isinstance(context.model, RuleModel):
        return profile
    text = context.run.input.text
    return find_requested_language(text) or detect_language(text) or Language.ENGLISH


def choose_zone(run: ClaimedRun) -> ZoneInfo:
    """The client's timezone if it exists, else the profile's."""
    client_time: JsonValue = run.input.options.get("client_time")
    device = client_time.get("device_timezone") if isinstance(client_time, dict) else None
    names = (device, read_preferences(run.preferences).timezone, DEFAULTS.timezone)
    zones = [zone for name in names if isinstance(name, str) and (zone := find_zone(name))]
    return zones[0] if zones else ZoneInfo("UTC")


def write_language_rule(run: ClaimedRun) -> str:
    """The language to answer in, as the prompt names it; for Chinese with its script."""
    preferences = read_preferences(run.preferences)
    tag = preferences.ai_language
    nearest = find_nearest_language(tag, script=preferences.script)
    return tag if nearest is Language.ENGLISH else f"{tag} ({nearest.value})"
