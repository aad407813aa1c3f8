"""Structure and delivery, every combination of modes, policies and prefill. Reference §6.4."""

from itertools import product

import pytest

from yarrow.prompting.assembly.structure import DegradeReason, PrefillStrategy, shape_messages
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.policy import AssistantRewrite, DeliveryPolicy, StructureMode, StructurePolicy

LETTERS = {"s": PromptRole.SYSTEM, "u": PromptRole.USER, "a": PromptRole.ASSISTANT}
CHAT = ("s:S1", "u:u1", "a:a1", "a:a2", "u:u2", "s:S2")
WITH_ASSISTANT = (StructureMode.DEFAULT, StructureMode.STRICT_ALTERNATING)


def prompt(*messages: str) -> list[PromptMessage]:
    return [PromptMessage(LETTERS[m[0]], m[2:]) for m in messages]


def sent(shaped) -> list[str]:
    return [f"{message.role.value[0]}:{message.content}" for message in shaped.messages]


def shaped_by(*messages: str, delivery: DeliveryPolicy | None = None, prefill: str = "", **policy):
    policy.setdefault("mode", StructureMode.DEFAULT)
    return shape_messages(
        prompt(*messages),
        StructurePolicy(**policy),
        delivery or DeliveryPolicy(),
        prefill=prefill,
    )


def test_default_sends_what_was_built():
    shaped = shaped_by(*CHAT)

    assert sent(shaped) == list(CHAT)
    assert not shaped.structure.merge_adjacent_same_role


def test_strict_alternating_merges_every_role():
    shaped = shaped_by("s:a", "s:b", "u:c", "u:d", mode=StructureMode.STRICT_ALTERNATING)

    assert sent(shaped) == ["s:a\n\nb", "u:c\n\nd"]


@pytest.mark.parametrize("mode", [*WITH_ASSISTANT, StructureMode.NO_ASSISTANT])
@pytest.mark.parametrize("merge", [True, False])
def test_policy_decides_about_merging_where_it_says_so(mode, merge):
    shaped = shaped_by("u:a", "u:b", mode=mode, merge_adjacent_same_role=merge)

    assert sent(shaped) == (["u:a\n\nb"] if merge else ["u:a", "u:b"])
    assert shaped.structure.merge_adjacent_same_role is merge


def test_no_assistant_makes_them_system_messages():
    shaped = shaped_by(*CHAT, mode=StructureMode.NO_ASSISTANT)

    assert sent(shaped) == ["s:S1", "u:u1", "s:a1", "s:a2", "u:u2", "s:S2"]
    assert shaped.structure.assistant_rewrite_count == 2
    assert shaped.structure.assistant_rewrite_strategy is AssistantRewrite.TO_SYSTEM


def test_rewritten_messages_merge_with_their_new_neighbours():
    shaped = shaped_by(
        *CHAT,
        mode=StructureMode.NO_ASSISTANT,
        assistant_rewrite=AssistantRewrite.TO_USER_TRANSCRIPT,
        merge_adjacent_same_role=True,
    )

    assert sent(shaped) == ["s:S1", "u:u1\n\nAssistant: a1\n\nAssistant: a2\n\nu2", "s:S2"]


@pytest.mark.parametrize("mode", [m for m in StructureMode if m is not StructureMode.NO_ASSISTANT])
def test_only_no_assistant_rewrites(mode):
    trace = shaped_by(*CHAT, mode=mode).structure

    assert (trace.assistant_rewrite_count, trace.assistant_rewrite_strategy) == (0, None)


def test_flattened_keeps_system_messages_apart_even_when_asked_to_merge():
    shaped = shaped_by(
        "s:a", "u:b", "s:c", mode=StructureMode.FLATTENED, merge_adjacent_same_role=True
    )

    assert sent(shaped) == ["s:a", "s:c", "u:User: b"]
    assert not shaped.structure.merge_adjacent_same_role


def test_flattened_without_talk_has_no_user_message():
    shaped = shaped_by("s:a", mode=StructureMode.FLATTENED)

    assert sent(shaped) == ["s:a"]
    assert shaped.structure.transcript_message_count == 0
    assert shaped.delivery.last_message_role is None


