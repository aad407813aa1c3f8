"""JavaScript regular expressions: what they match, and that limits stop every pattern."""

import asyncio

import pytest

from yarrow.prompting.regex_engine import JsRegex, RegexMatch, RegexTimedOut, parse_regex_literal
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_engine.slow_patterns import SlowPatterns

ENDLESS = JsRegex("(a+)+$", "g")
ENDLESS_TEXT = "a" * 10_000 + "b"
READINGS_PER_STOPPED_ATTEMPT = 3
"""Of the engine's clock: before the call, after the failure, and for the allowance."""


class CpuClock:
    """A clock that advances by a fixed step with each reading, and counts its readings."""

    def __init__(self, *, per_reading: float) -> None:
        self.per_reading = per_reading
        self.readings = 0

    def __call__(self) -> float:
        self.readings += 1
        return self.readings * self.per_reading


class Hours:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def engine() -> QuickJsEngine:
    return QuickJsEngine()


def spans(matches) -> list[tuple[int, int]]:
    return [(match.start, match.end) for match in matches]


@pytest.mark.parametrize(
    "flags, expected",
    [("g", [(0, 1), (1, 2), (3, 4)]), ("y", [(0, 1), (1, 2)]), ("", [(0, 1)])],
)
def test_flags_decide_how_many_matches_there_are(engine, flags, expected):
    assert spans(engine.find_matches(JsRegex("a", flags), "aaba")) == expected


def test_groups_come_by_number_and_by_name(engine):
    found = engine.find_matches(JsRegex("(?<word>\\w+)(!)?"), "hey you")

    assert found == (RegexMatch(0, 3, ("hey", None), {"word": "hey"}),)


def test_a_name_used_in_two_alternatives_holds_what_took_part(engine):
    found = engine.find_matches(JsRegex("(?<x>a)|(?<x>b)", "g"), "ba")

    assert [match.named["x"] for match in found] == ["b", "a"]


def test_text_without_a_match_gives_nothing(engine):
    assert engine.find_matches(JsRegex("z", "g"), "abc") == ()


@pytest.mark.parametrize(
    "pattern, flags, text, expected",
    [
        ("(?<=\\$)\\d+", "", "$42", [(1, 3)]),
        ("\\p{Script=Han}+", "u", "ab汉字c", [(2, 4)]),
        ("a.c", "s", "a\nc", [(0, 3)]),
        ("^b", "m", "a\nb", [(2, 3)]),
        ("B", "i", "abc", [(1, 2)]),
        ("[\\w--[a-f]]", "v", "abcz", [(3, 4)]),
        ("(a)\\1", "", "baab", [(1, 3)]),
        ("\\u{1F600}", "u", "x😀", [(1, 2)]),
        ("[^]", "", "\n", [(0, 1)]),
        ("a\\/b", "", "a/b", [(0, 3)]),
    ],
)
def test_syntax_is_javascripts(engine, pattern, flags, text, expected):
    assert spans(engine.find_matches(JsRegex(pattern, flags), text)) == expected


def test_offsets_count_characters_where_javascript_counts_units(engine):
    found = engine.find_matches(JsRegex("b(c)", "g"), "😀bc😀😀bc")

    assert spans(found) == [(1, 3), (5, 7)]


@pytest.mark.parametrize("flags", ["gu", "gv"])
def test_empty_matches_step_over_whole_characters_in_unicode_mode(engine, flags):
    assert spans(engine.find_matches(JsRegex("", flags), "a😀b")) == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
    ]


def test_empty_matches_step_over_every_character(engine):
    assert spans(engine.find_matches(JsRegex("x*", "g"), "axb")) == [(0, 0), (1, 2), (2, 2), (3, 3)]


def test_match_of_half_a_character_is_widened_and_does_not_overlap_the_next(engine):
    found = engine.find_matches(JsRegex(".", "g"), "a😀b")

    assert spans(found) == [(0, 1), (1, 2), (2, 2), (2, 3)]


def test_empty_match_inside_a_character_stays_empty(engine):
    found = engine.find_matches(JsRegex("b*", "g"), "😀b")

    assert spans(found) == [(0, 0), (1, 1), (1, 2), (2, 2)]


