"""The child process of the offline recogniser.

    python -m yarrow.speech.offline_child MODEL_FOLDER

Prints `ready` when the model is loaded, then answers requests (see `offline.py`) in turn. It runs
until stdin is closed: only the parent holds the other end of that pipe, so this process ends with
the parent, by `kill -9` too, even during a recording. A recording it cannot decode ends it; the
parent starts another.
"""

import os
import sys
from collections.abc import Iterator
from io import BytesIO
from queue import SimpleQueue
from threading import Thread

from faster_whisper import WhisperModel

from yarrow.kit.frames import read_frame, write_frame
from yarrow.speech.offline import SpeechRequest, SpeechResponse

THREADS = 1
"""More threads wait for each other on small machines; see docs/howto/speech.md for figures."""
MAX_NEW_TOKENS = 224
"""For half a minute of speech. Noise can make a model repeat itself endlessly."""


def main() -> None:
    """Load the model, report ready, and serve until stdin is closed."""
    responses = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what libraries print must not mix with the responses
    model = WhisperModel(
        sys.argv[1],
        device="cpu",
        compute_type="int8",
        cpu_threads=THREADS,
        local_files_only=True,
    )
    responses.write(b"ready\n")
    for request, wav in _iterate_requests():
        write_frame(responses, SpeechResponse(_transcribe_recording(model, wav, request.language)))


def _transcribe_recording(model: WhisperModel, wav: bytes, language: str | None) -> str:
    segments, _ = model.transcribe(
        BytesIO(wav),
        language=language if language in model.supported_languages else None,
        temperature=0,
        max_new_tokens=MAX_NEW_TOKENS,
        condition_on_previous_text=False,
        vad_filter=True,
    )
    return "".join(segment.text for segment in segments).strip()


def _iterate_requests() -> Iterator[tuple[SpeechRequest, bytes]]:
    """Requests from stdin, read by a thread that ends the process when stdin is closed."""
    waiting: SimpleQueue[tuple[SpeechRequest, bytes]] = SimpleQueue()

    def read_requests() -> None:
        while (frame := read_frame(sys.stdin.buffer, SpeechRequest)) is not None:
            waiting.put(frame)
        os._exit(0)

    Thread(target=read_requests, daemon=True).start()
    while True:
        yield waiting.get()


if __name__ == "__main__":
    main()
