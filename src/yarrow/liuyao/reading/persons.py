"""The person a question is about, and the kin (六亲) that stands for them.

增删卜易·用神章 and 卜筮正宗·用神分类定例 list who belongs to which kin. A kin stands for a class of
people: 父母 for all elders, 兄弟 for brothers, sisters and peers, 子孙 for the young, 妻财 for a
wife and for servants, 官鬼 for a husband and for superiors.
"""

import re
from typing import Final

from msgspec import Struct

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.word_lists import LazyPattern, WordList


class PersonWords(Struct, frozen=True):
    kin: Relation
    words: WordList


# The order decides: 男朋友 is a partner before he is a 朋友, 妻母 an elder before a wife, and
# 小舅子 a brother before an elder.
_ROWS: Final[tuple[tuple[str, Relation, str], ...]] = (
    (
        "in_law",
        "兄弟",
        "小舅子/大舅子/小舅哥/大舅哥/小姨子/大姨子/大姨姐/小叔子/大伯子/小姑子/大姑子/"
        "brother-in-law/sister-in-law",
    ),
    (
        "elder",
        "父母",
        "岳父/岳母/丈人/丈母/妻母/妻父/公公/婆婆/家公/家婆/爷爷/奶奶/姥姥/姥爷/外公/外婆/"
        "外祖/祖父/祖母/祖/太爷/"
        "太奶/曾祖/阿嫲/阿公/阿婆/老爷子/老太太/父亲/母亲/爸/妈/爹/娘亲/老娘/父母/双亲/"
        "高堂/老父/老母/家父/家母/"
        "继父/继母/养父/养母/叔/伯/姑姑/姑妈/姑父/姑丈/姑母/姨/舅/婶/长辈/老人/老师/师父/"
        "(?<!约的)(?<!修)(?<!请)师傅/导师/恩师/"
        "教练/严师/主人/father/mother/dad/daddy/mum/mummy/mom/parent/grandmother/"
        "grandfather/grandma/grandpa/granny/"
        "gran/grandparent/uncle/aunt/auntie/teacher/mother-in-law/father-in-law",
    ),
    (
        "servant",
        "妻财",
        "仆人/佣人/仆/婢/妾/丫鬟/保姆/雇工/伙计/夥计/员工/司机/servant/maid/employee",
    ),
    (
        "child",
        "子孙",
        "儿子/女儿/闺女/孩子/小孩/娃/宝宝/孙子/孙女/外孙/侄/外甥/女婿/婿/儿媳/徒弟/学生/"
        "门生/晚辈/下属/部下/"
        "犬子/小女/长子/次子/幼子/幼女/[大小]儿子/狗/猫/宠物/鹦鹉/兔子/仓鼠/son/daughter/"
        "child/children/kid/baby/"
        "toddler/little (?:boy|girl)/grandson/granddaughter/grandchild/nephew/niece/"
        "son-in-law/student/pet/dog/pupp(?:y|ie)/"
        "cat/kitten",
    ),
    (
        "wife",
        "妻财",
        "妻子/老婆/太太/爱妻/夫人/女友/女朋友/前妻/(?<!儿)媳妇/未婚妻/内人/wife/girlfriend/fiancee",
    ),
    (
        "husband",
        "官鬼",
        "丈夫/老公/我先生/夫君/男友/男朋友/前夫/未婚夫/外子/husband/boyfriend/fiancé?(?!e)",
    ),
    (
        "peer",
        "兄弟",
        "哥哥/弟弟/姐姐/姊姊/妹妹/兄弟/姐妹/姊妹/兄妹/姐弟/兄长/大哥/二哥/小弟/大姐/二姐/"
        "小妹/我哥/我弟/我姐/我妹/"
        "表哥/表弟/表姐/表妹/堂兄/堂哥/堂弟/堂姐/堂妹/嫂/弟媳/弟妹/姐夫/妹夫/"
        "(?<![男女])朋友/闺蜜/同事/同学/室友/战友/队友/哥们/"
        "发小/老乡/友人/brother/sister/cousin/friend/colleague/coworker/classmate/roommate/"
        "flatmate",
    ),
    (
        "superior",
        "官鬼",
        "领导/老板/上司/上级/官府/县官/主管/总监/经理/组长/boss/manager/supervisor",
    ),
)
PERSONS: Final = {role: PersonWords(kin, WordList(words)) for role, kin, words in _ROWS}

# The terse wording of the books: who asks, 占, whom. "弟占兄病" is about the elder brother.
_ASKED_BY: Final = re.compile(
    r"^(?:[一又再代予某]?.{0,4}?)?(?:自|代|又|再|问|替|为)?(?:占问|占卜|测问|占|测|卜|筮)"
)
_SELF: Final = re.compile(
    r"^(?:予|余|我|本人)?自(?:占|测|卜|问)|占(?:自身|己身|身|自己)|^(?:予|余)占"
)
# One character for a kin, where nothing before or after makes it another word.
_TERSE: Final[tuple[tuple[Relation, LazyPattern], ...]] = (
    (
        "父母",
        LazyPattern(
            r"^(?:老|家|祖|伯|叔|岳|妻|夫)?(?:妻之?[父母]|夫之?[父母]|[父母师伯叔姑舅姨岳祖公婆翁])"
        ),
    ),
    ("妻财", LazyPattern(r"^(?!妻[弟兄妹姐舅])(?:妻|妾|仆|婢)(?![之]?[父母])")),
    ("官鬼", LazyPattern(r"^夫(?![妻妇])")),
    ("兄弟", LazyPattern(r"^(?:胞|堂|表|义|长|大|二|三|妻)?[兄弟姐姊妹友嫂]")),
    (
        "子孙",
        LazyPattern(
            r"^(?:长|次|幼|小|三|侄)?(?:子(?!时)|女(?!嫁|占|友|朋|婿|士|人)|儿|孙|侄|婿|徒(?!步))"
        ),
    ),
)
_VERB: Final = re.compile("^[迎接寻尋候望盼救送见見访訪会會为為替请請]")
_CLASSICAL: Final = re.compile(r"占|卜(?!卦)|筮")


def is_classical(question: str) -> bool:
    """Whether the question is worded as the books word theirs ("占父近病")."""
    return len(question) <= 24 and _CLASSICAL.search(question[:8]) is not None


def strip_asker(question: str) -> str:
    """What is asked about, without who asks: "弟占兄病" gives "兄病"."""
    match = _ASKED_BY.match(question.strip())
    return question.strip()[match.end() :] if match else question.strip()


def find_person(question: str) -> Relation | None:
    """The kin of the person asked about; None for the asker's own matter."""
    question = fold_question(question)
    if _SELF.search(question):
        return None
    matter = strip_asker(question)
    if matter != question.strip() or len(matter) <= 4:
        bare = _VERB.sub("", matter)
        terse = next((kin for kin, words in _TERSE if words.search(bare)), None)
        if terse is not None:
            return terse
    return next((one.kin for one in PERSONS.values() if one.words.search(matter)), None)
