"""SQL about the cells of a column of text."""

from yarrow.kit.sql_text import quote_name, quote_text

EXCEL_ERRORS = ("#n/a", "#div/0!", "#ref!", "#value!", "#name?", "#num!", "#null!")
_WORDS = ("n/a", "n.a.", "na", "null", "nil", "none", "无", "無", "暂无", "暫無")
PLACEHOLDERS = ("-", "–", "—", *_WORDS, *EXCEL_ERRORS)


def cell_text(name: str) -> str:
    return f"trim({quote_name(name)})"


def is_blank(name: str) -> str:
    values = ", ".join(quote_text(value) for value in PLACEHOLDERS)
    text = cell_text(name)
    return f"({quote_name(name)} IS NULL OR {text} = '' OR lower({text}) IN ({values}))"


def is_match(name: str, pattern: str) -> str:
    return f"regexp_full_match({cell_text(name)}, {quote_text(pattern)})"


def has_match(name: str, pattern: str) -> str:
    return f"regexp_matches({cell_text(name)}, {quote_text(pattern)})"


def all_cells(condition: str, name: str) -> str:
    """Whether all cells that are not blank fulfil it, and there are such cells."""
    return (
        f"bool_and({is_blank(name)} OR {condition}) AND count(*) FILTER (NOT {is_blank(name)}) > 0"
    )
