"""The intermediate state of an assembly, from which its result is built."""

from msgspec import Struct

from yarrow.prompting.assembly.history import PromptTurns
from yarrow.prompting.assembly.inputs import AssemblyInput
from yarrow.prompting.assembly.layout import PromptLayout
from yarrow.prompting.assembly.lore import OutletTexts
from yarrow.prompting.assembly.parts import ExpandedPrompt
from yarrow.prompting.assembly.structure import ShapedPrompt
from yarrow.prompting.assembly.trim import FittedPrompt, TokenAllowance
from yarrow.prompting.choose_memories import MemorySelection
from yarrow.prompting.macros import MacroReport, MacroRun
from yarrow.prompting.preset import Preset
from yarrow.prompting.worldbook import LoreScan


class SentPrompt(Struct, frozen=True):
    """A prompt as it would be sent, and its token count."""

    shaped: ShapedPrompt
    tokens: int


class PromptDraft(Struct, frozen=True):
    """One expanded and trimmed version of the prompt; `untrimmed` is the prompt before trimming."""

    untrimmed: ExpandedPrompt
    fitted: FittedPrompt[SentPrompt]
    run: MacroRun
    outlets: OutletTexts


class AssemblyState(Struct, frozen=True):
    """The outcome of each assembly step; `untrimmed` is the prompt before trimming."""

    inputs: AssemblyInput
    preset: Preset
    allowance: TokenAllowance
    turns: PromptTurns
    lore: LoreScan
    layout: PromptLayout
    untrimmed: ExpandedPrompt
    fitted: FittedPrompt[SentPrompt]
    macros: MacroReport
    outlets: frozenset[str]
    """The outlets whose lore is in the prompt."""
    memory: MemorySelection = MemorySelection()
