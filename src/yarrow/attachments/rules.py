"""Decisions about attachments: what a file is, what it is called, whose it is."""

import re
import unicodedata
from uuid import UUID

from yarrow.attachments.errors import AttachmentNotImage, BucketInvalid, PathOutOfScope
from yarrow.attachments.model import BUCKET, ImageType
from yarrow.ids import AccountId, AttachmentId

HEAD_BYTES = 64
"""How much of a file is enough to tell what it is."""
NAME_CHARS = 40
NAMELESS = "image"

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


def sniff(head: bytes) -> ImageType:
    """What the first bytes of a file say it is; names and declared types are not asked."""
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
    """Two letters prove little, so the size of the header behind them is looked at too."""
    return head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS


def _brand(head: bytes) -> ImageType | None:
    """Which of the formats in an ISO container this is; generic ones name another beside."""
    major, size = head[8:12], int.from_bytes(head[:4], "big")
    if major in _BRANDS:
        return _BRANDS[major]
    if major not in _GENERIC_BRANDS:
        return None
    named = (head[at : at + 4] for at in range(16, min(size, len(head)), 4))
    return next((_BRANDS[brand] for brand in named if brand in _BRANDS), ImageType.HEIC)


def stored_name(given: str, attachment: AttachmentId, kind: ImageType) -> str:
    """A name of our own: unique, what is plain ASCII of the given one, the true extension.

    Plain, so that an address with it needs no escapes: those could be written in two ways.
    """
    stem = re.split(r"[/\\]", given)[-1].rpartition(".")
    plain = unicodedata.normalize("NFKD", stem[0] or stem[2]).encode("ascii", "ignore").decode()
    words = _UNSAFE.sub("-", plain)[:NAME_CHARS].strip("-")
    return f"{attachment.hex}-{words or NAMELESS}.{kind.extension}"


def path_of(account_id: AccountId, name: str) -> str:
    return f"{BUCKET}/{account_id}/{name}"


def require_bucket(bucket: str) -> None:
    """The bucket is the one there is."""
    if bucket != BUCKET:
        raise BucketInvalid(BUCKET)


def require_scope(path: str, account_id: AccountId) -> None:
    """The path is one of ours, in the caller's folder."""
    if not is_path(path) or owner_of(path) != account_id:
        raise PathOutOfScope(path_of(account_id, ""))


def is_path(path: str) -> bool:
    """The path has the form of ours: no dots to climb with, nothing to escape."""
    return _PATH.fullmatch(path) is not None


def owner_of(path: str) -> AccountId:
    """Whose the attachment at a path of ours is."""
    return AccountId(UUID(path.split("/")[1]))


def type_of(path: str) -> ImageType:
    """What the attachment at a path of ours is: its extension was made from its bytes."""
    return _BY_EXTENSION[path.rpartition(".")[2]]
