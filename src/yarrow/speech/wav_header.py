"""Read the header of a WAV file.

The checks are shallow on purpose: they keep what is no WAV away from recognisers, which are large,
slow and written for valid files. The samples are not inspected.
"""

import struct
from collections.abc import Iterator

from msgspec import Struct

from yarrow.speech.errors import AudioEmpty, AudioUnsupported
from yarrow.speech.model import Encoding, SampleFormat, Wav

SAMPLE_RATES = range(8_000, 192_001)
CHANNELS = range(1, 9)
BITS = {Encoding.PCM: (8, 16, 24, 32), Encoding.FLOAT: (32, 64)}
MAX_CHUNKS = 64
"""Real files have a few; ten megabytes of empty chunks would keep the server busy."""
_FORMAT = struct.Struct("<HHIIHH")
_CHUNK = struct.Struct("<4sI")
_SUBFORMAT_AT = 24
_SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
"""The rest of the GUID whose first two bytes are the encoding."""


def read_wav(data: bytes) -> Wav:
    """Parse the header of a WAV; `AudioUnsupported` if it is invalid, `AudioEmpty` without samples.

    The `data` chunk may claim more bytes than the file has: recorders that write to a pipe do not
    know its length and write a large number.
    """
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise AudioUnsupported("audio is not a WAV file")
    form: SampleFormat | None = None
    for chunk in _iterate_chunks(data):
        if chunk.name == b"fmt ":
            form = _read_format(data[chunk.start : chunk.end])
        elif chunk.name == b"data":
            return _build_wav(form, chunk)
    raise AudioUnsupported("the WAV header is cut off")


class _Chunk(Struct, frozen=True):
    name: bytes
    start: int
    end: int
    """At most the end of the file."""


def _iterate_chunks(data: bytes) -> Iterator[_Chunk]:
    at = 12
    for _ in range(MAX_CHUNKS):
        if at + _CHUNK.size > len(data):
            return
        name, size = _CHUNK.unpack_from(data, at)
        start = at + _CHUNK.size
        yield _Chunk(name, start, min(start + size, len(data)))
        at = start + size + size % 2
    raise AudioUnsupported("the WAV header has too many chunks")


def _read_format(chunk: bytes) -> SampleFormat:
    if len(chunk) < _FORMAT.size:
        raise AudioUnsupported("the WAV header is cut off")
    tag, channels, sample_rate, _, frame_bytes, bits = _FORMAT.unpack_from(chunk)
    encoding = _parse_encoding(tag, chunk)
    if bits not in BITS[encoding]:
        raise AudioUnsupported(f"WAV samples of {bits} bits are not read")
    if channels not in CHANNELS:
        raise AudioUnsupported(f"a WAV has 1 to {CHANNELS[-1]} channels, not {channels}")
    if sample_rate not in SAMPLE_RATES:
        raise AudioUnsupported(
            f"a WAV has {SAMPLE_RATES[0]} to {SAMPLE_RATES[-1]} samples a second, not {sample_rate}"
        )
    form = SampleFormat(encoding, channels, sample_rate, bits)
    if frame_bytes != form.frame_bytes:
        raise AudioUnsupported("the WAV header contradicts itself")
    return form


def _parse_encoding(tag: int, chunk: bytes) -> Encoding:
    if tag == Encoding.EXTENSIBLE:
        subformat = chunk[_SUBFORMAT_AT : _SUBFORMAT_AT + 16]
        is_known = subformat[2:] == _SUBFORMAT_TAIL
        tag = int.from_bytes(subformat[:2], "little") if is_known else tag
    if tag not in BITS:
        raise AudioUnsupported("WAV samples must be PCM or float, not compressed")
    return Encoding(tag)


def _build_wav(form: SampleFormat | None, chunk: _Chunk) -> Wav:
    if form is None:
        raise AudioUnsupported("the WAV header has its data before its format")
    frames = (chunk.end - chunk.start) // form.frame_bytes
    if not frames:
        raise AudioEmpty
    return Wav(form, frames)
