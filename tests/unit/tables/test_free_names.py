"""The next number of a name, without a look at all the others."""

from yarrow.tables.model import FreeNames


def test_nothing_is_known_before_a_name_was_given() -> None:
    assert FreeNames().take("a/w", "d-x") is None


def test_numbers_go_on_from_the_last_one_given() -> None:
    names = FreeNames()
    names.record("a/w", "d-x", "d-x")

    assert [names.take("a/w", "d-x") for _ in range(3)] == ["d-x_2", "d-x_3", "d-x_4"]

    names.record("a/w", "d-x", "d-x_41")

    assert names.take("a/w", "d-x") == "d-x_42"
    assert names.take("b/w", "d-x") is None


def test_a_workspace_is_forgotten_when_its_names_are_free_again() -> None:
    names = FreeNames()
    names.record("a/w", "d-x", "d-x_9")
    names.record("a/v", "d-x", "d-x_9")

    names.forget("a/w")

    assert (names.take("a/w", "d-x"), names.take("a/v", "d-x")) == (None, "d-x_10")


def test_only_so_many_are_kept() -> None:
    names = FreeNames(size=2)
    for wanted in ("a", "b", "c"):
        names.record("w", wanted, wanted)

    assert [names.take("w", wanted) for wanted in ("a", "b", "c")] == [None, "b_2", "c_2"]
