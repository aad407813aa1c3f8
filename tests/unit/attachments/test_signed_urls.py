"""A signed address opens one thing, for a while, and only as it was written."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.attachments.errors import SignedUrlInvalid
from yarrow.attachments.signed_urls import UrlSigner
from yarrow.clock import FixedClock
from yarrow.kit.signing import CHANGED, EXPIRED
from yarrow.protocols.agui.attachments.urls import AttachmentUrls

NOW = datetime(2026, 4, 3, 12, 30, tzinfo=UTC)
PATH = "agent-inputs/00000000-0000-0000-0000-000000000001/07-cat.png"
SECRET = b"s" * 32


def signer_at(clock: FixedClock, *, secret: bytes = SECRET) -> UrlSigner:
    return UrlSigner(secret, ttl=timedelta(seconds=60), clock=clock)


SIGNER = signer_at(FixedClock(NOW))
TARGET = SIGNER.sign_path(PATH)
LINKS = AttachmentUrls(SIGNER, "https://api.example.com")


def test_own_address_verifies() -> None:
    assert SIGNER.verify(TARGET) == PATH
    assert SIGNER.seconds_left(TARGET) == 60


def test_address_expires_to_the_second() -> None:
    clock = FixedClock(NOW)
    signer = signer_at(clock)

    clock.advance(timedelta(seconds=59))
    assert signer.verify(TARGET) == PATH
    clock.advance(timedelta(seconds=1))
    with pytest.raises(SignedUrlInvalid, match=EXPIRED):
        signer.verify(TARGET)


@given(st.integers(0, len(TARGET) - 1), st.characters(codec="utf-8"))
def test_any_changed_letter_fails(at: int, letter: str) -> None:
    changed = TARGET[:at] + letter + TARGET[at + 1 :]
    if changed == TARGET:
        return

    with pytest.raises(SignedUrlInvalid, match=CHANGED):
        SIGNER.verify(changed)


@given(st.integers(0, len(TARGET)), st.characters(codec="utf-8"))
def test_any_added_letter_fails(at: int, letter: str) -> None:
    with pytest.raises(SignedUrlInvalid, match=CHANGED):
        SIGNER.verify(TARGET[:at] + letter + TARGET[at:])


@given(st.integers(0, len(TARGET) - 1))
def test_any_missing_letter_fails(at: int) -> None:
    with pytest.raises(SignedUrlInvalid, match=CHANGED):
        SIGNER.verify(TARGET[:at] + TARGET[at + 1 :])


@given(st.text(max_size=200))
def test_any_other_text_fails(text: str) -> None:
    with pytest.raises(SignedUrlInvalid):
        SIGNER.verify(text)


def test_another_secret_signs_otherwise() -> None:
    with pytest.raises(SignedUrlInvalid):
        signer_at(FixedClock(NOW), secret=b"t" * 32).verify(TARGET)


@pytest.mark.parametrize(
    "url",
    [
        "https://storage.example.com/agent-inputs/user-123/image.png?signature=xxx",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "data:image/png;base64,AAAA",
        "https://",
        "not an address",
        "",
        "https://api.example.com.evil.org/x.png",
        "https://[::1",
    ],
)
def test_other_servers_addresses_are_nobodys(url: str) -> None:
    assert LINKS.find_path(url) is None


def test_own_address_leads_to_its_path_under_any_of_our_names() -> None:
    assert LINKS.find_path(LINKS.sign(PATH)) == PATH
    assert LINKS.find_path(f"http://10.0.0.7:3000{TARGET}") == PATH


def test_base_address_may_have_a_path() -> None:
    links = AttachmentUrls(SIGNER, "https://example.com/yarrow")

    assert links.find_path(links.sign(PATH)) == PATH


@given(st.integers(len(LINKS.origin) + 1, len(LINKS.sign(PATH)) - 1), st.characters(codec="utf-8"))
def test_changed_address_of_ours_is_refused_not_foreign(at: int, letter: str) -> None:
    url = LINKS.sign(PATH)
    changed = url[:at] + letter + url[at + 1 :]
    if changed == url:
        return

    with pytest.raises(SignedUrlInvalid):
        LINKS.find_path(changed)
