"""The port of recognisers, and the one that stands in where there is none."""

from typing import Protocol

from yarrow.speech.errors import RecogniserMissing


class Recogniser(Protocol):
    """Turns speech into text."""

    @property
    def name(self) -> str:
        """The model's name, for people."""

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        """What is said in a checked WAV; empty if nothing is. Raises `RecogniserError`s only."""


class NoRecogniser:
    """Stands in where nothing is configured: everything works but this."""

    @property
    def name(self) -> str:
        return "none"

    async def transcribe(self, wav: bytes, language: str | None) -> str:  # noqa: ARG002
        raise RecogniserMissing
