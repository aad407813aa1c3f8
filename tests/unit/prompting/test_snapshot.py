"""Digests of prompts."""

import hashlib

from yarrow.prompting.assembly.result import prompt_digest
from yarrow.prompting.model import PromptMessage, Role


def test_the_digest_runs_over_role_nul_content_and_one() -> None:
    messages = [PromptMessage(Role.SYSTEM, "be kind"), PromptMessage(Role.USER, "你好")]
    expected = hashlib.sha256(b"system\x00be kind\x01user\x00" + "你好".encode() + b"\x01")

    assert prompt_digest(messages) == f"sha256:{expected.hexdigest()}"


def test_moving_text_from_one_message_to_the_next_changes_the_digest() -> None:
    one = [PromptMessage(Role.USER, "ab"), PromptMessage(Role.USER, "c")]
    other = [PromptMessage(Role.USER, "a"), PromptMessage(Role.USER, "bc")]

    assert prompt_digest(one) != prompt_digest(other)


def test_half_a_surrogate_pair_has_a_digest() -> None:
    assert prompt_digest([PromptMessage(Role.USER, "\ud83d")]).startswith("sha256:")
