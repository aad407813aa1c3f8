"""Answers to courtesies, which need no tool and no model. A table of data."""

from typing import Final

from yarrow.language.languages import Language
from yarrow.llm.rule_based.greetings import Courtesy

COURTESY_TEXTS: Final[dict[Language, dict[Courtesy, str]]] = {
    Language.ENGLISH: {
        Courtesy.GREETING: "Hello! I am Yarrow's assistant: ask me for the time in Tokyo, for 17 × 23, "
        "for a hexagram, or what I can do.",
        Courtesy.WELL_BEING: "Thank you for asking! I am a program, so I have no good or bad days, but "
        "everything here is running. What can I do for you?",
        Courtesy.MEETING: "Nice to meet you too! Ask me what I can do, and I show you a list.",
        Courtesy.AFFECTION: "That is kind, thank you! I am a program that answers by rules and have no "
        "feelings, but I am glad to be of use.",
        Courtesy.JOKE: "Without a language model I know just one: there are 10 kinds of people, those who "
        "understand binary numbers and those who do not.",
        Courtesy.THANKS: "You are welcome!",
        Courtesy.FAREWELL: "Goodbye!",
        Courtesy.NOD: "All right! Ask me when there is something else; “what can you do” shows a list.",
        Courtesy.INSULT: "I am sorry that I was no help. I have no language model and answer by rules; ask "
        "me what I can do to see which questions I understand.",
        Courtesy.DISTRESS: "I am sorry to hear that. I answer by rules and have no language model, so I "
        "cannot say much that helps; I hope there is somebody near you to talk to.",
        Courtesy.ILLNESS: "I am sorry to hear that. I am only a program and cannot judge an illness: please see a "
        "doctor, and if it is sudden or severe, call your local emergency number at once.",
        Courtesy.SELF_HARM: "Please reach somebody you trust now, or call your local emergency number or a "
        "crisis line: they have people who are trained to listen. I am only a program that answers by "
        "rules, and you should not be alone with this.",
        Courtesy.REMARK: "Thank you for telling me. I answer by rules and have no language model (see "
        "/docs/howto/models), so there is little I can say to that; ask me what I can do.",
    },
    Language.HANS: {
        Courtesy.GREETING: "你好！我是 Yarrow 的助手：可以问我东京几点、17 × 23、起一卦，或者问我能做什么。",
        Courtesy.WELL_BEING: "谢谢关心！我是程序，没有心情好坏，不过一切运行正常。有什么可以帮您？",
        Courtesy.MEETING: "我也很高兴认识您！问我能做什么，可以看到清单。",
        Courtesy.AFFECTION: "谢谢您！我是按规则回答的程序，没有感情，不过很高兴能帮上忙。",
        Courtesy.JOKE: "没有语言模型，我只会一个：世上有 10 种人，懂二进制的和不懂的。",
        Courtesy.THANKS: "不客气！",
        Courtesy.FAREWELL: "再见！",
        Courtesy.NOD: "好的！还有什么想问的随时说；问“你能做什么”可以看到清单。",
        Courtesy.INSULT: "抱歉没帮上忙。我没有语言模型，只按规则回答；可以问我能做什么，看看我听得懂哪些问题。",
        Courtesy.DISTRESS: "听到这些我很难过。我没有语言模型，只按规则回答，说不出多少有用的话；"
        "希望您身边有人可以聊聊。",
        Courtesy.ILLNESS: "听到这些我很难过。我只是一个程序，判断不了病情：请去看医生；如果来得突然或很严重，"
        "请马上拨打当地急救电话。",
        Courtesy.SELF_HARM: "请马上联系身边信任的人，或拨打当地急救电话与心理援助热线，那里有受过训练的人愿意倾听。"
        "我只是一个按规则回答的程序，您不该独自面对。",
        Courtesy.REMARK: "谢谢您告诉我。我没有语言模型（见 /docs/howto/models），只按规则回答，"
        "接不上多少话；可以问我能做什么。",
    },
    Language.HANT: {
        Courtesy.GREETING: "你好！我是 Yarrow 的助手：可以問我東京幾點、17 × 23、起一卦，或者問我能做什麼。",
        Courtesy.WELL_BEING: "謝謝關心！我是程式，沒有心情好壞，不過一切運行正常。有什麼可以幫您？",
        Courtesy.MEETING: "我也很高興認識您！問我能做什麼，可以看到清單。",
        Courtesy.AFFECTION: "謝謝您！我是按規則回答的程式，沒有感情，不過很高興能幫上忙。",
        Courtesy.JOKE: "沒有語言模型，我只會一個：世上有 10 種人，懂二進制的和不懂的。",
        Courtesy.THANKS: "不客氣！",
        Courtesy.FAREWELL: "再見！",
        Courtesy.NOD: "好的！還有什麼想問的隨時說；問「你能做什麼」可以看到清單。",
        Courtesy.INSULT: "抱歉沒幫上忙。我沒有語言模型，只按規則回答；可以問我能做什麼，看看我聽得懂哪些問題。",
        Courtesy.DISTRESS: "聽到這些我很難過。我沒有語言模型，只按規則回答，說不出多少有用的話；"
        "希望您身邊有人可以聊聊。",
        Courtesy.ILLNESS: "聽到這些我很難過。我只是一個程式，判斷不了病情：請去看醫生；如果來得突然或很嚴重，"
        "請馬上撥打當地急救電話。",
        Courtesy.SELF_HARM: "請馬上聯繫身邊信任的人，或撥打當地急救電話與心理援助熱線，那裡有受過訓練的人願意傾聽。"
        "我只是一個按規則回答的程式，您不該獨自面對。",
        Courtesy.REMARK: "謝謝您告訴我。我沒有語言模型（見 /docs/howto/models），只按規則回答，"
        "接不上多少話；可以問我能做什麼。",
    },
}
