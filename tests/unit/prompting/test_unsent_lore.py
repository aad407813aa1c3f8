"""Lore that is not in the prompt is not claimed to be, and has not run."""

from dataclasses import replace

import pytest
from tests.unit.prompting.given import (
    LUNA,
    PLAIN,
    book_of,
    constant,
    entry,
    given,
    messages_of,
    preset_of,
)

from yarrow.prompting.assembly import AssemblyInput, AssemblyResult, AuthorsNote, assemble
from yarrow.prompting.policy import BudgetPolicy, PromptPolicy

OUTLET = 7
AUTHORS_NOTE = 2
FULL = preset_of(
    entry("main", "MAIN"),
    entry("worldInfoBefore"),
    entry("dialogueExamples"),
    entry("chatHistory"),
    entry("jailbreak", "x={{getvar::x}}"),
)


def within(material: AssemblyInput, tokens: int) -> AssemblyInput:
    budget = BudgetPolicy(max_input_tokens=tokens, lore_percent=100)
    return replace(material, policy=PromptPolicy(budget=budget))


def told(assembly: AssemblyResult) -> tuple[list[int], dict[int, str]]:
    """What is claimed to be in the prompt, and why the rest is not."""
    trace = assembly.trace.worldbook
    uids = [match.uid for match in trace.matches]
    assert list(assembly.snapshot.worldbook_activated_entry_uids) == uids
    assert assembly.diagnostics.worldbook_hits == trace.hit_count == len(uids)
    return uids, {cut.uid: cut.reason.value for cut in trace.cut}


def test_lore_that_the_budget_cut_is_told_as_cut():
    book = book_of(constant("h" * 40, order=9), constant("l" * 40, order=1))

    assembly = assemble(within(given(FULL, said=[], books=[book]), 18))

    assert told(assembly) == ([0], {1: "budget"})
    assert [cut.token_count for cut in assembly.trace.worldbook.cut] == [10]


def test_lore_without_a_place_is_told_as_such():
    book = book_of(constant("B"), constant("D", position=4, depth=0))

    assert told(assemble(given(PLAIN, books=[book]))) == ([1], {0: "no_place"})


def test_lore_around_a_note_that_is_not_due_has_no_place():
    material = given(PLAIN, books=[book_of(constant("N", position=AUTHORS_NOTE))])
    rarely = replace(material.session, note=AuthorsNote("note", interval=7))

    assert told(assemble(replace(material, session=rarely))) == ([], {0: "no_place"})


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
    book = book_of(constant("O", position=OUTLET, outletName="o"))
    card = replace(LUNA, examples="{{outlet::o}}")
    preset = preset_of(entry("main", main), entry("chatHistory"))

    expected = ([0], {}) if is_asked_for else ([], {0: "no_place"})

    assert told(assemble(given(preset, card=card, books=[book]))) == expected


def test_an_outlet_that_only_cut_lore_asks_for_has_no_place():
    book = book_of(
        constant("{{outlet::o}}" + "l" * 40), constant("O", position=OUTLET, outletName="o")
    )

    assembly = assemble(within(given(FULL, said=[], books=[book]), 10))

    assert told(assembly) == ([], {0: "budget", 1: "no_place"})


def test_of_two_entries_with_one_uid_the_right_one_is_cut():
    book = book_of(
        constant("h" * 40, uid=5, order=9, comment="high"),
        constant("l" * 40, uid=5, order=1, comment="low"),
    )

    trace = assemble(within(given(FULL, said=[], books=[book]), 18)).trace.worldbook

    assert [match.comment for match in trace.matches] == ["high"]
    assert [cut.comment for cut in trace.cut] == ["low"]


def test_what_is_cut_has_not_run():
    book = book_of(constant("{{setvar::x::1}}" + "l" * 40))
    material = given(FULL, said=[], books=[book])

    sent, cut = assemble(material), assemble(within(material, 10))

    assert messages_of(sent)[-1] == ("system", "x=1")
    assert messages_of(cut)[-1] == ("system", "x=")
    assert (len(sent.staged_mutations), cut.staged_mutations) == (1, ())
    [reason] = cut.trace.budgets.trim_reasons
    assert (reason.group, reason.pruned_token_count) == ("worldbook", 10)


def test_examples_that_are_cut_have_not_run_either():
    card = replace(LUNA, examples="<START>\n{{setvar::x::1}}" + "e" * 40)

    assembly = assemble(within(given(FULL, said=[], card=card), 10))

    assert messages_of(assembly)[-1] == ("system", "x=")
    assert assembly.staged_mutations == ()


def test_lore_that_grows_whenever_other_lore_is_cut_comes_to_an_end():
    entries = [constant("{{setvar::v0::1}}" + "l" * 400, order=0)]
    for at in range(1, 20):
        grows = f"{{{{if {{{{hasvar::v{at - 1}}}}}}}}}s{{{{else}}}}{'l' * 400}{{{{/if}}}}"
        entries.append(constant(f"{{{{setvar::v{at}::1}}}}{grows}", order=at))

    assembly = assemble(within(given(FULL, said=[], books=[book_of(*entries)]), 60))

    assert told(assembly) == ([], dict.fromkeys(range(20), "budget"))
    assert assembly.staged_mutations == ()
