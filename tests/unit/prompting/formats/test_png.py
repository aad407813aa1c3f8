"""Cards in pictures: where they are found, and what strangers may send instead."""

import base64
import json
import tracemalloc
import zlib
from contextlib import suppress
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loose_json import JsonObject
from tests.unit.prompting.formats.png_files import (
    END,
    HEADER,
    PIXELS,
    SIGNATURE,
    chunk,
    compressed,
    international,
    packed,
    png,
    text,
    texts_of,
)

from yarrow.errors import InvalidInput
from yarrow.prompting.formats.png import (
    CARD_BYTES,
    PNG_BYTES,
    make_default_picture,
    read_png_card,
    write_png_card,
)

V2: JsonObject = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Luna", "tags": ["月"]},
}
V3: JsonObject = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {"name": "Luna", "nickname": "L"},
}
V1: JsonObject = {"name": "Luna", "first_mes": "Hi"}


@pytest.mark.parametrize(
    "where",
    [
        text(b"chara", V2),
        text(b"Chara", V2),
        compressed(b"chara", packed(V2)),
        international(b"chara", packed(V2), squeeze=False),
        international(b"chara", packed(V2), squeeze=True),
    ],
    ids=["tEXt", "capital", "zTXt", "iTXt", "iTXt-compressed"],
)
def test_card_is_found_in_every_kind_of_text(where: bytes) -> None:
    found = read_png_card(png(where))

    assert found.content == V2
    assert found.picture == png()


def test_version_3_is_preferred_wherever_it_is() -> None:
    assert read_png_card(png(text(b"chara", V2), text(b"ccv3", V3))).content == V3
    assert read_png_card(png(text(b"ccv3", V3), text(b"chara", V2))).content == V3


def test_first_of_two_chunks_counts() -> None:
    other = V2 | {"data": {"name": "Sol"}}

    assert read_png_card(png(text(b"chara", V2), text(b"chara", other))).content == V2


def test_picture_is_kept_without_any_text_and_without_what_follows_its_end() -> None:
    said = chunk(b"tEXt", b"Comment\0made by hand")
    gamma = chunk(b"gAMA", b"\0\0\xb1\x8f")

    found = read_png_card(png(said, gamma, text(b"chara", V2)) + b"trailing")

    assert found.picture == png(gamma)


def test_base64_may_have_line_breaks_and_lack_its_padding() -> None:
    lines = packed(V2).rstrip(b"=").replace(b"I", b"I\r\n")

    assert read_png_card(png(chunk(b"tEXt", b"chara\0" + lines))).content == V2


def test_exported_picture_has_the_card_in_both_chunks() -> None:
    """As SillyTavern writes it: `chara` for readers of version 2, `ccv3` with the newer frame."""
    found = texts_of(write_png_card(png(), V2))

    assert found == {b"chara": V2, b"ccv3": V2 | {"spec": "chara_card_v3", "spec_version": "3.0"}}


def test_exported_version_3_is_exact_in_its_own_chunk() -> None:
    found = texts_of(write_png_card(png(), V3))

    assert found == {b"ccv3": V3, b"chara": V3 | {"spec": "chara_card_v2", "spec_version": "2.0"}}


def test_exported_version_1_is_exact_in_its_own_chunk() -> None:
    found = texts_of(write_png_card(png(), V1))

    framed = {"spec": "chara_card_v3", "spec_version": "3.0", "data": V1}
    assert found == {b"chara": V1, b"ccv3": framed}


def test_export_replaces_the_cards_that_were_there() -> None:
    old = png(text(b"chara", V1), text(b"ccv3", V2))

    assert texts_of(write_png_card(old, V3))[b"ccv3"] == V3
    assert read_png_card(write_png_card(old, V3)).picture == png()


def test_a_card_without_a_picture_gets_a_real_one() -> None:
    found = read_png_card(write_png_card(make_default_picture(), V3))

    assert found.content == V3
    assert found.picture == make_default_picture()


