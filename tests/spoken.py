"""Real speech, and what a machine needs to understand it: the extra, a model and espeak-ng."""

import shutil
import subprocess
from pathlib import Path

from yarrow.settings import Settings
from yarrow.speech.offline import find_missing

MODEL_FOLDER = Settings().asr_model_path
ESPEAK = shutil.which("espeak-ng")


def _why_deaf() -> str:
    if MODEL_FOLDER is None:
        return "YARROW_ASR_MODEL_PATH names no model"
    return find_missing(MODEL_FOLDER) or ("" if ESPEAK else "espeak-ng is not installed")


WHY_DEAF = _why_deaf()
"""What is missing here; empty if nothing is."""


def speak(text: str, folder: Path) -> bytes:
    """English, as a WAV."""
    file = folder / "said.wav"
    subprocess.run([str(ESPEAK), "-v", "en", "-w", str(file), text], check=True)
    return file.read_bytes()
