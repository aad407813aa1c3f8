"""Macros of SillyTavern: `{{char}}`, variables, dice, times and if blocks.

A text is read into nodes once (`parse`), then evaluated (`evaluate`) in a `MacroRun`. Nothing
here fails: what cannot be expanded stays as it was written and is reported.
"""

from yarrow.prompting.macros.catalogue import READ_ONLY_NAMES
from yarrow.prompting.macros.model import (
    MacroEnvironment,
    MacroLimits,
    MacroPhase,
    MacroReport,
    MacroTrace,
    MacroTraceKind,
    MacroWarning,
    MacroWarningCode,
    MutationKind,
    MutationScope,
    SelectedBranch,
    VariableMutation,
)
from yarrow.prompting.macros.parse import has_macros
from yarrow.prompting.macros.run import MacroRun
from yarrow.prompting.macros.values import format_value

__all__ = [
    "READ_ONLY_NAMES",
    "MacroEnvironment",
    "MacroLimits",
    "MacroPhase",
    "MacroReport",
    "MacroRun",
    "MacroTrace",
    "MacroTraceKind",
    "MacroWarning",
    "MacroWarningCode",
    "MutationKind",
    "MutationScope",
    "SelectedBranch",
    "VariableMutation",
    "format_value",
    "has_macros",
]
