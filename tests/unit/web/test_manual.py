"""Pages of the docs folder, and its pictures."""

import re

from yarrow.web.manual import Manual


def test_every_picture_of_the_gallery_is_served() -> None:
    manual = Manual()

    page = str(manual.page("explanation/gallery", "en"))

    files = re.findall(r'<img src="\.\./(gallery/[^"]+)"', page)
    assert len(files) >= 2 * 40
    for file in files:
        body, media_type = manual.picture(file) or (b"", "")
        assert (body[:4], media_type) == (b"<svg", "image/svg+xml")


def test_screenshots_are_served() -> None:
    manual = Manual()

    page = str(manual.page("explanation/pages", "en"))

    files = re.findall(r'<img src="\.\./(pictures/[^"]+)"', page)
    assert len(files) == 3
    for file in files:
        body, media_type = manual.picture(file) or (b"", "")
        assert (body[:4], media_type) == (b"\x89PNG", "image/png")


def test_no_other_file_is_served_as_a_picture() -> None:
    manual = Manual()

    assert manual.picture("README.md") is None
    assert manual.picture("../pyproject.toml") is None
    assert manual.picture("gallery/none.svg") is None
