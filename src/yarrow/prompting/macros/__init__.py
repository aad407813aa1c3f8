"""SillyTavern's macros: `{{char}}`, variables, dice, times and if blocks.

A text is parsed into nodes once (`parse`), then evaluated (`evaluate`) within a `MacroRun`. Nothing
here fails: a macro that cannot be expanded stays as written and is reported.
"""

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
