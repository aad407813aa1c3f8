"""The form that brings a file: fields as text, the file on disk, in whichever order they come."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from fastapi import Request

from yarrow.errors import InvalidInput
from yarrow.http.body import read_body
from yarrow.http.multipart import MAX_PARTS, FormPart, read_parts
from yarrow.kit.json import JsonObject
from yarrow.sandbox.model import FileToRead
from yarrow.tables.errors import TableTooLarge
from yarrow.tables.model import Shelf
from yarrow.tables.temp_files import SpoolFile

FORM_BYTES = 64 * 1024
"""Room for the fields around a file."""
TEXT_BYTES = 4096
PLAIN_BYTES = 32 * 1024 * 1024
PLAIN_TYPE = "application/x-www-form-urlencoded"
MAX_FILENAME = 500

FILE, RAW_DATA = "file", "raw_data"
_TEXTS = ("table_name", "replace_source", "sheet_name")


@dataclass(slots=True)
class FileForm:
    """A file that lies in the spool folder, and what was said about it."""

    spool: SpoolFile
    filename: str = ""
    is_raw: bool = False
    has_file: bool = False
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def replace_source(self) -> bool:
        return self.texts.get("replace_source", "").strip().lower() in {"true", "1", "yes", "on"}

    @property
    def named(self) -> str:
        """What the file is called; rows that came as a field are called like their table."""
        if self.is_raw:
            return f"{self.texts.get('table_name', '').strip() or RAW_DATA}.json"
        return self.filename

    def as_file(self) -> FileToRead:
        return FileToRead(
            source=self.spool.path,
            filename=self.named,
            table_name=self.texts.get("table_name", "").strip(),
            sheet_name=self.texts.get("sheet_name") or None,
        )


@asynccontextmanager
async def file_form(request: Request, shelf: Shelf) -> AsyncIterator[FileForm]:
    """The form's file, which is gone after the block; there must be exactly one."""
    spool = SpoolFile(shelf.sandbox.spool_path(".upload"), max_bytes=shelf.max_bytes)
    form = FileForm(spool)
    too_large = TableTooLarge(shelf.max_bytes)
    try:
        if _is_plain(request):
            await _take_fields(request, form)
        else:
            parts = read_parts(request, limit=shelf.max_bytes + FORM_BYTES, too_large=too_large)
            async for part in parts:
                await _take(part, form)
        spool.close()
        if not form.has_file:
            raise InvalidInput("the form must have a file, or raw_data", field=FILE)
        yield form
    finally:
        spool.discard()


def _is_plain(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith(PLAIN_TYPE)


async def _take_fields(request: Request, form: FileForm) -> None:
    """A form without files, as clients send it that have rows and no file."""
    body = await read_body(request, limit=PLAIN_BYTES)
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


async def _take(part: FormPart, form: FileForm) -> None:
    if part.name in (FILE, RAW_DATA):
        if form.has_file:
            raise InvalidInput("the form must have one file", field=part.name)
        if part.name == FILE and part.filename is None:
            raise InvalidInput("file: must be sent as a file", field=FILE)
        form.has_file, form.is_raw = True, part.name == RAW_DATA
        form.filename = _last_part(part.filename or "")[:MAX_FILENAME]
        async for chunk in part.chunks:
            form.spool.write(chunk)
    elif part.name in _TEXTS:
        form.texts[part.name] = (await part.read_text(limit=TEXT_BYTES)).replace("\0", "")
    else:
        async for _chunk in part.chunks:
            pass


def _last_part(filename: str) -> str:
    """The name without the folders that some clients send along."""
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
                        "replace_source": {"type": "boolean"},
                    },
                }
            }
        },
    }
}
"""What a route that reads this form tells OpenAPI."""
