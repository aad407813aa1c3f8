"""Values of recordings."""

from enum import IntEnum

from msgspec import Struct


class Encoding(IntEnum):
    """The sample encoding of a WAV, by the number in its `fmt ` chunk."""

    PCM = 0x0001
    FLOAT = 0x0003
    EXTENSIBLE = 0xFFFE
    """The encoding is in an extension of the chunk."""


class SampleFormat(Struct, frozen=True):
    """The layout of a WAV's samples."""

    encoding: Encoding
    channels: int
    sample_rate: int
    bits: int

    @property
    def frame_bytes(self) -> int:
        return self.channels * self.bits // 8


class Wav(Struct, frozen=True):
    """The validated header of a WAV."""

    samples: SampleFormat
    frames: int
    """Samples per channel that the file has, which may be fewer than its header says."""

    @property
    def seconds(self) -> float:
        return self.frames / self.samples.sample_rate


class AudioUpload(Struct, frozen=True):
    """A recording before validation."""

    data: bytes
    content_type: str
    language: str | None = None
    """The spoken language, such as `zh`; None: the recogniser detects it."""
