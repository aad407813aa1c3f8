"""Texts in traditional script, from those in simplified script."""

from collections.abc import Mapping

from yarrow.charting.model import ChartLanguage
from yarrow.language.chinese_script import to_traditional


def add_traditional(texts: Mapping[ChartLanguage, str]) -> dict[ChartLanguage, str]:
    """The texts of English and Chinese, and the Chinese one in traditional script."""
    return {**texts, ChartLanguage.HANT: to_traditional(texts[ChartLanguage.ZH])}
