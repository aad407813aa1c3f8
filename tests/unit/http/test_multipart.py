"""Reading forms: parts as they come, limits while reading."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from fastapi import Request
from hypothesis import given
from hypothesis import strategies as st

from yarrow.errors import BodyTooLarge, InvalidInput
from yarrow.http.multipart import FRAMING_BYTES, MAX_PARTS, Part, read_parts

FORM = "multipart/form-data; boundary=XX"
LIMIT = 1_000


def field(name: str, data: bytes, *, kind: str = "", more: str = "") -> bytes:
    head = f'--XX\r\nContent-Disposition: form-data; name="{name}"{more}\r\n'
    head += f"Content-Type: {kind}\r\n" if kind else ""
    return f"{head}\r\n".encode() + data + b"\r\n"


def request_of(chunks: Iterator[bytes], **headers: str) -> Request:
    given = {"content-type": FORM} | {k.replace("_", "-"): v for k, v in headers.items()}
    raw = [(key.encode(), value.encode()) for key, value in given.items()]
    messages = ({"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks)

    async def receive() -> dict[str, object]:
        return next(messages, {"type": "http.request", "body": b"", "more_body": False})

    return Request({"type": "http", "headers": raw, "method": "POST"}, receive)


async def parts_of(*chunks: bytes, **headers: str) -> list[Part]:
    request = request_of(iter(chunks), **headers)
    return [part async for part in read_parts(request, limit=LIMIT, rule="too much")]


async def test_parts_are_read_in_order() -> None:
    body = field("a", b"1") + field("b", b"\r\n--X", kind="Audio/WAV; x=1", more='; filename="雨"')

    assert await parts_of(body + b"--XX--\r\n") == [
        Part("a", None, "text/plain", b"1"),
        Part("b", "雨", "audio/wav", b"\r\n--X"),
    ]


@given(st.integers(1, 7))
async def test_chunks_may_be_cut_anywhere(size: int) -> None:
    body = field("a", b"1\r\n--XY") + field("b", b"") + b"--XX--"

    pieces = [body[at : at + size] for at in range(0, len(body), size)]

    assert [part.data for part in await parts_of(*pieces)] == [b"1\r\n--XY", b""]


async def test_a_part_of_exactly_the_limit_is_read() -> None:
    (part,) = await parts_of(field("a", b"x" * LIMIT) + b"--XX--")

    assert len(part.data) == LIMIT


async def test_one_byte_more_is_too_large() -> None:
    with pytest.raises(BodyTooLarge, match="too much") as refused:
        await parts_of(field("a", b"x" * (LIMIT + 1)) + b"--XX--")

    assert refused.value.limit == LIMIT


async def test_declared_size_is_refused_unread() -> None:
    def untouched() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    declared = str(LIMIT + FRAMING_BYTES + 1)
    with pytest.raises(BodyTooLarge):
        await anext(
            read_parts(request_of(untouched(), content_length=declared), limit=LIMIT, rule="x")
        )


async def test_undeclared_size_is_counted_while_reading() -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield field("a", b"")[:-2]
        while True:
            sent += 100
            yield b"x" * 100

    with pytest.raises(BodyTooLarge):
        await anext(read_parts(request_of(endless()), limit=LIMIT, rule="x"))

    assert sent == LIMIT + 100


async def test_small_parts_do_not_add_up_beyond_the_framing() -> None:
    bodies = [field("a", b"x" * LIMIT) for _ in range(MAX_PARTS)]

    with pytest.raises(BodyTooLarge):
        await parts_of(*bodies, *([b"-" * 1_000] * 70))


async def test_an_epilogue_counts_too() -> None:
    with pytest.raises(BodyTooLarge):
        await parts_of(field("a", b"") + b"--XX--", *([b"-" * 1_000] * 70))


async def test_too_many_parts_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 32 parts"):
        await parts_of(field("a", b"") * (MAX_PARTS + 1) + b"--XX--")


@pytest.mark.parametrize(
    "kind", ["", "application/json", "audio/wav", "multipart/mixed; boundary=X"]
)
async def test_another_body_is_no_form(kind: str) -> None:
    with pytest.raises(InvalidInput, match="must be multipart/form-data"):
        await parts_of(b"", content_type=kind)


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data", "multipart/form-data; boundary=", f"{FORM[:-2]}{'x' * 300}"],
)
async def test_a_form_needs_its_boundary(kind: str) -> None:
    with pytest.raises(InvalidInput, match="not valid multipart"):
        await parts_of(field("a", b"") + b"--XX--", content_type=kind)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"--XX\r\n",
        field("a", b"1"),
        field("a", b"1") + b"--XX",
        b"--XX\r\n\r\nno name\r\n--XX--",
        b'--XX\r\nContent-Disposition: attachment; name="a"\r\n\r\n\r\n--XX--',
        b"--XX\r\nContent-Disposition: form-data\r\n\r\n\r\n--XX--",
        b"--XX\r\nbad header\r\n\r\n\r\n--XX--",
        b"--XX\r\n" + b"X: y\r\n" * 1_000 + b"\r\n\r\n--XX--",
        b"--XX\r\nX: " + b"y" * 20_000 + b"\r\n\r\n\r\n--XX--",
    ],
)
async def test_a_broken_form_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput, match="not valid multipart"):
        await parts_of(body)


@given(st.binary(max_size=200))
async def test_no_bytes_crash_the_reader(noise: bytes) -> None:
    with suppress(InvalidInput):
        await parts_of(b"--XX\r\n" + noise + b"\r\n--XX--")
