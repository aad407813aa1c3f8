"""The port to speech recognisers."""

from typing import Protocol

from yarrow.speech.errors import RecogniserMissing


class Recogniser(Protocol):
    """Turns speech into text."""

    @property
    def name(self) -> str:
        """The model's name, for display."""

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        """The speech in a validated WAV as text, perhaps empty; raises only `RecogniserError`s."""


class NoRecogniser:
    """The recogniser when none is configured: every request fails."""

    @property
    def name(self) -> str:
        return "none"

    async def transcribe(self, wav: bytes, language: str | None) -> str:  # noqa: ARG002
        raise RecogniserMissing
