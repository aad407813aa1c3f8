"""The workspace of a request."""

import pytest

from yarrow.errors import InvalidInput
from yarrow.protocols.ndjson.requests import choose_workspace


def test_no_workspace_is_the_default_one() -> None:
    assert choose_workspace(None) == "default"
    assert choose_workspace("  ") == "default"
    assert choose_workspace("我的") == "我的"


@pytest.mark.parametrize("given", ["x" * 257, "a\x00b", "a\nb"])
def test_a_workspace_has_a_printable_name(given: str) -> None:
    with pytest.raises(InvalidInput):
        choose_workspace(given)
