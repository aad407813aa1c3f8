"""The director, who advises the narrator before a reply, and the verifier, who checks it after."""

from collections.abc import AsyncIterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.agents.conversation.conversation import Conversation
from yarrow.agents.conversation.json_text import find_objects, read_text
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.agents.storyteller.prompt import DIRECTOR_TASK, VERIFIER_TASK, format_directive
from yarrow.journal.events import RunEvent, Warned
from yarrow.kit.json import JsonObject
from yarrow.llm.errors import ModelError
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.product_events.story import VerifierIssue, VerifierReport, VerifierStatus
from yarrow.prompting.assembly import DirectorTrace
from yarrow.prompting.assembly.result import digest_prompt
from yarrow.prompting.assembly.text_origins import shift_origins
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.tokens import estimate_tokens
from yarrow.stories.prompts import TurnPrompt
from yarrow.stories.turn_input import RejectionStrategy, TurnModules

DIRECTOR_FAILED = Warned(
    "DIRECTOR_FAILED", "The director gave no usable advice; the reply does without it."
)
VERIFIER_FAILED = Warned(
    "VERIFIER_FAILED", "The verifier gave no usable verdict; the reply was not checked."
)

RECENT_MESSAGES = 12
"""How many of the prompt's last messages the modules read."""
MAX_ISSUES = 20
MAX_CHARS = 1_000
_DIRECTOR_SAMPLER: JsonObject = {"temperature": 0.4}
_VERIFIER_SAMPLER: JsonObject = {"temperature": 0.2}


class InternalQuestion(Struct):
    """A question whose reply is for the agent alone; None if the model failed."""

    conversation: Conversation
    params: JsonObject = field(default_factory=dict)
    """Of the slot; they override the module's own."""
    reply: str | None = None

    async def ask(self, task: str, material: str, sampler: JsonObject) -> AsyncIterator[RunEvent]:
        """Ask, yielding usage and warnings. An error of the model does not fail the turn."""
        messages = (ChatMessage(ChatRole.SYSTEM, task), ChatMessage(ChatRole.USER, material))
        request = ChatRequest(messages, sampler=sampler | self.params)
        try:
            async for event in self.conversation.ask(request, ReplyEvents.NONE):
                yield event
        except ModelError:
            return
        self.reply = self.conversation.reply.message.text


async def ask_director(
    question: InternalQuestion, messages: Sequence[PromptMessage]
) -> AsyncIterator[RunEvent]:
    """Ask for advice on the next reply."""
    material = format_transcript(messages)
    async for event in question.ask(DIRECTOR_TASK, material, _DIRECTOR_SAMPLER):
        yield event


async def ask_verifier(
    question: InternalQuestion, messages: Sequence[PromptMessage], reply: str
) -> AsyncIterator[RunEvent]:
    """Ask whether a reply fits the story."""
    material = f"{format_transcript(messages)}\n\n[reply to check]\n{reply}"
    async for event in question.ask(VERIFIER_TASK, material, _VERIFIER_SAMPLER):
        yield event


def format_transcript(messages: Sequence[PromptMessage]) -> str:
    recent = messages[-RECENT_MESSAGES:]
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in recent)


def parse_advice(reply: str | None) -> DirectorTrace | None:
    """Read directive, tone and focus; None if there is nothing of them."""
    for span in find_objects(reply or ""):
        focus = span.value.get("focusElements") or span.value.get("focus_elements")
        advice = DirectorTrace(
            directive=_read_line(span.value.get("directive")),
            tone=_read_line(span.value.get("tone")),
            focus_elements=tuple(filter(None, map(_read_line, focus)))
            if isinstance(focus, list)
            else (),
        )
        if advice.directive or advice.tone or advice.focus_elements:
            return advice
    return None


def direct_prompt(prompt: TurnPrompt, advice: DirectorTrace) -> TurnPrompt:
    """The prompt with the advice in its first system message, or before its last message.

    No message is added where there is a system message: structure policies stay satisfied.
    """
    text, assembly = format_directive(advice), prompt.assembly
    messages = list(assembly.messages)
    systems = [index for index, each in enumerate(messages) if each.role is PromptRole.SYSTEM]
    index = systems[0] if systems else len(messages) - 1
    old = messages[index].content
    before, after = ("", f"\n\n{text}") if systems else (f"{text}\n\n", "")
    content, origins = f"{before}{old}{after}", assembly.trace.origins
    messages[index] = replace(messages[index], content=content)
    tokens = assembly.token_estimate + estimate_tokens(text)
    snapshot = replace(
        assembly.snapshot, prompt_digest=digest_prompt(messages), token_estimate=tokens
    )
    changed = replace(
        assembly,
        messages=tuple(messages),
        token_estimate=tokens,
        snapshot=snapshot,
        trace=replace(
            assembly.trace,
            director=advice,
            origins=shift_origins(origins, message=index, before=before),
        ),
    )
    return replace(prompt, assembly=changed)


def parse_verdict(reply: str | None) -> VerifierReport:
    """Read the verdict. One that cannot be read passes, one that is missing was skipped."""
    if reply is None:
        return VerifierReport(VerifierStatus.SKIPPED)
    for span in find_objects(reply):
        if isinstance(span.value.get("passed"), bool):
            status = VerifierStatus.PASSED if span.value["passed"] else VerifierStatus.WARNED
            listed = span.value.get("issues")
            issues = listed[:MAX_ISSUES] if isinstance(listed, list) else []
            suggestion = _read_line(span.value.get("suggestion"))
            return VerifierReport(
                status, suggestion, tuple(filter(None, map(_parse_issue, issues)))
            )
    return VerifierReport(VerifierStatus.PASSED)


class VerdictDecision(Struct, frozen=True):
    """What a verdict means for the turn."""

    report: VerifierReport
    is_accepted: bool
    is_repeated: bool = False


def decide_by_verdict(
    verdict: VerifierReport, modules: TurnModules, attempt: int
) -> VerdictDecision:
    """Accept the reply, have it generated again, or fail the turn.

    A reply that was not checked is accepted, unless only checked ones may pass.
    """
    strategy = modules.when_rejected
    is_checked = verdict.status is not VerifierStatus.SKIPPED
    if verdict.status is VerifierStatus.PASSED or strategy is RejectionStrategy.WARN:
        return VerdictDecision(verdict, is_accepted=True)
    if not is_checked and strategy is RejectionStrategy.RETRY:
        return VerdictDecision(verdict, is_accepted=True)
    if strategy is RejectionStrategy.RETRY and attempt <= modules.max_retries:
        return VerdictDecision(verdict, is_accepted=False, is_repeated=True)
    blocked = replace(verdict, status=VerifierStatus.BLOCKED)
    return VerdictDecision(blocked, is_accepted=False)


def _parse_issue(value: object) -> VerifierIssue | None:
    fields = value if isinstance(value, dict) else {"description": value}
    description = _read_line(fields.get("description"))
    severity = "error" if fields.get("severity") == "error" else "warning"
    return VerifierIssue(description, severity) if description else None


def _read_line(value: object) -> str:
    return read_text(value, max_chars=MAX_CHARS)
