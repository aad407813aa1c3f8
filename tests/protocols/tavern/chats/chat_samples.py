"""Chat files in the shapes that SillyTavern 1.12 to 1.18 writes."""

from tests.loose_json import JsonObject

_TIMERS: JsonObject = {
    "sticky": {"Old forest.3": {"hash": 4117290517, "start": 2, "end": 9, "protected": False}},
    "cooldown": {"Old.forest.4": {"hash": 71, "start": 2, "end": 8, "protected": True}},
}
_METADATA: JsonObject = {
    "note_prompt": "Keep it short.",
    "note_interval": 1,
    "note_position": 1,
    "note_depth": 4,
    "note_role": 0,
    "tainted": True,
    "chat_id_hash": 5511837204,
    "lastInContextMessageId": 2,
    "attachments": [],
    "variables": {"gold": "12", "list": [1, {"a": None}]},
    "timedWorldInfo": _TIMERS,
}

SOLO_1_12: list[JsonObject] = [
    {
        "user_name": "Ada",
        "character_name": "Mira",
        "create_date": "2024-8-15 @14h 30m 12s 345ms",
        "chat_metadata": _METADATA,
    },
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "send_date": "August 15, 2024 2:30pm",
        "mes": "You are late.",
        "extra": {},
        "swipe_id": 1,
        "swipes": ["Welcome.", "You are late."],
        "swipe_info": [
            {"send_date": "August 15, 2024 2:30pm", "extra": {}},
            {"send_date": "August 15, 2024 2:31pm", "extra": {}, "plugin": {"mood": 3}},
        ],
        "title": "",
    },
    {
        "name": "Ada",
        "is_user": True,
        "is_system": False,
        "send_date": "August 15, 2024 2:32pm",
        "mes": "Is the bridge open?",
        "extra": {"isSmallSys": False, "token_count": 6, "bias": ""},
        "force_avatar": "User Avatars/ada.png",
    },
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "send_date": "August 15, 2024 2:33pm",
        "mes": "Yes, since dawn.",
        "extra": {
            "api": "openai",
            "model": "gpt-4o",
            "reasoning": "The bridge was mended.",
            "reasoning_duration": 2210,
            "token_count": 5,
        },
        "gen_started": "2024-08-15T14:32:51.220Z",
        "gen_finished": "2024-08-15T14:33:02.871Z",
        "swipe_id": 1,
        "swipes": ["No.", "Yes, since dawn."],
        "swipe_info": [
            {
                "send_date": "August 15, 2024 2:32pm",
                "gen_started": "2024-08-15T14:32:11.220Z",
                "gen_finished": "2024-08-15T14:32:20.000Z",
                "extra": {"api": "claude", "model": "claude-3-opus", "token_count": 2},
            },
            {
                "send_date": "August 15, 2024 2:33pm",
                "gen_started": "2024-08-15T14:32:51.220Z",
                "gen_finished": "2024-08-15T14:33:02.871Z",
                "extra": {
                    "api": "openai",
                    "model": "gpt-4o",
                    "reasoning": "The bridge was mended.",
                    "reasoning_duration": 2210,
                    "token_count": 5,
                },
            },
        ],
        "variables": [{"hp": 1}, {"hp": 2}],
        "force_avatar": "/thumbnail?type=avatar&file=mira.png",
        "unknown_of_a_plugin": {"kept": [True, None, 1.5]},
    },
]

SOLO_1_18: list[JsonObject] = [
    {
        "chat_metadata": {
            "integrity": "0d6a3c58-3f55-4d6c-9f7c-8c0d8f0f9f57",
            "chat_id_hash": 2233,
            "timedWorldInfo": {"sticky": {}, "cooldown": {}},
            "variables": {},
            "extensions": {"memory": {"x": 1}},
        },
        "user_name": "unused",
        "character_name": "unused",
    },
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "send_date": "2026-02-01T09:00:00.000Z",
        "mes": "Hello.",
        "extra": {"token_count": 2},
        "swipe_id": 0,
        "swipes": ["Hello."],
        "swipe_info": [{"send_date": "2026-02-01T09:00:00.000Z", "extra": {"token_count": 2}}],
    },
    {
        "name": "Ada",
        "is_user": True,
        "is_system": False,
        "send_date": "2026-02-01T09:00:20.000Z",
        "mes": "Look at this.",
        "extra": {
            "media": [{"url": "/user/images/a.png", "type": "image"}],
            "media_display": "gallery",
            "inline_image": True,
        },
        "swipe_id": 0,
        "swipes": ["Look at this."],
        "swipe_info": [{"send_date": "2026-02-01T09:00:20.000Z", "extra": {}}],
    },
    {
        "name": "System",
        "is_user": False,
        "is_system": True,
        "send_date": "2026-02-01T09:00:25.000Z",
        "mes": "A note that is not sent.",
        "extra": {"type": "narrator", "isSmallSys": True},
    },
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "send_date": "2026-02-01T09:00:31.000Z",
        "mes": "I see a map.",
        "extra": {
            "api": "custom",
            "model": "qwen3",
            "reasoning": "",
            "reasoning_type": "model",
            "time_to_first_token": 812,
            "bias": None,
            "tool_invocations": [],
        },
        "gen_started": "2026-02-01T09:00:28.000Z",
        "gen_finished": "2026-02-01T09:00:31.000Z",
        "title": "",
    },
]

GROUP: list[JsonObject] = [
    {"user_name": "Ada", "character_name": "unused", "chat_metadata": {}},
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "send_date": "2026-02-01T09:00:00.000Z",
        "mes": "The road is closed.",
        "original_avatar": "mira.png",
        "force_avatar": "/thumbnail?type=avatar&file=mira.png",
        "extra": {"gen_id": 17},
    },
    {
        "name": "Ada",
        "is_user": True,
        "is_system": False,
        "send_date": "2026-02-01T09:00:10.000Z",
        "mes": "Which one?",
        "extra": {},
    },
    {
        "name": "Mira",
        "is_user": False,
        "is_system": False,
        "send_date": "2026-02-01T09:00:20.000Z",
        "mes": "The northern one.",
        "original_avatar": "mira.png",
        "extra": {"gen_id": 18},
    },
    {
        "name": "Tor",
        "is_user": False,
        "is_system": False,
        "send_date": "2026-02-01T09:00:30.000Z",
        "mes": "She is lying.",
        "original_avatar": "tor.png",
        "extra": {"gen_id": 19},
    },
]

ODD_HEADER: list[JsonObject] = [
    {"user_name": "Ada", "character_name": "Mira", "chat_metadata": {"variables": ["gold", 12]}}
]

CHAT_SAMPLES = {
    "solo-1.12": SOLO_1_12,
    "solo-1.18": SOLO_1_18,
    "group": GROUP,
    "odd header": ODD_HEADER,
}
