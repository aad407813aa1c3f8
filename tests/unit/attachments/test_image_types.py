"""Which image a file is, by its first bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.attachments.pictures import NO_PICTURES, PICTURES

from yarrow.attachments.errors import AttachmentNotImage
from yarrow.attachments.image_types import sniff_type
from yarrow.attachments.model import ImageType


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_known_by_its_first_bytes(name: str) -> None:
    head, kind = PICTURES[name]

    assert sniff_type(head) is kind


@pytest.mark.parametrize("name", NO_PICTURES)
def test_what_is_no_picture_is_refused(name: str) -> None:
    with pytest.raises(AttachmentNotImage):
        sniff_type(NO_PICTURES[name])


@given(st.binary(max_size=80))
def test_any_bytes_are_a_picture_or_refused(head: bytes) -> None:
    try:
        kind = sniff_type(head)
    except AttachmentNotImage:
        return
    assert kind in ImageType
