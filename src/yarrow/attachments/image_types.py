"""Which image a file is, by its first bytes."""

from yarrow.attachments.errors import AttachmentNotImage
from yarrow.attachments.model import ImageType

HEAD_BYTES = 64
"""How much of a file is needed to detect its type."""

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


def sniff_type(head: bytes) -> ImageType:
    """Detect the type by the first bytes, whatever the name and the declared type are."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return ImageType.WEBP
    if _is_bitmap(head):
        return ImageType.BMP
    if head[4:8] == b"ftyp" and (brand := _sniff_container(head)) is not None:
        return brand
    raise AttachmentNotImage(", ".join(kind.extension for kind in ImageType))


def _is_bitmap(head: bytes) -> bool:
    """Two letters prove little, so the header size behind them is checked too."""
    return head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS


def _sniff_container(head: bytes) -> ImageType | None:
    """The format of an ISO container; generic brands list the actual one as compatible."""
    major, size = head[8:12], int.from_bytes(head[:4], "big")
    if major in _BRANDS:
        return _BRANDS[major]
    if major not in _GENERIC_BRANDS:
        return None
    compatible = (head[at : at + 4] for at in range(16, min(size, len(head)), 4))
    return next((_BRANDS[brand] for brand in compatible if brand in _BRANDS), ImageType.HEIC)
