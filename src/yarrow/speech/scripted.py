"""A recogniser with a fixed answer, for tests and demonstrations."""

from msgspec import Struct, field


class ScriptedRecogniser(Struct):
    """Answers every recording with `transcript`, and keeps the recordings in `received`."""

    transcript: str = "我今天适合出门谈合作吗?"
    received: list[tuple[bytes, str | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        self.received.append((wav, language))
        return self.transcript