BROKEN = {
    "empty": b"",
    "not a PNG": b"GIF89a" + bytes(100),
    "signature only": SIGNATURE,
    "cut in a chunk": png(text(b"chara", V2))[:-20],
    "no end": png(text(b"chara", V2))[: -len(END)],
    "checksum": SIGNATURE + HEADER + chunk(b"tEXt", b"chara\0e30=", checksum=1) + PIXELS + END,
    "length beyond the file": SIGNATURE + HEADER + b"\xff\xff\xff\xfftEXt" + bytes(64),
    "no header": SIGNATURE + text(b"chara", V2) + PIXELS + END,
    "two headers": png(HEADER, text(b"chara", V2)),
    "short header": SIGNATURE + chunk(b"IHDR", b"\0\0\0\1") + PIXELS + END,
    "nameless chunk": png(chunk(b"\0\1\2\3"), text(b"chara", V2)),
    "no pixels": SIGNATURE + HEADER + text(b"chara", V2) + END,
    "no card": png(),
    "other texts only": png(chunk(b"tEXt", b"Comment\0hello")),
    "no base64": png(chunk(b"tEXt", b"chara\0{not base64}")),
    "odd base64": png(chunk(b"tEXt", b"chara\0abcde")),
    "no JSON": png(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"{"))),
    "no UTF-8": png(chunk(b"tEXt", b"chara\0" + base64.b64encode(b'"\xed\xa0\x80"'))),
    "no object": png(text(b"chara", ["Luna"])),
    "nothing": png(chunk(b"tEXt", b"chara\0")),
    "nested": png(chunk(b"tEXt", b"chara\0" + base64.b64encode(b"[" * 100_000 + b"]" * 100_000))),
    "unknown compression": png(chunk(b"zTXt", b"chara\0\7" + zlib.compress(packed(V2)))),
    "broken compression": png(chunk(b"zTXt", b"chara\0\0garbage")),
    "cut compression": png(chunk(b"zTXt", b"chara\0\0" + zlib.compress(packed(V2))[:-9])),
    "bare iTXt": png(chunk(b"iTXt", b"chara")),
    "too many chunks": SIGNATURE + HEADER + chunk(b"teSt") * 30_000 + PIXELS + END,
    "too large": png() + bytes(PNG_BYTES),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_broken_file_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_png_card(data)

    assert refused.value.field == "file"
    assert len(refused.value.rule) < 80


@cache
def make_bomb() -> bytes:
    packing = zlib.compressobj(9)
    return b"".join(packing.compress(bytes(1_000_000)) for _ in range(300)) + packing.flush()


@pytest.mark.slow
@pytest.mark.parametrize("squeeze", [False, True], ids=["zTXt", "iTXt"])
def test_bomb_is_not_unpacked_beyond_the_limit(squeeze: bool) -> None:
    """300 MB of zeros in 300 kB: memory stays within a few times the largest card."""
    kind, head = (b"iTXt", b"chara\0\1\0\0\0") if squeeze else (b"zTXt", b"chara\0\0")
    file = png(chunk(kind, head + make_bomb()))

    tracemalloc.start()
    with pytest.raises(InvalidInput, match="at most"):
        read_png_card(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 5 * CARD_BYTES


def test_ten_megabytes_of_base64_are_read() -> None:
    card = {"name": "Luna", "description": "a" * 7_400_000}

    assert read_png_card(png(text(b"chara", card))).content == card


def test_card_beyond_the_limit_is_refused() -> None:
    card = {"name": "Luna", "description": "a" * (CARD_BYTES + 100_000)}

    with pytest.raises(InvalidInput, match=f"at most {CARD_BYTES} bytes"):
        read_png_card(png(text(b"chara", card)))


@given(st.binary(max_size=200), st.integers(0, 400))
def test_any_bytes_are_read_or_refused(noise: bytes, at: int) -> None:
    whole = png(text(b"chara", V2))

    for data in (noise, SIGNATURE + noise, whole[:at] + noise + whole[at:], whole[:at] + noise):
        with suppress(InvalidInput):
            assert isinstance(read_png_card(data).content, dict)


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8"), max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=6,
        ),
        max_size=5,
    )
)
def test_unknown_fields_survive_the_picture(unknown: dict[str, object]) -> None:
    card = V3 | {"data": V3["data"] | unknown | {"name": "Luna"}, "creator_tool": unknown}

    found = read_png_card(write_png_card(make_default_picture(), card)).content

    assert json.dumps(found) == json.dumps(card)
