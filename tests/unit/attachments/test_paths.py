"""What a stored file is called and whose it is."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.attachments.errors import BucketInvalid, PathOutOfScope
from yarrow.attachments.model import ImageType
from yarrow.attachments.paths import (
    build_path,
    is_path,
    make_file_name,
    parse_owner,
    parse_type,
    require_bucket,
    require_scope,
)
from yarrow.ids import AccountId, AttachmentId

ME = AccountId(UUID(int=1))
OTHER = AccountId(UUID(int=2))
ID = AttachmentId(UUID(int=7))


NAMES = {
    "holiday.png": "holiday",
    "../../etc/passwd": "passwd",
    "..\\..\\boot.ini": "boot",
    "C:\\pictures\\cat.jpeg": "cat",
    "a b;c&d?.png": "a-b-c-d",
    "été.jpg": "ete",
    "图片.png": "image",
    ".htaccess": "htaccess",
    "": "image",
    "....": "image",
    "x\0y\r\nSet-Cookie: a.png": "x-y-Set-Cookie-a",
    "a.php.png": "a-php",
}


@pytest.mark.parametrize("given_name", NAMES)
def test_name_keeps_what_is_plain(given_name: str) -> None:
    stored = make_file_name(given_name, ID, ImageType.PNG)

    assert stored == f"{ID.hex}-{NAMES[given_name]}.png"


@given(st.text(max_size=300))
def test_every_name_makes_a_path_of_ours(given_name: str) -> None:
    stored = make_file_name(given_name, ID, ImageType.JPEG)
    path = build_path(ME, stored)

    assert len(stored) <= 100
    assert re.fullmatch(r"[A-Za-z0-9_-]+\.jpg", stored)
    assert is_path(path)
    assert parse_owner(path) == ME
    assert parse_type(path) is ImageType.JPEG


def test_extension_is_what_the_bytes_say() -> None:
    assert make_file_name("cat.png", ID, ImageType.WEBP).endswith("-cat.webp")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "agent-inputs",
        f"agent-inputs/{ME}",
        f"agent-inputs/{ME}/",
        f"agent-inputs/{ME}/../{OTHER}/a.png",
        f"agent-inputs/{ME}/..",
        f"agent-inputs/{ME}/a/b.png",
        f"agent-inputs/{ME}//a.png",
        f"/agent-inputs/{ME}/a.png",
        f"agent-inputs/{ME}/a.png\n",
        f"agent-inputs/{ME}/a\0.png",
        f"agent-inputs/{ME}/%2e%2e.png",
        f"agent-inputs/{ME}/a.svg",
        f"agent-inputs/{OTHER}/a.png",
        f"other/{ME}/a.png",
    ],
)
def test_path_outside_the_own_folder_is_out_of_scope(path: str) -> None:
    with pytest.raises(PathOutOfScope):
        require_scope(path, ME)


def test_path_in_the_own_folder_is_in_scope() -> None:
    require_scope(f"agent-inputs/{ME}/a-1_b.png", ME)


def test_there_is_one_bucket() -> None:
    require_bucket("agent-inputs")
    for other in ("", "Agent-Inputs", "avatars"):
        with pytest.raises(BucketInvalid):
            require_bucket(other)
