"""Rules for attachments: size, type detection, file names, ownership of paths."""

import re
import unicodedata
from uuid import UUID

from yarrow.attachments.errors import AttachmentNotImage, BucketInvalid, PathOutOfScope
from yarrow.attachments.model import BUCKET, ImageType
from yarrow.ids import AccountId, AttachmentId

MAX_BYTES = 5 * 1024 * 1024
HEAD_BYTES = 64
"""How much of a file is needed to detect its type."""
NAME_CHARS = 40
DEFAULT_NAME = "image"

_MAGIC = {
    b"\x89PNG\r\n\x1a\n": ImageType.PNG,
    b"\xff\xd8\xff": ImageType.JPEG,
    b"GIF87a": ImageType.GIF,
    b"GIF89a": ImageType.GIF,
}
_BRANDS = {
    **dict.fromkeys((b"avif", b"avis"), ImageType.AVIF),
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"), ImageType.HEIC),
}
_GENERIC_BRANDS = (b"mif1", b"msf1")
_BMP_HEADERS = (12, 16, 40, 52, 56, 64, 108, 124)
_BY_EXTENSION = {kind.extension: kind for kind in ImageType}

_UNSAFE = re.compile(r"[^A-Za-z0-9_]+")
_PATH = re.compile(
    rf"{BUCKET}/(?P<account>[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})"
    rf"/[A-Za-z0-9_-]+\.(?P<extension>{'|'.join(_BY_EXTENSION)})"
)


def sniff_type(head: bytes) -> ImageType:
    """Detect the type by the first bytes, whatever the name and the declared type are."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return ImageType.WEBP
    if _is_bitmap(head):
        return ImageType.BMP
    if head[4:8] == b"ftyp" and (brand := _brand(head)) is not None:
        return brand
    raise AttachmentNotImage(", ".join(kind.extension for kind in ImageType))


def _is_bitmap(head: bytes) -> bool:
    """Two letters prove little, so the header size behind them is checked too."""
    return head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS


def _brand(head: bytes) -> ImageType | None:
    """The format of an ISO container; generic brands list the actual one as compatible."""
    major, size = head[8:12], int.from_bytes(head[:4], "big")
    if major in _BRANDS:
        return _BRANDS[major]
    if major not in _GENERIC_BRANDS:
        return None
    compatible = (head[at : at + 4] for at in range(16, min(size, len(head)), 4))
    return next((_BRANDS[brand] for brand in compatible if brand in _BRANDS), ImageType.HEIC)


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
