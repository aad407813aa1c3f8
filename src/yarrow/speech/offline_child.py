"""The child process of the offline recogniser.

    python -m yarrow.speech.offline_child MODEL_FOLDER

Says `ready` when the model is loaded, then answers each order (see `offline.py`) in turn. It
lives until stdin ends: the parent holds the other end of that pipe and nothing else does, so
however the parent goes, `kill -9` included, this process goes with it, amid a recording too.
A recording it cannot decode ends it; the parent starts another.
"""

import os
import sys
from collections.abc import Iterator
from io import BytesIO
from queue import SimpleQueue
from threading import Thread

import msgspec
from faster_whisper import WhisperModel

from yarrow.speech.offline import Heard, Order

THREADS = 1
"""More threads wait for each other on small machines; see docs/howto/speech.md for figures."""
MAX_NEW_TOKENS = 224
"""For half a minute of speech. What is no speech can make a model repeat itself without end."""


def main() -> None:
    """Load, say so, and listen until stdin ends."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what libraries print must not get between the answers
    model = WhisperModel(
        sys.argv[1],
        device="cpu",
        compute_type="int8",
        cpu_threads=THREADS,
        local_files_only=True,
    )
    answers.write(b"ready\n")
    for order, wav in _orders():
        answers.write(msgspec.json.encode(Heard(_listen(model, wav, order.language))) + b"\n")


def _listen(model: WhisperModel, wav: bytes, language: str | None) -> str:
    segments, _ = model.transcribe(
        BytesIO(wav),
        language=language if language in model.supported_languages else None,
        temperature=0,
        max_new_tokens=MAX_NEW_TOKENS,
        condition_on_previous_text=False,
        vad_filter=True,
    )
    return "".join(segment.text for segment in segments).strip()


def _orders() -> Iterator[tuple[Order, bytes]]:
    """Orders from stdin, read by a thread that ends the process when there are no more."""
    waiting: SimpleQueue[tuple[Order, bytes]] = SimpleQueue()

    def read() -> None:
        while line := sys.stdin.buffer.readline():
            order = msgspec.json.decode(line, type=Order)
            waiting.put((order, sys.stdin.buffer.read(order.size)))
        os._exit(0)

    Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


if __name__ == "__main__":
    main()
