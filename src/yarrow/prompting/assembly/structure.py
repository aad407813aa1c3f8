"""Shape the messages for the model's interface: roles, merging, transcript, prefill."""

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby
from typing import assert_never

from msgspec import Struct

from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.policy.model import (
    AssistantRewrite,
    DeliveryPolicy,
    StructureMode,
    StructurePolicy,
)

_BLANK_LINE = "\n\n"


class PrefillStrategy(StrEnum):
    """How the start of the answer is passed to the model."""

    NONE = "none"
    PROVIDER_NATIVE = "provider_native"
    ASSISTANT_MESSAGE_FALLBACK = "assistant_message_fallback"
    TRANSCRIPT_APPEND = "transcript_append"
    UNSUPPORTED = "unsupported"


class DegradeReason(StrEnum):
    """Why the prompt differs from the requested one."""

    NO_ASSISTANT_OVERRIDE = "no_assistant_override"
    ASSISTANT_PREFILL_DISABLED = "assistant_prefill_disabled"
    ASSISTANT_PREFILL_UNSUPPORTED = "assistant_prefill_unsupported"
    REQUIRE_LAST_USER = "require_last_user"


class StructureTrace(Struct, frozen=True):
    """What was done to the messages; the transcript fields concern flattened prompts only."""

    mode: StructureMode
    merge_adjacent_same_role: bool
    assistant_rewrite_count: int
    tail_assistant_detected: bool
    assistant_rewrite_strategy: AssistantRewrite | None = None
    transcriptized: bool = False
    transcript_message_count: int = 0
    assistant_prefill_transcriptized: bool = False


class DeliveryTrace(Struct, frozen=True):
    """How the prompt ends; trailing system messages are ignored."""

    assistant_prefill_applied: bool
    assistant_prefill_strategy: PrefillStrategy
    last_message_role: PromptRole | None
    ends_with_user: bool
    degraded: bool
    degrade_reasons: tuple[DegradeReason, ...]


class ShapedPrompt(Struct, frozen=True):
    """The messages to send, with their traces."""

    messages: tuple[PromptMessage, ...]
    structure: StructureTrace
    delivery: DeliveryTrace


class _PrefillPlan(Struct, frozen=True):
    """What to do with the prefill; `dropped_because` says why it is not sent."""

    strategy: PrefillStrategy
    dropped_because: DegradeReason | None = None

    @property
    def is_sent(self) -> bool:
        return self.strategy not in (PrefillStrategy.NONE, PrefillStrategy.UNSUPPORTED)


def shape_messages(
    messages: Sequence[PromptMessage],
    structure: StructurePolicy,
    delivery: DeliveryPolicy,
    *,
    prefill: str = "",
) -> ShapedPrompt:
    """Apply the structure and delivery policies; append the prefill if both allow it."""
    mode = _choose_mode(structure, delivery)
    plan = _plan_prefill(mode, delivery) if prefill.strip() else _PrefillPlan(PrefillStrategy.NONE)
    keeps_system = structure.preserve_system_messages
    kept = list(messages) if keeps_system else _drop_system(messages)
    tail_is_assistant = _find_last_role(kept) is PromptRole.ASSISTANT
    if plan.is_sent:
        kept.append(PromptMessage(PromptRole.ASSISTANT, prefill))
    shaped = _apply_mode(kept, mode, structure.assistant_rewrite)
    merges = _is_merging(mode, structure)
    final = tuple(_merge_adjacent(shaped) if merges else shaped)
    rewrites = mode is StructureMode.NO_ASSISTANT
    flattens = mode is StructureMode.FLATTENED
    return ShapedPrompt(
        messages=final,
        structure=StructureTrace(
            mode=mode,
            merge_adjacent_same_role=merges,
            assistant_rewrite_count=_count_role(kept, PromptRole.ASSISTANT) if rewrites else 0,
            tail_assistant_detected=tail_is_assistant,
            assistant_rewrite_strategy=structure.assistant_rewrite if rewrites else None,
            transcriptized=flattens,
            transcript_message_count=len(kept) - _count_role(kept, PromptRole.SYSTEM)
            if flattens
            else 0,
            assistant_prefill_transcriptized=plan.strategy is PrefillStrategy.TRANSCRIPT_APPEND,
        ),
        delivery=_build_delivery_trace(
            final, plan, delivery, is_overridden=mode is not structure.mode
        ),
    )


def _choose_mode(structure: StructurePolicy, delivery: DeliveryPolicy) -> StructureMode:
    """Force NO_ASSISTANT where required; a flattened prompt has no assistant message anyway."""
    if delivery.no_assistant and structure.mode is not StructureMode.FLATTENED:
        return StructureMode.NO_ASSISTANT
    return structure.mode


