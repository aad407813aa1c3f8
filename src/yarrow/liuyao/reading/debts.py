"""Whether a question is about money that is owed to the asker.

A debt of the asker's own (房贷, "get out of debt") is an ordinary question about money: nothing
comes back to the asker.
"""

from typing import Final

from yarrow.liuyao.reading.persons import find_person
from yarrow.liuyao.reading.topics import LazyPattern, WordList

_DEBT: Final = WordList(
    "拖欠/还钱/還錢/不还/不還/要回/要得回/讨回/討回/追回/还款/還款/还我/還我/会还吗/會還嗎/会不会还/"
    "會不會還/还得/還得/还清/還清/借的钱/借的錢/"
    "借出/借给/借給/欠款/欠我/欠钱/欠錢/欠债/欠債/讨债/討債/索债/索債/要债/要債/要账/要賬/追债/"
    "追債/"
    "回款/repay/pay me back/pay it back/owes me/owe me/I lent/unpaid (?:wages|salary)/debt"
)
_OWED_TO_ASKER: Final = WordList(
    "拖欠/欠我/欠咱/欠了我/还我/還我/还给我/還給我/借给/借給/借出/讨债/討債/索债/索債/要债/要債/要账/"
    "要賬/追债/追債/"
    "回款/owes me/owe me/unpaid (?:wages|salary)/pay me back/repay me/I lent/owed to me"
)
_OWED_BY_ASKER: Final = LazyPattern(
    r"我(?:们|們|家)?(?:自己)?(?:现在|現在|还|還|所|一共)?(?:欠(?!我)|借的(?!出|给|給)|负债|負債|"
    r"的(?:债|債|欠|负债|負債))"
    r"|[房车車网網]贷|[房車网網]貸|贷款|貸款|信用卡|花呗|花唄|按揭|负债|負債"
    r"|\bI(?:'ll| will)? (?:still |ever )?owe\b|\bmy (?:\w+ )?(?:debt|loan|mortgage)"
    r"|out of debt|in debt|debt[- ]free|\bpay(?:ing)? off\b|\bmortgage|\bloan\b"
    r"|\b(?:I|we) (?:\w+ ){0,2}(?:repay|pay (?:\w+ )?back)\b",
)
# A refund or a deposit that comes to the asker; those who paid the asker may want one too.
_REFUND_TO_ASKER: Final = LazyPattern(
    r"\b(?:return|give back|get back|pay back) (?:me )?my (?:\w+ )?(?:deposit|money)\b|"
    r"退[还還回]?[给給]?我|[给給]我退|[会會能肯候](?:同意)?退[还還回]?(?:押金|款)"
    r"|(?:押金|退款)\w{0,4}(?:退|到[账賬]|[拿要收讨討追]\w?[回到])|"
    r"[拿要收讨討追][回到]\w{0,3}(?:押金|退款)"
    r"|\brefund (?:me|us|my)\b|\b(?:give|pay|send) me (?:\w+ ){0,2}refund"
    r"|\bmy (?:\w+ )?(?:refund|deposit back)"
    r"|\bI (?:\w+ ){0,2}(?:get|receive) (?:\w+ ){0,2}(?:refund|deposit back)"
)
_PAID_ASKER: Final = WordList(
    "顾客/顧客/客户/客戶/客人/租客/房客/买家/買家/customer/client/buyer/tenant/guest"
)
# Who pays back, if nobody else is named, is the asker.
_PAYS_BACK: Final = LazyPattern(
    r"(?:^|[，,。\s]|我(?:们|們)?(?:自己)?)(?:今年|明年|年底前?|下个?月|下個?月|何时|何時|"
    r"什么时候|什麼時候|能不能|"
    r"会不会|會不會|能够?|能夠?|会|會|可以|要|该|該|才|多久|还能|還能|把)*"
    r"(?:欠?[债債款钱錢账賬务務的]*)(?:何时|何時|什么时候|什麼時候|能不能|能|会|會|才|可以|全部|"
    r"都)*"
    r"[还還](?:清|完|上|得|债|債|钱|錢|款|掉)"
)
_OTHERS: Final = LazyPattern(
    r"他|她|对方|對方|客户|客戶|公司|老板|老闆|别人|別人|人家|甲方|\b(?:he|she|they|him|her|"
    r"them)\b",
)


def is_owed_to_asker(question: str) -> bool:
    """Whether the question asks after a debt of somebody else, who owes it to the asker."""
    if _REFUND_TO_ASKER.search(question) and not _PAID_ASKER.search(question):
        return True
    if not _DEBT.search(question):
        return False
    if _OWED_TO_ASKER.search(question):
        return True
    if _OWED_BY_ASKER.search(question):
        return False
    names_other = find_person(question) is not None or _OTHERS.search(question) is not None
    return names_other or _PAYS_BACK.search(question) is None
