"""The response of the transcription route."""

from pydantic import BaseModel


class TranscriptResponse(BaseModel):
    """The text of a recording; empty if nothing is spoken."""

    transcript: str
