"""What holds for every text."""

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.prompting.macros.example import start_run

from yarrow.prompting.macros import MacroLimits, MacroPhase

_WORDS = [
    "{{", "}}", "{", "}", "\\", "::", ":", " ", "\n", "/", "//", "#", "!", ".", "$", "=", "++",
    "--", "if", "else", "/if", "user", "setvar", "getvar", "addvar", "incvar", "x", "x.y",
    "x[0]", "x['a']", "random", "roll", "1d6", "pick", "trim", "noop", "outlet", "o", "newline",
    "(", ")", "'", '"', "==", ">", "and", "or", "not", "contains", "1", "-2", "<USER>", "<bot>",
    "{{if 1}}", "{{else}}", "{{/if}}", "{{setvar k}}", "{{/setvar}}", "{{.x=1}}", "{{.x}}",
    "{{//}}", "datetimeformat", "timeDiff", "2023-01-01", "time_UTC+3", ",", "a,b", "资产.金币",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(_WORDS) | st.text(max_size=3), max_size=40).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
PLAIN = st.text().filter(lambda text: not any(sign in text for sign in ("{{", "<", "\\")))


@given(text=TEXTS, phase=st.sampled_from(MacroPhase), x=JSON)
def test_expanding_never_fails_and_never_grows_beyond_the_limit(text, phase, x):
    run = start_run(phase, MacroLimits(expanded_length=500), local={"x": x}, stored={"x": x})
    run.outlets = {"o": text}

    peeked = run.peek(text, place="p")
    expanded = run.expand(text, place="p")

    assert peeked == expanded
    if run.report().traces:
        assert len(expanded) <= 500


@given(text=PLAIN)
def test_text_without_macros_is_returned_unchanged(text):
    run = start_run()

    assert run.expand(text, place="p") is text
    assert run.report().warnings == ()


@given(text=TEXTS)
def test_the_same_run_gives_the_same_result(text):
    first, second = start_run(seed="s"), start_run(seed="s")

    assert first.expand(text, place="p") == second.expand(text, place="p")
    assert first.report() == second.report()


@given(text=TEXTS)
def test_only_assembling_stages(text):
    for phase in set(MacroPhase) - {MacroPhase.ASSEMBLE}:
        run = start_run(phase)
        run.expand(text, place="p")
        assert run.report().staged_mutations == ()
