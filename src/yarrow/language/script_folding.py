"""Simplified script without loading the tables of characters for texts that have it already."""

from importlib import import_module


def fold_question(question: str) -> str:
    """The question in simplified script, as GB 2312 has it; a batch seldom needs the tables."""
    try:
        question.encode("gb2312")
    except UnicodeEncodeError:
        folded: str = import_module("yarrow.language.chinese_script").fold_script(question)
        return folded
    return question
