"""The smallest beginnings of files, by what they are."""

from yarrow.attachments.model import ImageType


def ftyp(major: bytes, *compatible: bytes) -> bytes:
    brands = major + bytes(4) + b"".join(compatible)
    return (8 + len(brands)).to_bytes(4, "big") + b"ftyp" + brands


PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
BMP = b"BM" + bytes(12) + (40).to_bytes(4, "little") + bytes(16)

PICTURES: dict[str, tuple[bytes, ImageType]] = {
    "png": (PNG, ImageType.PNG),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", ImageType.JPEG),
    "gif 87": (b"GIF87a" + bytes(8), ImageType.GIF),
    "gif 89": (b"GIF89a" + bytes(8), ImageType.GIF),
    "webp": (b"RIFF\x10\x00\x00\x00WEBPVP8 ", ImageType.WEBP),
    "bmp": (BMP, ImageType.BMP),
    "avif": (ftyp(b"avif", b"mif1"), ImageType.AVIF),
    "avif in a generic container": (ftyp(b"mif1", b"mif1", b"avif"), ImageType.AVIF),
    "heic": (ftyp(b"heic", b"mif1"), ImageType.HEIC),
    "heic in a generic container": (ftyp(b"mif1", b"heic"), ImageType.HEIC),
}

NO_PICTURES: dict[str, bytes] = {
    "text": b"hello, world" * 8,
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>',
    "html": b"<!doctype html><script>alert(1)</script>",
    "pdf": b"%PDF-1.7\n",
    "mp4": ftyp(b"isom", b"mp41"),
    "two letters of a bitmap": b"BM and more words that are no header at all",
    "wav": b"RIFF\x10\x00\x00\x00WAVEfmt ",
    "half a png mark": b"\x89PN",
}
