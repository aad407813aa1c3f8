"""Who stays: dice, groups, budget."""

from collections import Counter

from tests.unit.prompting.worldbook.example import CARD, cuts, entry, make_book, scan, uids


def winners(book, **request) -> Counter[int]:
    """Which single entry gets in, over many seeds."""
    counted: Counter[int] = Counter()
    for seed in range(400):
        counted.update(uids(scan(book, "inn", seed=str(seed), **request)))
    return counted


def test_probability_is_rolled_after_the_match():
    book = make_book(
        entry(0, "inn", probability=0),
        entry(1, "inn", probability=100),
        entry(2, "inn", probability=25),
        entry(3, "inn", probability=0, useProbability=False),
        entry(4, "dragon", probability=0),
    )

    counted = winners(book)

    assert (counted[0], counted[1], counted[3]) == (0, 400, 400)
    assert 60 < counted[2] < 140
    assert cuts(scan(book, "inn"))[0] == "probability"
    assert 4 not in cuts(scan(book, "inn"))


def test_a_failed_roll_holds_for_the_whole_scan():
    book = make_book(
        entry(0, "inn", content="a cellar"),
        entry(1, "inn", "cellar", probability=50),
        entry(2, "cellar"),
        recursive=True,
    )

    assert 150 < winners(book)[1] < 250


def test_the_same_seed_gives_the_same_scan():
    book = make_book(*(entry(uid, "inn", probability=50, group=f"g{uid % 3}") for uid in range(30)))

    scans = {str(seed): scan(book, "inn", seed=str(seed)) for seed in range(5)}

    assert all(scan(book, "inn", seed=seed) == result for seed, result in scans.items())
    assert len({tuple(uids(result)) for result in scans.values()}) > 1


def test_one_entry_of_a_group_gets_in_by_weight():
    book = make_book(
        entry(0, "inn", group="g", groupWeight=300),
        entry(1, "inn", group="g"),
        entry(2, "inn", group="g", groupWeight=0),
        entry(3, "inn"),
    )

    counted = winners(book)

    assert counted[0] + counted[1] == 400
    assert (counted[2], counted[3]) == (0, 400)
    assert 260 < counted[0] < 340
    assert sorted(cuts(scan(book, "inn")).values()) == ["group", "group"]


def test_precedence_in_a_group_goes_to_the_highest_order():
    book = make_book(
        entry(0, "inn", group="g", groupOverride=True, order=10),
        entry(1, "inn", group="g", groupOverride=True, order=20),
        entry(2, "inn", group="g", order=900),
    )

    assert winners(book) == {1: 400}


def test_an_entry_may_be_in_several_groups_and_must_win_each():
    book = make_book(
        entry(0, "inn", group="a, b", groupOverride=True),
        entry(1, "inn", group="a"),
        entry(2, "inn", group="b"),
        entry(3, "inn", group="c"),
    )

    assert uids(scan(book, "inn")) == [0, 3]


def test_a_group_counts_over_all_books():
    first = make_book(entry(0, "inn", group="g", order=1, groupOverride=True))
    second = make_book(entry(1, "inn", group="g"), source=CARD)

    assert uids(scan([first, second], "inn")) == [0]


def test_an_active_group_blocks_those_who_come_later():
    book = make_book(
        entry(0, "inn", content="cellar", group="g"),
        entry(1, "cellar", group="x,g"),
        entry(2, "cellar", group="x"),
        recursive=True,
    )

    result = scan(book, "inn")

    assert uids(result) == [0, 2]
    assert cuts(result) == {1: "group"}


def test_scoring_keeps_those_with_most_keys_in_the_text():
    entries = [
        entry(0, "inn", group="g", groupOverride=True),
        entry(1, "inn", "beer", group="g"),
        entry(2, "inn", group="g", keysecondary=["beer", "bed"], selectiveLogic=0),
        entry(3, "inn", "beer", "bed", group="g"),
        entry(4, "inn", group="g", keysecondary=["wolf", "owl"], selectiveLogic=2),
    ]

    assert uids(scan(make_book(*entries), "an inn with beer and a bed")) == [0]
    book = make_book(*entries, useGroupScoring=True)
    counted: Counter[int] = Counter()
    for seed in range(60):
        counted.update(uids(scan(book, "an inn with beer and a bed", seed=str(seed))))
    assert set(counted) == {2, 3}


def test_an_entry_may_ask_for_scoring_itself():
    book = make_book(
        entry(0, "inn", group="g", useGroupScoring=True),
        entry(1, "inn", "beer", group="g", useGroupScoring=True),
    )

    assert {tuple(uids(scan(book, "inn, beer", seed=str(n)))) for n in range(20)} == {(1,)}


def budget_book():
    return make_book(
        entry(0, "inn", content="a" * 10, order=10),
        entry(1, "inn", content="b" * 10, order=30),
        entry(2, constant=True, content="c" * 10, order=20),
        entry(3, "inn", content="d", order=5),
        entry(4, "inn", content="e" * 50, order=1, ignoreBudget=True),
    )


def test_the_budget_goes_to_the_higher_order_and_cuts_the_rest():
    result = scan(budget_book(), "inn", budget_tokens=25)

    assert uids(result) == [4, 2, 1]
    assert [(cut.match.entry.uid, cut.reason.value, cut.match.tokens) for cut in result.cut] == [
        (0, "budget", 10),
        (3, "budget", 1),
    ]
    assert sum(active.tokens for active in result.active) == 70


def test_the_budget_is_reached_when_it_is_used_up_exactly():
    assert 1 in cuts(scan(budget_book(), "inn", budget_tokens=10))
    assert uids(scan(budget_book(), "inn", budget_tokens=11)) == [4, 1]


def test_without_a_budget_everything_gets_in():
    assert uids(scan(budget_book(), "inn")) == [4, 3, 0, 2, 1]


def test_tokens_are_counted_on_the_expanded_content():
    result = scan(make_book(entry(0, "inn", content="{{char}}")), "inn")

    assert result.active[0].tokens == len("Alice")


def test_a_reached_budget_ends_recursion():
    book = make_book(
        entry(0, "inn", content="cellar", order=900),
        entry(1, "inn", content="x" * 99),
        entry(2, "cellar", ignoreBudget=True),
        recursive=True,
    )

    assert uids(scan(book, "inn", budget_tokens=50)) == [0]
