"""Paths of stored files: the account's folder, unique names, and what a path tells."""

import re
import unicodedata
from uuid import UUID

from yarrow.attachments.errors import BucketInvalid, PathOutOfScope
from yarrow.attachments.model import BUCKET, ImageType
from yarrow.ids import AccountId, AttachmentId

NAME_CHARS = 40
DEFAULT_NAME = "image"

_BY_EXTENSION = {kind.extension: kind for kind in ImageType}

_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")
_PATH = re.compile(
    rf"{BUCKET}/(?P<account>[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})"
    rf"/[A-Za-z0-9_-]+\.(?P<extension>{'|'.join(_BY_EXTENSION)})"
)


def make_file_name(filename: str, attachment: AttachmentId, kind: ImageType) -> str:
    """A unique name with the ASCII part of the uploaded one and the detected extension.

    ASCII, so that its URL needs no escapes: those could be written in two ways.
    """
    stem = re.split(r"[/\\]", filename)[-1].rpartition(".")
    plain = unicodedata.normalize("NFKD", stem[0] or stem[2]).encode("ascii", "ignore").decode()
    words = _UNSAFE.sub("-", plain)[:NAME_CHARS].strip("-")
    return f"{attachment.hex}-{words or DEFAULT_NAME}.{kind.extension}"


def build_path(account_id: AccountId, name: str) -> str:
    return f"{BUCKET}/{account_id}/{name}"


def require_bucket(bucket: str) -> None:
    """Refuse any other bucket."""
    if bucket != BUCKET:
        raise BucketInvalid(BUCKET)


def require_scope(path: str, account_id: AccountId) -> None:
    """Refuse paths outside the account's folder."""
    if not is_path(path) or parse_owner(path) != account_id:
        raise PathOutOfScope(build_path(account_id, ""))


def is_path(path: str) -> bool:
    """Whether the path has our form, which has neither dots nor characters to escape."""
    return _PATH.fullmatch(path) is not None


def parse_owner(path: str) -> AccountId:
    """The account in a path of ours."""
    return AccountId(UUID(path.split("/")[1]))


def parse_type(path: str) -> ImageType:
    """The type in a path of ours; its extension was detected from the bytes."""
    return _BY_EXTENSION[path.rpartition(".")[2]]
