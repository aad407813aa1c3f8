"""Topics of questions: a word that means something else in a question does not choose its topic."""

import pytest
from msgspec.structs import replace
from tests.unit.liuyao.oracle import cast_at

from yarrow.liuyao import derive, write_follow_up
from yarrow.liuyao.reading.topics import Topic, choose_topic
from yarrow.liuyao.reading.yong_shen import SpecialMatter, identify_matter

TOPIC_OF = {
    "周六面试的公司会录取我吗": Topic.CAREER, "会被录用吗": Topic.CAREER,
    "大学会录取我吗": Topic.STUDY, "保研有希望吗": Topic.STUDY, "孩子转学顺利吗": Topic.STUDY,
    "身份证掉了能找回来吗": Topic.LOST, "室友偷了我的东西吗": Topic.LOST,
    "丈夫在外面有人吗": Topic.LOVE, "领证选哪天好": Topic.LOVE,
    "公司年会我能中奖吗": Topic.WEALTH, "租客会不会按时交房租": Topic.WEALTH,
    "保险能赔下来吗": Topic.WEALTH, "这个月能开单吗": Topic.WEALTH,
    "合同纠纷能和解吗": Topic.LAWSUIT,
    "股票什么时候能涨回来": Topic.WEALTH, "能拿到奖学金吗": Topic.WEALTH,
    "丢的耳机还能找到吗": Topic.LOST, "上个月丢的工作还能找回吗": Topic.CAREER,
    "前男友还想着我吗": Topic.LOVE, "我和他还有可能吗": Topic.LOVE, "晚上的约会顺利吗": Topic.LOVE,
    "和他合作顺利吗": Topic.FRIENDS, "移民申请什么时候批": Topic.DOCUMENTS,
    "这段时间总是睡不好": Topic.HEALTH, "快递什么时候到": Topic.DOCUMENTS,
    "When will my package arrive?": Topic.DOCUMENTS, "Is the severance package fair?": Topic.OTHER,
    "Will I get the scholarship?": Topic.WEALTH, "Does my ex still think about me?": Topic.LOVE,
    "Will I find my earring?": Topic.LOST, "Will I find my way?": Topic.OTHER,
    "Did someone steal my bike?": Topic.LOST, "Will he steal my heart?": Topic.OTHER,
    "Will my baby be healthy?": Topic.HEALTH, "Will my crush ask me out?": Topic.LOVE,
    "开寿司店能赚钱吗": Topic.WEALTH, "開壽司店能賺錢嗎": Topic.WEALTH,
    "卖寿险能赚钱吗": Topic.WEALTH,
    "手机中病毒了怎么办": Topic.OTHER, "手機中病毒了怎麼辦": Topic.OTHER,
    "车子老出毛病": Topic.OTHER,
    "感染病毒能好吗": Topic.HEALTH, "爷爷的寿命": Topic.HEALTH, "占寿": Topic.HEALTH,
    "Will Bitcoin recover?": Topic.WEALTH, "Will the stock market recover?": Topic.WEALTH,
    "Can I recover my stolen phone?": Topic.LOST, "Will I recover from the flu?": Topic.HEALTH,
    "Will my mother recover?": Topic.HEALTH,
    "I lost my job": Topic.CAREER, "上个月丢了工作": Topic.CAREER, "上個月丟了工作": Topic.CAREER,
    "一直找不到工作怎么办": Topic.CAREER, "钥匙找不到": Topic.LOST,
    "I feel lost in life": Topic.OTHER, "I lost my wallet": Topic.LOST,
    "I lost my keys at work": Topic.LOST, "Is my ring lost?": Topic.LOST,
    "I'd love to move to Spain": Topic.TRAVEL,
    "I would love to know if I pass the exam": Topic.STUDY, "Do I love him?": Topic.LOVE,
    "Will things work out with my girlfriend?": Topic.LOVE, "Will I find work?": Topic.CAREER,
    "我和女友能走下去吗": Topic.LOVE,
    "晴晴喜欢我吗": Topic.LOVE, "我和雪晴能结婚吗": Topic.LOVE, "我和雪晴能結婚嗎": Topic.LOVE,
    "明天晴吗": Topic.WEATHER, "久雨何日晴": Topic.WEATHER, "占晴": Topic.WEATHER,
    "Should I book the tennis court?": Topic.OTHER, "Will I win in court?": Topic.LAWSUIT,
    "Should I raise a child alone?": Topic.CHILDREN, "Will I get a raise?": Topic.WEALTH,
    "Should I study medicine?": Topic.STUDY, "Will the medicine help?": Topic.HEALTH,
    "Should I open a medicine shop?": Topic.WEALTH, "Should I transplant the tree?": Topic.OTHER,
    "Does the doctor want to date me?": Topic.OTHER, "The doctor wants to operate": Topic.HEALTH,
    "I lost my wife's ring, where is it?": Topic.LOST, "I lost my wife": Topic.OTHER,
    "I lost my work laptop": Topic.LOST, "I lost my friend's book": Topic.LOST,
    "Will I get home insurance?": Topic.HOME, "Will he get home safely?": Topic.ABSENT,
    "换新家具好吗": Topic.OTHER, "搬到新家好吗": Topic.HOME,
    "我丢了客户的合同能找到吗": Topic.LOST, "会不会丢了客户": Topic.WEALTH,
    "找不到男朋友": Topic.LOVE, "我和男朋友能长久吗": Topic.LOVE, "和朋友能和好吗": Topic.FRIENDS,
    "丈夫什么时候回家": Topic.ABSENT, "丈夫什麼時候回家": Topic.ABSENT,
    "Will my husband get home tonight?": Topic.ABSENT, "我春节能回家吗": Topic.TRAVEL,
    "该不该接受北京的offer": Topic.CAREER, "Is it worth suing my employer?": Topic.LAWSUIT,
    "My cat has been missing for three days": Topic.LOST, "My keys are missing": Topic.LOST,
    "My son is missing": Topic.ABSENT, "这次体检会有问题吗": Topic.HEALTH,
    "搬到新家順利嗎": Topic.HOME,
}  # fmt: skip