@pytest.mark.parametrize("mode", [m for m in StructureMode if m is not StructureMode.FLATTENED])
def test_only_flattened_makes_a_transcript(mode):
    trace = shaped_by(*CHAT, mode=mode, prefill="Well").structure

    assert not trace.transcriptized
    assert trace.transcript_message_count == 0
    assert not trace.assistant_prefill_transcriptized


@pytest.mark.parametrize(
    "mode, expected",
    [
        (StructureMode.DEFAULT, ["u:u1", "a:a1", "a:a2", "u:u2"]),
        (StructureMode.STRICT_ALTERNATING, ["u:u1", "a:a1\n\na2", "u:u2"]),
        (StructureMode.NO_ASSISTANT, ["u:u1", "s:a1", "s:a2", "u:u2"]),
        (StructureMode.FLATTENED, ["u:User: u1\nAssistant: a1\nAssistant: a2\nUser: u2"]),
    ],
)
def test_unpreserved_system_messages_are_dropped_rewritten_ones_are_not(mode, expected):
    assert sent(shaped_by(*CHAT, mode=mode, preserve_system_messages=False)) == expected


@pytest.mark.parametrize("mode", WITH_ASSISTANT)
def test_prefill_is_a_trailing_assistant_message(mode):
    shaped = shaped_by("u:u", "s:S", mode=mode, prefill="Well")

    assert sent(shaped) == ["u:u", "s:S", "a:Well"]
    assert shaped.delivery.assistant_prefill_applied
    assert shaped.delivery.assistant_prefill_strategy is PrefillStrategy.ASSISTANT_MESSAGE_FALLBACK
    assert shaped.delivery.last_message_role is PromptRole.ASSISTANT
    assert not shaped.delivery.ends_with_user
    assert not shaped.delivery.degraded


@pytest.mark.parametrize("mode", WITH_ASSISTANT)
def test_provider_that_continues_messages_gets_the_prefill_as_its_own(mode):
    shaped = shaped_by("u:u", mode=mode, prefill="W", delivery=DeliveryPolicy(native_prefill=True))

    assert sent(shaped) == ["u:u", "a:W"]
    assert shaped.delivery.assistant_prefill_strategy is PrefillStrategy.PROVIDER_NATIVE


def test_strictly_alternating_prefill_joins_the_answer_before():
    shaped = shaped_by("u:u", "a:a", mode=StructureMode.STRICT_ALTERNATING, prefill="Well")

    assert sent(shaped) == ["u:u", "a:a\n\nWell"]


@pytest.mark.parametrize(
    "delivery",
    [
        DeliveryPolicy(),
        DeliveryPolicy(native_prefill=True),
        DeliveryPolicy(require_last_user=True),
        DeliveryPolicy(no_assistant=True),
    ],
)
def test_flattened_prefill_is_the_transcripts_last_line(delivery):
    shaped = shaped_by("u:u", mode=StructureMode.FLATTENED, prefill="Well", delivery=delivery)

    assert sent(shaped) == ["u:User: u\nAssistant: Well"]
    assert shaped.structure.transcript_message_count == 2
    assert shaped.structure.assistant_prefill_transcriptized
    assert shaped.delivery.assistant_prefill_applied
    assert shaped.delivery.assistant_prefill_strategy is PrefillStrategy.TRANSCRIPT_APPEND
    assert shaped.delivery.ends_with_user
    assert not shaped.delivery.degraded


@pytest.mark.parametrize("rewrite", AssistantRewrite)
def test_no_assistant_drops_the_prefill(rewrite):
    shaped = shaped_by(
        "u:u", mode=StructureMode.NO_ASSISTANT, assistant_rewrite=rewrite, prefill="Well"
    )

    assert sent(shaped) == ["u:u"]
    assert not shaped.delivery.assistant_prefill_applied
    assert shaped.delivery.assistant_prefill_strategy is PrefillStrategy.UNSUPPORTED
    assert shaped.delivery.degrade_reasons == (DegradeReason.ASSISTANT_PREFILL_UNSUPPORTED,)


