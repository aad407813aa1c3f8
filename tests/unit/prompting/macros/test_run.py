"""A run: phases, one overlay for all texts, peeking, the report."""

import pytest
from tests.unit.prompting.macros.example import expand, format_mutation, start_run

from yarrow.prompting.macros import MacroPhase, MacroTrace, MacroTraceKind, SelectedBranch

WRITES = "{{setvar::k::new}}{{.n++}}[{{.k}}]"


def test_what_one_text_writes_the_next_one_reads():
    run = start_run()

    texts = [run.expand(text, place=text) for text in ("A{{.v=V}}", "B[{{.v}}]", "{{v}}")]

    assert texts == ["A", "B[V]", "V"]


def test_assembling_stages_writes():
    expanded = expand(WRITES)

    assert expanded.text == "1[new]"
    assert expanded.staged == [("set", "branch", "k", "new"), ("set", "branch", "n", "1")]
    assert expanded.report.mutation_preview == ()
    assert expanded.report.warnings == ()


@pytest.mark.parametrize("phase", [MacroPhase.PREVIEW, MacroPhase.DRY_RUN])
def test_previews_show_writes_and_stage_none(phase):  # seed 4, boundaries of the macro system
    expanded = expand(WRITES, phase)

    assert expanded.text == "1[new]"
    assert expanded.staged == []
    assert [format_mutation(mutation) for mutation in expanded.report.mutation_preview] == [
        ("set", "branch", "k", "new"), ("set", "branch", "n", "1"),
    ]  # fmt: skip
    codes = [warning.code for warning in expanded.report.warnings]
    assert codes == ["macro_preview_side_effect_suppressed"] * 2


def test_consuming_refuses_writes_and_reads_what_was():
    expanded = expand(WRITES, MacroPhase.COMMIT_CONSUME, local={"k": "old", "n": "4"})

    assert expanded.text == "4[old]"
    assert expanded.warnings == ["macro_eval_phase_disallowed"] * 2
    assert (expanded.staged, expanded.report.mutation_preview) == ([], ())


def test_importing_keeps_the_text():
    expanded = expand("a {{user}} <BOT>", MacroPhase.IMPORT)

    assert expanded.text == "a {{user}} <BOT>"
    assert expanded.warnings == ["macro_eval_phase_disallowed"]
    assert expand("plain", MacroPhase.IMPORT).warnings == []


def test_mutations_keep_their_json_value():
    assert expand("{{.a.b=1}}").staged == [("set", "branch", "a", {"b": "1"})]


def test_peeking_gives_the_same_text_and_leaves_nothing():
    text = "{{.n++}}{{$g=1}}{{roll::1d1000}}{{random::a::b::c}}{{nosuch}}{{.n}}"
    run = start_run(seed="s", local={"n": 1})
    before = run.report()

    peeked = [run.peek(text, place="p") for _ in range(2)]

    assert run.report() == before
    assert peeked == [run.expand(text, place="p")] * 2
    assert peeked[0].startswith("2")


def test_peeking_sees_what_was_written_before():
    run = start_run()
    run.expand("{{.x=1}}", place="a")

    assert run.peek("{{.x++}}", place="b") == "2"
    assert run.expand("{{.x}}", place="c") == "1"


def test_values_for_one_text_are_for_that_text():
    run = start_run()

    assert run.expand("{{original}}!", place="a", values={"original": "main"}) == "main!"
    assert run.expand("{{original}}!", place="b") == "!"
    assert run.expand("{{user}}", place="c", values={"user": "Other"}) == "Other"


def test_a_warning_names_the_macro_and_shows_its_text_clipped():
    warning = expand("{{nosuch " + "x" * 1000 + "}}").report.warnings[0]

    assert warning.macro_name == "nosuch"
    assert warning.raw_text.startswith("{{nosuch xxx")
    assert len(warning.raw_text) == 200
    assert warning.message


def test_traces_show_what_macros_and_blocks_expand_to():
    report = expand("{{user}} {{nosuch}} {{if 0}}a{{else}}b{{/if}} {{if +}}c{{/if}}").report

    assert report.traces == (
        MacroTrace("user", "{{user}}", "Player", MacroPhase.ASSEMBLE, MacroTraceKind.MACRO),
        MacroTrace("nosuch", "{{nosuch}}", "{{nosuch}}", MacroPhase.ASSEMBLE, MacroTraceKind.RAW),
        MacroTrace("if", "{{if 0}}a{{else}}b{{/if}}", "b", MacroPhase.ASSEMBLE, MacroTraceKind.IF,
                   SelectedBranch.ELSE),
        MacroTrace("if", "{{if +}}c{{/if}}", "{{if +}}c{{/if}}", MacroPhase.ASSEMBLE,
                   MacroTraceKind.IF, SelectedBranch.RAW),
    )  # fmt: skip


def test_twenty_entries_of_a_preset_can_fill_and_read_variables():
    run = start_run()
    for number in range(20):
        run.expand(f"{{{{setvar::v{number}::{number}}}}}", place=f"entry {number}")

    text = "".join(f"{{{{getvar::v{number}}}}}" for number in range(20))

    assert run.expand(text, place="last") == "".join(map(str, range(20)))