def test_lone_surrogates_are_searched_like_any_character(engine):
    assert spans(engine.find_matches(JsRegex("b"), "a\ud800b")) == [(2, 3)]


def test_nul_is_a_character(engine):
    assert spans(engine.find_matches(JsRegex("b"), "a\0b")) == [(2, 3)]


@pytest.mark.parametrize(
    "regex", [JsRegex("("), JsRegex("a", "gg"), JsRegex("a", "x"), JsRegex("(?<n", "u")]
)
def test_what_javascript_refuses_is_invalid_and_matches_nothing(engine, regex):
    assert not engine.is_valid(regex)
    assert engine.find_matches(regex, "aaa") == ()


def test_a_pattern_may_be_asked_again_with_other_flags(engine):
    assert engine.find_matches(JsRegex("A"), "a") == ()
    assert spans(engine.find_matches(JsRegex("A", "i"), "a")) == [(0, 1)]
    assert engine.find_matches(JsRegex("A"), "a") == ()


def test_more_patterns_than_are_kept_still_work(engine):
    found = [spans(engine.find_matches(JsRegex(f"{n}$"), str(n))) for n in range(1200)]

    assert all(found)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("/a/gi", JsRegex("a", "gi")),
        ("/a/", JsRegex("a")),
        ("/a\\/b/g", JsRegex("a\\/b", "g")),
        ("/[/]b/", JsRegex("[/]b")),
        ("/a/b/g", JsRegex("a/b", "g")),
        ("/a\nb/", JsRegex("a\nb")),
        ("/a/x", JsRegex("a", "x")),
        ("/a/g \n", JsRegex("a", "g")),
        ("/path/to", None),
        ("/a/gg", None),
        ("//g", None),
        ("/", None),
        ("//", None),
        ("/a", None),
        ("a", None),
        ("", None),
        (" /a/g", None),
        ("a/b/", None),
    ],
)
def test_literal_is_read_as_sillytavern_reads_it(text, expected):
    assert parse_regex_literal(text) == expected


@pytest.mark.parametrize(
    "regex, text",
    [
        (ENDLESS, ENDLESS_TEXT),
        (JsRegex("(?:(?:){1000000}){1000000}"), "a"),
        (JsRegex("(?:(a)|b)*"), "ab" * 1_000_000),
        (JsRegex("a", "g"), "a" * 1_000_000),
        (JsRegex("(a)?" * 250, "g"), "b" * 100_000),
        (JsRegex("^(\\w+\\s?)*$"), "word " * 1000 + "!"),
        (JsRegex("b"), "中" * 5_000_000),
    ],
    ids=["nested", "empty repeats", "memory", "a million", "many groups", "words", "long text"],
)
def test_hostile_pattern_is_stopped(engine, regex, text):
    with pytest.raises(RegexTimedOut):
        engine.find_matches(regex, text)


@pytest.mark.parametrize(
    "pattern",
    ["a" * 10_000_000, "\\p{RGI_Emoji}" * 500, "(?:" * 3000 + ")" * 3000],
    ids=["ten megabytes", "wide classes", "deep"],
)
def test_pattern_too_big_to_compile_is_invalid_without_being_tried(pattern):
    clock = CpuClock(per_reading=0)

    assert not QuickJsEngine(clock=clock).is_valid(JsRegex(pattern, "v"))
    assert clock.readings == 0


@pytest.mark.parametrize(
    "regex, text, count",
    [
        (JsRegex("zzz", "g"), "a" * 1_000_000, 0),
        (ENDLESS, "a" * 10_000, 1),
        (JsRegex("(?:){1000000}", "g"), "aaa", 4),
    ],
)
def test_large_but_harmless_is_answered(regex, text, count):
    assert len(QuickJsEngine(call_limit_s=2, allowance_s=5).find_matches(regex, text)) == count


def test_engine_can_be_used_after_it_was_stopped(engine):
    with pytest.raises(RegexTimedOut):
        engine.find_matches(ENDLESS, ENDLESS_TEXT)

    assert spans(engine.find_matches(JsRegex("b"), "ab")) == [(1, 2)]