@pytest.mark.parametrize("mode", StructureMode)
def test_disallowed_prefill_is_dropped_in_every_mode(mode):
    shaped = shaped_by(
        "u:u", mode=mode, prefill="Well", delivery=DeliveryPolicy(allow_assistant_prefill=False)
    )

    assert "Well" not in "".join(sent(shaped))
    assert shaped.delivery.assistant_prefill_strategy is PrefillStrategy.NONE
    assert shaped.delivery.degrade_reasons == (DegradeReason.ASSISTANT_PREFILL_DISABLED,)


@pytest.mark.parametrize("mode", WITH_ASSISTANT)
def test_prefill_gives_way_to_a_last_user_message(mode):
    shaped = shaped_by(
        "u:u", mode=mode, prefill="Well", delivery=DeliveryPolicy(require_last_user=True)
    )

    assert sent(shaped) == ["u:u"]
    assert shaped.delivery.ends_with_user
    assert shaped.delivery.degrade_reasons == (DegradeReason.REQUIRE_LAST_USER,)


@pytest.mark.parametrize("messages", [("u:u", "a:a"), ("s:S",), ()])
def test_prompt_that_does_not_end_with_a_user_says_so_where_one_is_required(messages):
    shaped = shaped_by(*messages, delivery=DeliveryPolicy(require_last_user=True))

    assert sent(shaped) == list(messages)
    assert shaped.delivery.degrade_reasons == (DegradeReason.REQUIRE_LAST_USER,)


@pytest.mark.parametrize("mode", WITH_ASSISTANT)
def test_delivery_without_assistants_overrides_the_mode(mode):
    shaped = shaped_by(*CHAT, mode=mode, delivery=DeliveryPolicy(no_assistant=True))

    assert shaped.structure.mode is StructureMode.NO_ASSISTANT
    assert sent(shaped) == ["s:S1", "u:u1", "s:a1", "s:a2", "u:u2", "s:S2"]
    assert shaped.delivery.degrade_reasons == (DegradeReason.NO_ASSISTANT_OVERRIDE,)


@pytest.mark.parametrize("mode", [StructureMode.NO_ASSISTANT, StructureMode.FLATTENED])
def test_mode_without_assistants_needs_no_override(mode):
    shaped = shaped_by(*CHAT, mode=mode, delivery=DeliveryPolicy(no_assistant=True))

    assert shaped.structure.mode is mode
    assert not shaped.delivery.degraded


def test_every_loss_is_a_reason():
    shaped = shaped_by(
        "u:u", delivery=DeliveryPolicy(no_assistant=True, require_last_user=True), prefill="Well"
    )

    assert shaped.delivery.degrade_reasons == (
        DegradeReason.NO_ASSISTANT_OVERRIDE,
        DegradeReason.ASSISTANT_PREFILL_UNSUPPORTED,
    )


@pytest.mark.parametrize(
    "messages, detected",
    [(("u:u", "a:a"), True), (("u:u", "a:a", "s:S"), True), (("a:a", "u:u"), False), ((), False)],
)
@pytest.mark.parametrize("mode", StructureMode)
def test_tail_is_looked_for_in_what_was_built(mode, messages, detected):
    """System messages and the prefill are no tail."""
    shaped = shaped_by(*messages, mode=mode, prefill="Well")

    assert shaped.structure.tail_assistant_detected is detected


EVERYTHING = list(product(StructureMode, *[[True, False]] * 4, ["", " \n", "Well"]))


@pytest.mark.parametrize("mode, allow, last_user, none, native, prefill", EVERYTHING)
def test_trace_agrees_with_the_messages(mode, allow, last_user, none, native, prefill):
    delivery = DeliveryPolicy(
        allow_assistant_prefill=allow,
        require_last_user=last_user,
        no_assistant=none,
        native_prefill=native,
    )

    shaped = shaped_by(*CHAT, mode=mode, delivery=delivery, prefill=prefill)

    trace = shaped.delivery
    assert trace.assistant_prefill_applied is ("Well" in "".join(sent(shaped)))
    assert trace.ends_with_user is (trace.last_message_role is PromptRole.USER)
    assert trace.degraded is bool(trace.degrade_reasons)
    if not prefill.strip():
        assert trace.assistant_prefill_strategy is PrefillStrategy.NONE
    if none or mode in (StructureMode.NO_ASSISTANT, StructureMode.FLATTENED):
        assert PromptRole.ASSISTANT not in {message.role for message in shaped.messages}
    if last_user:
        assert trace.ends_with_user
