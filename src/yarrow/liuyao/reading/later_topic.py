"""The topic that a follow-up names, beside the words that belong to the first matter too."""

import re
from typing import Final

from yarrow.language.chinese_script import fold_script
from yarrow.liuyao.reading.topics import Topic, find_topic
from yarrow.liuyao.reading.yong_shen import Matter, SpecialMatter

# Words of a topic that a question about any other matter has too: people, money, coming back.
_PASSING: Final = re.compile(
    r"回来|回來|会来|會來|到家|找不到|朋友|同事|同学|同學|兄弟|客户|客戶|宠物|寵物"
    r"|(?<![有要生养養])(?:孩子|小孩)|(?<![赚賺有])[钱錢]"
    r"|come (?:home|back)|\bfriends?\b|\bpets?\b|\b(?:at|from|to) home\b"
    r"|(?<!have )(?<!have a )\b(?:child|children|kids?)\b|\b(?:the|my|his|her|their) money\b"
    r"|\b(?:it|this|that|things?|they) (?:\w+ )?recover\w*"
    r"|\b(?:it|this|that|things?) (?:\w+ )?works?\b"
    r"|\bwork(?:s|ed)? (?:out|on|with|against|for me|together)\b",
    re.IGNORECASE,
)
# Steps of a matter that are topics of their own elsewhere.
_STEPS: Final[dict[Topic, str]] = {
    Topic.CAREER: r"成绩|录取|考试|手续|工资|薪|收入|奖金|合同|出差|exam|salary|pay rise|\braise"
    "|bonus|contract|move abroad|more money",
    Topic.STUDY: "导师|老师|面试|手续|签证|学费|interview|visa",
    Topic.WEALTH: "看房|买家|租|合伙|合作|手续|过户|起诉|官司|诉讼|法院|仲裁|合同|契约|partner"
    "|court|lawsuit|legal|contract",
    Topic.HEALTH: "手续|回去工作|上学|back to (?:work|school)|return to work|at work",
    Topic.LOVE: "手续",
    Topic.DOCUMENTS: "面试|贷款|出国|录取|价格|房|interview|loan|trip|travel|price|house",
    Topic.TRAVEL: "签证|护照|手续|买车票|天气|下雨|晴|visa|passport|weather|rain|snow",
    Topic.ABSENT: "走失|坐车|flight|trip",
    Topic.LOST: "走失|失踪|失联",
    Topic.LAWSUIT: "赔|合同|契约|借款|欠款|房产|contract|money|loan|debt|work",
    Topic.CHILDREN: "住院|出院|身体|手术|分娩|临产|"
    "顺产|剖腹产|早产|生产|学校|成绩|考试|学习|健康|school|exam"
    "|stud(?:y|ies)|health",
    Topic.FRIENDS: "投资|生意|合同|合股|入股|business|invest|contract|money",
    Topic.HOME: "手续|过户|买房|购房|房产|贷款|搬家|价格|合同|loan|price|contract",
}


def names_step(text: str, topic: Topic) -> bool:
    """Whether `text` names something that is a step of a matter of `topic`."""
    words = _STEPS.get(topic)
    return words is not None and re.search(words, fold_script(text), re.IGNORECASE) is not None


def find_later_topic(text: str, first: Matter) -> Topic | None:
    """The topic that a follow-up names; words that belong to the first matter too name none."""
    rest = _PASSING.sub(" ", fold_script(text))
    if first.topic in _STEPS:
        rest = re.sub(_STEPS[first.topic], " ", rest, flags=re.IGNORECASE)
    topic = find_topic(rest)
    if topic is Topic.STUDY and first.special is SpecialMatter.EXAM:
        return first.topic  # the exam for a post is the first matter
    return topic
