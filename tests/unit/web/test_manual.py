"""Pages of the docs folder, and its pictures."""

import re

from yarrow.web.manual import Manual


def test_every_picture_of_the_gallery_is_served() -> None:
    manual = Manual()

    page = str(manual.page("explanation/gallery", "en"))

    files = re.findall(r'<img src="\.\./(gallery/[^"]+)"', page)
    assert len(files) >= 2 * 40
    assert all((manual.picture(file) or b"").startswith(b"<svg") for file in files)


def test_no_other_file_is_served_as_a_picture() -> None:
    manual = Manual()

    assert manual.picture("README.md") is None
    assert manual.picture("../pyproject.toml") is None
    assert manual.picture("gallery/none.svg") is None
