"""The oracle's cases for regex scripts, summaries, history and structure."""

import json
from pathlib import Path

import pytest

from yarrow.prompting.assembly import HistoryEntry
from yarrow.prompting.assembly.history import fold_history
from yarrow.prompting.assembly.structure import shape_messages
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.policy import AssistantRewrite, DeliveryPolicy, StructureMode, StructurePolicy
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_rules import (
    RuleChannel,
    RuleContext,
    RulePlacement,
    apply_rules,
    parse_rules,
)
from yarrow.prompting.summaries import extract_summaries

CASES = json.loads(Path("tests/data/tavern/cases.json").read_text())["cases"]


def cases(kind: str):
    found = [case for case in CASES if case["kind"] == kind]
    return [pytest.param(case["given"], case["expect"], id=case["id"]) for case in found]


@pytest.mark.parametrize("given, expect", cases("regex"))
def test_regex_case(given, expect):
    context = RuleContext(
        placement=RulePlacement(given["placement"]),
        channel=RuleChannel(given.get("channel", "persist")),
        depth=given.get("depth"),
    )

    outcome = apply_rules(parse_rules(given["scripts"]), given["text"], context, QuickJsEngine())

    assert outcome.text == expect["text"]


@pytest.mark.parametrize("given, expect", cases("summary"))
def test_summary_case(given, expect):
    extracted = extract_summaries(given["text"])

    assert list(extracted.summaries) == expect["summaries"]
    assert extracted.text == expect["text"]


@pytest.mark.parametrize("given, expect", cases("history"))
def test_history_case(given, expect):
    entries = [
        HistoryEntry(
            PromptRole(entry["role"]),
            entry["content"],
            (entry["floor"],) if entry["floor"] else (),
        )
        for entry in given["entries"]
    ]

    folded = fold_history(entries, max_turns=given.get("max_turns"))

    trace = folded.trace
    assert [[turn.role, turn.content] for turn in folded.turns] == expect["history"]
    assert folded.effective_user_message == expect["effective_user_message"]
    assert trace.raw_entry_count == expect["raw_entry_count"]
    assert trace.effective_turn_count == expect["effective_turn_count"]
    assert trace.selected_turn_count == expect["selected_turn_count"]
    assert len(trace.merged_user_groups) == expect["merged_user_groups"]
    codes = [violation.code.replace("turns", "floors") for violation in trace.violations]
    assert codes == expect["violations"]


@pytest.mark.parametrize("given, expect", cases("structure"))
def test_structure_case(given, expect):
    policy = given["policy"]
    structure = StructurePolicy(
        mode=StructureMode(policy["mode"]),
        assistant_rewrite=AssistantRewrite(policy.get("assistantRewriteStrategy", "to_system")),
    )
    messages = [PromptMessage(PromptRole(role), content) for role, content in given["messages"]]

    shaped = shape_messages(messages, structure, DeliveryPolicy())

    sent = [[message.role, message.content] for message in shaped.messages]
    assert sent == expect["messages"]
    assert _facts(shaped.structure, expect["structure"]) == expect["structure"]
    assert _facts(shaped.delivery, expect["delivery"]) == expect["delivery"]


def _facts(trace, expected):
    """The trace's facts under the names of the oracle, for those it speaks about."""
    facts = {name: getattr(trace, _snake(name)) for name in expected}
    return {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()}


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
