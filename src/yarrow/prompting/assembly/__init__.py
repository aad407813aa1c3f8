"""Assemble a prompt from a session's assets, history and variables.

`assemble` runs the steps in `build.py`; `AssemblyInput` and `AssemblyResult` are its contract.
"""

from yarrow.prompting.assembly.build import (
    assemble,
    preview_text,
    rewrite_reply,
    rewrites_replies,
)
from yarrow.prompting.assembly.inputs import (
    AssemblyAssets,
    AssemblyInput,
    AssetStamp,
    AssetStamps,
    AuthorsNote,
    ChatFacts,
    CurrentInput,
    EntryRole,
    HistoryEntry,
    ModelFacts,
    NotePosition,
    PromptRuntime,
    RunKind,
    SessionContext,
    StoredVariables,
    parse_authors_note,
)
from yarrow.prompting.assembly.result import (
    AssemblyDiagnostics,
    AssemblyMode,
    AssemblyResult,
    HistoryTrace,
    HistoryViolationCode,
    MacroPreview,
    PromptSnapshot,
    RuntimeTrace,
    VisibilityTrace,
    WorldbookMatch,
    WorldbookTrace,
)
from yarrow.prompting.assembly.structure import StructureTrace

__all__ = [
    "AssemblyAssets",
    "AssemblyDiagnostics",
    "AssemblyInput",
    "AssemblyMode",
    "AssemblyResult",
    "AssetStamp",
    "AssetStamps",
    "AuthorsNote",
    "ChatFacts",
    "CurrentInput",
    "EntryRole",
    "HistoryEntry",
    "HistoryTrace",
    "HistoryViolationCode",
    "MacroPreview",
    "ModelFacts",
    "NotePosition",
    "PromptRuntime",
    "PromptSnapshot",
    "RunKind",
    "RuntimeTrace",
    "SessionContext",
    "StoredVariables",
    "StructureTrace",
    "VisibilityTrace",
    "WorldbookMatch",
    "WorldbookTrace",
    "assemble",
    "parse_authors_note",
    "preview_text",
    "rewrite_reply",
    "rewrites_replies",
]
