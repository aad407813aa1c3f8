"""The values of speech."""

from dataclasses import dataclass
from enum import IntEnum


class Encoding(IntEnum):
    """How a WAV keeps its samples, by the number in its `fmt ` chunk."""

    PCM = 0x0001
    FLOAT = 0x0003
    EXTENSIBLE = 0xFFFE
    """The real encoding stands further back in the chunk."""


@dataclass(frozen=True, slots=True)
class SampleFormat:
    """How the samples of a WAV are laid out."""

    encoding: Encoding
    channels: int
    sample_rate: int
    bits: int

    @property
    def frame_bytes(self) -> int:
        return self.channels * self.bits // 8


@dataclass(frozen=True, slots=True)
class Wav:
    """What the header of a WAV says, once it has been believed."""

    samples: SampleFormat
    frames: int
    """Samples per channel that are really there, whatever the header promises."""

    @property
    def seconds(self) -> float:
        return self.frames / self.samples.sample_rate


@dataclass(frozen=True, slots=True)
class Upload:
    """A recording as it came in, unchecked."""

    data: bytes
    content_type: str
    language: str | None = None
    """What is spoken, as in `zh`; None: the recogniser finds out."""
