"""All macros by name: aliases, number of arguments, effect."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct

from yarrow.prompting.macros import random_macros
from yarrow.prompting.macros import text_macros as text
from yarrow.prompting.macros.expansion import MacroCall
from yarrow.prompting.macros.model import MutationScope
from yarrow.prompting.macros.variable_macros import VariableEffects

MacroEffect: TypeAlias = Callable[[MacroCall], str]
"""May raise `KeepRaw`."""


class MacroSpec(Struct, frozen=True):
    """One macro. Without an effect it is a value of the environment.

    A missing value is looked up under `fallbacks`, or with `from_variable` in the stored variables.
    With `keeps_rest` the last argument may contain `::`.
    """

    name: str
    aliases: tuple[str, ...] = ()
    least: int = 0
    most: int | None = 0
    effect: MacroEffect | None = None
    fallbacks: tuple[str, ...] = ()
    from_variable: bool = False
    keeps_rest: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Name and aliases in lower case."""
        return tuple(map(str.lower, (self.name, *self.aliases)))

    def accepts_count(self, count: int) -> bool:
        return self.least <= count and (self.most is None or count <= self.most)


_PLAIN_VALUES: tuple[tuple[str, ...], ...] = (
    ("description", "charDescription"),
    ("personality", "charPersonality"),
    ("scenario", "charScenario"),
    ("persona",),
    ("systemPrompt",),
    ("defaultSystemPrompt", "instructSystem", "instructSystemPrompt"),
    ("charPrompt",),
    ("charInstruction", "charJailbreak"),
    ("charDepthPrompt",),
    ("charAuthorsNote",),
    ("authorsNote",),
    ("defaultAuthorsNote",),
    ("charCreatorNotes", "creatorNotes"),
    ("charVersion", "char_version", "version"),
    ("charFirstMessage", "greeting"),
    ("model",),
    ("runKind",),
    ("lastGenerationType",),
    ("promptMode",),
    ("maxPrompt", "maxPromptTokens"),
    ("maxContext", "maxContextTokens"),
    ("maxResponse", "maxResponseTokens"),
    ("summary",),
    ("lastMessage", "lastChatMessage"),
    ("lastUserMessage",),
    ("lastCharMessage",),
    ("lastMessageId",),
    ("firstIncludedMessageId",),
    ("firstDisplayedMessageId",),
    ("currentSwipeId",),
    ("lastSwipeId",),
    ("input",),
    ("isMobile",),
    ("exampleSeparator", "chatSeparator"),
    ("chatStart",),
    ("instructStoryStringPrefix",),
    ("instructStoryStringSuffix",),
    ("instructUserPrefix", "instructInput"),
    ("instructUserSuffix",),
    ("instructAssistantPrefix", "instructOutput"),
    ("instructAssistantSuffix", "instructSeparator"),
    ("instructSystemPrefix",),
    ("instructSystemSuffix",),
    ("instructFirstAssistantPrefix", "instructFirstOutputPrefix"),
    ("instructLastAssistantPrefix", "instructLastOutputPrefix"),
    ("instructStop",),
    ("instructUserFiller",),
    ("instructSystemInstructionPrefix",),
    ("instructFirstUserPrefix", "instructFirstInput"),
    ("instructLastUserPrefix", "instructLastInput"),
    ("instructConsecutiveAssistantMessage",),
)
"""Each name with its aliases."""


def _list_value_specs() -> Iterator[MacroSpec]:
    yield MacroSpec("user", ("userName",), from_variable=True)
    yield MacroSpec("char", ("assistantName",), from_variable=True)
    yield MacroSpec("group", fallbacks=("char",))
    yield MacroSpec("charIfNotGroup", fallbacks=("group", "char"))
    yield MacroSpec("groupNotMuted", fallbacks=("group", "char"))
    yield MacroSpec("notChar", fallbacks=("user",))
    yield MacroSpec("mesExamples", fallbacks=("mesexamplesraw",))
    yield MacroSpec("mesExamplesRaw", fallbacks=("mesexamples",))
    for name, *aliases in _PLAIN_VALUES:
        yield MacroSpec(name, tuple(aliases))


def _list_variable_specs(scope: MutationScope, word: str) -> Iterator[MacroSpec]:
    effects = VariableEffects(scope)
    yield MacroSpec(f"get{word}", (), 1, 1, effects.get)
    yield MacroSpec(f"has{word}", (f"{word}exists",), 1, 1, effects.has)
    yield MacroSpec(f"set{word}", (), 2, 2, effects.set, keeps_rest=True)
    yield MacroSpec(f"add{word}", (), 2, 2, effects.add, keeps_rest=True)
    yield MacroSpec(f"inc{word}", (), 1, 1, effects.increase)
    yield MacroSpec(f"dec{word}", (), 1, 1, effects.decrease)
    yield MacroSpec(f"delete{word}", (f"flush{word}",), 1, 1, effects.delete)


ORIGINAL = MacroSpec("original")
COMMENT = MacroSpec("//", ("comment",), 0, None, text.empty)
TRIM = MacroSpec("trim", (), 0, 1, text.trim)
NOOP = MacroSpec("noop", (), 0, 0, text.empty)

_TEXTS = (
    COMMENT,
    TRIM,
    NOOP,
    MacroSpec("newline", (), 0, 1, text.newline),
    MacroSpec("space", (), 0, 1, text.space),
    MacroSpec("time", (), 0, 1, text.time),
    MacroSpec("date", (), 0, 0, text.date),
    MacroSpec("weekday", (), 0, 0, text.weekday),
    MacroSpec("isotime", (), 0, 0, text.isotime),
    MacroSpec("isodate", (), 0, 0, text.isodate),
    MacroSpec("idleDuration", ("idle_duration",), 0, 0, text.idle_duration),
    MacroSpec("datetimeformat", (), 1, 1, text.datetimeformat),
    MacroSpec("timeDiff", (), 2, 2, text.time_diff),
    MacroSpec("reverse", (), 1, 1, text.reverse),
    MacroSpec("banned", (), 1, 1, text.empty),
    MacroSpec("outlet", (), 1, 1, text.outlet),
    MacroSpec("hasExtension", (), 1, 1, text.has_extension),
    MacroSpec("random", (), 0, None, random_macros.random_effect),
    MacroSpec("pick", (), 0, None, random_macros.pick_effect),
    MacroSpec("roll", (), 1, 1, random_macros.roll_effect),
)
_VALUES = (*_list_value_specs(), ORIGINAL)
_WRITERS = (
    *_list_variable_specs(MutationScope.BRANCH, "var"),
    *_list_variable_specs(MutationScope.GLOBAL, "globalvar"),
)

CATALOGUE = {key: spec for spec in (*_VALUES, *_TEXTS, *_WRITERS) for key in spec.keys}
"""Every spec by each of its names in lower case."""

VALUE_KEYS = {
    spec.name: (*spec.keys, *(key for other in spec.fallbacks for key in CATALOGUE[other].keys))
    for spec in _VALUES
}
"""The names under which a value is looked up, in order."""
