"""Lore that is not in the prompt is not claimed to be, and has not run."""

import pytest
from msgspec.structs import replace
from tests.unit.prompting.assembly.example import (
    LUNA,
    PLAIN,
    constant,
    entry,
    list_messages,
    make_book,
    make_input,
    make_preset,
)

from yarrow.prompting.assembly import AssemblyInput, AssemblyResult, AuthorsNote, assemble
from yarrow.prompting.policy import BudgetPolicy, PromptPolicy

OUTLET = 7
AUTHORS_NOTE = 2
FULL = make_preset(
    entry("main", "MAIN"),
    entry("worldInfoBefore"),
    entry("dialogueExamples"),
    entry("chatHistory"),
    entry("jailbreak", "x={{getvar::x}}"),
)


def within(inputs: AssemblyInput, tokens: int) -> AssemblyInput:
    budget = BudgetPolicy(max_input_tokens=tokens, lore_percent=100)
    return replace(inputs, policy=PromptPolicy(budget=budget))


def told(result: AssemblyResult) -> tuple[list[int], dict[int, str]]:
    """What is claimed to be in the prompt, and why the rest is not."""
    trace = result.trace.worldbook
    uids = [match.uid for match in trace.matches]
    assert list(result.snapshot.worldbook_activated_entry_uids) == uids
    assert result.diagnostics.worldbook_hits == trace.hit_count == len(uids)
    return uids, {cut.uid: cut.reason.value for cut in trace.cut}


def test_lore_that_the_budget_cut_is_reported_as_cut():
    book = make_book(constant("h" * 40, order=9), constant("l" * 40, order=1))

    result = assemble(within(make_input(FULL, talk=[], books=[book]), 18))

    assert told(result) == ([0], {1: "budget"})
    assert [cut.token_count for cut in result.trace.worldbook.cut] == [10]


def test_lore_without_a_place_is_reported_as_such():
    book = make_book(constant("B"), constant("D", position=4, depth=0))

    assert told(assemble(make_input(PLAIN, books=[book]))) == ([1], {0: "no_place"})


def test_lore_around_a_note_that_is_not_due_has_no_place():
    inputs = make_input(PLAIN, books=[make_book(constant("N", position=AUTHORS_NOTE))])
    rarely = replace(inputs.session, note=AuthorsNote("note", interval=7))

    assert told(assemble(replace(inputs, session=rarely))) == ([], {0: "no_place"})


@pytest.mark.parametrize(
    ("main", "is_asked_for"),
    [
        ("MAIN", False),
        ("{{outlet::other}}", False),
        ("{{outlet::o}}", True),
        ("{{mesExamples}}", True),
    ],
)
def test_an_outlets_lore_counts_where_something_asks_for_it(main: str, is_asked_for: bool):
    book = make_book(constant("O", position=OUTLET, outletName="o"))
    card = replace(LUNA, examples="{{outlet::o}}")
    preset = make_preset(entry("main", main), entry("chatHistory"))

    expected = ([0], {}) if is_asked_for else ([], {0: "no_place"})

    assert told(assemble(make_input(preset, card=card, books=[book]))) == expected


def test_an_outlet_that_only_cut_lore_asks_for_has_no_place():
    book = make_book(
        constant("{{outlet::o}}" + "l" * 40), constant("O", position=OUTLET, outletName="o")
    )

    result = assemble(within(make_input(FULL, talk=[], books=[book]), 10))

    assert told(result) == ([], {0: "budget", 1: "no_place"})


def test_of_two_entries_with_one_uid_the_right_one_is_cut():
    book = make_book(
        constant("h" * 40, uid=5, order=9, comment="high"),
        constant("l" * 40, uid=5, order=1, comment="low"),
    )

    trace = assemble(within(make_input(FULL, talk=[], books=[book]), 18)).trace.worldbook

    assert [match.comment for match in trace.matches] == ["high"]
    assert [cut.comment for cut in trace.cut] == ["low"]


def test_what_is_cut_has_not_run():
    book = make_book(constant("{{setvar::x::1}}" + "l" * 40))
    inputs = make_input(FULL, talk=[], books=[book])

    sent, cut = assemble(inputs), assemble(within(inputs, 10))

    assert list_messages(sent)[-1] == ("system", "x=1")
    assert list_messages(cut)[-1] == ("system", "x=")
    assert (len(sent.staged_mutations), cut.staged_mutations) == (1, ())
    [reason] = cut.trace.budgets.trim_reasons
    assert (reason.group, reason.pruned_token_count) == ("worldbook", 10)


def test_examples_that_are_cut_have_not_run_either():
    card = replace(LUNA, examples="<START>\n{{setvar::x::1}}" + "e" * 40)

    result = assemble(within(make_input(FULL, talk=[], card=card), 10))

    assert list_messages(result)[-1] == ("system", "x=")
    assert result.staged_mutations == ()


def test_lore_that_grows_whenever_other_lore_is_cut_comes_to_an_end():
    entries = [constant("{{setvar::v0::1}}" + "l" * 400, order=0)]
    for at in range(1, 20):
        grows = f"{{{{if {{{{hasvar::v{at - 1}}}}}}}}}s{{{{else}}}}{'l' * 400}{{{{/if}}}}"
        entries.append(constant(f"{{{{setvar::v{at}::1}}}}{grows}", order=at))

    result = assemble(within(make_input(FULL, talk=[], books=[make_book(*entries)]), 60))

    assert told(result) == ([], dict.fromkeys(range(20), "budget"))
    assert result.staged_mutations == ()
