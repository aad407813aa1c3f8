"""Assets in the shapes that SillyTavern 1.12 to 1.18 writes."""

from tests.loose_json import JsonObject

_TEXTS: JsonObject = {
    "name": "Mira",
    "description": "{{char}} is a ranger who trusts {{user}}.",
    "personality": "dry",
    "scenario": "A camp at night.",
    "first_mes": "*{{char}} looks up.* You are late, {{user}}.",
    "mes_example": "<START>\n{{user}}: Who is there?\n{{char}}: Only me.",
}
_CARD_BOOK: JsonObject = {
    "name": "Mira's lore",
    "description": "",
    "scan_depth": 4,
    "token_budget": 512,
    "recursive_scanning": False,
    "extensions": {},
    "entries": [
        {
            "id": 0,
            "keys": ["owl"],
            "secondary_keys": [],
            "comment": "The owl",
            "content": "OWL LORE",
            "constant": False,
            "selective": True,
            "insertion_order": 100,
            "enabled": True,
            "position": "before_char",
            "use_regex": True,
            "extensions": {"position": 0, "depth": 4, "probability": 100, "useProbability": True},
        }
    ],
}
_DATA: JsonObject = {
    **_TEXTS,
    "creator_notes": "Made for tests.",
    "system_prompt": "",
    "post_history_instructions": "",
    "tags": ["ranger", "night"],
    "creator": "ada",
    "character_version": "1.1",
    "alternate_greetings": ["It rains.", "{{char}} is asleep."],
    "extensions": {
        "talkativeness": "0.5",
        "fav": False,
        "world": "Mira's lore",
        "depth_prompt": {"prompt": "Stay dry.", "depth": 4, "role": "system"},
    },
    "character_book": _CARD_BOOK,
    "group_only_greetings": [],
}
CARD_V1: JsonObject = {**_TEXTS, "avatar": "none", "chat": "Mira - 2024-8-15", "create_date": "x"}
CARD_V2: JsonObject = {
    **CARD_V1,
    "creatorcomment": "Made for tests.",
    "talkativeness": "0.5",
    "fav": False,
    "tags": ["ranger"],
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": _DATA,
}
CARD_V3: JsonObject = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        **_DATA,
        "nickname": "Mi",
        "source": ["https://example.org/mira"],
        "creation_date": 1_735_689_600,
        "modification_date": 1_735_689_900,
        "creator_notes_multilingual": {"en": "Made for tests."},
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
    },
}

_MARKERS = (
    "worldInfoBefore",
    "personaDescription",
    "charDescription",
    "charPersonality",
    "scenario",
    "worldInfoAfter",
    "dialogueExamples",
    "chatHistory",
)
_ORDER = ("main", *_MARKERS[:6], "enhanceDefinitions", "nsfw", *_MARKERS[6:], "jailbreak")
PRESET: JsonObject = {
    "chat_completion_source": "openai",
    "openai_model": "gpt-4o",
    "custom_url": "",
    "temperature": 0.9,
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "top_p": 1,
    "top_k": 0,
    "openai_max_context": 8192,
    "openai_max_tokens": 300,
    "wrap_in_quotes": False,
    "names_behavior": 0,
    "send_if_empty": "",
    "impersonation_prompt": "[Write {{user}}'s next line.]",
    "new_chat_prompt": "[Start a new Chat]",
    "new_group_chat_prompt": "[Start a new group chat. Group members: {{group}}]",
    "new_example_chat_prompt": "[Example Chat]",
    "continue_nudge_prompt": "[Continue your last message.]",
    "wi_format": "{0}",
    "scenario_format": "{{scenario}}",
    "personality_format": "{{personality}}",
    "group_nudge_prompt": "[Write the next reply only as {{char}}.]",
    "stream_openai": True,
    "prompts": [
        {
            "name": "Main Prompt",
            "system_prompt": True,
            "role": "system",
            "content": "Write {{char}}'s next reply. Turn {{incvar::turn}}.",
            "identifier": "main",
            "injection_position": 0,
            "injection_depth": 4,
            "forbid_overrides": False,
            "injection_order": 100,
            "injection_trigger": [],
        },
        {"name": "NSFW", "system_prompt": True, "content": "", "identifier": "nsfw"},
        {"name": "Jailbreak", "system_prompt": True, "content": "", "identifier": "jailbreak"},
        {
            "name": "Enhance",
            "system_prompt": True,
            "content": "",
            "identifier": "enhanceDefinitions",
        },
        *(
            {"identifier": name, "name": name, "system_prompt": True, "marker": True}
            for name in _MARKERS
        ),
    ],
    "prompt_order": [
        {
            "character_id": 100001,
            "order": [{"identifier": name, "enabled": True} for name in _ORDER],
        }
    ],
    "assistant_prefill": "",
    "seed": -1,
    "n": 1,
    "reasoning_effort": "auto",
    "extensions": {},
}
BOOK: JsonObject = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["bridge"],
            "keysecondary": [],
            "comment": "Bridge",
            "content": "BRIDGE LORE",
            "constant": False,
            "vectorized": False,
            "selective": True,
            "selectiveLogic": 0,
            "addMemo": True,
            "order": 100,
            "position": 0,
            "disable": False,
            "ignoreBudget": False,
            "excludeRecursion": False,
            "preventRecursion": False,
            "probability": 100,
            "useProbability": True,
            "depth": 4,
            "group": "",
            "groupOverride": False,
            "groupWeight": 100,
            "scanDepth": None,
            "caseSensitive": None,
            "matchWholeWords": None,
            "useGroupScoring": None,
            "automationId": "",
            "role": None,
            "sticky": 0,
            "cooldown": 0,
            "delay": 0,
            "triggers": [],
            "outletName": "",
            "displayIndex": 0,
            "characterFilter": {"isExclude": False, "names": [], "tags": []},
        }
    },
    "originalData": {"name": "Old forest"},
    "extensions": {},
}
SCRIPTS: list[JsonObject] = [
    {
        "id": "0d6a3c58-3f55-4d6c-9f7c-8c0d8f0f9f57",
        "scriptName": "No ellipsis",
        "findRegex": "/\\.\\.\\./g",
        "replaceString": ".",
        "trimStrings": [],
        "placement": [2],
        "disabled": False,
        "markdownOnly": False,
        "promptOnly": False,
        "runOnEdit": True,
        "substituteRegex": 0,
        "minDepth": None,
        "maxDepth": None,
    }
]
