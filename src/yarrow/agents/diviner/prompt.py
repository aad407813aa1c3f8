"""Prompts of the diviner: write a reading, repair one, answer a follow-up."""

from collections.abc import Sequence

from yarrow.agents.conversation.history import recall_messages
from yarrow.kit.json import JsonObject, encode_json
from yarrow.language.languages import Language
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.sessions.model import Message

_LANGUAGES = {
    Language.HANS: "简体中文",
    Language.HANT: "繁體中文",
    Language.ENGLISH: "English (keep the terms of the art in Chinese: 世爻, 用神, 月建 …)",
}

WRITE = """\
You are a careful practitioner of 六爻. You are given a derivation (the board, computed exactly) \
and a reading by fixed rules. Write the reading for the person who asks.

- Rest every statement on the derivation. Never change, add or contradict a fact of the board.
- Keep the given sign_level. Only if the board clearly speaks for another one, give that one and \
say in sign_level_reason which lines and rules make you do so.
- Be plain and kind. No fatalism. No medical, legal or financial instructions; where the given \
reading is careful, be as careful.
- Language: {language}.
- Answer with one JSON object that follows the schema, and nothing else."""

REPAIR = (
    "That was not a JSON object that follows the schema: {complaint}. Send it again, corrected."
)

FOLLOW_UP = """\
You are a careful practitioner of 六爻. A reading was given before; answer the follow-up question \
in a few sentences, resting on the same board. Never change a fact of the board. Be plain and \
kind; no medical, legal or financial instructions. Language: {language}.

The board:
{board}

What the rules of the art say to this question:
{hint}"""


def build_writing_prompt(
    derivation: JsonObject, reading: JsonObject, *, question: str, language: Language
) -> tuple[ChatMessage, ...]:
    """Ask for a reading, grounded in the derivation and in the reading by rules."""
    grounds = {"question": question, "derivation": derivation, "reading_by_rules": reading}
    return (
        ChatMessage(ChatRole.SYSTEM, WRITE.format(language=_LANGUAGES[language])),
        ChatMessage(ChatRole.USER, encode_json(grounds).decode()),
    )


def build_repair_prompt(
    prompt: tuple[ChatMessage, ...], answer: str, complaint: str
) -> tuple[ChatMessage, ...]:
    """Ask again, with what was wrong."""
    repeated = [ChatMessage(ChatRole.ASSISTANT, answer)] if answer else []
    request = ChatMessage(ChatRole.USER, REPAIR.format(complaint=complaint))
    return (*prompt, *repeated, request)


def build_follow_up_prompt(
    board: JsonObject,
    hint: str,
    history: Sequence[Message],
    *,
    question: str,
    language: Language,
) -> tuple[ChatMessage, ...]:
    """The board, the history and the new question."""
    system = FOLLOW_UP.format(
        language=_LANGUAGES[language], board=encode_json(board).decode(), hint=hint
    )
    return (
        ChatMessage(ChatRole.SYSTEM, system),
        *recall_messages(history),
        ChatMessage(ChatRole.USER, question),
    )
