"""What is said where a question is sensitive: notes, and the texts in place of a verdict."""

from typing import Final

from yarrow.liuyao.reading.sensitive_questions import Sensitivity

SENSITIVITY_NOTES_ZH: Final[dict[Sensitivity, str]] = {
    Sensitivity.NONE: "",
    Sensitivity.HEALTH: "卦象只供参考，不能代替医生；身体不适，请及时就医。",
    Sensitivity.MEDICINE: "卦不能诊病，也不能决定用药；诊断与用药请一律听从医生。",
    Sensitivity.TREATMENT: "卦不能诊病，也不能决定用药与手术；做与不做，请与医生商量后再定。",
    Sensitivity.CHILD_SEX: "胎儿是男是女，不以卦断；胎孕是否安好，请以医生的检查为准。",
    Sensitivity.LIFESPAN: "寿数生死不在卦中论断；病情与治疗请与医生商量。",
    Sensitivity.LEGAL: "卦象只供参考，法律上的决定请咨询律师。",
    Sensitivity.VIOLENCE: "若有人正处在危险之中，请立即报警。",
    Sensitivity.SELF_HARM: "请马上联系身边信任的人，或拨打当地急救电话与心理援助热线。",
}
WITHHELD_ZH: Final[dict[Sensitivity, tuple[str, ...]]] = {
    Sensitivity.SELF_HARM: (
        "此刻比卦象更要紧的是你的安全，这里不作吉凶之断。",
        "你愿意把这件事说出来，已经很不容易；难受到这个地步，不该一个人扛。",
    ),
    Sensitivity.LIFESPAN: (
        "寿数与生死，不是卦可以断的，这里不作推断，签级也不代表寿数。",
        "能做的是把病情与治疗交给医生，把陪伴留给家人。",
    ),
    Sensitivity.VIOLENCE: (
        "伤害别人的事，不作吉凶之断，也没有哪一卦会说可行。",
        "有这样的念头，多半是受了很重的委屈；先离开现场，让自己安全下来。",
    ),
    Sensitivity.TREATMENT: (
        "治疗做不做、停不停、早做晚做，不是卦可以决定的，这里不作吉凶之断。",
        "签级也不代表该做或不该做；卦面只列在下面，供静心参看。",
    ),
}
WITHHELD_ADVICE_ZH: Final[dict[Sensitivity, tuple[str, ...]]] = {
    Sensitivity.SELF_HARM: (
        "请现在就联系一位你信任的人，让对方陪着你。",
        "如有马上伤害自己的危险，请立即拨打当地急救电话，或前往最近的急诊。",
        "可以拨打当地的心理援助热线，与受过训练的人谈一谈。",
    ),
    Sensitivity.LIFESPAN: (
        "病情如何、还可做什么治疗，请与主治医生详谈。",
        "照顾病人的人也要休息，需要时请亲友分担。",
    ),
    Sensitivity.VIOLENCE: (
        "先不要独处，也不要去找对方；给一位信任的人打个电话，把事情说出来。",
        "受了伤害或威胁，留下证据，请报警或找律师，让法律来处理。",
        "怒气压不住时，可以拨打当地的心理援助热线。",
    ),
    Sensitivity.TREATMENT: (
        "把每种做法的好处、风险与不做的后果写下来，逐条问主治医生。",
        "拿不定主意，可请另一位医生再看一次；用药不要自行增减或停下。",
    ),
}
WITHHELD_KEYWORDS_ZH: Final[dict[Sensitivity, tuple[str, ...]]] = {
    Sensitivity.SELF_HARM: ("先求安全", "有人可以帮你", "心理援助"),
    Sensitivity.LIFESPAN: ("不断寿数", "遵医嘱", "陪伴"),
    Sensitivity.VIOLENCE: ("不断伤人之事", "先求安全", "交给法律"),
    Sensitivity.TREATMENT: ("治疗不由卦断", "请问医生", "另一位医生的意见"),
}
SENSITIVITY_NOTES_EN: Final[dict[Sensitivity, str]] = {
    Sensitivity.NONE: "",
    Sensitivity.HEALTH: (
        "A hexagram cannot replace a doctor; if you feel unwell, please see one. "
    ),
    Sensitivity.MEDICINE: (
        "A hexagram cannot diagnose or choose medicine; please leave both to your doctor. "
    ),
    Sensitivity.CHILD_SEX: "No board tells a child's sex; for its health, ask a doctor. ",
    Sensitivity.LIFESPAN: (
        "How long somebody lives is not for a hexagram to say; please talk to the doctors. "
    ),
    Sensitivity.LEGAL: "This is for reflection only; for legal decisions please ask a lawyer. ",
    Sensitivity.VIOLENCE: "If anybody is in danger now, please call the police. ",
    Sensitivity.SELF_HARM: (
        "Please reach somebody you trust now, or call your local emergency number or a "
        "crisis line. "
    ),
    Sensitivity.TREATMENT: (
        "A hexagram cannot diagnose, or decide on medicine and operations; please decide together "
        "with a doctor. "
    ),
}
WITHHELD_EN: Final[dict[Sensitivity, tuple[str, ...]]] = {
    Sensitivity.SELF_HARM: (
        "Your safety matters more than any hexagram right now, so no verdict is drawn here.",
        "It took courage to say this. Nobody should carry so much pain alone.",
    ),
    Sensitivity.LIFESPAN: (
        "How long somebody lives is not for a hexagram to say; no verdict is drawn here, "
        "and the sign level says nothing about it.",
        "Leave the illness to the doctors and give the time to each other.",
    ),
    Sensitivity.VIOLENCE: (
        "No verdict is drawn on harming somebody, and no hexagram speaks for it.",
        "Whoever thinks of it has mostly been hurt badly; step away first and be safe.",
    ),
    Sensitivity.TREATMENT: (
        "Whether a treatment is begun, refused, put off or stopped is not for a hexagram to say, "
        "so no verdict is drawn here.",
        "The sign level says nothing about it either; the board is only described below.",
    ),
}
WITHHELD_ADVICE_EN: Final[dict[Sensitivity, tuple[str, ...]]] = {
    Sensitivity.SELF_HARM: (
        "Please contact somebody you trust now and ask them to stay with you.",
        "If you might hurt yourself soon, call your local emergency number or go to the "
        "nearest emergency room.",
        "A local crisis line connects you with people trained to listen.",
    ),
    Sensitivity.LIFESPAN: (
        "Talk to the doctors about the illness and what can still be done.",
        "Those who care for the sick need rest too; let family and friends share the load.",
    ),
    Sensitivity.VIOLENCE: (
        "Do not stay alone with it and do not go to them; ring somebody you trust and tell them.",
        "If you were harmed or threatened, keep the evidence and go to the police or a lawyer.",
        "If the anger does not let go, a local crisis line helps with that too.",
    ),
    Sensitivity.TREATMENT: (
        "Write down what each choice brings, what it risks and what happens without it, and ask "
        "the doctor point by point.",
        "If you are in doubt, ask a second doctor; do not change or stop medicine on your own.",
    ),
}
WITHHELD_KEYWORDS_EN: Final[dict[Sensitivity, tuple[str, ...]]] = {
    Sensitivity.SELF_HARM: ("safety first", "help is available", "crisis line"),
    Sensitivity.LIFESPAN: ("no verdict on life span", "ask the doctors", "company"),
    Sensitivity.VIOLENCE: ("no verdict on harm", "safety first", "leave it to the law"),
    Sensitivity.TREATMENT: ("no verdict on treatment", "ask the doctors", "second opinion"),
}
