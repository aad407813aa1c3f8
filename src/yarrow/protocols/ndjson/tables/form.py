"""The upload form: text fields in memory, the file spooled to disk, in any order."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl

from fastapi import Request
from msgspec import Struct, field

from yarrow.errors import InvalidInput
from yarrow.http.body import read_body
from yarrow.http.multipart import MAX_PARTS, FormPart, read_parts
from yarrow.kit.json import JsonObject
from yarrow.sandbox.model import FileToRead
from yarrow.tables.errors import TableTooLarge
from yarrow.tables.model import Tables
from yarrow.tables.temp_files import SpoolFile

FORM_BYTES = 64 * 1024
"""For the fields around a file."""
TEXT_BYTES = 4096
URLENCODED_BYTES = 32 * 1024 * 1024
URLENCODED_TYPE = "application/x-www-form-urlencoded"
MAX_FILENAME = 500

FILE, RAW_DATA = "file", "raw_data"
_TEXTS = ("table_name", "replace_source", "sheet_name", "encoding")


class UploadForm(Struct):
    """A spooled file and the fields beside it."""

    spool: SpoolFile
    filename: str = ""
    is_raw: bool = False
    has_file: bool = False
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def replace_source(self) -> bool:
        return self.texts.get("replace_source", "").strip().lower() in {"true", "1", "yes", "on"}

    @property
    def file_name(self) -> str:
        """The file's name; rows sent as a field are named after their table."""
        if self.is_raw:
            return f"{self.texts.get('table_name', '').strip() or RAW_DATA}.json"
        return self.filename

    def to_file(self) -> FileToRead:
        return FileToRead(
            source=self.spool.path,
            filename=self.file_name,
            table_name=self.texts.get("table_name", "").strip(),
            sheet_name=self.texts.get("sheet_name") or None,
            encoding=self.texts.get("encoding", "").strip() or None,
        )


@asynccontextmanager
async def read_file_form(request: Request, tables: Tables) -> AsyncIterator[UploadForm]:
    """Read the form; exactly one file is required, and it is deleted after the block."""
    spool = SpoolFile(tables.sandbox.spool_path(".upload"), max_bytes=tables.max_bytes)
    form = UploadForm(spool)
    too_large = TableTooLarge(tables.max_bytes)
    try:
        if _is_urlencoded(request):
            await _read_urlencoded(request, form)
        else:
            parts = read_parts(request, limit=tables.max_bytes + FORM_BYTES, too_large=too_large)
            async for part in parts:
                await _read_part(part, form)
        spool.close()
        if not form.has_file:
            raise InvalidInput("the form must have a file, or raw_data", field=FILE)
        yield form
    finally:
        spool.discard()


def _is_urlencoded(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith(URLENCODED_TYPE)


async def _read_urlencoded(request: Request, form: UploadForm) -> None:
    """A form without files: some clients send rows as a field."""
    body = await read_body(request, limit=URLENCODED_BYTES)
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_PARTS)
    except ValueError:
        raise InvalidInput("body is not a valid form") from None
    for name, text in fields:
        if name == RAW_DATA and not form.has_file:
            form.has_file = form.is_raw = True
            form.spool.write(text.encode("utf-8", "replace"))
        elif name in _TEXTS:
            form.texts[name] = text[:TEXT_BYTES].replace("\0", "")


async def _read_part(part: FormPart, form: UploadForm) -> None:
    if part.name in (FILE, RAW_DATA):
        if form.has_file:
            raise InvalidInput("the form must have one file", field=part.name)
        if part.name == FILE and part.filename is None:
            raise InvalidInput("file: must be sent as a file", field=FILE)
        form.has_file, form.is_raw = True, part.name == RAW_DATA
        form.filename = _cut_folders(part.filename or "")[:MAX_FILENAME]
        async for chunk in part.chunks:
            form.spool.write(chunk)
    elif part.name in _TEXTS:
        form.texts[part.name] = (await part.read_text(limit=TEXT_BYTES)).replace("\0", "")
    else:
        async for _chunk in part.chunks:
            pass


def _cut_folders(filename: str) -> str:
    """The file name without folders, which some clients send."""
    return filename.replace("\\", "/").rsplit("/", 1)[-1].replace("\0", "").strip()


FORM: JsonObject = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "raw_data": {"type": "string", "description": "A JSON array of rows"},
                        "table_name": {"type": "string"},
                        "sheet_name": {"type": "string"},
                        "encoding": {
                            "type": "string",
                            "description": "The encoding of a text; detected if it is left out",
                        },
                        "replace_source": {"type": "boolean"},
                    },
                }
            }
        },
    }
}
"""`openapi_extra` of a route that reads this form."""
