"""Notes for the owner of a table: how its file was read, or why it cannot be read.

A note is one of the `Sentence`s with its facts, so that pages can say it in other languages.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from yarrow.kit.json import JsonMapping, JsonObject
from yarrow.kit.notes import CodedNote, encode_note, list_messages, write_note

_LISTED = 10


class Sentence(StrEnum):
    """Sentences and their parts in English, with slots for facts; the names are on the wire.

    `words.json` of the pages has each as `note.<name>`. Of two forms with `|` between them the
    first is for a count of one.
    """

    # the text of a file
    ENCODING = "the text was read as {encoding}"
    GUESSED_ENCODING = (
        "the text was read as {encoding}: a guess, it may be {rival}; name the encoding in the "
        "upload if characters look wrong"
    )
    DAMAGED_TEXT = (
        "some characters are no UTF-8 and were replaced by \ufffd; the file may be cut off or "
        "damaged"
    )
    PADDED = "lines of different lengths were filled up with empty cells"
    SKIPPED_LINES = (
        "the first line was left out: the table begins at line {begin}, where lines have more "
        "cells; fill it up to keep it | "
        "the first {count} lines were left out: the table begins at line {begin}, where lines have "
        "more cells; fill up shorter lines to keep them"
    )
    UNPAIRED_QUOTES = "quotes do not pair up; they are kept as they are written"
    LOOSE_QUOTES = "quotes do not pair up everywhere; check the cells that have some"

    # rows
    NO_ROWS = "the file has no rows below the names of its columns"
    FIRST_ROWS = "only the first {rows} rows were kept"
    ROWS_ABOVE = (
        "the first row was left out: the table begins at row {begin} ({text}) | "
        "the first {count} rows were left out: the table begins at row {begin} ({text})"
    )
    ROWS_BELOW = (
        "{count} row below the table was left out ({text}) | "
        "{count} rows below the table were left out ({text})"
    )
    OTHER_TABLE = "row {number} ({text}) may begin another table; its rows are included"
    EMPTY_ROWS = "{count} empty row was left out | {count} empty rows were left out"
    HIDDEN_ROWS = (
        "{count} row is hidden in the sheet, as by a filter; it is included | "
        "{count} rows are hidden in the sheet, as by a filter; they are included"
    )
    LAST_IS_TOTAL = "the last {row} ({text}) is the total of those above; it was left out"
    LAST_IS_AVERAGE = "the last {row} ({text}) is the average of those above; it was left out"
    LAST_MAY_BE_TOTAL = "the last {row} ({text}) may be a total; it is included"
    MAY_BE_TOTAL = "the line ({text}) may be a total; it is included"
    ROW = "row"
    LINE = "line"

    # names of columns
    HEADER_ROWS = "{count} header rows were joined, as in {example}"
    HEADLESS = (
        "the first {row} was read as data, because its cells look like those below; add a header "
        "to name the columns"
    )
    DOUBTED_HEADER = "the first {row} was read as the header, though {cell} looks like data"
    BLANK_COLUMNS = (
        "{count} column without a name and without values was left out | "
        "{count} columns without a name and without values were left out"
    )
    RENAMED = "columns were renamed: {names}"
    NOW_NAMED = "{written} is {name}"
    NOW_HAS_NAME = "a column without a name is {name}"
    NAME_TAKEN = "the column {name} was left out: rows are numbered under this name"
    HIDDEN_COLUMNS = "columns that are hidden in the sheet are included: {names}"

    # sheets
    OTHER_SHEET = "there is no sheet {name}; {chosen} was read"
    UNREAD_SHEETS = "only the sheet {chosen} was read; {names} can be named in sheet_name"
    HIDDEN_SHEET = "{name} (hidden)"

    # columns that stay text
    MIXED_DATES = "{name}: left as text, because the dates have more than one form or do not exist"
    ODD_CELLS = (
        "{name}: left as text, because {count} of {cells} cells is no number ({example}) | "
        "{name}: left as text, because {count} of {cells} cells are no numbers ({example})"
    )
    IN_BRACKETS = (
        "{name}: left as text, because every number is in brackets, as codes and losses are"
    )
    DIFFERENT_UNITS = "{name}: left as text, because its numbers have different units ({units})"
    NO_UNIT = "none"
    MAY_BE_CODE = "{name}: left as text, because {example} may be a code"
    DIFFERENT_TYPES = "{name}: left as text, because the types of its cells differ"
    TEXT_CELLS = (
        "{name}: left as text, because {count} of {cells} cells is ({example}) | "
        "{name}: left as text, because {count} of {cells} cells are ({example})"
    )
    NESTED = "{names}: nested values are stored as JSON text"

    # columns of text that were converted
    COLUMN_READ = "{name}: {parts}"
    NUMBER_READ = "text such as {example} was read as a number ({value})"
    FRACTIONS = "a fraction, because most are small"
    PERCENT = "in percent"
    COMMA_DECIMALS = "a comma separates decimals"
    COMMA_THOUSANDS = "a comma separates thousands"
    DOT_THOUSANDS = "a dot separates thousands, because other columns have decimal commas"
    FILLERS = "{count} cell such as n/a or - is empty | {count} cells such as n/a or - are empty"
    TOO_LARGE = (
        "{count} cell too large for a number is empty | "
        "{count} cells too large for a number are empty"
    )
    DATE_READ = "text such as {example} was read as a date ({value})"
    DURATION_READ = "text such as {example} was read as a duration ({value} seconds)"
    GUESSED_BY_NAME = "a guess by the column's name"
    DATES_READ = "{name}: dates were read as {order}, {reason} ({example} is {value})"
    DAY_FIRST = "day/month/year"
    MONTH_FIRST = "month/day/year"
    ORDER_BY_SETTING = "as YARROW_TABLE_DATE_ORDER says, because no value of the column decides it"
    ORDER_BY_VALUES = "as the values of the column decide"

    # other columns
    DOT_DECIMALS = (
        "{name}: a dot separates decimals ({example} is {value}); write thousands without dots"
    )
    TRIMMED = (
        "{names}: values that differed only in spaces around them, or in characters that cannot "
        "be seen, are one"
    )
    IN_SECONDS = "{names}: durations are stored in seconds"
    IN_UTC = "{names}: times with an offset are stored and shown in UTC"
    WITHOUT_OFFSET = (
        "{name}: {count} time without an offset was read as UTC | "
        "{name}: {count} times without an offset were read as UTC"
    )
    NOT_FINITE = (
        "{name}: {count} cell is infinite, too large for a number or not a number | "
        "{name}: {count} cells are infinite, too large for a number or not a number"
    )
    FILLED_DOWN = (
        "{name}: {count} merged cell was filled down over its rows | "
        "{name}: {count} merged cells were filled down over their rows"
    )
    MERGED_NUMBERS = (
        "{name}: {count} merged cell holds a number, which stands in its first row only | "
        "{name}: {count} merged cells hold a number, which stands in their first row only"
    )
    MERGED_ACROSS = (
        "{count} merged cell spans several columns; only its first column has the value | "
        "{count} merged cells span several columns; only their first column has the value"
    )
    FIFTEEN_DIGITS = "{name}: a workbook keeps 15 digits of a number; others are lost"
    DAYS_OF_EXCEL = (
        "{name}: numbers such as {example} are kept; as days of Excel they would be dates ({value})"
    )
    NO_RESULTS = (
        "{count} cell holds a formula without a result ({place}) and is empty; open the workbook "
        "in Excel and save it | "
        "{count} cells hold formulas without a result (the first is {place}) and are empty; open "
        "the workbook in Excel and save it"
    )
    EXCEL_ERRORS = (
        "{count} cell holds an error of Excel ({place}) and is empty | "
        "{count} cells hold an error of Excel (the first is {place}) and are empty"
    )
    SHEET_PERCENT = "{names}: percent of the sheet are stored as fractions (12% is 0.12)"
    SHEET_PARTLY_PERCENT = "{names}: only some cells are percent of the sheet; the others are not"
    SHEET_CURRENCIES = (
        "{name}: the sheet shows different currencies ({units}), which are not stored; sums of "
        "them say nothing"
    )
    SHEET_ZEROS = "{name}: the sheet shows leading zeros (as {example}), which are not stored"

    # rows from a data source
    INTERVAL = "{name} is an interval, in seconds."
    SEVERAL_TYPES = "{name} has values of several types; they are texts."
    INFINITE_VALUES = "Values of {name} that are NaN or infinite are empty: {count}."
    ROUNDED = "Numbers with more than {digits} digits are rounded to {digits}: {names}."
    CUT_BY_ROWS = "The result was cut at {rows} rows: the source has more."
    CUT_BY_BYTES = "The result was cut at {rows} rows, at the size limit of a table's file."

    # statistics
    NOT_ALL_COUNTED = "only {done} of {all} columns were counted within {seconds} seconds"
    ESTIMATED = "numbers of different values are estimated: the table has {rows} rows"

    # lists
    MORE_NAMES = "and {count} more"
    MORE_NOTES = "and {count} more note | and {count} more notes"

    # files that are refused
    OTHER = "{text}"
    """A message of DuckDB."""
    CANNOT_BE_READ = "the file cannot be read"
    EMPTY_FILE = "the file is empty"
    WITHOUT_ROWS = "the file has no rows"
    EMPTY_SHEET = "the sheet {name} is empty"
    NO_SHEETS = "the workbook has no sheets"
    NO_TABLE = "the file is no text, and no table of a kind we read"
    UNKNOWN_ENCODING = "the file is no text in an encoding we know"
    NO_SUCH_ENCODING = "there is no encoding {name}"
    OTHER_ENCODING = "the file is not in the encoding {name}; leave it out to detect it"
    PACKED = "the file is {format}; unpack it and upload the table that is in it"
    NOT_A_TABLE = "the file is {format}, not a table"
    PDF = "a PDF"
    PICTURE = "a picture"
    DATABASE = "a database"
    PROGRAM = "a program"
    PACKED_TWICE = "packed twice"
    ZSTANDARD = "packed with Zstandard"
    BZIP2 = "packed with bzip2"
    XZ = "packed with xz"
    SEVEN_ZIP = "a 7z archive"
    RAR = "a RAR archive"
    HTML = "a web page"
    XML = "an XML document"
    UNPACKED_TOO_LARGE = "unpacked, the file has more than {bytes} bytes"
    DECODED_TOO_LARGE = "decoded, the file has more than {bytes} bytes"
    WORKBOOK_TOO_LARGE = "unpacked, the workbook has more than {bytes} bytes"
    TOO_MANY_COLUMNS = (
        "the file has {count} columns; at most {max} can be read. Write one row for each value, "
        "with its name in a column"
    )
    BROKEN_GZIP = (
        "the gzip file is broken or cut off; download or pack it again, or upload it unpacked"
    )
    BROKEN_WORKBOOK = (
        "the workbook is broken, cut off or protected by a password; open it in Excel and save it "
        "again, or save the sheet as CSV"
    )
    NO_WORKBOOK = (
        "the file is a zip archive without a workbook; unpack it and upload the table in it"
    )
    BROKEN_PARQUET = "the Parquet file is broken or cut off; export or download it again"
    BROKEN_JSON = "the JSON is broken or cut off at {place}; export or download the file again"
    AT_RECORD = "record {number}"
    AT_LINE = "line {number}"
    KEY_TWICE = "record {number} has the key {key} twice; give each value a key of its own"
    ODD_LINE = "line {number} does not have the form of the other lines"
    OPEN_QUOTE = "the lines cannot be cut into columns; a quote may not be closed"
    NO_MEMORY = "the file needs more memory than one job has; split it, or leave out columns"


def quote_error(text: str) -> CodedNote:
    """The note of a message that is not ours."""
    return write_note(Sentence.OTHER, text=text)


def list_some(names: Sequence[str | CodedNote]) -> list[str | CodedNote]:
    """The first ones, and how many more there are."""
    more = len(names) - _LISTED
    return [*names[:_LISTED], *([write_note(Sentence.MORE_NAMES, count=more)] if more > 0 else [])]


def encode_notes(notes: Sequence[CodedNote]) -> JsonObject:
    """The fields `notes`, in English, and `note_details`; none of them without notes."""
    if not notes:
        return {}
    return {"notes": list_messages(notes), "note_details": [*map(encode_note, notes)]}


def decode_notes(fields: JsonMapping) -> list[CodedNote]:
    """What `encode_notes` made; older versions stored messages only."""
    if "note_details" in fields:
        return msgspec.convert(fields["note_details"], list[CodedNote])
    messages = fields.get("notes")
    return [CodedNote(str(text)) for text in messages] if isinstance(messages, list) else []
