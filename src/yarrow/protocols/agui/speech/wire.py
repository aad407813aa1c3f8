"""The response of the transcription route."""

from pydantic import BaseModel


class TranscriptResponse(BaseModel):
    """What is said in a recording; empty if nothing is."""

    transcript: str
