"""What the header of a recording must be."""

import struct
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recordings import chunk, fmt, riff, tone

from yarrow.speech.errors import AudioEmpty, AudioUnsupported
from yarrow.speech.model import Encoding, SampleFormat, Wav
from yarrow.speech.wav_header import MAX_CHUNKS, read_wav

DATA = chunk(b"data", b"\0" * 32)
PCM_GUID = bytes.fromhex("0100000000001000800000aa00389b71")
FLOAT_GUID = bytes.fromhex("0300000000001000800000aa00389b71")


def extensible(guid: bytes, *, bits: int = 16) -> bytes:
    return fmt(tag=0xFFFE, bits=bits, tail=struct.pack("<HHI", 22, bits, 0) + guid)


def test_a_plain_recording_is_read() -> None:
    wav = read_wav(tone(seconds=0.5, rate=22_050, channels=2))

    assert wav == Wav(SampleFormat(Encoding.PCM, 2, 22_050, 16), 11_025)
    assert wav.seconds == 0.5


@pytest.mark.parametrize(
    "head",
    [
        fmt(bits=8),
        fmt(bits=24),
        fmt(bits=32),
        fmt(tag=3, bits=32),
        fmt(tag=3, bits=64),
        fmt(rate=8_000),
        fmt(rate=192_000),
        fmt(channels=8),
        fmt(tail=b"\0\0"),
        extensible(PCM_GUID),
        extensible(FLOAT_GUID, bits=32),
    ],
)
def test_pcm_and_float_are_read(head: bytes) -> None:
    assert read_wav(riff(head, DATA)).frames >= 1


def test_other_chunks_are_passed_over() -> None:
    odd = chunk(b"LIST", b"INFOabc")

    assert read_wav(riff(odd, fmt(), odd, DATA, odd)).frames == 16


@pytest.mark.parametrize("promised", [0x7FFFF000, 0xFFFFFFFF, 1_000])
def test_a_recorder_that_did_not_know_the_length_is_believed(promised: int) -> None:
    assert read_wav(riff(fmt(), chunk(b"data", b"\0" * 32, size=promised))).frames == 16


@pytest.mark.parametrize(
    "data",
    [
        b"RIFF",
        b"ID3\4 and the rest of an MP3 file",
        b"OggS" + b"\0" * 60,
        b"RIFF\0\0\0\0AVI LIST" + b"\0" * 60,
        b"RIFX" + riff(fmt(), DATA)[4:],
        b"RF64" + riff(fmt(), DATA)[4:],
        riff(),
        riff(DATA),
        riff(DATA, fmt()),
        riff(fmt()),
        riff(fmt(), DATA)[:30],
        riff(fmt(), DATA)[:40],
        riff(chunk(b"fmt ", b"\1\0\1\0"), DATA),
        riff(fmt(tag=0), DATA),
        riff(fmt(tag=2, bits=4), DATA),
        riff(fmt(tag=7, bits=8), DATA),
        riff(fmt(tag=0x55), DATA),
        riff(fmt(tag=3, bits=16), DATA),
        riff(fmt(bits=12), DATA),
        riff(fmt(bits=0), DATA),
        riff(fmt(channels=0), DATA),
        riff(fmt(channels=9), DATA),
        riff(fmt(rate=0), DATA),
        riff(fmt(rate=7_999), DATA),
        riff(fmt(rate=192_001), DATA),
        riff(fmt().replace(b"\2\0\x10\0", b"\4\0\x10\0"), DATA),
        riff(fmt(tag=0xFFFE), DATA),
        riff(extensible(b"\1\0" + b"\xee" * 14), DATA),
        riff(extensible(FLOAT_GUID[:1] + b"\xff" + FLOAT_GUID[2:]), DATA),
    ],
)
def test_what_is_no_wav_we_read_is_unsupported(data: bytes) -> None:
    with pytest.raises(AudioUnsupported):
        read_wav(data)


@pytest.mark.parametrize("sound", [b"", b"\0"])
def test_a_header_without_a_whole_frame_is_empty(sound: bytes) -> None:
    with pytest.raises(AudioEmpty):
        read_wav(riff(fmt(), chunk(b"data", sound)))


def test_endless_chunks_are_not_followed() -> None:
    with pytest.raises(AudioUnsupported, match="too many chunks"):
        read_wav(riff(*[chunk(b"JUNK", b"")] * MAX_CHUNKS, fmt(), DATA))


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_check(data: bytes) -> None:
    _judge(data)


@given(st.binary(max_size=60), st.integers(0, 80), st.integers(0, 80))
def test_no_spoiled_wav_crashes_the_check(noise: bytes, at: int, cut: int) -> None:
    whole = riff(extensible(PCM_GUID), chunk(b"LIST", b"abc"), DATA)

    _judge(whole[:at] + noise + whole[at + cut :])


def _judge(data: bytes) -> None:
    with suppress(AudioUnsupported, AudioEmpty):
        assert read_wav(data).frames > 0
