"""WAV files for tests, built by the standard library or byte by byte."""

import io
import struct
import wave


def tone(*, seconds: float = 0.1, rate: int = 16_000, channels: int = 1, width: int = 2) -> bytes:
    """A WAV as the standard library writes it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(channels)
        wav.setsampwidth(width)
        wav.setframerate(rate)
        wav.writeframes(b"\1" * (int(seconds * rate) * channels * width))
    return file.getvalue()


def fmt(
    *, tag: int = 1, channels: int = 1, rate: int = 16_000, bits: int = 16, tail: bytes = b""
) -> bytes:
    """The chunk that says what the samples are."""
    frame = channels * bits // 8
    body = struct.pack("<HHIIHH", tag, channels, rate, rate * frame, frame, bits) + tail
    return chunk(b"fmt ", body)


def chunk(name: bytes, body: bytes, *, size: int | None = None) -> bytes:
    """A chunk, with another size in its head if one is given."""
    given = len(body) if size is None else size
    return name + struct.pack("<I", given) + body + b"\0" * (len(body) % 2)


def riff(*chunks: bytes) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def wav_of_size(size: int) -> bytes:
    """A WAV of exactly so many bytes, header included."""
    whole = riff(fmt(), chunk(b"data", b""))
    return riff(fmt(), chunk(b"data", b"\0" * (size - len(whole))))[:size]
