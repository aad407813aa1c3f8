"""JavaScript's regular expressions: what they find, and that nothing makes them run for long."""

import asyncio
import threading
import time

import pytest

from yarrow.prompting.regex_engine import JsRegex, RegexMatch, RegexTimedOut, parse_regex_literal
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_engine.slow import SlowPatterns

ENDLESS = JsRegex("(a+)+$", "g")
ENDLESS_TEXT = "a" * 10_000 + "b"
SOON_S = 0.5
"""Five times the limit: the machine may be busy, the regex may not."""


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
    began = time.thread_time()

    with pytest.raises(RegexTimedOut):
        engine.find_matches(regex, text)

    assert time.thread_time() - began < SOON_S


@pytest.mark.parametrize(
    "pattern",
    ["a" * 10_000_000, "\\p{RGI_Emoji}" * 500, "(?:" * 3000 + ")" * 3000, "[" * 9000],
    ids=["ten megabytes", "wide classes", "deep", "unclosed"],
)
def test_pattern_too_big_to_compile_is_invalid_at_once(engine, pattern):
    began = time.thread_time()

    assert not engine.is_valid(JsRegex(pattern, "v"))
    assert time.thread_time() - began < SOON_S


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


def test_engine_works_on_after_it_was_stopped(engine):
    with pytest.raises(RegexTimedOut):
        engine.find_matches(ENDLESS, ENDLESS_TEXT)

    assert spans(engine.find_matches(JsRegex("b"), "ab")) == [(1, 2)]


def test_allowance_used_up_stops_every_later_call_at_once():
    engine = QuickJsEngine(call_limit_s=0.05, allowance_s=0.08)
    for _ in range(2):
        with pytest.raises(RegexTimedOut):
            engine.find_matches(ENDLESS, ENDLESS_TEXT)
    began = time.thread_time()

    with pytest.raises(RegexTimedOut):
        engine.find_matches(JsRegex("a"), "a")

    assert time.thread_time() - began < 0.01


def test_allowance_is_one_assemblys():
    spent = QuickJsEngine(allowance_s=0)

    with pytest.raises(RegexTimedOut):
        spent.find_matches(JsRegex("a"), "a")
    assert QuickJsEngine().find_matches(JsRegex("a"), "a")


def test_nothing_is_called_invalid_for_want_of_time():
    assert QuickJsEngine(allowance_s=0).is_valid(JsRegex("(a"))


def test_time_of_other_threads_is_not_counted():
    """QuickJS measures the whole process, so a busy neighbour could cut a call short."""
    stop = threading.Event()

    def be_busy() -> None:
        busy = QuickJsEngine(call_limit_s=0.1, allowance_s=5)
        while not stop.is_set():
            with pytest.raises(RegexTimedOut):
                busy.find_matches(ENDLESS, ENDLESS_TEXT)

    neighbour = threading.Thread(target=be_busy)
    neighbour.start()
    began = time.thread_time()
    with pytest.raises(RegexTimedOut):
        QuickJsEngine(call_limit_s=0.2, allowance_s=5).find_matches(ENDLESS, ENDLESS_TEXT)
    spent = time.thread_time() - began
    stop.set()
    neighbour.join()

    assert spent >= 0.15


async def test_event_loop_turns_while_a_pattern_runs_away():
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


class Hours:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def spent_on(engine: QuickJsEngine) -> float:
    began = time.thread_time()
    with pytest.raises(RegexTimedOut):
        engine.find_matches(ENDLESS, ENDLESS_TEXT)
    return time.thread_time() - began


def test_a_pattern_that_ran_away_is_skipped_at_once_for_a_minute():
    clock = Hours()
    slow = SlowPatterns(clock)

    times = [spent_on(QuickJsEngine(slow=slow, owner="a")) for _ in range(2)]
    clock.now = 61
    times.append(spent_on(QuickJsEngine(slow=slow, owner="a")))

    assert times[0] > 0.05 < times[2]
    assert times[1] < 0.01


def test_a_pattern_that_ran_away_for_one_owner_runs_for_others():
    slow = SlowPatterns(Hours())
    spent_on(QuickJsEngine(slow=slow, owner="a"))

    other = QuickJsEngine(slow=slow, owner="b")

    assert spans(other.find_matches(ENDLESS, "aa")) == [(0, 2)]


def test_a_pattern_without_time_left_to_try_it_is_not_called_slow():
    slow = SlowPatterns(Hours())
    spent_on(QuickJsEngine(allowance_s=0.02, slow=slow))

    assert spans(QuickJsEngine(slow=slow).find_matches(ENDLESS, "aa")) == [(0, 2)]
