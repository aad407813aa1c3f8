"""Read-only macros, stored variables, and which of them wins."""

from typing import Any

import pytest
from tests.loose_json import JsonValue
from tests.unit.prompting.macros.example import expand

from yarrow.prompting.macros import format_value


def test_a_missing_value_is_empty_and_reported_when_used():
    values = {"user": "Player", "scenario": None}

    assert expand("[{{scenario}}]", values=values).text == "[]"
    assert expand("[{{scenario}}]", values=values).warnings == ["macro_value_missing"]
    assert expand("[{{personality}}]", values=values).warnings == ["macro_value_missing"]
    assert expand("{{user}}", values=values).warnings == []


def test_an_empty_value_is_not_missing():
    assert expand("[{{scenario}}]", values={"scenario": ""}).warnings == []


def test_an_optional_value_of_another_name_can_be_missing_too():
    expanded = expand("[{{custom}}]", values={"custom": None})

    assert (expanded.text, expanded.warnings) == ("[]", ["macro_value_missing"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{{charDescription}}", "description"),
        ("{{maxContextTokens}}", "maxcontext"),
        ("{{maxResponseTokens}}", "maxresponse"),
        ("{{greeting}}", "charfirstmessage"),
        ("{{char_version}}", "charversion"),
        ("{{instructInput}}", "instructuserprefix"),
        ("{{charFirstMessage}}", "greeting"),
        ("{{charJailbreak}}", "charinstruction"),
        ("{{lastMessage}}", "lastmessage"),
        ("{{lastMessageId}}", "lastmessageid"),
        ("{{promptMode}}", "promptmode"),
        ("{{input}}", "input"),
    ],
)
def test_a_value_is_found_under_each_of_its_names(text, name):
    assert expand(text, values={name: "v"}).text == "v"


def test_names_of_the_others_are_derived_in_a_chat_of_two():
    text = "{{group}}/{{groupNotMuted}}/{{charIfNotGroup}}/{{notChar}}"

    assert expand(text).text == "Luna/Luna/Luna/Player"
    assert expand(text, values={"char": "Luna", "group": "A, B", "notchar": "B"}).text == (
        "A, B/A, B/A, B/B"
    )


def test_used_names_are_canonical_and_in_order_of_first_use():
    text = "{{CHAR}}{{userName}}{{varexists::a}}{{flushvar::a}}{{globalvarexists::a}}"
    expanded = expand(text + "{{flushglobalvar::a}}{{char}}{{lastmessage}}{{.a}}{{nosuch}}")

    assert expanded.report.used_names == (
        "char", "user", "hasvar", "deletevar", "hasglobalvar", "deleteglobalvar", "lastMessage",
        "getvar",
    )  # fmt: skip


def test_stored_variables_are_read_by_their_name():
    stored = {"mood": "calm", "资产": {"金币": 3}, "my key": 1, "a:b": True}

    expanded = expand("{{mood}} {{资产}} {{my key}} {{a:b}}", stored=stored)

    assert expanded.text == 'calm {"金币":3} 1 true'
    assert expanded.report.used_names == ("mood", "资产", "my key", "a:b")


def test_a_stored_variable_loses_against_a_macro_of_its_name():
    expanded = expand("{{user}} {{isodate}}", stored={"user": "X", "isodate": "Y"})

    assert expanded.text == "Player 2026-04-03"
    assert expanded.warnings == ["macro_readonly_name_conflict"] * 2


def test_a_hidden_variable_is_not_reported_unless_the_name_is_used():
    assert expand("{{user}}", stored={"char": "X"}).warnings == []


def test_names_fall_back_to_a_variable():
    expanded = expand("{{user}}", values={}, stored={"user": "Stored"})

    assert (expanded.text, expanded.warnings) == ("Stored", [])


def test_a_write_shows_in_the_merged_view():
    stored = {"a": 1, "b": 2, "c": 3}
    text = "{{.a=x}}{{$b=y}}{{.c=z}}{{.d=w}}{{a}}{{b}}{{c}}{{d}}"

    expanded = expand(text, stored=stored, local={"a": 1}, shared={"b": 2})

    assert expanded.text == "xy3w"  # c comes from a scope above the branch


def test_a_deleted_variable_uncovers_the_global_one():
    given: dict[str, Any] = {"stored": {"a": "b"}, "local": {"a": "b"}, "shared": {"a": "g"}}

    assert expand("{{deletevar::a}}{{a}}{{$a=new}}{{a}}", **given).text == "gnew"
    assert expand("{{deletevar::a}}{{deleteglobalvar::a}}{{a}}", **given).text == "{{a}}"


def test_original_goes_in_once():
    assert expand("{{original}}|{{original}}", values={"original": "o"}).text == "o|"
    condition = "{{if original}}{{original}}{{/if}}"
    assert expand(condition, values={"original": "o"}).text == "o"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), (True, "true"), (False, "false"), ("x", "x"), (1, "1"), (1.0, "1"),
        (-0.0, "0"), (0.5, "0.5"), (0.1 + 0.2, "0.30000000000000004"), (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"), (1e-6, "0.000001"), (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"), (2**53, "9007199254740992"), (10**400, "Infinity"),
        ([], "[]"), ({"b": 1, "a": [None, "é\n", 2.0]}, '{"b":1,"a":[null,"é\\n",2]}'),
    ],
)  # fmt: skip
def test_values_are_written_as_javascript_writes_them(value, text):
    assert format_value(value) == text


def test_a_value_nested_without_end_is_shown_up_to_a_depth():
    value: list[JsonValue] = []
    for _ in range(5_000):
        value = [value]

    assert "null" in format_value(value)
