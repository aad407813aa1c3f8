"""From a session's assets, history and variables to the messages for a model."""

from yarrow.prompting.assembly.build import assemble, preview
from yarrow.prompting.assembly.inputs import (
    AssemblyInput,
    Assets,
    ChatFacts,
    CurrentInput,
    RunKind,
    SessionFacts,
    Surroundings,
    Variables,
)
from yarrow.prompting.assembly.note import AuthorsNote, NotePlace, authors_note_of
from yarrow.prompting.assembly.result import Assembly, AssemblyDiagnostics, AssemblyMode, Preview

__all__ = [
    "Assembly",
    "AssemblyDiagnostics",
    "AssemblyInput",
    "AssemblyMode",
    "Assets",
    "AuthorsNote",
    "ChatFacts",
    "CurrentInput",
    "NotePlace",
    "Preview",
    "RunKind",
    "SessionFacts",
    "Surroundings",
    "Variables",
    "assemble",
    "authors_note_of",
    "preview",
]
