"""Everything that is known once a prompt has its size."""

import msgspec

from yarrow.prompting.assembly.history import Turns
from yarrow.prompting.assembly.inputs import AssemblyInput
from yarrow.prompting.assembly.layout import Layout
from yarrow.prompting.assembly.lore import Outlets
from yarrow.prompting.assembly.parts import Prompt
from yarrow.prompting.assembly.structure import Shaped
from yarrow.prompting.assembly.trim import Allowance, Fitted
from yarrow.prompting.macros import MacroReport, MacroRun
from yarrow.prompting.preset import Preset
from yarrow.prompting.worldbook import LoreScan


class Sent(msgspec.Struct, frozen=True):
    """A prompt as it would be sent."""

    shaped: Shaped
    tokens: int


class Attempt(msgspec.Struct, frozen=True):
    """A prompt, expanded and cut to size; `whole` is what it was before, `outlets` were asked."""

    whole: Prompt
    fitted: Fitted[Sent]
    run: MacroRun
    outlets: Outlets


class Story(msgspec.Struct, frozen=True):
    """The steps of one assembly; `whole` is the prompt before it was cut."""

    given: AssemblyInput
    preset: Preset
    allowance: Allowance
    turns: Turns
    lore: LoreScan
    layout: Layout
    whole: Prompt
    fitted: Fitted[Sent]
    macros: MacroReport
    outlets: frozenset[str]
    """The outlets whose lore is in the prompt."""
