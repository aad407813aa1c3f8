"""What an account and its profile may hold, and where a server without accounts may listen."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.loose_json import JsonValue

from yarrow.accounts import rules
from yarrow.accounts.model import Account, AccountProfile, Identity, ProfilePatch
from yarrow.accounts.preferences import (
    DEFAULTS,
    SETTINGS_SCHEMA,
    read_preferences,
    require_settings,
)
from yarrow.errors import InvalidInput, Misconfigured, Unauthenticated
from yarrow.ids import AccountId
from yarrow.settings import AuthMode

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PROFILE = AccountProfile(
    AccountId(UUID(int=5)), "user_abc123", None, None, {"script": "hans"}, NOW, NOW
)


@pytest.mark.parametrize("email", ["a@b.cn", " a.b+c@mail.example.org ", "名@例子.中国"])
def test_email_is_kept_without_spaces_around(email: str) -> None:
    assert rules.clean_email(email) == email.strip()


@pytest.mark.parametrize(
    "email",
    ["", "a", "a@b", "@b.cn", "a@@b.cn", "a b@c.cn", "a@b..cn", "a@b.cn\0", "a" * 65 + "@b.cn"],
)
def test_what_is_no_email_is_refused(email: str) -> None:
    with pytest.raises(InvalidInput, match="e-mail"):
        rules.clean_email(email)


@pytest.mark.parametrize("length", [8, 128])
def test_password_of_sane_length_passes(length: int) -> None:
    rules.require_password("x" * length)


@pytest.mark.parametrize("length", [0, 7, 129])
def test_password_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(InvalidInput, match="8 to 128"):
        rules.require_password("x" * length)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_server_without_accounts_may_listen_on_loopback(host: str) -> None:
    rules.require_safe_binding(AuthMode.OFF, host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.0.0.1", "example.org"])
def test_server_without_accounts_must_not_listen_elsewhere(host: str) -> None:
    with pytest.raises(Misconfigured, match="YARROW_AUTH"):
        rules.require_safe_binding(AuthMode.OFF, host)


def test_server_with_accounts_may_listen_anywhere() -> None:
    rules.require_safe_binding(AuthMode.JWT, "0.0.0.0")


def identity(subject: str, issuer: str | None) -> Identity:
    return Identity(subject, issuer, None, NOW + timedelta(hours=1))


def test_subject_that_is_a_uuid_is_the_account() -> None:
    assert rules.derive_account_id(identity(str(UUID(int=3)), "https://i")) == UUID(int=3)


def test_other_subjects_differ_by_issuer() -> None:
    ours = rules.derive_account_id(identity("u1", "https://a"))

    assert ours == rules.derive_account_id(identity("u1", "https://a"))
    assert ours != rules.derive_account_id(identity("u1", "https://b"))


@pytest.mark.parametrize("owner", [None, "https://b"])
def test_subject_of_one_issuer_never_opens_an_account_of_another(owner: str | None) -> None:
    account = Account(AccountId(UUID(int=3)), None, owner)

    with pytest.raises(Unauthenticated):
        rules.require_same_issuer(identity(str(UUID(int=3)), "https://a"), account)


def test_patch_changes_only_what_it_names() -> None:
    after = rules.apply_patch(PROFILE, ProfilePatch(bio="hi", settings={"timezone": "UTC"}))

    assert (after.username, after.bio) == ("user_abc123", "hi")
    assert after.settings == {"script": "hans", "timezone": "UTC"}


def test_patch_can_clear() -> None:
    filled = rules.apply_patch(PROFILE, ProfilePatch(bio="hi", avatar_url="https://a.cn/x.png"))

    after = rules.apply_patch(filled, ProfilePatch(bio=None, avatar_url=None))

    assert (after.bio, after.avatar_url) == (None, None)


@pytest.mark.parametrize(
    "patch",
    [
        ProfilePatch(username=" "),
        ProfilePatch(username="x" * 65),
        ProfilePatch(username="a\nb"),
        ProfilePatch(avatar_url="javascript:alert(1)"),
        ProfilePatch(avatar_url="ftp://a.cn/x"),
        ProfilePatch(avatar_url="https://user:pw@a.cn/x"),
        ProfilePatch(avatar_url="https://a.cn/" + "x" * 2048),
        ProfilePatch(bio="x" * 501),
    ],
)
def test_patch_that_breaks_a_rule_is_refused(patch: ProfilePatch) -> None:
    with pytest.raises(InvalidInput):
        rules.apply_patch(PROFILE, patch)


@pytest.mark.parametrize(
    "settings",
    [
        {"ai_language": "zh-Hant-TW"},
        {"ai_language": "en"},
        {"timezone": "America/New_York"},
        {"day_boundary": "00:00"},
        {"script": "hant"},
        {"gender": "female"},
        {"gender": "男"},
        {"gender": ""},
    ],
)
def test_known_settings_pass(settings: dict[str, Any]) -> None:
    require_settings(settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"ai_language": "chinese!"},
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc/passwd"},
        {"timezone": "localtime"},
        {"timezone": ""},
        {"day_boundary": "22:00"},
        {"script": "latin"},
        {"script": None},
        {"gender": "other"},
        {"colour": "red"},
    ],
)
def test_other_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        require_settings(settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"api_key": "x"},
        {"password": "x"},
        {"Access-Token": "x"},
        {"ai_language": "sk-abcdefgh1234"},
        {"timezone": "ghp_abcdefgh"},
        {"colour": "AKIA0123456789"},
    ],
)
def test_secrets_are_refused_as_such(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="secrets"):  # seed 3, security and ownership
        require_settings(settings)


def test_schema_and_rules_know_the_same_settings() -> None:
    names: JsonValue = SETTINGS_SCHEMA["properties"]
    for name in names:
        with pytest.raises(InvalidInput, match=f"settings.{name} must be"):
            require_settings({name: None})
    with pytest.raises(InvalidInput, match="known are " + ", ".join(names)):
        require_settings({"colour": "red"})


def test_missing_preference_has_its_default() -> None:
    preferences = read_preferences(PROFILE.settings)

    assert (preferences.script, preferences.timezone) == ("hans", DEFAULTS.timezone)
