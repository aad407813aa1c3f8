"""Both scripts of Chinese: tell them apart, read either, write our own texts in the other.

The pairs of characters are those of OpenCC (Apache License 2.0), of the 3,755 common simplified
characters. Each simplified character is written as its most frequent traditional one, so texts that
are converted are our own, whose words are checked; what people write is only folded for comparison.
"""

import re
from collections.abc import Mapping
from typing import Final

from yarrow.language.languages import Language

_PAIRS: Final = (
    "万萬 与與 丑醜 专專 业業 丛叢 东東 丝絲 丢丟 两兩 严嚴 丧喪 个個 丰豐 临臨 "
    "为為 丽麗 举舉 么麼 义義 乌烏 乐樂 乔喬 习習 乡鄉 书書 买買 乱亂 争爭 于於 "
    "亏虧 云雲 亚亞 产產 亩畝 亲親 亿億 仅僅 仆僕 从從 仑侖 仓倉 仪儀 们們 价價 "
    "众眾 优優 伙夥 会會 伞傘 伟偉 传傳 伤傷 伦倫 伪偽 体體 余餘 佣傭 侠俠 侣侶 "
    "侥僥 侦偵 侧側 侨僑 侩儈 俩倆 俭儉 债債 倾傾 偿償 储儲 儿兒 兑兌 党黨 兰蘭 "
    "关關 兴興 兹茲 养養 兽獸 内內 冈岡 册冊 写寫 军軍 农農 冯馮 冲衝 决決 况況 "
    "冻凍 净淨 凄悽 准準 凉涼 减減 凑湊 凛凜 几幾 凤鳳 凭憑 凯凱 凶兇 击擊 凿鑿 "
    "划劃 刘劉 则則 刚剛 创創 删刪 别別 刹剎 刽劊 剂劑 剐剮 剑劍 剥剝 剧劇 劝勸 "
    "办辦 务務 动動 励勵 劲勁 劳勞 势勢 勋勳 匀勻 区區 医醫 华華 协協 单單 卖賣 "
    "占佔 卢盧 卤滷 卧臥 卫衛 却卻 厂廠 厅廳 历歷 厉厲 压壓 厌厭 厕廁 厘釐 厢廂 "
    "厦廈 厨廚 厩廄 县縣 参參 双雙 发發 变變 叙敘 叠疊 台臺 叶葉 号號 叹嘆 吁籲 "
    "后後 吓嚇 吕呂 吗嗎 吨噸 听聽 启啟 吴吳 呐吶 呕嘔 员員 呛嗆 呜嗚 咏詠 咙嚨 "
    "咨諮 咸鹹 响響 哑啞 哗譁 哟喲 唤喚 啮齧 啸嘯 喷噴 嘘噓 嘱囑 嚣囂 团團 园園 "
    "囱囪 围圍 国國 图圖 圆圓 圣聖 场場 坏壞 块塊 坚堅 坛壇 坝壩 坞塢 坟墳 坠墜 "
    "垄壟 垒壘 垦墾 垫墊 堑塹 堕墮 墙牆 壮壯 声聲 壳殼 壶壺 处處 备備 复復 够夠 "
    "头頭 夸誇 夹夾 夺奪 奋奮 奖獎 奥奧 妆妝 妇婦 妈媽 娄婁 娇嬌 娱娛 婴嬰 婶嬸 "
    "孙孫 学學 孪孿 宁寧 宝寶 实實 宠寵 审審 宪憲 宫宮 宽寬 宾賓 寝寢 对對 寻尋 "
    "导導 寿壽 将將 尔爾 尘塵 尝嘗 尧堯 尸屍 尽盡 层層 屉屜 届屆 属屬 屡屢 屿嶼 "
    "岁歲 岂豈 岗崗 岛島 岩巖 岭嶺 岳嶽 岿巋 峡峽 峦巒 崭嶄 巩鞏 币幣 帅帥 师師 "
    "帐帳 帘簾 帜幟 带帶 帧幀 帮幫 幂冪 干幹 并並 广廣 庄莊 庆慶 庐廬 库庫 应應 "
    "庙廟 庞龐 废廢 开開 异異 弃棄 张張 弥彌 弯彎 弹彈 强強 归歸 当當 录錄 彦彥 "
    "彻徹 征徵 径徑 忆憶 忧憂 怀懷 态態 怂慫 怜憐 总總 恋戀 恒恆 恳懇 恶惡 恼惱 "
    "悦悅 悬懸 悯憫 惊驚 惧懼 惨慘 惩懲 惫憊 惭慚 惮憚 惯慣 愤憤 愿願 慑懾 懒懶 "
    "戏戲 战戰 户戶 扑撲 托託 执執 扩擴 扫掃 扬揚 扰擾 抚撫 抛拋 抠摳 抡掄 抢搶 "
    "护護 报報 担擔 拟擬 拢攏 拣揀 拥擁 拦攔 拧擰 拨撥 择擇 挂掛 挚摯 挛攣 挝撾 "
    "挞撻 挟挾 挠撓 挡擋 挣掙 挤擠 挥揮 捞撈 损損 捡撿 换換 捣搗 据據 掳擄 掷擲 "
    "掸撣 掺摻 揽攬 搀攙 搁擱 搂摟 搅攪 携攜 摄攝 摆擺 摇搖 摈擯 摊攤 撑撐 撵攆 "
    "擞擻 攒攢 敌敵 敛斂 数數 斋齋 斗鬥 斩斬 断斷 无無 旧舊 时時 旷曠 昼晝 显顯 "
    "晋晉 晒曬 晓曉 晕暈 暂暫 术術 朴樸 机機 杀殺 杂雜 权權 杠槓 条條 来來 杨楊 "
    "杰傑 极極 构構 枢樞 枣棗 枪槍 枫楓 柜櫃 柠檸 栅柵 标標 栈棧 栋棟 栏欄 树樹 "
    "栖棲 栗慄 样樣 档檔 桥橋 桨槳 桩樁 梦夢 检檢 椭橢 楼樓 槛檻 横橫 樱櫻 橱櫥 "
    "欢歡 欧歐 歼殲 残殘 殴毆 毁毀 毕畢 毙斃 毡氈 气氣 氢氫 汇匯 汉漢 汤湯 汹洶 "
    "沟溝 没沒 沤漚 沥瀝 沦淪 沧滄 沪滬 泞濘 泪淚 泻瀉 泼潑 泽澤 洁潔 洒灑 洼窪 "
    "浅淺 浆漿 浇澆 浊濁 测測 济濟 浑渾 浓濃 涂塗 涌湧 涛濤 涝澇 涟漣 涡渦 涣渙 "
    "涤滌 润潤 涧澗 涨漲 涩澀 淀澱 渊淵 渍漬 渐漸 渔漁 渗滲 温溫 游遊 湾灣 湿溼 "
    "溃潰 溅濺 滚滾 滞滯 满滿 滤濾 滥濫 滦灤 滨濱 滩灘 潍濰 潜潛 澜瀾 濒瀕 灭滅 "
    "灯燈 灵靈 灾災 灿燦 炉爐 点點 炼煉 炽熾 烁爍 烂爛 烃烴 烛燭 烟煙 烦煩 烧燒 "
    "烩燴 烫燙 烬燼 热熱 焕煥 熏燻 爱愛 爷爺 牵牽 牺犧 犊犢 状狀 犹猶 狈狽 狞獰 "
    "独獨 狭狹 狮獅 狰猙 狱獄 猎獵 猪豬 猫貓 献獻 獭獺 玛瑪 环環 现現 珐琺 琐瑣 "
    "琼瓊 瑶瑤 瓮甕 电電 画畫 畅暢 畴疇 疗療 疟瘧 疡瘍 疮瘡 疯瘋 痈癰 痉痙 痒癢 "
    "痪瘓 瘪癟 瘫癱 癣癬 皑皚 皱皺 盏盞 盐鹽 监監 盖蓋 盗盜 盘盤 睁睜 瞒瞞 瞩矚 "
    "矫矯 矾礬 矿礦 码碼 砖磚 砚硯 砾礫 础礎 硕碩 确確 碍礙 碱鹼 礼禮 祷禱 祸禍 "
    "禄祿 离離 秃禿 秆稈 种種 积積 称稱 秽穢 税稅 稳穩 穷窮 窃竊 窍竅 窑窯 窜竄 "
    "窝窩 窥窺 竖豎 竞競 笋筍 笔筆 笺箋 笼籠 筑築 筛篩 筹籌 签籤 简簡 箩籮 篓簍 "
    "篮籃 篱籬 类類 粤粵 粪糞 粮糧 紧緊 纠糾 红紅 纤纖 约約 级級 纪紀 纫紉 纬緯 "
    "纯純 纱紗 纲綱 纳納 纵縱 纶綸 纷紛 纸紙 纹紋 纺紡 纽紐 线線 练練 组組 绅紳 "
    "细細 织織 终終 绊絆 绍紹 绎繹 经經 绑綁 绒絨 结結 绕繞 绘繪 给給 绚絢 络絡 "
    "绝絕 绞絞 统統 绢絹 绣繡 绥綏 绦絛 继繼 绩績 绪緒 续續 绰綽 绳繩 维維 绵綿 "
    "绷繃 绸綢 综綜 绽綻 绿綠 缀綴 缄緘 缅緬 缆纜 缉緝 缎緞 缓緩 缔締 缕縷 编編 "
    "缘緣 缚縛 缝縫 缠纏 缨纓 缩縮 缮繕 缴繳 网網 罗羅 罚罰 罢罷 羡羨 翘翹 耸聳 "
    "耻恥 聂聶 聋聾 职職 联聯 聪聰 肃肅 肠腸 肤膚 肮骯 肾腎 肿腫 胀脹 胁脅 胆膽 "
    "胜勝 胶膠 脉脈 脏髒 脐臍 脑腦 脓膿 脚腳 脱脫 脸臉 腊臘 腻膩 腾騰 舆輿 舰艦 "
    "舱艙 艰艱 艳豔 艺藝 节節 芜蕪 芦蘆 苇葦 苍蒼 苏蘇 苹蘋 范範 茎莖 茧繭 荆荊 "
    "荐薦 荚莢 荡蕩 荣榮 荤葷 荧熒 荫蔭 药藥 莱萊 莲蓮 获獲 莹瑩 萝蘿 萤螢 营營 "
    "萧蕭 萨薩 葱蔥 蒋蔣 蓝藍 蓟薊 蔷薔 蔼藹 蕴蘊 虏虜 虑慮 虚虛 虫蟲 虱蝨 虽雖 "
    "虾蝦 蚀蝕 蚁蟻 蚂螞 蚕蠶 蛊蠱 蛮蠻 蛰蟄 蜕蛻 蜗蝸 蜡蠟 蝇蠅 蝉蟬 蝎蠍 衅釁 "
    "衔銜 补補 衬襯 袄襖 袜襪 袭襲 装裝 裤褲 见見 观觀 规規 觅覓 视視 览覽 觉覺 "
    "触觸 誉譽 誊謄 计計 订訂 讣訃 认認 讥譏 讨討 让讓 讫訖 训訓 议議 讯訊 记記 "
    "讲講 讳諱 讶訝 许許 讹訛 论論 讼訟 讽諷 设設 访訪 诀訣 证證 评評 诅詛 识識 "
    "诈詐 诉訴 诊診 诌謅 词詞 译譯 试試 诗詩 诚誠 诛誅 话話 诞誕 诡詭 询詢 诣詣 "
    "该該 详詳 诧詫 诫誡 诬誣 语語 误誤 诱誘 诲誨 说說 诵誦 请請 诸諸 诺諾 读讀 "
    "诽誹 课課 谁誰 调調 谅諒 谆諄 谈談 谊誼 谋謀 谍諜 谎謊 谐諧 谓謂 谗讒 谚諺 "
    "谜謎 谢謝 谣謠 谤謗 谦謙 谨謹 谩謾 谬謬 谭譚 谰讕 谱譜 谴譴 贝貝 贞貞 负負 "
    "贡貢 财財 责責 贤賢 败敗 账賬 货貨 质質 贩販 贪貪 贫貧 贬貶 购購 贮貯 贯貫 "
    "贰貳 贱賤 贴貼 贵貴 贷貸 贸貿 费費 贺賀 贼賊 贾賈 贿賄 赁賃 赂賂 赃贓 资資 "
    "赊賒 赋賦 赌賭 赎贖 赏賞 赐賜 赔賠 赖賴 赘贅 赚賺 赛賽 赞贊 赠贈 赡贍 赢贏 "
    "赣贛 赵趙 赶趕 趋趨 跃躍 践踐 踌躊 踪蹤 蹿躥 躯軀 车車 轧軋 轨軌 轩軒 转轉 "
    "轮輪 软軟 轰轟 轴軸 轻輕 载載 轿轎 较較 辅輔 辆輛 辈輩 辉輝 辊輥 辐輻 辑輯 "
    "输輸 辕轅 辖轄 辗輾 辙轍 辞辭 辟闢 辩辯 辫辮 边邊 辽遼 达達 迁遷 过過 迈邁 "
    "运運 还還 这這 进進 远遠 违違 连連 迟遲 迹跡 适適 选選 逊遜 递遞 逻邏 遗遺 "
    "遥遙 邓鄧 邮郵 邹鄒 邻鄰 郁鬱 郑鄭 郧鄖 郸鄲 酝醞 酱醬 酿釀 采採 释釋 里裡 "
    "鉴鑑 针針 钉釘 钒釩 钓釣 钙鈣 钝鈍 钞鈔 钟鍾 钠鈉 钡鋇 钢鋼 钥鑰 钦欽 钧鈞 "
    "钨鎢 钩鉤 钮鈕 钱錢 钳鉗 钵缽 钻鑽 钾鉀 铀鈾 铁鐵 铂鉑 铃鈴 铅鉛 铆鉚 铜銅 "
    "铝鋁 铡鍘 铣銑 铬鉻 铭銘 铰鉸 铱銥 铲鏟 银銀 铸鑄 铺鋪 链鏈 销銷 锁鎖 锄鋤 "
    "锅鍋 锈鏽 锋鋒 锌鋅 锐銳 锑銻 锗鍺 错錯 锚錨 锡錫 锣鑼 锤錘 锥錐 锦錦 锭錠 "
    "键鍵 锯鋸 锰錳 锹鍬 锻鍛 镀鍍 镁鎂 镇鎮 镊鑷 镍鎳 镐鎬 镑鎊 镜鏡 镣鐐 镭鐳 "
    "镰鐮 镶鑲 长長 门門 闪閃 闭閉 问問 闯闖 闰閏 闲閒 间間 闷悶 闸閘 闹鬧 闺閨 "
    "闻聞 闽閩 阀閥 阁閣 阂閡 阅閱 阉閹 阎閻 阐闡 阑闌 阔闊 队隊 阳陽 阴陰 阵陣 "
    "阶階 际際 陆陸 陇隴 陈陳 陕陝 陨隕 险險 随隨 隐隱 隶隸 难難 雇僱 雏雛 雾霧 "
    "霉黴 静靜 韦韋 韧韌 韩韓 韵韻 页頁 顶頂 顷頃 项項 顺順 须須 顽頑 顾顧 顿頓 "
    "颁頒 颂頌 预預 颅顱 领領 颇頗 颈頸 颊頰 颐頤 频頻 颓頹 颖穎 颗顆 题題 颜顏 "
    "额額 颠顛 颤顫 颧顴 风風 飘飄 飞飛 饥飢 饭飯 饮飲 饯餞 饰飾 饱飽 饲飼 饵餌 "
    "饶饒 饺餃 饼餅 饿餓 馁餒 馅餡 馆館 馈饋 馋饞 馏餾 馒饅 马馬 驭馭 驮馱 驯馴 "
    "驰馳 驱驅 驳駁 驴驢 驶駛 驹駒 驻駐 驼駝 驾駕 骂罵 骄驕 骆駱 骇駭 骋騁 验驗 "
    "骏駿 骑騎 骗騙 骚騷 骡騾 骤驟 鱼魚 鲁魯 鲍鮑 鲜鮮 鲤鯉 鲸鯨 鳃鰓 鳖鱉 鳞鱗 "
    "鸟鳥 鸡雞 鸣鳴 鸥鷗 鸦鴉 鸭鴨 鸯鴦 鸳鴛 鸵鴕 鸽鴿 鸿鴻 鹃鵑 鹅鵝 鹊鵲 鹏鵬 "
    "鹤鶴 鹰鷹 麦麥 黄黃 齐齊 齿齒 龄齡 龋齲 龙龍 龚龔 龟龜 "
)
"""Simplified and traditional, as texts are written."""
_OTHER_FORMS: Final = (
    "布佈 并併 局侷 系係 私俬 幸倖 家傢 尽儘 净凈 克剋 铲剷 勋勛 恤卹 历厤 念唸 "
    "吃喫 哗嘩 恶噁 当噹 尝嚐 啮嚙 咽嚥 向嚮 苏囌 采埰 奸姦 娘孃 采寀 昆崑 仑崙 "
    "荫廕 吊弔 别彆 录彔 汇彙 雕彫 佛彿 戚慼 欲慾 蒙懞 舍捨 卷捲 捣擣 旗旂 升昇 "
    "历曆 向曏 术朮 拐枴 拐柺 杆桿 干榦 梁樑 台檯 叹歎 僵殭 泛氾 泛汎 污汙 冲沖 "
    "溯泝 泄洩 凄淒 凌淩 湿濕 蒙濛 沈瀋 弥瀰 漓灕 毁燬 呆獃 雕琱 苏甦 酸痠 愈癒 "
    "痴癡 症癥 皂皁 杯盃 荡盪 困睏 蒙矇 朱硃 秘祕 御禦 棱稜 谷穀 获穫 个箇 蓑簑 "
    "签簽 团糰 扎紮 弦絃 捆綑 彩綵 致緻 纤縴 系繫 累纍 才纔 坛罈 玩翫 唇脣 修脩 "
    "脏臟 艳艷 药葯 搜蒐 席蓆 卜蔔 参蔘 姜薑 蔑衊 同衕 胡衚 制製 复複 摆襬 核覈 "
    "注註 证証 志誌 噪譟 毁譭 赞讚 逾踰 踊踴 迹蹟 挽輓 回迴 周週 扣釦 钥鈅 巨鉅 "
    "钻鉆 表錶 炼鍊 针鍼 镰鎌 锤鎚 旋鏇 钟鐘 鉴鑒 闲閑 合閤 板闆 暗闇 升陞 只隻 "
    "沾霑 秋鞦 千韆 台颱 刮颳 糊餬 喂餵 饥饑 发髮 松鬆 胡鬍 须鬚 哄鬨 雕鵰 卤鹵 "
    "面麵 冬鼕 出齣 "
)
"""Further traditional characters with the simplified ones that stand for them."""
_WRITTEN: Final[Mapping[str, str]] = {pair[0]: pair[1] for pair in _PAIRS.split()}
_FOLDED: Final = str.maketrans(
    {pair[1]: pair[0] for pair in (*_OTHER_FORMS.split(), *_PAIRS.split())}
)


