"""六爻: from six thrown lines and a moment to the whole board, and from the board to a reading.

Pure: the same cast always gives the same derivation and the same reading.

Words without an English equal stay Chinese, and in names they are pinyin or a plain English word:

- 世 (world) stands for the one who asks, 应 (response) for the other side.
- 六亲 (relation): 父母 兄弟 妻财 官鬼 子孙, what a line is to the palace of its hexagram.
- 用神 (focus): the line or kin that stands for what is asked; 元神 feeds it, 忌神 controls it.
- 飞神 and 伏神 (hidden): a visible line, and the kin that lies under it when no line shows it.
- 月建 (month), 日辰 (day): the branches that rule the time; 月破 is the branch the month clashes.
- 旬空 (void): the two branches that the ten days around the cast do not have.
- 暗动: a still line that the day's clash sets in motion.
"""

from typing import TYPE_CHECKING

from yarrow.kit.lazy_names import import_names_lazily

if TYPE_CHECKING:
    from yarrow.liuyao.board import Board, board_in_hant, build_board
    from yarrow.liuyao.cast import Cast, parse_cast, parse_moment
    from yarrow.liuyao.classic import list_classic_hant_forms
    from yarrow.liuyao.coins import YaoLine, line_from_hua, line_from_zi
    from yarrow.liuyao.derivation import Derivation, derive
    from yarrow.liuyao.derivation_payload import DivinationPayload, build_divination_payload
    from yarrow.liuyao.derivation_payload_text import write_payload
    from yarrow.liuyao.pillars import DayBoundary
    from yarrow.liuyao.reading.asker import (
        UNKNOWN_ASKER,
        Asker,
        AskerSource,
        KnownAsker,
        identify_asker,
    )
    from yarrow.liuyao.reading.follow_up import write_follow_up
    from yarrow.liuyao.reading.follow_up_kind import asks_about_board, is_thanks
    from yarrow.liuyao.reading.judge import SignLevel
    from yarrow.liuyao.reading.other_matter import is_other_matter, write_other_matter
    from yarrow.liuyao.reading.script import list_hant_forms
    from yarrow.liuyao.reading.topics import Topic
    from yarrow.liuyao.reading.write_reading import (
        Reading,
        explain_reading,
        to_output_fields,
        write_reading,
    )
    from yarrow.liuyao.svg import draw_svg

__all__ = [
    "UNKNOWN_ASKER",
    "Asker",
    "AskerSource",
    "Board",
    "Cast",
    "DayBoundary",
    "Derivation",
    "DivinationPayload",
    "KnownAsker",
    "Reading",
    "SignLevel",
    "Topic",
    "YaoLine",
    "asks_about_board",
    "board_in_hant",
    "build_board",
    "build_divination_payload",
    "derive",
    "draw_svg",
    "explain_reading",
    "identify_asker",
    "is_other_matter",
    "is_thanks",
    "line_from_hua",
    "line_from_zi",
    "list_classic_hant_forms",
    "list_hant_forms",
    "parse_cast",
    "parse_moment",
    "to_output_fields",
    "write_follow_up",
    "write_other_matter",
    "write_payload",
    "write_reading",
]

_MODULES = {
    "board": ("Board", "board_in_hant", "build_board"),
    "cast": ("Cast", "parse_cast", "parse_moment"),
    "classic": ("list_classic_hant_forms",),
    "coins": ("YaoLine", "line_from_hua", "line_from_zi"),
    "derivation": ("Derivation", "derive"),
    "derivation_payload": ("DivinationPayload", "build_divination_payload"),
    "derivation_payload_text": ("write_payload",),
    "pillars": ("DayBoundary",),
    "reading.asker": ("UNKNOWN_ASKER", "Asker", "AskerSource", "KnownAsker", "identify_asker"),
    "reading.follow_up": ("write_follow_up",),
    "reading.follow_up_kind": ("asks_about_board", "is_thanks"),
    "reading.judge": ("SignLevel",),
    "reading.other_matter": ("is_other_matter", "write_other_matter"),
    "reading.script": ("list_hant_forms",),
    "reading.topics": ("Topic",),
    "reading.write_reading": ("Reading", "explain_reading", "to_output_fields", "write_reading"),
    "svg": ("draw_svg",),
}
"""Where the names are defined: a batch of castings needs neither the readings nor the pictures."""

__getattr__ = import_names_lazily(__name__, _MODULES)
