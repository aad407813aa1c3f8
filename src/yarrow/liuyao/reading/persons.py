"""The person a question is about, and the kin (六亲) that stands for them.

增删卜易·用神章 and 卜筮正宗·用神分类定例 list who belongs to which kin. A kin stands for a class of
people: 父母 for all elders, 兄弟 for brothers, sisters and peers, 子孙 for the young, 妻财 for a
wife and for servants, 官鬼 for a husband and for superiors.
"""

import re
from typing import Final, Literal

from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.topics import LazyPattern, WordList

Person = Relation | Literal["世", "应"]

# The order decides: 男朋友 is a partner before he is a 朋友, 妻母 an elder before a wife.
_PERSONS: Final[tuple[tuple[Person, WordList], ...]] = (
    (
        "父母",
        WordList(
            "岳父/岳母/丈人/丈母/妻母/妻父/公公/婆婆/家公/家婆/爷爷/爺爺/奶奶/姥姥/姥爷/姥爺/"
            "外公/外婆/外祖/祖父/祖母/祖/太爷/太奶/曾祖"
            "/父亲/父親/母亲/母親/爸/妈/媽/爹/娘亲/娘親/老娘/父母/双亲/雙親/高堂/老父/老母/家父/"
            "家母/继父/繼父/继母/繼母/养父/養父/养母/養母/干爹/干妈"
            "/叔/伯/姑姑/姑妈/姑媽/姑父/姑丈/姑母/姨/舅/婶/嬸/长辈/長輩/老人家/老师/老師/师父/"
            "師父/师傅/師傅/导师/導師/恩师/恩師/教练/教練/严师/主人"
            "/father/mother/dad/mum/mom/parent/grandmother/grandfather/grandma/grandpa/granny/"
            "uncle/aunt"
            "/teacher/mother-in-law/father-in-law"
        ),
    ),
    ("妻财", WordList(
        "仆人/佣人/僕/仆/婢/妾/丫鬟/保姆/雇工/伙计/夥計/员工/員工/司机/司機/servant/maid/"
        "employee")),
    (
        "子孙",
        WordList(
            "儿子/兒子/女儿/女兒/闺女/閨女/孩子/小孩/娃/宝宝/寶寶/孙子/孫子/孙女/孫女/外孙/外孫/"
            "侄/姪/外甥/女婿/婿/儿媳/兒媳/徒弟/学生/學生/门生/門生/晚辈/晚輩"
            "/下属/下屬/部下/犬子/小女/长子/長子/次子/幼子/幼女/狗/猫/貓/宠物/寵物/鹦鹉/兔子"
            "/son/daughter/child/children/kid/baby/grandson/granddaughter/nephew/niece/"
            "son-in-law/student/pet/dog/cat"
        ),
    ),
    ("妻财", WordList(
        "妻子/老婆/太太/爱妻/愛妻/夫人/女友/女朋友/前妻/媳妇/媳婦/未婚妻/内人/內人/wife/"
        "girlfriend/fiancee")),
    ("官鬼", WordList("丈夫/老公/我先生/夫君/男友/男朋友/前夫/未婚夫/外子/husband/boyfriend")),
    (
        "兄弟",
        WordList(
            "哥哥/弟弟/姐姐/姊姊/妹妹/兄弟/姐妹/姊妹/兄妹/姐弟/兄长/兄長/大哥/二哥/小弟/大姐/"
            "二姐/小妹/我哥/我弟/我姐/我妹/表哥/表弟/表姐/表妹/堂兄/堂弟/堂姐/堂妹/嫂/弟媳"
            "/姐夫/妹夫/朋友/闺蜜/閨蜜/同事/同学/同學/室友/战友/戰友/队友/隊友/哥们/发小/友人/"
            "brother/sister/cousin/friend/colleague/classmate/roommate"
        ),
    ),
    ("官鬼", WordList("领导/領導/老板/老闆/上司/上级/上級/官府/县官/縣官/主管/boss/manager")),
)  # fmt: skip

# The terse wording of the books: who asks, 占, whom. "弟占兄病" is about the elder brother.
_ASKED_BY: Final = re.compile(
    r"^(?:[一又再代予某]?.{0,4}?)?(?:自|代|又|再|问|替|为)?(?:占问|占卜|测问|占|测|測|卜|筮)"
)
_SELF: Final = re.compile(
    r"^(?:予|余|我|本人)?自(?:占|测|測|卜|问)|占(?:自身|己身|身|自己)|^(?:予|余)占"
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
    ("官鬼", LazyPattern(r"^夫(?![妻妇婦])")),
    ("兄弟", LazyPattern(r"^(?:胞|堂|表|义|長|长|大|二|三|妻)?[兄弟姐姊妹友嫂]")),
    (
        "子孙",
        LazyPattern(
            r"^(?:长|長|次|幼|小|三|侄|姪)?(?:子(?!时|時)|女(?!嫁|占|友|朋|婿|士|人)|儿|兒|孙|孫|"
            r"侄|婿|徒(?!步))"
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
    if _SELF.search(question):
        return None
    matter = strip_asker(question)
    if matter != question.strip() or len(matter) <= 4:
        bare = _VERB.sub("", matter)
        terse = next((kin for kin, words in _TERSE if words.search(bare)), None)
        if terse is not None:
            return terse
    for kin, words in _PERSONS:
        if words.search(matter):
            return kin  # type: ignore[return-value]  # no pattern stands for 世 or 应
    return None
