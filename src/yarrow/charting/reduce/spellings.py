"""Tell texts that a chart counts apart, though only case or outer spaces distinguish them."""

from collections.abc import Iterable, Sequence

from yarrow.charting.fields import ChartField
from yarrow.charting.frame import ChartFrame
from yarrow.charting.model import DType, SemanticType
from yarrow.charting.notes import Note
from yarrow.charting.reduce.source import ChartSource
from yarrow.kit.json import JsonValue
from yarrow.kit.sql_text import quote_name, quote_text

GROUPS_READ = 20_000
"""Of more groups only so many are compared, which takes ten milliseconds."""
TOLD, SPELLINGS_TOLD, CHARS_TOLD = 3, 3, 40

_SPACES = " \t\r\n\u00a0\u3000"


def read_spellings(key: ChartField, source: ChartSource, groups: str) -> list[list[str]]:
    """The texts of a key that are spelled in several ways, in a table of groups."""
    if not _is_spelled(key):
        return []
    name = quote_name(key.key)
    rows = source.run(
        "SELECT list(text ORDER BY text) FROM ("
        f"SELECT DISTINCT {name} AS text FROM (SELECT {name} FROM {groups} LIMIT {GROUPS_READ})"
        f") WHERE text IS NOT NULL GROUP BY lower(trim(text, {quote_text(_SPACES)})) "
        f"HAVING count(*) > 1 ORDER BY 1 LIMIT {TOLD + 1}"
    )
    return [list(map(str, texts)) for (texts,) in rows if isinstance(texts, list)]


def note_shown_spellings(frame: ChartFrame) -> ChartFrame:
    """A note for each grouped column of which the rows of the chart have several spellings."""
    fields = {field.key: field for field in frame.fields.values() if field.is_discrete}
    for field in fields.values():
        if found := compare_spellings(field, frame.values(field)):
            frame = frame.with_note(Note.SPELLED, field=field.title, values=write_spellings(found))
    return frame


def write_spellings(found: Sequence[Sequence[str]]) -> str:
    """Some of the spellings in quotation marks, so that spaces are seen."""
    told = [" / ".join(map(_quote, texts[:SPELLINGS_TOLD])) for texts in found[:TOLD]]
    return ", ".join([*told, *(["…"] if len(found) > TOLD else [])])


def _is_spelled(field: ChartField) -> bool:
    """Whether its values are texts of people; codes may differ in case only."""
    return field.dtype is DType.STRING and not field.dated and field.meaning is not SemanticType.ID


def compare_spellings(key: ChartField, values: Iterable[JsonValue]) -> list[list[str]]:
    """Those of the values that are spelled in several ways."""
    texts: dict[str, list[str]] = {}
    for value in dict.fromkeys(values) if _is_spelled(key) else ():
        if isinstance(value, str):
            texts.setdefault(value.strip(_SPACES).lower(), []).append(value)
    return sorted(sorted(each) for each in texts.values() if len(each) > 1)


def _quote(text: str) -> str:
    return f'"{text[:CHARS_TOLD]}…"' if len(text) > CHARS_TOLD else f'"{text}"'