def _has_character(charset: str, letter: str) -> bool:
    return bool(letter.encode(charset, "ignore"))


_TRADITIONAL: Final = frozenset(c for c in map(chr, _FOLDED) if not _has_character("gb2312", c))
_SIMPLIFIED: Final = frozenset(c for c in _WRITTEN if not _has_character("big5", c))
"""Characters that texts in the other script do not have."""


def find_script(text: str) -> Language | None:
    """The script of a Chinese text; None if all its characters are of both."""
    letters = set(text)
    if letters & _TRADITIONAL:
        return Language.HANT
    return Language.HANS if letters & _SIMPLIFIED else None


def fold_script(text: str) -> str:
    """The text in simplified characters, of the same length, to compare it with others."""
    return text.translate(_FOLDED)


def list_spellings(text: str) -> list[str]:
    """The text as it is, in simplified and in traditional characters, to look for it in others."""
    folded = fold_script(text)
    written = "".join(_WRITTEN.get(letter, letter) for letter in folded)
    return list(dict.fromkeys((text, folded, written)))


class ScriptConverter:
    """Converts texts of ours to traditional script; `forms` are words and characters that are
    written otherwise than each character alone."""

    def __init__(self, forms: Mapping[str, str], characters: Mapping[str, str] = _WRITTEN) -> None:
        self.forms: Mapping[str, str] = {**characters, **forms}
        words = sorted((form for form in self.forms if len(form) > 1), key=len, reverse=True)
        letters = "".join(form for form in self.forms if len(form) == 1)
        self._pattern = re.compile("|".join([*map(re.escape, words), f"[{letters}]"]))

    def convert(self, text: str) -> str:
        return self._pattern.sub(lambda match: self.forms[match.group()], text)


_OUR_WORDS: Final = {
    "汇总": "彙總",
    "并列": "並列",
    "关系": "關係",
    "联系": "聯繫",
    "系数": "係數",
    "绘制": "繪製",
    "质量": "品質",
    "行": "列",
    "列": "欄",
    "钟": "鐘",
    "周": "週",
    "“": "「",
    "”": "」",
    "复": "複",
    "范": "範",
    "台": "台",
    "占": "占",
    "只": "只",
}
_OUR_TEXTS: Final = ScriptConverter(_OUR_WORDS)


def to_traditional(text: str) -> str:
    """A text of ours in traditional script; slots for what others wrote are filled afterwards."""
    return _OUR_TEXTS.convert(text)
