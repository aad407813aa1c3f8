"""What was lost, and its kin: 子孙 for animals, 父母 for papers, clothes and vehicles.

A word counts only as the thing that was lost: 马上, 牛仔裤 and 遛狗 name no lost animal, 在车上 no
lost car, 保证 no lost paper.
"""

from typing import Final

from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.word_lists import LazyPattern, WordList

_SERVANT: Final = WordList("仆/婢/保姆/佣人/servant/maid")
# Where an animal helps to lose something, or names a thing, it is not what was lost.
_PET: Final = LazyPattern(
    r"(?<![遛溜天热喂撸陪被给])(?:狗|猫|二哈|金毛|泰迪|柯基|布偶|宠物|兔子|乌龟|鹦鹉|仓鼠|牲口)+咪?"
    r"(?!的(?!下落|踪)|[把叼咬弄抓眼砂粮牌窝笼包绳链食碗毛皮头店展]|项圈|公园|医院|咖啡|玩具|零食|衣服)"
)
# Characters that are part of many words count between a boundary and what became of the animal.
_BEAST: Final = LazyPattern(
    r"(?:^|[\s，,。；;？?！!]|[的只匹头群家失丢找寻了]|小(?!马|牛))[马牛羊鸡鸭鹅猪鸟兔龟驴骡]"
    r"(?=$|[\s，,。；;？?！!]|走[丢失了]|[丢跑逃飞失](?!.{0,2}(?:钱|手机|钥))"
    r"|[不没少]|还|能|会|被|在哪|在何|找|回|何|什么时候|今|昨|了)"
)
_ANIMAL_EN: Final = LazyPattern(
    r"(?<!walking the )(?<!walking my )(?<!with the )(?<!with my )(?<!hot )"
    r"\b(?:dog|pupp(?:y|ie)|cat|kitten|pet|bird|parrot|rabbit|hamster|tortoise|turtle|horse|pony|cow"
    r"|sheep|goat|chicken)s?\b"
    r"(?!['’]| (?:park|collar|lead|leash|food|tag|bowl|bed|shop|store|toy|sitter|show|carrier|house"
    r"|cage|walk|race|ride))",
)
# A thing in which, or near which, something else was lost is not the thing.
_PAPER: Final = LazyPattern(
    r"(?<![保见])证(?![明实])|户口[本簿]|文件(?![夹柜])|合同|护照|[票收]据|[发车门机]票|包裹|快递|伞|外套"
    r"|(?<!洗)衣(?![柜架帽间])(?!服?的?(?:口袋|[里内兜]))"
    r"|(?<![秘图])书(?![店房桌架柜记法]|包?[里内])"
    r"|(?<![公火客班风租])车(?![上里内站库间厢票祸座钥牌]|后座)"
)
_PAPER_EN: Final = LazyPattern(
    r"(?<!in the )(?<!in my )(?<!in a )(?<!on the )(?<!from my )(?<!from the )(?<!by )"
    r"\b(?:passport|document|paper|clothe|coat|book|car|bike|umbrella)s?\b"
    r"(?! (?:key|park|boot|seat))",
)


def choose_lost_item(question: str) -> Relation:
    """The kin of what the question says was lost."""
    if _SERVANT.search(question):
        return "妻财"
    if any(words.search(question) for words in (_PET, _BEAST, _ANIMAL_EN)):
        return "子孙"
    return "父母" if _PAPER.search(question) or _PAPER_EN.search(question) else "妻财"