def test_deep_unclosed_classes_are_invalid(engine):
    assert not engine.is_valid(JsRegex("[" * 9000, "v"))


def test_a_used_up_allowance_stops_every_later_call_without_an_attempt():
    clock = CpuClock(per_reading=0.1)
    engine = QuickJsEngine(allowance_s=0.1, clock=clock)
    engine.find_matches(JsRegex("a"), "a")
    readings = clock.readings

    with pytest.raises(RegexTimedOut):
        engine.find_matches(JsRegex("a"), "a")

    assert clock.readings == readings


def test_each_engine_has_its_own_allowance():
    spent = QuickJsEngine(allowance_s=0)

    with pytest.raises(RegexTimedOut):
        spent.find_matches(JsRegex("a"), "a")
    assert QuickJsEngine().find_matches(JsRegex("a"), "a")


def test_a_pattern_without_time_to_compile_is_not_called_invalid():
    assert QuickJsEngine(allowance_s=0).is_valid(JsRegex("(a"))


def test_a_pattern_interrupted_by_the_time_of_other_threads_is_tried_again():
    """QuickJS measures the CPU time of the process, so a busy neighbour may cut a call short."""
    clock = CpuClock(per_reading=0)
    slow = SlowPatterns(Hours())

    with pytest.raises(RegexTimedOut):
        QuickJsEngine(call_limit_s=0.02, slow=slow, clock=clock).find_matches(ENDLESS, ENDLESS_TEXT)

    assert clock.readings == 3 * READINGS_PER_STOPPED_ATTEMPT
    assert not slow.is_suspended("", ENDLESS)


def test_a_pattern_that_used_its_own_time_is_not_tried_again():
    clock = CpuClock(per_reading=0.02)

    with pytest.raises(RegexTimedOut):
        QuickJsEngine(call_limit_s=0.02, clock=clock).find_matches(ENDLESS, ENDLESS_TEXT)

    assert clock.readings == READINGS_PER_STOPPED_ATTEMPT


async def test_the_event_loop_runs_while_a_pattern_runs_in_a_thread():
    engine = QuickJsEngine(call_limit_s=0.3)
    running = asyncio.create_task(asyncio.to_thread(engine.find_matches, ENDLESS, ENDLESS_TEXT))
    turns = 0

    while not running.done():
        await asyncio.sleep(0.001)
        turns += 1

    assert turns > 20
    with pytest.raises(RegexTimedOut):
        await running


async def test_each_thread_has_its_own_interpreter():
    async def count(text: str) -> int:
        return len(await asyncio.to_thread(QuickJsEngine().find_matches, JsRegex("a", "g"), text))

    counts = await asyncio.gather(*(count("a" * n) for n in range(1, 30)))

    assert counts == list(range(1, 30))


def test_a_pattern_that_timed_out_is_not_tried_again_for_a_minute():
    hours = Hours()
    slow = SlowPatterns(hours)
    with pytest.raises(RegexTimedOut):
        QuickJsEngine(slow=slow, owner="a").find_matches(ENDLESS, ENDLESS_TEXT)
    clock = CpuClock(per_reading=0)

    with pytest.raises(RegexTimedOut):
        QuickJsEngine(slow=slow, owner="a", clock=clock).find_matches(ENDLESS, "aa")
    hours.now = 61

    assert clock.readings == 0
    assert QuickJsEngine(slow=slow, owner="a").find_matches(ENDLESS, "aa")


def test_a_pattern_that_timed_out_for_one_owner_runs_for_others():
    slow = SlowPatterns(Hours())
    slow.record("a", ENDLESS)

    other = QuickJsEngine(slow=slow, owner="b")

    assert spans(other.find_matches(ENDLESS, "aa")) == [(0, 2)]


def test_a_pattern_without_allowance_for_a_fair_trial_is_not_called_slow():
    slow = SlowPatterns(Hours())
    with pytest.raises(RegexTimedOut):
        QuickJsEngine(allowance_s=0.02, slow=slow).find_matches(ENDLESS, ENDLESS_TEXT)

    assert not slow.is_suspended("", ENDLESS)
