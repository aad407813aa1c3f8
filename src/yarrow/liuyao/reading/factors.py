"""Factors that soften or sharpen rules; directions are the classics', figures a convention."""

from typing import Final

# How much of a line's force reaches another line.
MOVING_FORCE: Final = 1.0
STIRRED_FORCE: Final = 0.6
CONTROLLED_FORCE: Final = 0.45
SOFT_VOID_FORCE: Final = 0.7
BOUND_FORCE: Final = 0.6
RISING_FORCE: Final = 1.2
ROOTED_FORCE: Final = 1.15
PRESSED_FORCE: Final = 0.75

# What softens or sharpens a rule.
TOMB_WITH_QI: Final = 1 / 3
RETREAT_WITH_QI: Final = 0.5
CHANGED_TOMB_WITH_QI: Final = 0.4
CHANGED_END_WITH_QI: Final = 0.5
HOLLOW_CHANGE: Final = 0.5
GREED_ON_HARM: Final = 0.2
GREED_ON_HELP: Final = 1.25
ROOTLESS_ON_HELP: Final = 0.35
LAWSUIT_CONCORD: Final = -0.8
RECENT_ILLNESS_CONCORD: Final = -1.2
ILLNESS_LIMIT: Final = 1.0
