"""A recogniser that says what it is told to, for tests and demonstrations."""

from dataclasses import dataclass, field


@dataclass
class ScriptedRecogniser:
    """Answers every recording with `transcript`, and remembers what it was given."""

    transcript: str = "我今天适合出门谈合作吗?"
    heard: list[tuple[bytes, str | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    async def transcribe(self, wav: bytes, language: str | None) -> str:
        self.heard.append((wav, language))
        return self.transcript
