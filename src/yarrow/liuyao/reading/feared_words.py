"""What is said of feared events: four verdicts and four counsels each, from safe to grave.

A verdict speaks of the event itself, so that it answers both "will it happen?" and "am I safe?".
"""

from typing import Final

from yarrow.liuyao.reading.topics import Topic
from yarrow.liuyao.reading.yong_shen import SpecialMatter

WordsByLevel = dict[Topic | SpecialMatter, tuple[str, str, str, str]]

VERDICTS_ZH: Final[WordsByLevel] = {
    SpecialMatter.DISMISSAL: (
        "职位稳固，不见去职之象",
        "职位大体可保，去职之忧不大",
        "职位有动摇之象，去职之忧不可不防",
        "职位难保，去职之忧较重，宜早作准备",
    ),
    SpecialMatter.LOSS: (
        "财气稳固，不见破财之象",
        "大体可保，亏损之忧不大",
        "有亏损之象，须收紧防守",
        "亏损之忧较重，宜及早止损",
    ),
    SpecialMatter.SEPARATION: (
        "情分稳固，不见离散变心之象",
        "情分尚在，离散变心之忧不大",
        "情分有松动之象，须防离散变心",
        "离散变心之忧较重，勉强难以维系",
    ),
    SpecialMatter.RELAPSE: (
        "气机平稳，所忧不见其象",
        "大体平稳，所忧不重，照常保养即可",
        "气力偏弱，须多加小心，有不适早些就医",
        "压力较重，请及早就医检查",
    ),
    SpecialMatter.FAILURE: (
        "文书得力，不见落第之象",
        "多半可以过关，落第之忧不大",
        "有失手之象，须防落第",
        "落第之忧较重，须加紧补救",
    ),
    SpecialMatter.REFUSAL: (
        "文书得力，不见驳回之象",
        "多半可以通过，驳回之忧不大",
        "有驳回之象，材料须补足",
        "驳回之忧较重，宜另备一路",
    ),
    SpecialMatter.MISHAP: (
        "行程平顺，不见险阻之象",
        "大体平顺，险阻之忧不大",
        "途中有险阻之象，须多留余地",
        "险阻之忧较重，能改期则改期",
    ),
    SpecialMatter.LITIGATION: (
        "官非不临身，可以安心",
        "官非之忧不大，谨慎即可",
        "官非之忧须防，宜早求和解",
        "官非之忧较重，宜早请律师",
    ),
    SpecialMatter.DANGER: (
        "所忧之事不见其象，可以安心",
        "所忧之事多半不至，谨慎即可",
        "所忧之事有其苗头，须早作防备",
        "所忧之事恐难避开，宜先安排退路",
    ),
}
COUNSEL_ZH: Final[WordsByLevel] = {
    SpecialMatter.DISMISSAL: (
        "安心做好手上的事，不必自乱阵脚。",
        "照常做事，把成绩留在明处。",
        "少出差错，与上司多沟通，同时留意别的机会。",
        "先备好履历与几个月的开支，看清合同里的补偿。",
    ),
    SpecialMatter.LOSS: (
        "照原来的打算，不必多动。",
        "不加注，看准再动。",
        "减少投入，先守住本钱。",
        "及早止损，不再添钱。",
    ),
    SpecialMatter.SEPARATION: (
        "珍惜眼前人，不必疑心。",
        "有话好好说，小事不必计较。",
        "先把心结谈开，不说绝情的话。",
        "给彼此一些空间，也为自己留条退路。",
    ),
    SpecialMatter.RELAPSE: (
        "起居有常，不必多虑。",
        "按时检查，少熬夜。",
        "有不适早些就医，不要硬撑。",
        "请尽早就医检查，听医生的话。",
    ),
    SpecialMatter.FAILURE: (
        "照计划准备，稳住心神。",
        "把会做的先做稳。",
        "先补最弱的一门，临场细心。",
        "抓紧补救，同时想好下一次。",
    ),
    SpecialMatter.REFUSAL: (
        "照章递交即可。",
        "材料多备一份，按时跟进。",
        "逐条核对，先问清还缺什么。",
        "先不急着递交，另备一条路。",
    ),
    SpecialMatter.MISHAP: (
        "照计划动身即可。",
        "留些余地，出门前再查一遍。",
        "备好另一套安排，路上不赶。",
        "能改期就改期，不能改就结伴而行。",
    ),
    SpecialMatter.LITIGATION: (
        "守规矩，留凭据，不必多虑。",
        "言语留分寸，凭据收好。",
        "能让则让，早些谈和。",
        "早请律师，不要自己硬扛。",
    ),
    SpecialMatter.DANGER: (
        "照常行事，不必自扰。",
        "谨慎些，照常行事。",
        "先补上最弱的一处，不冒险。",
        "先避一避，安排好退路再说。",
    ),
}
VERDICTS_EN: Final[WordsByLevel] = {
    SpecialMatter.DISMISSAL: (
        "the post is firm and the board shows no dismissal",
        "the post broadly holds, and there is little fear of losing it",
        "the post is shaken: being let go is a real risk",
        "the post is hard to keep: the risk of losing it is high, so prepare early",
    ),
    SpecialMatter.LOSS: (
        "the money is firm and the board shows no loss",
        "the money broadly holds, and there is little fear of a loss",
        "there are signs of a loss: hold back and guard what you have",
        "the risk of a loss is high: cut it early",
    ),
    SpecialMatter.SEPARATION: (
        "the bond is firm and the board shows neither parting nor betrayal",
        "the bond holds, and there is little fear of parting or betrayal",
        "the bond is loosening: parting or betrayal is a real risk",
        "the risk of parting or betrayal is high, and force will not hold it together",
    ),
    SpecialMatter.RELAPSE: (
        "things are steady and what you fear does not show",
        "things are broadly steady; there is little to fear with ordinary care",
        "strength is low: take care and see a doctor early",
        "the strain is heavy: please see a doctor soon",
    ),
    SpecialMatter.FAILURE: (
        "the papers are with you and the board shows no failure",
        "you are likely to pass, and there is little fear of failing",
        "there are signs of a slip: failing is a real risk",
        "the risk of failing is high: make up for it quickly",
    ),
    SpecialMatter.REFUSAL: (
        "the papers are strong and the board shows no refusal",
        "they are likely to pass, and there is little fear of a refusal",
        "there are signs of a refusal: complete the papers",
        "the risk of a refusal is high: prepare another way",
    ),
    SpecialMatter.MISHAP: (
        "the journey is smooth and the board shows no mishap",
        "the journey is broadly smooth, and there is little to fear",
        "there are signs of trouble on the way: leave yourself room",
        "the risk of trouble on the way is high: postpone if you can",
    ),
    SpecialMatter.LITIGATION: (
        "the law does not reach you here; be at ease",
        "there is little fear of the law if you are careful",
        "trouble with the law is a real risk: look for a settlement early",
        "the risk of trouble with the law is high: ask a lawyer early",
    ),
    SpecialMatter.DANGER: (
        "what you fear does not show; be at ease",
        "what you fear is unlikely to come if you are careful",
        "there are signs of what you fear: guard against it early",
        "what you fear is hard to avoid: arrange a way out first",
    ),
}
COUNSEL_EN: Final[WordsByLevel] = {
    SpecialMatter.DISMISSAL: (
        "Do your work and do not let rumours unsettle you.",
        "Go on as usual, and let your results be seen.",
        "Make no slips, talk to your superior, and look at other openings meanwhile.",
        "Renew your CV, put some months of expenses aside, and read what your contract grants.",
    ),
    SpecialMatter.LOSS: (
        "Keep to your plan; there is no need to change much.",
        "Add nothing until the moment is clear.",
        "Put in less and guard the capital first.",
        "Cut the loss early and add no more.",
    ),
    SpecialMatter.SEPARATION: (
        "Value what you have; there is no cause for suspicion.",
        "Talk kindly and let small things pass.",
        "Speak about what hurts, and say nothing final in anger.",
        "Give each other room, and think of yourself too.",
    ),
    SpecialMatter.RELAPSE: (
        "Keep regular hours and do not worry too much.",
        "Go to the check-ups and sleep enough.",
        "See a doctor early if anything troubles you.",
        "Please see a doctor soon and follow that advice.",
    ),
    SpecialMatter.FAILURE: (
        "Prepare as planned and stay calm.",
        "Make sure of what you know first.",
        "Mend the weakest part first and be careful on the day.",
        "Make up what you can now, and think of the next attempt too.",
    ),
    SpecialMatter.REFUSAL: (
        "File by the rules; that is enough.",
        "Keep a second set of papers and follow up in time.",
        "Check every item and ask what is missing.",
        "Do not file in haste; prepare another way.",
    ),
    SpecialMatter.MISHAP: (
        "Leave as planned.",
        "Leave some slack and check once more before you go.",
        "Keep a second plan and do not rush.",
        "Choose another date if you can, or travel in company.",
    ),
    SpecialMatter.LITIGATION: (
        "Keep the rules and your proof; there is no need to worry.",
        "Weigh your words and keep your proof.",
        "Give way where you can and settle early.",
        "Ask a lawyer early; do not face it alone.",
    ),
    SpecialMatter.DANGER: (
        "Go on as usual and do not trouble yourself.",
        "Be careful and go on as usual.",
        "Mend the weakest spot first and take no risks.",
        "Step aside for now, and go on once a way out is arranged.",
    ),
}
