"""Rules for an illness or a danger (官鬼), and for what relieves it (子孙)."""

from typing import Final

from yarrow.liuyao.reading.change_rules import ReadingRule

RECENT_COMBINE: Final = ReadingRule(
    "近病逢合",
    -2.0,
    "近病逢合，缠绵难去",
    "a recent illness that meets a combine lingers",
    "增删卜易·疾病章",
)
ILLNESS_HOLDS_WORLD: Final = ReadingRule(
    "官鬼持世", -1.0, "官鬼持世，忧扰在身", "官鬼 holds 世: worry stays with you", "增删卜易·疾病章"
)
REMEDY_HOLDS_WORLD: Final = ReadingRule(
    "子孙持世", 1.0, "子孙持世，忧疑可解", "子孙 holds 世: worry can be resolved", "增删卜易·疾病章"
)
REMEDY_ACTS: Final = ReadingRule(
    "子孙发动", 0.7, "子孙发动，制鬼有力", "子孙 acts and restrains 官鬼", "增删卜易·疾病章"
)
RECENT_VOID: Final = ReadingRule(
    "近病逢空",
    0.0,
    "近病逢空即愈",
    "a recent illness that meets the void passes",
    "增删卜易·疾病章",
)
LASTING_CLASH: Final = ReadingRule(
    "久病逢冲空",
    0.0,
    "久病逢冲、逢空，须多加小心",
    "a lasting illness that meets clash or void needs care",
    "增删卜易·疾病章",
)
DANGER_HOLDS_WORLD: Final = ReadingRule(
    "忧患持世", -1.0, "官鬼持世，忧患在身", "官鬼 holds 世: the danger is close", "增删卜易·趋避章"
)
RELIEF_HOLDS_WORLD: Final = ReadingRule(
    "福德持世",
    1.0,
    "子孙持世，可以无忧",
    "子孙 holds 世: there is little to fear",
    "增删卜易·用神章",
)
RELIEF_ACTS: Final = ReadingRule(
    "福德发动", 0.7, "子孙发动，制鬼解忧", "子孙 acts and holds 官鬼 off", "增删卜易·用神章"
)
ILLNESS_AT_WORLD: Final = {"官鬼": ILLNESS_HOLDS_WORLD, "子孙": REMEDY_HOLDS_WORLD}
DANGER_AT_WORLD: Final = {"官鬼": DANGER_HOLDS_WORLD, "子孙": RELIEF_HOLDS_WORLD}
"""What it says that 世 is one of these kin."""
