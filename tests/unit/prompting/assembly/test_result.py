"""Digests of prompts."""

import hashlib

from yarrow.prompting.assembly.result import digest_prompt
from yarrow.prompting.model import PromptMessage, PromptRole


def test_the_digest_runs_over_role_nul_content_and_one() -> None:
    messages = [PromptMessage(PromptRole.SYSTEM, "be kind"), PromptMessage(PromptRole.USER, "你好")]
    expected = hashlib.sha256(b"system\x00be kind\x01user\x00" + "你好".encode() + b"\x01")

    assert digest_prompt(messages) == f"sha256:{expected.hexdigest()}"


def test_moving_text_from_one_message_to_the_next_changes_the_digest() -> None:
    one = [PromptMessage(PromptRole.USER, "ab"), PromptMessage(PromptRole.USER, "c")]
    other = [PromptMessage(PromptRole.USER, "a"), PromptMessage(PromptRole.USER, "bc")]

    assert digest_prompt(one) != digest_prompt(other)


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert digest_prompt([PromptMessage(PromptRole.USER, "\ud83d")]).startswith("sha256:")
