"""Whether a question is about money that is owed to the asker.

A debt of the asker's own (房贷, "get out of debt") is an ordinary question about money: nothing
comes back to the asker.
"""

from typing import Final

from yarrow.language.script_folding import fold_question
from yarrow.liuyao.reading.persons import find_person
from yarrow.liuyao.reading.word_lists import LazyPattern, WordList

_DEBT: Final = WordList(
    "拖欠/还钱/不还/要回/要得回/讨回/追回/还款/还我/会还吗/会不会还/还得/还清/借的钱/借出/借给/"
    "欠款/欠我/欠钱/欠债/讨债/索债/要债/要账/追债/回款/repay/pay me back/pay it back/owes me/"
    "owe me/I lent/unpaid (?:wages|salary)/debt"
)
_OWED_TO_ASKER: Final = WordList(
    "拖欠/欠我/欠咱/欠了我/还我/还给我/借给/借出/讨债/索债/要债/要账/追债/回款/owes me/owe me/"
    "unpaid (?:wages|salary)/pay me back/repay me/I lent/owed to me"
)
_OWED_BY_ASKER: Final = LazyPattern(
    r"我(?:们|家)?(?:自己)?(?:现在|还|所|一共)?(?:欠(?!我)|借的(?!出|给)|负债|负债|的(?:债|欠"
    r"|负债))|[房车网]贷|贷款|信用卡|花呗|按揭|负债|\bI(?:'ll| will)? (?:still |ever )?owe\b"
    r"|\bmy (?:\w+ )?(?:debt|loan|mortgage)|out of debt|in debt|debt[- ]free"
    r"|\bpay(?:ing)? off\b|\bmortgage|\bloan\b"
    r"|\b(?:I|we) (?:\w+ ){0,2}(?:repay|pay (?:\w+ )?back)\b"
)
# A refund or a deposit that comes to the asker; those who paid the asker may want one too.
_REFUND_TO_ASKER: Final = LazyPattern(
    r"\b(?:return|give back|get back|pay back) (?:me )?my (?:\w+ )?(?:deposit|money)\b"
    r"|退[还回]?给?我|给我退|[会能肯候](?:同意)?退[还回]?(?:押金|款)"
    r"|(?:押金|退款)\w{0,4}(?:退|到账|[拿要收讨追]\w?[回到])"
    r"|[拿要收讨追][回到]\w{0,3}(?:押金|退款)|\brefund (?:me|us|my)\b"
    r"|\b(?:give|pay|send) me (?:\w+ ){0,2}refund|\bmy (?:\w+ )?(?:refund|deposit back)"
    r"|\bI (?:\w+ ){0,2}(?:get|receive) (?:\w+ ){0,2}(?:refund|deposit back)"
)
_PAID_ASKER: Final = WordList("顾客/客户/客人/租客/房客/买家/customer/client/buyer/tenant/guest")
# Who pays back, if nobody else is named, is the asker.
_PAYS_BACK: Final = LazyPattern(
    r"(?:^|[，,。\s]|我(?:们)?(?:自己)?)(?:今年|明年|年底前?|下个?月|何时|什么时候|能不能|会不会"
    r"|能够?|会|可以|要|该|才|多久|还能|把)*(?:欠?[债款钱账务的]*)(?:何时|什么时候|能不能|能|会"
    r"|才|可以|全部|都)*还(?:清|完|上|得|债|钱|款|掉)"
)
_OTHERS: Final = LazyPattern(
    r"他|她|对方|客户|公司|老板|别人|人家|甲方|\b(?:he|she|they|him|her|them)\b"
)


def is_owed_to_asker(question: str) -> bool:
    """Whether the question asks after a debt of somebody else, who owes it to the asker."""
    question = fold_question(question)
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
