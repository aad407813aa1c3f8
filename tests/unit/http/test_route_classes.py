"""Values in paths and queries that no route can use."""

import pytest

from yarrow.errors import InvalidInput
from yarrow.http.route_classes import MAX_VALUE_CHARS, require_usable_address

LONG = "x" * (MAX_VALUE_CHARS + 1)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/a\0b", b""),
        ("/a", b"name=a%00b"),
        ("/a", b"%00=a"),
        (f"/a/{LONG}/b", b""),
        ("/a", f"b=1&name={LONG}".encode()),
        ("/a", f"name={'+' * (MAX_VALUE_CHARS + 1)}".encode()),
    ],
)
def test_nul_and_long_values_are_refused(path: str, query: bytes) -> None:
    with pytest.raises(InvalidInput):
        require_usable_address({"path": path, "query_string": query})


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/a/b", b"name=%2500&other=%20"),
        ("/" + "ab/" * MAX_VALUE_CHARS, b""),
        ("/" + LONG[1:], f"name={LONG[1:]}".encode()),
        ("/a", b"&".join([b"name=value"] * MAX_VALUE_CHARS)),
        ("/a", b"name=" + b"%e5%90%8d" * (MAX_VALUE_CHARS // 2)),
    ],
)
def test_other_addresses_are_allowed(path: str, query: bytes) -> None:
    require_usable_address({"path": path, "query_string": query})