def _plan_prefill(mode: StructureMode, delivery: DeliveryPolicy) -> _PrefillPlan:
    if not delivery.allow_assistant_prefill:
        return _PrefillPlan(PrefillStrategy.NONE, DegradeReason.ASSISTANT_PREFILL_DISABLED)
    match mode:
        case StructureMode.FLATTENED:
            return _PrefillPlan(PrefillStrategy.TRANSCRIPT_APPEND)
        case StructureMode.NO_ASSISTANT:
            return _PrefillPlan(
                PrefillStrategy.UNSUPPORTED, DegradeReason.ASSISTANT_PREFILL_UNSUPPORTED
            )
        case StructureMode.DEFAULT | StructureMode.STRICT_ALTERNATING:
            if delivery.require_last_user:
                return _PrefillPlan(PrefillStrategy.NONE, DegradeReason.REQUIRE_LAST_USER)
            if delivery.native_prefill:
                return _PrefillPlan(PrefillStrategy.PROVIDER_NATIVE)
            return _PrefillPlan(PrefillStrategy.ASSISTANT_MESSAGE_FALLBACK)
        case _:
            assert_never(mode)


def _is_merging(mode: StructureMode, structure: StructurePolicy) -> bool:
    """Whether adjacent messages of one role are merged; never in a flattened prompt."""
    if mode is StructureMode.FLATTENED:
        return False
    if structure.merge_adjacent_same_role is not None:
        return structure.merge_adjacent_same_role
    return mode is StructureMode.STRICT_ALTERNATING


def _drop_system(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    return [message for message in messages if message.role is not PromptRole.SYSTEM]


def _apply_mode(
    messages: Sequence[PromptMessage], mode: StructureMode, rewrite: AssistantRewrite
) -> Sequence[PromptMessage]:
    match mode:
        case StructureMode.DEFAULT | StructureMode.STRICT_ALTERNATING:
            return messages
        case StructureMode.NO_ASSISTANT:
            return [_rewrite_assistant(message, rewrite) for message in messages]
        case StructureMode.FLATTENED:
            return _flatten_messages(messages)
        case _:
            assert_never(mode)


def _rewrite_assistant(message: PromptMessage, rewrite: AssistantRewrite) -> PromptMessage:
    if message.role is not PromptRole.ASSISTANT:
        return message
    match rewrite:
        case AssistantRewrite.TO_SYSTEM:
            return PromptMessage(PromptRole.SYSTEM, message.content)
        case AssistantRewrite.TO_USER_TRANSCRIPT:
            return PromptMessage(PromptRole.USER, _format_transcript_line(message))
        case _:
            assert_never(rewrite)


def _flatten_messages(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    """Keep system messages, first; join all others as lines of one user message."""
    system = [message for message in messages if message.role is PromptRole.SYSTEM]
    lines = [
        _format_transcript_line(message)
        for message in messages
        if message.role is not PromptRole.SYSTEM
    ]
    return [*system, PromptMessage(PromptRole.USER, "\n".join(lines))] if lines else system


def _format_transcript_line(message: PromptMessage) -> str:
    speaker = "Assistant" if message.role is PromptRole.ASSISTANT else "User"
    return f"{speaker}: {message.content}"


def _merge_adjacent(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    return [
        PromptMessage(role, _BLANK_LINE.join(message.content for message in group))
        for role, group in groupby(messages, key=lambda message: message.role)
    ]


def _build_delivery_trace(
    messages: Sequence[PromptMessage],
    plan: _PrefillPlan,
    delivery: DeliveryPolicy,
    *,
    is_overridden: bool,
) -> DeliveryTrace:
    last = _find_last_role(messages)
    reasons = [DegradeReason.NO_ASSISTANT_OVERRIDE] if is_overridden else []
    if plan.dropped_because is not None:
        reasons.append(plan.dropped_because)
    if delivery.require_last_user and last is not PromptRole.USER:
        reasons.append(DegradeReason.REQUIRE_LAST_USER)
    return DeliveryTrace(
        assistant_prefill_applied=plan.is_sent,
        assistant_prefill_strategy=plan.strategy,
        last_message_role=last,
        ends_with_user=last is PromptRole.USER,
        degraded=bool(reasons),
        degrade_reasons=tuple(dict.fromkeys(reasons)),
    )


def _find_last_role(messages: Sequence[PromptMessage]) -> PromptRole | None:
    roles = (
        message.role for message in reversed(messages) if message.role is not PromptRole.SYSTEM
    )
    return next(roles, None)


def _count_role(messages: Sequence[PromptMessage], role: PromptRole) -> int:
    return sum(message.role is role for message in messages)