@pytest.mark.parametrize(("question", "topic"), TOPIC_OF.items())
def test_a_word_chooses_the_topic_by_its_sense(question, topic):
    matter = identify_matter(choose_topic("其他", question), question)

    assert matter.topic is topic


@pytest.mark.parametrize(
    "question",
    ["老板拖欠工资能要回来吗", "老闆拖欠工資能要回來嗎", "公司拖欠工资会给吗",
     "Will I get my unpaid wages back?"],
)  # fmt: skip
def test_unpaid_wages_are_a_debt(question):
    matter = identify_matter(choose_topic("其他", question), question)

    assert (matter.topic, matter.focus, matter.special) == (
        Topic.WEALTH,
        "妻财",
        SpecialMatter.DEBT,
    )


@pytest.mark.parametrize("question", ["I lost my job", "上个月丢了工作", "I lost all my savings"])
def test_a_loss_that_has_happened_is_not_feared(question):
    assert not identify_matter(choose_topic("其他", question), question).is_feared


def test_where_a_stolen_thing_is_has_nothing_to_do_with_doctors():
    cast = replace(
        cast_at("2026-04-03T20:30:00+08:00"),
        question="Can I recover my stolen phone?",
        question_type="其他",
    )

    assert "医" not in write_follow_up(derive(cast), "where is it?").answer


@pytest.mark.parametrize(
    ("question", "special"),
    [
        ("现在买房合适吗", SpecialMatter.PURCHASE),
        ("我们能买到那套房子吗", SpecialMatter.PURCHASE),
        ("Should I buy this car?", SpecialMatter.PURCHASE),
        ("Will we buy the old house by the lake?", SpecialMatter.PURCHASE),
        ("新车什么时候能提", SpecialMatter.PURCHASE),
        ("快递什么时候到", SpecialMatter.PARCEL),
        ("When will my parcel come?", SpecialMatter.PARCEL),
        ("合同能签下来吗", None),
        ("Will my visa come?", None),
        ("房子能卖掉吗", SpecialMatter.SALE),
    ],
)
def test_purchases_and_parcels_are_not_spoken_of_as_paperwork(question, special):
    assert identify_matter(choose_topic("其他", question), question).special is special
