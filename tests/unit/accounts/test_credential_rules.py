"""What an e-mail address and a password must be."""

import pytest

from yarrow.accounts.credential_rules import clean_email, require_password
from yarrow.errors import InvalidInput


@pytest.mark.parametrize("email", ["a@b.cn", " a.b+c@mail.example.org ", "名@例子.中国"])
def test_email_is_kept_without_spaces_around(email: str) -> None:
    assert clean_email(email) == email.strip()


@pytest.mark.parametrize(
    "email",
    ["", "a", "a@b", "@b.cn", "a@@b.cn", "a b@c.cn", "a@b..cn", "a@b.cn\0", "a" * 65 + "@b.cn"],
)
def test_what_is_no_email_is_refused(email: str) -> None:
    with pytest.raises(InvalidInput, match="e-mail"):
        clean_email(email)


@pytest.mark.parametrize("length", [8, 128])
def test_password_of_sane_length_passes(length: int) -> None:
    require_password("x" * length)


@pytest.mark.parametrize("length", [0, 7, 129])
def test_password_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(InvalidInput, match="8 to 128"):
        require_password("x" * length)
