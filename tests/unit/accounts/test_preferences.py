"""Settings of a profile, and their defaults."""

from typing import Any

import pytest
from tests.loose_json import JsonValue

from yarrow.accounts.preferences import (
    DEFAULTS,
    SETTINGS_SCHEMA,
    read_preferences,
    require_settings,
)
from yarrow.errors import InvalidInput


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
    preferences = read_preferences({"script": "hans"})

    assert (preferences.script, preferences.timezone) == ("hans", DEFAULTS.timezone)
