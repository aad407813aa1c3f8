"""Named parameters become positional ones, and casts stay casts."""

import pytest

from yarrow.db.pool import NamedSql

STATEMENT = NamedSql("SELECT :b::text, :a, :b FROM t WHERE x = ANY(:ids::uuid[])")


def test_names_are_numbered_in_the_order_of_their_first_use() -> None:
    assert STATEMENT.text == "SELECT $1::text, $2, $1 FROM t WHERE x = ANY($3::uuid[])"
    assert STATEMENT.arguments(a=1, b=2, ids=[3]) == [2, 1, [3]]


@pytest.mark.parametrize("values", [{"a": 1, "b": 2}, {"a": 1, "b": 2, "ids": 3, "c": 4}])
def test_a_missing_and_an_unknown_name_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="wrong parameters"):
        STATEMENT.arguments(**values)
