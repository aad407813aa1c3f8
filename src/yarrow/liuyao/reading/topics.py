"""Topics of questions and the words that name them, in Chinese (both scripts) and English."""

import re
from enum import StrEnum
from functools import cache, cached_property
from typing import Final

from yarrow.liuyao.reading.word_senses import remove_other_senses


class Topic(StrEnum):
    CAREER = "事业"
    WEALTH = "财运"
    LOVE = "感情"
    HEALTH = "健康"
    STUDY = "学业"
    DOCUMENTS = "文书"
    TRAVEL = "出行"
    ABSENT = "行人"
    LOST = "失物"
    LAWSUIT = "官司"
    CHILDREN = "子女"
    FRIENDS = "朋友"
    HOME = "家宅"
    WEATHER = "天时"
    OTHER = "其他"


class LazyPattern:
    """A regular expression that is compiled when it is first searched for.

    A batch of castings needs few of them, and compiling one takes longer than a casting.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._pattern, re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)


class WordList:
    """Words to look for, separated by `/`; English ones only as whole words.

    Chinese words are looked for as they are, since compiling hundreds of them into patterns takes
    longer than a thousand castings, and only in a text that has the first character of one of
    them; the English ones are compiled when a text has Latin letters.
    """

    def __init__(self, words: str) -> None:
        parts = [word for word in words.split("/") if word]
        self._chinese = tuple(word for word in parts if not word.isascii())
        self._first_characters = frozenset(word[0] for word in self._chinese)
        self._english = tuple(word for word in parts if word.isascii())

    def search(self, text: str) -> bool:
        """Whether the text has one of the words."""
        if not self._first_characters.isdisjoint(text) and any(
            word in text for word in self._chinese
        ):
            return True
        return bool(self._english and _LATIN.search(text) and _english(self._english).search(text))


_LATIN: Final = re.compile("[A-Za-z]")


@cache
def _english(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        "|".join(rf"(?<![A-Za-z]){word}s?(?![A-Za-z])" for word in words), re.IGNORECASE
    )


# Somebody else who comes home; the asker who goes home travels.
_HIRED: Final = LazyPattern(
    r"(?:公司|[单單]位|企[业業]|[岗崗]位)[^，,。]{0,8}[录錄]取|[录錄]用|\bhired?\b"
)
_COMES_HOME: Final = LazyPattern(
    r"(?:[他她它爸妈媽父母夫公婆妻子儿兒女孩哥弟姐妹人猫貓狗]|朋友)[^，,。]{0,10}回家"
)
_FORMER: Final = LazyPattern(
    r"前任|前女友|前男友|前夫|前妻|\bex(?:-(?:wife|husband|girlfriend|boyfriend))?\b"
)
_WITH_PARTNER: Final = LazyPattern(
    r"[和跟与與同]我?的?(?:[男女](?:朋)?友|老公|老婆|丈夫|妻子|[爱愛]人|未婚[夫妻])|[男女]朋友|[离離][开開][他她]"
    r"|[和跟与與][他她](?:[还還会會能]|最[终終後后]|[将將][来來])*(?:有可能|有[结結]果|有未[来來]|在一起|和好|走下去)"
    r"|\b(?:leave|dump|let go of) (?:him|her)\b"
    r"|\b(?:with|leave|dump|forgive|trust) my (?:ex[- ]?)?(?:girlfriend|boyfriend|wife|husband"
    r"|fianc\w+|crush)\b"
)
PURCHASES: Final = (
    "买房/買房/购房/購房/二手房/学区房/學區房/买套房/買套房/买车/買車/提车/提車/新车/新車"
)
PARCELS: Final = "快递/快遞/包裹/parcel/(?<!severance )(?<!pay )package"
# The first topic with a word in the label wins, then the first with a word in the question.
_TOPICS: Final = tuple(
    (topic, WordList(words) if isinstance(words, str) else words)
    for topic, words in (
        (
            Topic.LAWSUIT,
            "纠纷/糾紛/官司/诉讼/訴訟/官非/官事/起诉/起訴/仲裁/打官/争讼/爭訟/占讼/占訟/讼/訟/词讼/重罪/"
            "定罪/何罪/罪名/犯罪/有罪/免罪/脱罪/赦/牢/狱/獄/判刑/坐牢/拘留/取保/开庭/開庭"
            "/lawsuit/su(?:e|ed|ing)/legal/court/trial/prison",
        ),
        (
            Topic.WEATHER,
            "天时/天時/天气/天氣/下雨/雨水/求雨/占雨/占晴/天晴/放晴/转晴/轉晴/晴天/晴朗/会晴/會晴/能晴/不晴/晴不晴/求晴/祈晴/久晴/日晴/"
            "时晴/時晴/候晴/晴吗/晴嗎/晴还是/晴還是/下雪/台风/颱風/weather/rain/snow/"
            "sunny",
        ),
        (
            Topic.CHILDREN,
            "怀孕/懷孕/求子/受孕/怀上/懷上/胎孕/胎儿/胎兒/试管/試管/二胎/生男生女/占胎/子嗣/孕/"
            "男孩还是女孩/男孩還是女孩/是男是女/boy or (?:a )?girl/pregnant/pregnancy/conceive",
        ),
        (
            Topic.HEALTH,
            "健康/疾病/住院/出院/身体/身體/病/就医/就醫/手术/手術/临产/臨產/分娩/生产吉凶/痘/"
            "血崩/癌/危疾/残疾/头痛/頭痛/腹痛/疼痛/服药/服藥/痊愈/痊癒/寿命/壽命/寿元/壽元/寿数/壽數/寿限/壽限/"
            "阳寿/陽壽/延寿/延壽/长寿/長壽/年寿/年壽/占寿/占壽/卜寿/问寿/問壽/测寿/測壽/父寿/母寿/之寿/"
            "之壽/寿如何/壽如何/寿几何/壽幾何/伤势/傷勢"
            "/体检/體檢/化验/化驗/血压/血壓/血糖/check-?up/减肥/減肥/失眠/睡不好/睡不着/睡不著/发烧/發燒/感冒/咳嗽/胃疼/胃痛/头疼/頭疼/牙疼/牙痛/腰疼/腰痛/骨折/中风/"
            "化疗/化療/放疗/放療/截肢/停药/停藥/吃药/吃藥/用药/用藥/开刀/開刀/透析/打胎/堕胎/墮胎/流产/流產/"
            "引产/引產/打掉孩子/打掉胎/医生建议/醫生建議/医生说/醫生說/医生让/醫生讓/看医生/看醫生/"
            "顺产/順產/剖腹产/剖腹產/生产平安/生產平安/母子平安/fever/hospital/cancer/health/"
            "illness/sick/healthy/surgery/surgeries/disease/recover/chemo/chemotherapy/radiotherapy/dialysis/"
            "transplant/amputation/abortion/medication/medicine/"
            "doctors? (?:recommend|advise|suggest|say|said|told|want)",
        ),
        (
            Topic.LOST,
            "失物/寻物/尋物/丢失/丟失/遗失/遺失/丢了/丟了/不见了/不見了/找不到/落在/被偷/被盗/"
            "身份证掉/身份證掉/证件掉/證件掉/护照掉/護照掉/卡掉了/包掉了/耳机掉/耳機掉/眼镜掉/眼鏡掉/"
            "偷了我/偷走我/丢的/丟的/丢在/丟在/掉在/掉哪/弄丢/弄丟/被盜/失窃/失竊/"
            "逃仆/逃婢/逃奴/逃走/在逃/占失/手链掉/手鏈掉/项链掉/項鏈掉/戒指掉/耳环掉/耳環掉/"
            "手机掉/手機掉/钱包掉/錢包掉/钥匙掉/鑰匙掉/放哪/放在哪/哪去了/哪儿去了/哪兒去了/lost/"
            "stolen/"
            "(?:cat|dog|kitten|puppy|parrot|bird|rabbit|key|wallet|phone|purse|passport|ring|bag|bike"
            "|car|laptop|luggage|parcel)s?(?: \\w+){0,3} missing/"
            "find my (?:earring|necklace|bracelet|ring|key|phone|wallet|purse|bag|card|watch|"
            "laptop|passport|cat|dog|bike|headphone|umbrella|jacket|coat|scarf)s?/find my glasses/"
            "(?:steal|stole) my (?!heart|idea|thunder|show)\\w+/"
            "missing my/did i (?:lose|leave)/misplaced/can't find my/"
            "where(?: is|'s| are) my (?:phone|wallet|purse|keys?|passport|ring|bag|card|watch|"
            "glasses|necklace|"
            "laptop|luggage|suitcase)",
        ),
        (
            Topic.ABSENT,
            "行人/寻人/尋人/归期/歸期/何时回/何時回/何日回/何日归/何日歸/不归/不歸/无音/無音/"
            "音信/得信/有信/回信/久出/出外/远去/遠去"
            "/失联/失聯/飞走/飛走/跑丢/跑丟/ran away/run away/gone missing/走失/失踪/失蹤/"
            "离家出走/離家出走/占迎/何日到/回来/回來/会来/會來/到家/"
            "(?:is|are|been|went) missing/"
            "missing person/come home/come back/"
            "(?:get|arrive|return) (?:back )?home(?! (?:loan|insurance|delivery|office))",
        ),
        (
            Topic.LOVE,
            "感情/婚/恋爱/戀愛/爱情/愛情/姻缘/姻緣/桃花/复合/復合/对象/對象/夫妻/夫妇/夫婦/偕老/"
            "相亲/相親/嫁/娶/喜欢我/喜歡我/爱我/愛我/暗恋/暗戀/正缘/正緣/良缘/良緣/缘分/緣分/另一半"
            "/分手/单身/單身/脱单/脫單/追到/表白/前任/约会/約會/领证/領證/外面有人/小三/外遇/出轨/出軌/变心/變心/cheating/love/"
            "marriage/married/marry/wedding/relationship/breakup/dating/crush/ask me out",
        ),
        (Topic.CAREER, _HIRED),
        (
            Topic.STUDY,
            "学业/學業/学习/學習/考试/考試/升学/升學/考研/高考/中考/留学/留學/论文/論文/成绩/"
            "成績/读书/讀書/毕业/畢業/录取/錄取/考证/考證/保研/转学/轉學/选专业/選專業/什么专业/什麼專業/填志愿/填志願/报志愿/報志願"
            "/驾考/駕考/科一/科二/科三/科四/试中/試中/童试/童試/岁考/歲考/道考/科考/乡试/鄉試/"
            "会试/會試/殿试/殿試/府试/府試/"
            "院试/院試/考不考得上/考上/学校/學校/驾照/駕照/科目一/科目二/科目三/科目四/"
            "雅思/托福/四级考/六级考/driving test/college/ielts/toefl"
            "/study/studies/exam/school/degree/admission/university",
        ),
        (
            Topic.WEALTH,
            "财/財/投资/投資/生意/买卖/買賣/借贷/借貸/借钱/借錢/欠款/讨债/討債/股票/基金/彩票/"
            "赚钱/賺錢/能赚/能賺/会赚/會賺/赚到/賺到/炒股/股市/带货/帶貨/直播/期货/期貨/比特币/"
            "比特幣/炒币/炒幣/"
            "回款/收入/工资/工資/薪/奖金/獎金/分红/分紅"
            "/中标/中標/投标/投標/开店/開店/贸易/貿易/卖/賣/脱货/脫貨/收货/收貨/囤货/囤貨/得价/"
            "得價/价钱/價錢/价格/價格/古窖/藏金/博戏/博戲/赌/賭/斗鸡/斗蟋蟀/斗鹌鹑/店/铺/鋪/"
            "煤窑/煤矿/置货/置貨/谋利/本利/索债/放债/失银"
            "/买豆/贩/販/典当/典當/拆迁款/拆遷款/订单/訂單/客户/客戶/贷款/貸款/钱/錢/利润/利潤/"
            "中奖/中獎/抽奖/抽獎/房租/租金/理赔/理賠/会赔/會賠/能赔/能賠/赔下来/賠下來/赔钱/賠錢/开单/開單/"
            "业绩/業績/奖学金/獎學金/补贴/補貼/退税/退稅/scholarship/"
            "项目款/房贷/房貸/车贷/車貸/还债/還債/欠债/欠債/债务/債務/"
            "合伙开/合夥開/合伙做/合夥做/合股/入股/pay me back"
            "/wealth/money/finance/investment/invest/business/salary/wages/raise/bonus/sell/stock/"
            "lottery/loan/mortgage/debt/tender/bid/shares/crypto/bitcoin/make a profit/deposit/"
            "refund",
        ),
        (
            Topic.DOCUMENTS,
            "文书/文書/合同/契约/契約/证照/證照/签证/簽證/护照/護照/批文/执照/執照/手续/手續/"
            "绿卡/綠卡/户口/戶口/车辆/車輛/这套房/這套房/那套房/这间房/這間房/"
            "房产/房產/过户/過戶/章奏/奏疏/移民申请/移民申請/居留/永居/入籍/"
            f"{PURCHASES}/{PARCELS}/"
            "contract/visa/citizenship/residence permit/green card/my delivery/"
            "document/passport/permit/licen[cs]e/car/house purchase/"
            "buy (?:an?|the|this|that) (?:\\w+ ){0,2}(?:house|flat|apartment|home)",
        ),
        (
            Topic.HOME,
            "家宅/阳宅/陽宅/宅/住房/住宅/新家/新居/风水/風水/盖房/蓋房/造屋/修造/装修/裝修/租房/搬进/"
            "入宅/坟/墳/feng shui/home/apartment/house",
        ),
        (
            Topic.TRAVEL,
            "出行/旅行/旅游/旅遊/搬迁/搬遷/搬家/出差/出国/出國/移民/远行/遠行/迁移/遷移/避难/"
            "避難/避乱/行船/舟行/还乡/還鄉/南行/北行/东行/東行/西行/往治/航班/飞机/飛機/晚点/"
            "晚點/坐船/坐车/坐車/"
            "自驾/自駕/谒/謁/往何方"
            "/travel/trip/journey/flight/move abroad",
        ),
        (
            Topic.CAREER,
            "裁员/裁員/裁掉/被裁/辞退/辭退/失业/失業/laid off/"
            "事业/事業/工作/求职/求職/升迁/升遷/升职/升職/升选/升選/功名/面试/面試/跳槽/晋升/"
            "晉升/公务员/公務員/考公/编制/編制/官运/官運/补官/補官/选官/選官/捐官/援例/候选/"
            "候選/署印/出仕/致仕/防参/参劾/题升/调任/調任/中举/中舉/及第"
            "/候补/候補/自陈/自陳/掣签/掣簽/任上/在任/罢官/罷官/调动/調動/饭碗/飯碗/岗位/崗位/职位/職位/"
            "升官/提拔/竞聘/競聘/入职/入職/裁员/裁員/离职/離職/辞职/辭職/创业/創業"
            "/当兵/當兵/参军/參軍/升否/官位/前程/仕途/实习/實習/转正/轉正/offer/career/job/"
            "work/promotion/interview/civil servant/civil service/resign",
        ),
        (
            Topic.ABSENT,
            "没回家/沒回家/不回家/没消息/沒消息/没有消息/沒有消息/没音讯/沒音訊/联系不上/"
            "聯繫不上/联系不到/聯繫不到/"
            "下落/no news/"
            "heard nothing/not heard from/haven't heard from",
        ),
        (Topic.ABSENT, _COMES_HOME),
        (Topic.TRAVEL, "回家/回老家/回乡/回鄉"),
        (
            Topic.CHILDREN,
            "子女/孩子/小孩/儿女/兒女/宠物/寵物/下属/下屬/训子/訓子/六畜/养猪/養豬/养牛/child/"
            "children/kid/pet",
        ),
        (Topic.LOVE, _WITH_PARTNER),
        (Topic.LOVE, _FORMER),
        (Topic.FRIENDS,
            "朋友/合伙/合夥/兄弟/人际/人際/同事/同学/同學/合作/闺蜜/閨蜜/friend/friendship/"
            "partnership"),
    )
)  # fmt: skip


def choose_topic(question_type: str, question: str = "") -> Topic:
    """The topic that a label names; the question helps when the label says nothing known."""
    return find_topic(question_type) or find_topic(question) or Topic.OTHER


def find_topic(text: str) -> Topic | None:
    """The topic that the words of `text` name, if they name one."""
    exact = next((topic for topic in Topic if topic.value == text.strip()), None)
    if exact is not None and exact is not Topic.OTHER:
        return exact
    text = remove_other_senses(text)
    found = next((topic for topic, words in _TOPICS if words.search(text)), None)
    # A former partner who comes back is no traveller.
    return Topic.LOVE if found is Topic.ABSENT and _FORMER.search(text) else found
