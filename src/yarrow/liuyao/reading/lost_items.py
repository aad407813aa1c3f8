"""What was lost, and its kin: 子孙 for animals, 父母 for papers, clothes and vehicles.

A word counts only as the thing that was lost: 马上, 牛仔裤 and 遛狗 name no lost animal, 在车上 no
lost car, 保证 no lost paper.
"""

from typing import Final

from yarrow.liuyao.five_elements import Relation
from yarrow.liuyao.reading.topics import LazyPattern, WordList

_SERVANT: Final = WordList("仆/僕/婢/保姆/佣人/servant/maid")
# Where an animal helps to lose something, or names a thing, it is not what was lost.
_PET: Final = LazyPattern(
    r"(?<![遛溜天热熱喂餵撸擼陪被给給])(?:狗|猫|貓|宠物|寵物|兔子|乌龟|烏龜|鹦鹉|鸚鵡|仓鼠|倉鼠|牲口)+咪?"
    r"(?!的(?!下落|踪|蹤)|[把叼咬弄抓眼砂粮糧牌窝窩笼籠包绳繩链鏈粮食碗毛皮头頭店展]|项圈|項圈|公园|公園"
    r"|医院|醫院|咖啡|玩具|零食|衣服)"
)
# Characters that are part of many words count between a boundary and what became of the animal.
_BEAST: Final = LazyPattern(
    r"(?:^|[\s，,。；;？?！!]|[的只隻匹头頭群家失丢丟找寻尋了]|小(?!马|馬|牛))"
    r"[马馬牛羊鸡雞鸭鴨鹅鵝猪豬鸟鳥兔龟龜驴驢骡騾]"
    r"(?=$|[\s，,。；;？?！!]|走[丢丟失了]|[丢丟跑逃飞飛失](?!.{0,2}(?:钱|錢|手机|手機|钥|鑰))"
    r"|[不没沒]|还|還|能|会|會|被|在哪|在何|找|回|何|什么时候|什麼時候|今|昨|了)"
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
    r"(?<![保见見])(?:证|證)(?![明实實])|文件(?![夹夾柜櫃])|合同|护照|護照|票据|票據|发票|發票|包裹|伞|傘"
    r"|(?<!洗)衣(?![柜櫃架帽间間])(?!服?的?(?:口袋|[里裡内內兜]))"
    r"|(?<![秘图圖])(?:书|書)(?![店房桌架柜櫃记記法]|包?[里裡内內])"
    r"|(?<![公火客班风風])(?:车|車)(?![上里裡内內站库庫间間厢廂票祸禍座钥鑰牌]|后座|後座)"
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
