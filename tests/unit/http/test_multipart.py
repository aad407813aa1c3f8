"""Forms read piece by piece: the same however they arrive, and never held whole."""

import tracemalloc
from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import Request
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from yarrow.errors import InvalidInput, TooLarge
from yarrow.http.multipart import MAX_PARTS, read_parts

FORM = {"content-type": "multipart/form-data; boundary=cut"}
LIMIT = 8 * 1024 * 1024


def part(disposition: str, content: bytes) -> bytes:
    head = f"--cut\r\nContent-Disposition: form-data; {disposition}\r\n\r\n"
    return head.encode() + content + b"\r\n"


END = b"--cut--\r\n"
TWO = part('name="a"', b"one\r\n--cu") + part('name="b"; filename="x.png"', bytes(300)) + END


def arriving(chunks: Iterator[bytes], headers: dict[str, str] = FORM) -> Request:
    async def receive() -> Message:
        chunk = next(chunks, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)


async def parts_of(
    body: bytes, *, step: int = 65_536, limit: int = LIMIT
) -> list[tuple[str, str | None, bytes]]:
    chunks = (body[at : at + step] for at in range(0, len(body), step))
    too_large = TooLarge("too large", limit=limit)
    return [
        (p.name, p.filename, b"".join([chunk async for chunk in p.chunks]))
        async for p in read_parts(arriving(chunks), limit=limit, too_large=too_large)
    ]


@given(st.integers(1, 400))
async def test_parts_are_the_same_however_they_arrive(step: int) -> None:
    assert await parts_of(TWO, step=step) == [
        ("a", None, b"one\r\n--cu"),
        ("b", "x.png", bytes(300)),
    ]


@given(st.binary(max_size=300), st.integers(1, 50))
async def test_any_content_comes_through(content: bytes, step: int) -> None:
    body = part('name="f"; filename="f"', content.replace(b"--cut", b"")) + END

    assert await parts_of(body, step=step) == [("f", "f", content.replace(b"--cut", b""))]


@given(st.binary(max_size=300))
async def test_any_body_is_a_form_or_refused(body: bytes) -> None:
    try:
        await parts_of(body)
    except InvalidInput:
        return


async def test_unread_part_is_skipped() -> None:
    too_large = TooLarge("too large", limit=LIMIT)

    names = [
        p.name async for p in read_parts(arriving(iter([TWO])), limit=LIMIT, too_large=too_large)
    ]

    assert names == ["a", "b"]


@pytest.mark.parametrize(
    ("disposition", "filename"),
    [
        ('name="f"', None),
        ('name="f"; filename=""', ""),
        ('name="f"; filename="图.png"', "图.png"),
        ("name=\"f\"; filename*=UTF-8''%E5%9B%BE.png", "图.png"),
        ('name="f"; filename="a\\"b.png"', 'a"b.png'),
    ],
)
async def test_part_with_a_filename_is_a_file(disposition: str, filename: str | None) -> None:
    assert await parts_of(part(disposition, b"x") + END) == [("f", filename, b"x")]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--cut",
        TWO[:-8],
        part('name="a"', b"x"),
        part("filename=x", b"x") + END,
        b"--other\r\n\r\n",
        b"--cut\r\nX: " + b"y" * 100_000 + b"\r\n\r\n" + END,
        part('name="a"', b"") * (MAX_PARTS + 1) + END,
    ],
)
async def test_broken_form_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput):
        await parts_of(body)


async def test_limit_is_kept_while_reading() -> None:
    body = part('name="f"; filename="f"', bytes(1000)) + END

    assert len(await parts_of(body, limit=len(body))) == 1
    with pytest.raises(TooLarge):
        await parts_of(body, limit=len(body) - 1)


async def test_file_is_streamed_in_chunks() -> None:
    def chunks() -> Iterator[bytes]:
        yield part('name="f"; filename="f"', b"")[:-2]
        for _ in range(80):
            yield bytes(65_536)
        yield b"\r\n" + END

    async def drain(content: AsyncIterator[bytes]) -> int:
        return sum([len(chunk) async for chunk in content])

    too_large = TooLarge("too large", limit=LIMIT)
    tracemalloc.start()
    sizes = [
        await drain(p.chunks)
        async for p in read_parts(arriving(chunks()), limit=LIMIT, too_large=too_large)
    ]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert sizes == [80 * 65_536]
    assert peak < 1_000_000
