"""How DuckDB is asked for the rows of a file, and what is tried when the first way fails."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from yarrow.datasets.sandbox.duck import ROW_ID, quote_name, quote_text

PADDED = "lines of different lengths were filled up with empty cells"

_TAB_NAMES = (".tsv", ".tab")
_MAX_LINE_BYTES = 16 * 1024 * 1024
_WITHOUT_ROW_ID = f"COLUMNS(name -> name <> {quote_text(ROW_ID)})"


@dataclass(frozen=True, slots=True)
class Scan:
    """One way to read a file; `note` is what its owner should know about it."""

    relation: str
    columns: str = _WITHOUT_ROW_ID
    note: str | None = None


def scan_text(path: Path, filename: str) -> Iterator[Scan]:
    """Types are guessed from the first lines, then from all, then lines may be uneven."""
    name = filename.lower().removesuffix(".gz")
    delimiter = r", delim = '\t'" if name.endswith(_TAB_NAMES) else ""
    known = f"read_csv({quote_text(str(path))}, header = true, max_line_size = {_MAX_LINE_BYTES}"
    yield Scan(f"{known}{delimiter})")
    yield Scan(f"{known}{delimiter}, sample_size = -1)")
    uneven = "sample_size = -1, null_padding = true, strict_mode = false"
    yield Scan(f"{known}{delimiter}, {uneven})", note=PADDED)


def scan_cells(path: Path, columns: Mapping[str, str]) -> Scan:
    """A sheet we wrote ourselves: nothing has to be guessed."""
    typed = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in columns.items())
    options = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"'"
    limits = f"max_line_size = {_MAX_LINE_BYTES}"
    where = quote_text(str(path))
    return Scan(f"read_csv({where}, {options}, {limits}, columns = {{{typed}}})")


def scan_json(path: Path) -> Scan:
    return Scan(
        f"read_json({quote_text(str(path))}, sample_size = -1, "
        f"maximum_object_size = {_MAX_LINE_BYTES}, union_by_name = true)"
    )


def scan_parquet(path: Path) -> Scan:
    return Scan(f"read_parquet({quote_text(str(path))})")


def flattened(natives: Mapping[str, str]) -> str:
    """Columns by name; nested ones become JSON text."""
    parts = [
        f"to_json({quote_name(name)})::VARCHAR AS {quote_name(name)}"
        if native.endswith("]") or native.startswith(("STRUCT", "MAP", "UNION", "JSON"))
        else quote_name(name)
        for name, native in natives.items()
        if name != ROW_ID
    ]
    return ", ".join(parts)
