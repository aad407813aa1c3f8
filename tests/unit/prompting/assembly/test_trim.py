"""Trimming prompts to their budget. A token is a quarter of a text's length here, rounded up."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.unit.prompting.assembly.example import (
    LUNA,
    Talk,
    assemble_messages,
    constant,
    entry,
    list_messages,
    make_book,
    make_history,
    make_input,
    make_preset,
)

from yarrow.prompting.assembly import (
    AssemblyInput,
    AssemblyResult,
    HistoryEntry,
    ModelFacts,
    assemble,
)
from yarrow.prompting.assembly.trim import DEFAULT_CONTEXT, TokenAllowance, compute_allowance
from yarrow.prompting.errors import PromptTooLarge
from yarrow.prompting.model import PromptRole
from yarrow.prompting.policy import BudgetPolicy, PromptPolicy, StructureMode, StructurePolicy

FULL = make_preset(
    entry("main", "MAIN"),
    entry("worldInfoBefore"),
    entry("dialogueExamples"),
    entry("chatHistory"),
)


def within(inputs: AssemblyInput, tokens: int) -> AssemblyInput:
    budget = BudgetPolicy(max_input_tokens=tokens)
    return replace(inputs, policy=replace(inputs.policy, budget=budget))


def talk(count: int, length: int = 40) -> Talk:
    """Exchanges of two messages, ten tokens each by default."""
    talk: list[tuple[str, str]] = []
    for at in range(count):
        talk += [
            ("user", f"u{at:03}".ljust(length, ".")),
            ("assistant", f"a{at:03}".ljust(length, ".")),
        ]
    return talk


def tokens_of(result: AssemblyResult) -> int:
    return sum(-(-len(message.content) // 4) for message in result.messages)


class TestAllowance:
    def test_the_request_comes_first_then_the_model_then_the_preset(self) -> None:
        nobody, asked = BudgetPolicy(), BudgetPolicy(500, 100)
        model = ModelFacts(context_tokens=2000, max_output_tokens=400)

        assert compute_allowance(
            asked, model, preset_context=4095, preset_reply=300
        ) == TokenAllowance(500, 100)
        assert compute_allowance(
            nobody, model, preset_context=4095, preset_reply=300
        ) == TokenAllowance(1600, 400)
        assert compute_allowance(
            nobody, ModelFacts(), preset_context=4095, preset_reply=300
        ) == TokenAllowance(3795, 300)
        assert compute_allowance(
            nobody, ModelFacts(), preset_context=None, preset_reply=None
        ) == TokenAllowance(DEFAULT_CONTEXT, 0)

    def test_no_more_is_kept_for_the_answer_than_there_is(self) -> None:
        asked = BudgetPolicy(reserved_completion_tokens=9000)

        assert compute_allowance(
            asked, ModelFacts(), preset_context=4000, preset_reply=1
        ) == TokenAllowance(0, 4000)

    def test_what_is_left_is_for_the_answer(self) -> None:
        assert TokenAllowance(100, 20).available_for_reply(30) == 90
        assert TokenAllowance(100, 20).available_for_reply(130) == 0


class TestHistory:
    def test_the_newest_exchanges_that_fit_are_kept_whole(self) -> None:
        # MAIN and cur cost one token each, an exchange twenty
        result = assemble(within(make_input(FULL, talk=talk(5)), 42))

        assert [content[:4] for _role, content in list_messages(result)] == [
            "MAIN", "u003", "a003", "u004", "a004", "cur",
        ]  # fmt: skip
        assert result.token_estimate == 42

    def test_one_token_less_costs_a_whole_exchange(self) -> None:
        result = assemble(within(make_input(FULL, talk=talk(5)), 41))

        assert [m.content[:4] for m in result.messages] == ["MAIN", "u004", "a004", "cur"]

    def test_cuts_are_reported_with_what_they_saved(self) -> None:
        trace = assemble(within(make_input(FULL, talk=talk(5)), 42)).trace

        assert [
            (r.group, r.reason.value, r.pruned_token_count) for r in trace.budgets.trim_reasons
        ] == [("history", "budget_exceeded", 60)]
        history = next(use for use in trace.budgets.by_group if use.group == "history")
        assert (history.estimated_token_count, history.token_count) == (101, 41)
        assert [
            (e.source.value, e.reason.value) for e in trace.source_selection.excluded_sources
        ] == [("history", "budget_trimmed")]

    def test_depths_count_in_what_is_left(self) -> None:
        preset = make_preset(
            entry("chatHistory"), entry("a", "DEEP", injection_position=1, injection_depth=4)
        )

        messages = assemble_messages(within(make_input(preset, talk=talk(3)), 22))

        assert [content[:4] for _role, content in messages] == ["DEEP", "u002", "a002", "cur"]


class TestOrderOfCutting:
    CARD = replace(LUNA, examples="<START>\n" + "e" * 31 + "\n<START>\n" + "f" * 31)
    BOOK = make_book(constant("h" * 40, order=9), constant("l" * 40, order=1))

    def prompt(self, tokens: int) -> str:
        inputs = make_input(FULL, talk=talk(2), card=self.CARD, books=[self.BOOK])
        return "".join(content for _role, content in assemble_messages(within(inputs, tokens)))

    def test_history_goes_first_then_the_oldest_example_then_the_lowest_lore(self) -> None:
        kept = [
            "".join(mark for mark in ("u000", "u001", "eee", "fff", "lll", "hhh") if mark in text)
            for text in (self.prompt(tokens) for tokens in (83, 63, 43, 35, 25, 15))
        ]

        assert kept == [
            "u000u001eeeffflllhhh",
            "u001eeeffflllhhh",
            "eeeffflllhhh",
            "ffflllhhh",
            "lllhhh",
            "hhh",
        ]

    def test_what_may_not_be_cut_is_an_error_with_both_numbers(self) -> None:
        inputs = make_input(FULL, message="m" * 40, card=self.CARD, books=[self.BOOK])

        with pytest.raises(PromptTooLarge) as caught:
            assemble(within(inputs, 10))

        assert (caught.value.needed, caught.value.available) == (11, 10)


@given(
    lengths=st.lists(st.integers(1, 60), max_size=12),
    lore=st.lists(st.integers(1, 60), max_size=5),
    budget=st.integers(3, 120),
    mode=st.sampled_from(StructureMode),
)
@settings(max_examples=150)
def test_a_prompt_is_never_over_its_budget(
    lengths: list[int], lore: list[int], budget: int, mode: StructureMode
) -> None:
    talk = [(("user", "assistant")[at % 2], "x" * length) for at, length in enumerate(lengths)]
    book = make_book(*(constant("l" * length, order=at) for at, length in enumerate(lore)))
    policy = PromptPolicy(structure=StructurePolicy(mode=mode))
    inputs = within(replace(make_input(FULL, talk=talk, books=[book]), policy=policy), budget)

    with suppress(PromptTooLarge):
        result = assemble(inputs)

        assert tokens_of(result) == result.token_estimate <= budget
        assert "cur" in result.messages[-1].content


class TestHostileHistories:
    def test_only_the_end_of_a_very_long_history_is_counted(self) -> None:
        long = "word " * 20_000
        talk = [
            HistoryEntry(PromptRole.USER, f"{at} {long}", (f"f{at}",)) for at in range(0, 2000, 2)
        ]
        answers = [replace(one, role=PromptRole.ASSISTANT) for one in talk]
        history = [one for pair in zip(talk, answers, strict=True) for one in pair]
        counted: list[str] = []

        def count(text: str) -> int:
            counted.append(text)
            return len(text) // 4

        inputs = within(replace(make_input(FULL), history=history), 60_000)
        result = assemble(replace(inputs, runtime=replace(inputs.runtime, count=count)))

        assert len(result.messages) == 4
        assert sum(map(len, counted)) < 20 * len(long)

    @pytest.mark.slow
    def test_a_preset_may_have_five_thousand_entries(self) -> None:
        entries = [entry(f"e{at}", f"{at} {{{{char}}}}") for at in range(5000)]
        preset = make_preset(*entries, entry("chatHistory"), openai_max_context=1_000_000)

        result = assemble(make_input(preset))

        assert result.messages[0].content.endswith("4999 Luna")


def test_an_exchange_without_an_answer_is_cut_like_any_other() -> None:
    history = make_history([("assistant", "g" * 40), ("user", "u" * 40), ("assistant", "a" * 40)])
    inputs = within(replace(make_input(FULL), history=history), 25)

    assert [m.content[0] for m in assemble(inputs).messages] == ["M", "u", "a", "c"]
