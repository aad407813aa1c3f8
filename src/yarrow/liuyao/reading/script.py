"""Traditional script for our own prose.

A hand table: the prose is a closed vocabulary, so characters that a general converter has to
guess have one reading here (冲 is 沖, 克 is 剋, 系 is 繫, 丑 stays the branch). Hexagram names come
from their own table, because 遁 is 遯 only as a name.
"""

from typing import Final

from yarrow.language.chinese_script import ScriptConverter
from yarrow.liuyao.hexagrams import HEXAGRAMS

_PAIRS: Final = (
    "与與 业業 两兩 个個 丰豐 临臨 为為 举舉 么麼 乐樂 书書 争爭 于於 亲親 从從 众眾 会會 伤傷 "
    "体體 余餘 侣侶 兑兌 养養 内內 写寫 冲沖 决決 准準 几幾 划劃 则則 刚剛 删刪 剂劑 剥剝 办辦 "
    "动動 劳勞 势勢 医醫 压壓 参參 发發 变變 后後 听聽 咨諮 嘱囑 图圖 场場 壮壯 处處 备備 复復 "
    "头頭 孙孫 学學 实實 宫宮 对對 寻尋 导導 寿壽 将將 属屬 师師 带帶 帮幫 库庫 应應 开開 强強 "
    "归歸 当當 径徑 忧憂 态態 总總 恒恆 惊驚 愿願 托託 执執 抢搶 报報 担擔 拨撥 挂掛 挠撓 损損 "
    "据據 数數 断斷 无無 旧舊 时時 显顯 晋晉 暂暫 机機 杀殺 条條 来來 枢樞 检檢 楼樓 残殘 气氣 "
    "泽澤 济濟 涣渙 渐漸 游遊 滞滯 点點 热熱 牵牽 独獨 环環 现現 电電 疗療 确確 离離 种種 积積 "
    "稳穩 竞競 签籤 类類 紧緊 约約 级級 纯純 纳納 纷紛 纸紙 线線 练練 终終 绊絆 经經 结結 绕繞 "
    "给給 络絡 绝絕 续續 缓緩 缘緣 缠纏 羁羈 联聯 肿腫 脚腳 节節 荐薦 荡蕩 药藥 营營 虚虛 虽雖 "
    "蛊蠱 蛰蟄 补補 装裝 见見 观觀 规規 觅覓 计計 认認 让讓 训訓 议議 论論 讼訟 证證 诊診 诚誠 "
    "话話 询詢 该該 详詳 语語 误誤 说說 请請 调調 谈談 谊誼 谦謙 财財 败敗 账帳 贪貪 贲賁 贵貴 "
    "贷貸 费費 资資 趋趨 踪蹤 转轉 轻輕 较較 辈輩 边邊 迁遷 过過 还還 这這 进進 远遠 连連 迟遲 "
    "迹跡 适適 郁鬱 里裡 钱錢 长長 门門 问問 间間 阂閡 阳陽 陈陳 险險 随隨 隐隱 难難 静靜 项項 "
    "顺順 须須 顾顧 预預 颐頤 额額 风風 飞飛 马馬 齐齊 龙龍 系繫 松鬆 舍捨 克剋 着著 扰擾 宽寬 "
    "运運 东東 习習 们們 伞傘 侪儕 倾傾 储儲 关關 减減 别別 励勵 却卻 "
    "厅廳 历歷 厨廚 墙牆 声聲 宠寵 尽盡 屉屜 户戶 择擇 挡擋 挥揮 "
    "换換 敛斂 样樣 烦煩 状狀 盖蓋 码碼 础礎 碍礙 简簡 纵縱 绩績 "
    "绵綿 罚罰 艺藝 记記 评評 诉訴 词詞 试試 诺諾 谁誰 谋謀 负負 "
    "货貨 车車 辞辭 递遞 遗遺 邻鄰 锋鋒 错錯 阵陣 阶階 题題 饮飲 "
    "价價 胜勝 柜櫃 范範 宁寧 云雲 "
    "禄祿 驿驛 华華 灾災 闰閏 农農 综綜 腊臘 满滿 产產 权權 买買 绪緒 细細 "
    "闪閃 启啟 旷曠 丛叢 张張 讨討 爱愛 凭憑 贴貼 唤喚 债債 阴陰 网網 "
    "乱亂 亏虧 偿償 摇搖 撑撐 晓曉 沟溝 维維 职職 虑慮 谨謹 赶趕 驳駁 "
    "选選 摆擺 识識 绍紹 笔筆 没沒 术術 卖賣 单單 号號 总總 赔賠 税稅 胁脅"
)
_CHARACTERS: Final = {pair[0]: pair[1] for pair in _PAIRS.split()}
_WORDS: Final = {
    "反复": "反覆",
    "复诊": "複診",
    "动荡": "動盪",
    "准考": "准考",
    "谷雨": "穀雨",
    "农历": "農曆",
    "关系": "關係",
    "合伙": "合夥",
} | {h.name: h.name_hant for h in HEXAGRAMS.values()}
_CONVERTER: Final = ScriptConverter(_WORDS, _CHARACTERS)


def to_hant(text: str) -> str:
    """`text` in traditional script."""
    return _CONVERTER.convert(text)


def list_hant_forms() -> dict[str, str]:
    """Traditional forms by the characters and words they replace; words go before characters."""
    return dict(_CONVERTER.forms)
