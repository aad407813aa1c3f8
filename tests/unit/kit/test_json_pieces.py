"""Large JSON, decoded in pieces: the same values and the same refusals as in one call."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.kit.json import JsonValue, decode_json, encode_json
from yarrow.kit.json_pieces import PIECE_BYTES as PIECE_LIMIT
from yarrow.kit.json_pieces import JsonContainer, PieceScanner, decode_in_pieces

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=60,
)
PIECE_BYTES = st.integers(0, 40)
NOISE = st.sampled_from([b",", b"[", b"]", b"{", b"}", b'"', b":", b" ", b"1", b"\\", b"\xff", b""])


def decode_or_refuse(data: bytes, piece_bytes: int | None = None) -> JsonValue:
    try:
        if piece_bytes is None:
            return [decode_json(data)]
        return [decode_in_pieces(data, piece_bytes=piece_bytes)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


@given(VALUES, PIECE_BYTES, st.booleans())
def test_pieces_give_the_value_that_was_encoded(
    value: JsonValue, piece_bytes: int, indented: bool
) -> None:
    data = encode_json(value)
    data = msgspec.json.format(data, indent=3) if indented else data

    assert decode_in_pieces(data, piece_bytes=piece_bytes) == value


@given(VALUES, PIECE_BYTES, st.integers(0), st.integers(0, 2), NOISE)
def test_broken_json_is_refused_in_pieces_as_in_one_call(
    value: JsonValue, piece_bytes: int, place: int, removed: int, noise: bytes
) -> None:
    data = encode_json(value)
    at = place % (len(data) + 1)
    broken = data[:at] + noise + data[at + removed :]

    assert decode_or_refuse(broken, piece_bytes) == decode_or_refuse(broken)


@pytest.mark.parametrize(
    "data",
    [
        b"[[1,2],]",
        b"[[1,2]3]",
        b"[,[1,2]]",
        b"[[1,2],,[3,4]]",
        b'{"a":[1,2],}',
        b'{"a":[1,2]"b":1}',
        b"{[1,2]:1}",
        b"[1,2][3,4]",
        b"[1,2}",
        b"[[1,2]",
        b"[1,2]]",
        b'["a',
        b"1,2,3",
    ],
)
def test_elements_and_commas_must_alternate(data: bytes) -> None:
    for piece_bytes in range(4):
        with pytest.raises(msgspec.DecodeError):
            decode_in_pieces(data, piece_bytes=piece_bytes)


def test_the_last_of_repeated_keys_wins_across_pieces() -> None:
    data = b'{"a":[1,1,1],"b":2,"a":{"c":[3,3,3]},"b":[4,4,4]}'

    for piece_bytes in range(20):
        assert decode_in_pieces(data, piece_bytes=piece_bytes) == decode_json(data)


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b",".join([b"[]"] * 200_000) + b"]",
        b"[" + b" , ".join([b'{"a":[1]}'] * 50_000) + b"]",
        b'{"rows":[' + b",".join([b'{"a":1,"b":"x"}'] * 50_000) + b"]}",
        b"[" + b",".join([b"1"] * 500_000) + b"]",
        b"[[" + b",".join([b'"ab"'] * 200_000) + b"],1]",
        b"{" + b",".join(b'"%d":1' % number for number in range(100_000)) + b"}",
        b'{"a" : "b",' + b",".join(b'"%d":"c"' % number for number in range(100_000)) + b"}",
        b"[" * 400 + b",".join([b"[]"] * 200_000) + b"]" * 400,
    ],
)
def test_no_piece_is_large(data: bytes) -> None:
    root = PieceScanner(data, PIECE_LIMIT).scan()

    assert root is not None
    assert max(_piece_sizes(root)) < 3 * PIECE_LIMIT


def _piece_sizes(container: JsonContainer) -> list[int]:
    inner = [each.large for each in container.pieces if each.large is not None]
    sizes = [each.end - each.start for each in container.pieces]
    return sizes + [size for large in inner for size in _piece_sizes(large)]
