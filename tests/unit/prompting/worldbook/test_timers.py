"""Timed effects, turn after turn: time is the number of messages in the chat."""

from collections.abc import Mapping

from tests.loose_json import decode_json
from tests.unit.prompting.worldbook.example import CARD, cuts, entry, make_book, scan, uids

from yarrow.kit.json import encode_json
from yarrow.prompting.worldbook import (
    ActivationMode,
    LoreTimer,
    LoreTimerKey,
    TimerKind,
    timers_from_json,
    timers_to_json,
)


def play(book, turns: dict[int, str]) -> dict[int, list[int]]:
    """What is active at each length of the chat; each turn keeps the timers of the one before."""
    active: dict[int, list[int]] = {}
    timers: Mapping[LoreTimerKey, LoreTimer] = {}
    for length, message in turns.items():
        result = scan(book, message, chat_length=length, timers=timers)
        active[length], timers = uids(result), result.timers
    return active


def test_a_sticky_entry_stays_while_length_is_below_start_plus_n():
    book = make_book(entry(0, "inn", sticky=4))

    active = play(book, {1: "inn", 3: "-", 4: "-", 5: "-", 7: "-"})

    assert active == {1: [0], 3: [0], 4: [0], 5: [], 7: []}


def test_a_sticky_entry_is_reported_as_such_and_ignores_dice_and_recursion_rules():
    book = make_book(
        entry(0, "inn", sticky=4, probability=50, delayUntilRecursion=1), recursive=True
    )
    seed = next(str(n) for n in range(50) if uids(scan(book, "inn", seed=str(n))))
    timers = scan(book, "inn", chat_length=1, seed=seed).timers

    for n in range(20):
        result = scan(book, "-", chat_length=3, timers=timers, seed=str(n))
        assert [a.mode for a in result.active] == [ActivationMode.STICKY]
        assert result.active[0].recursion_level == 0


def test_a_cooldown_keeps_an_entry_out_after_it_fired():
    book = make_book(entry(0, "inn", cooldown=4))

    active = play(book, {1: "inn", 3: "inn", 5: "inn", 7: "inn"})

    assert active == {1: [0], 3: [], 5: [0], 7: []}


def test_a_resting_entry_is_cut_with_its_reason():
    book = make_book(entry(0, "inn", cooldown=4))
    timers = scan(book, "inn", chat_length=1).timers

    assert cuts(scan(book, "inn", chat_length=3, timers=timers)) == {0: "cooldown"}
    assert cuts(scan(book, "-", chat_length=3, timers=timers)) == {}


def test_the_cooldown_begins_when_the_sticky_time_ends():
    book = make_book(entry(0, "inn", sticky=2, cooldown=3))

    active = play(book, {1: "inn", 2: "inn", 3: "inn", 4: "inn", 5: "inn", 6: "inn", 7: "inn"})

    assert active == {1: [0], 2: [0], 3: [], 4: [], 5: [], 6: [0], 7: [0]}


def test_a_cooldown_after_sticky_outlives_a_repeated_turn():
    book = make_book(entry(0, "inn", sticky=2, cooldown=3))
    fired = scan(book, "inn", chat_length=1).timers
    ended = scan(book, "inn", chat_length=3, timers=fired).timers

    assert uids(scan(book, "inn", chat_length=3, timers=ended)) == []


def test_an_effect_is_dropped_when_the_chat_did_not_advance():
    book = make_book(entry(0, "inn", sticky=4), entry(1, "inn", cooldown=4))
    timers = scan(book, "inn", chat_length=5).timers

    assert uids(scan(book, "-", chat_length=5, timers=timers)) == []
    assert uids(scan(book, "inn", chat_length=5, timers=timers)) == [0, 1]
    assert uids(scan(book, "inn", chat_length=2, timers=timers)) == [0, 1]


def test_an_effect_is_dropped_when_its_entry_changed_or_is_gone():
    timers = scan(make_book(entry(0, "inn", sticky=9)), "inn", chat_length=1).timers
    changed = make_book(entry(0, "inn", sticky=9, content="new"))
    gone = make_book(entry(1, "inn"))

    for book in (changed, gone):
        result = scan(book, "-", chat_length=3, timers=timers)
        assert (result.active, result.timers) == ((), {})


def test_an_effect_waits_for_a_book_that_is_not_scanned():
    timers = scan(make_book(entry(0, "inn", sticky=9)), "inn", chat_length=1).timers
    other = make_book(entry(0, "inn"), source=CARD)

    assert scan(other, "-", chat_length=3, timers=timers).timers == timers
    assert scan(other, "-", chat_length=20, timers=timers).timers == {}


def test_an_entry_with_a_delay_waits_for_the_chat_to_grow():
    book = make_book(entry(0, "inn", delay=4))

    assert play(book, {1: "inn", 3: "inn", 4: "inn"}) == {1: [], 3: [], 4: [0]}
    assert cuts(scan(book, "inn", chat_length=3)) == {0: "delay"}


def test_a_sticky_entry_holds_its_group():
    book = make_book(
        entry(0, "inn", sticky=9, group="g"), entry(1, "dragon", group="g", groupOverride=True)
    )
    timers = scan(book, "inn", chat_length=1).timers

    result = scan(book, "dragon", chat_length=3, timers=timers)

    assert uids(result) == [0]
    assert cuts(result) == {1: "group"}


def test_a_sticky_entry_is_served_before_a_higher_order():
    book = make_book(
        entry(0, "inn", sticky=9, order=1, content="a" * 10),
        entry(1, "dragon", order=9, content="b" * 10),
    )
    timers = scan(book, "inn", chat_length=1).timers

    result = scan(book, "dragon", chat_length=3, timers=timers, budget_tokens=15)

    assert uids(result) == [0]


def test_timers_go_by_book_and_entry():
    book = make_book(entry(0, "inn", sticky=2), entry(1, "inn", cooldown=3), source=CARD)

    timers = scan(book, "inn", chat_length=4).timers

    assert {(key, timer.start, timer.end) for key, timer in timers.items()} == {
        (LoreTimerKey(TimerKind.STICKY, "character_book", 0), 4, 6),
        (LoreTimerKey(TimerKind.COOLDOWN, "character_book", 1), 4, 7),
    }


def test_timers_survive_being_kept_as_json():
    book = make_book(entry(0, "inn", sticky=2, cooldown=3), entry(1, "inn", cooldown=3))
    fired = scan(book, "inn", chat_length=4).timers
    ended = scan(book, "-", chat_length=6, timers=fired).timers

    for timers in (fired, ended, {}):
        assert timers_from_json(decode_json(encode_json(timers_to_json(timers)))) == timers
