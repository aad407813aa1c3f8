"""The words of each role in a question: things, acts and people, in simplified script and English.

A word stands here once. What it means for the topic is in the rules of `topics`, which see roles.
"""

from typing import Final

from yarrow.liuyao.reading.word_lists import WordList

ROLE_WORDS: Final[dict[str, WordList]] = {
    name: WordList(words)
    for name, words in {
        # The law.
        "court": (
            "冤枉/诬陷/洗清/清白/工伤/纠纷/官司/诉讼/官非/官事/起诉/上诉/申诉/控告/告上/"
            "告我(?!诉|知)/告[他她](?!诉|知)/仲裁/争讼/讼/重罪/定罪/何罪/罪名/犯罪/有罪/免罪/"
            "脱罪/赦/(?<!套)牢(?![固记靠骚])/(?<!越)狱/判刑/醉驾/判几/判多[久少]/告[^，,。]{0,2}违约/被[^，,。告]{1,6}告(?![知诉白别])/改判/判决/判给/宣判/轻判/缓刑/"
            "[一二再终]审/法院(?![^，,。]{0,3}(?:公务员|考试|面试|工作|书记|岗|上班))/法庭/"
            "胜诉/败诉/被告(?!知|诉)/律师函/开庭/庭审/立案/拘留/取保/抚养权/强制执行/派出所/"
            "被警察/"
            "win (?:the|my|this) case/the case against/fined/lawsuit/su(?:e|ed|ing)/legal/"
            "court/pay (?:the|a|this) fine/trial/prison/jail/custody/attorney/in my favou?r/"
            "press charges/arrested"
        ),
        "sues": ("起诉/告[他她上]/(?:sue|suing)/take .{1,20} to court"),
        "police": (
            "律师(?!证|资格|考|所)/(?<!考)(?<!当)警察/公安局/法官(?!助理|考试|证)/"
            "lawyer/police/judge/verdict/jury"
        ),
        # The sky. A day named by its weather is a circumstance: 台风天, 下雨天.
        "rain": (
            "下[大小暴点][雨雪](?!天)/带伞/梅雨/下雨(?!天)/有雨/求雨/祈雨/占雨/雨水/降雨/暴雨(?!天)/落雨/"
            "雨(?=停|大|什么时候|何时|多久|会|要下)/下雪(?!天)/有雪/下不下[雨雪]/降雪/"
            "rain/snow/rainy/storm"
        ),
        "wind": (
            "刮风/台风(?!天)/大风(?!天)/起风/风浪/浪大/海浪/飓风/龙卷风/多云/"
            "windy/typhoon/hurricane"
        ),
        "thunder": ("打雷/雷电/雷雨(?!天)/thunder/thunderstorm"),
        "clear": (
            "寒潮/冷空气/霜/大雾|起雾/冰雹/[有起]雾/晒被/天晴/放晴/转晴/晴天/晴朗/[会能]晴/不晴/"
            "[求祈占久日时候]晴/晴[吗还么]/晴不/天气/天公/气温/降温/升温/出太阳/天好不好/"
            "天[好热冷][吗不]/"
            "frost/fog/hail/heat ?wave/weather/sunny/stay dry/"
            "(?:hot|cold|fine|clear) (?:day|outside|sky)"
        ),
        "sky": ("天时/天象"),
        # Children to come.
        "pregnancy": (
            "肚子有动静/当(?:妈妈|爸爸|妈|爸)(?!的)/怀孕/求子/受孕/怀[上个二三胎]/"
            "能怀(?![疑念旧])/有喜/(?<![堕打])胎(?!记|压|教)/试管/子嗣/备孕/(?<![遗])孕/"
            "生男生女/男孩还是女孩/是男是女/[二三]宝(?!宝|生|发|的|蓝|马)/"
            "要(?:个|二)?孩子(?!的|学|上|去|听|考|回)/生(?:个|二|三)(?:孩子|娃|宝|儿子|女儿)?/"
            "生(?:孩子|娃|宝宝)/着床/预产期/"
            "boy or (?:a )?girl/pregnant/pregnancy/conceive/"
            "expecting(?: a (?:baby|child))?(?= *[?.]|$)/ivf/"
            "(?:the|my|our|her) (?:birth|labou?r)(?! party| market| union| day)/"
            "(?:have|having|try(?:ing)? for) (?:a |another |our |my )?(?:first "
            "|second )?(?:baby|babies|child|children|kids?)/"
            "(?:delivery|birth) of (?:my|our|the|her)"
        ),
        # Body and illness.
        "illness": (
            "细小(?=能|会|怎|要|好)/犬瘟/猫瘟/摔了?一跤/崴/翻肚/骨头/健康/疾病/住院/出院/身体/(?<!毛)病/就医/看医生/"
            "手术/临产/分娩/生产吉凶/生产平安/母子平安/[顺剖]腹?产/痘/血崩/癌/危疾/残疾/服药/"
            "吃药/用药/停药/打针/输液/挂水/痊愈/康复/寿/伤势/受伤/[的养]伤/伤口/扭伤/摔伤/烫伤/"
            "拉伤/摔断/撞伤/体检/化验/复查/确诊/血压/血糖/血脂/减肥/失眠/睡不[好着]/发烧/退烧/"
            "高烧/低烧/烧退/感冒/流感/新冠/咳/肺炎/[肝胃肠鼻咽肾阑关心乳皮][炎]/炎症/发炎/肿瘤/"
            "瘤/结节/囊肿/息肉/结石/湿疹/皮疹/荨麻疹/过敏/抑郁/焦虑症/糖尿/甲亢/甲减/痛风/贫血/"
            "哮喘/帕金森/老年痴呆/脑梗/心梗/中风/骨折/骨裂/拉肚子/腹泻/呕吐/吐(?=了|个|血)/"
            "心慌/胸闷/头晕/眩晕/晕倒/昏迷/中毒(?!病)/智齿/拔牙/种牙/白内障/近视手术/搭桥/支架/"
            "透析/化疗/放疗/截肢/开刀/打胎/堕胎/流产/引产/打掉(?:孩子|胎)/医生[建说让]/传染/"
            "感染/不舒服(?!的关系)/上火/落枕/痔疮/便秘/更年期/痛经/月经/疫苗/"
            "(?:[头腰腿脚手背颈肩膝胃肚腹牙眼耳喉胸肝肾肺肠血骨筋肌]|脖子|嗓子|鼻子|心脏|心口"
            "|皮肤|关节|肚子|膝盖|脊椎|椎间盘)[^，,。]{0,3}(?:疼|痛|酸|肿|麻|痒|断|[好不]了伤)/"
            "疼/"
            "fever/hospital/cancer/health/healthy/illness/ill/unwell/sick/surger(?:y|ie)/"
            "operation on/disease/recover/(?:chemo|radio)(?:therapy)?/dialysis/transplant/"
            "amputation/abortion/medication/medicine/pain/ache/headache/toothache/backache/"
            "migraine/cough/flu/covid/infection/infected/injur(?:y|ie)/injured/allerg(?:y|ie)/"
            "rash/wound/diabetes/pneumonia/anxiety/depression/insomnia/asthma/symptom/biopsy/"
            "blood pressure/check-?up/walk again/get well/"
            "doctors? (?:recommend|advise|suggest|say|said|told|want)"
        ),
        "body": (
            "[腰腿脚颈膝胃肚牙眼耳喉胸肝肾肺]/脖子/嗓子/鼻子/心脏/皮肤/关节/近视/"
            "my (?:lower )?back(?= (?:get|heal|feel|be |hold))/knee/ankle/"
            "shoulder/throat/stomach/tooth/teeth/eye/leg/lung"
        ),
        "heal": (
            "要不要紧/好利索/好全/加深|加重/控制得?住/能消|消肿/不得劲/哑|上台/恢复/好转/"
            "好起来/好得/养好/治好/治愈/能好/会好(?!吗我)/走路/吃东西/下床/醒/严重/要紧/有救/"
            "hold up|be fine/get worse|clear up/feel better/get better/heal/get over/"
            "pull through/serious"
        ),
        # What is lost.
        "belonging": (
            "钱包/手机/钥匙/戒指/戒子/耳环/耳钉/项链/手链/手镯/镯/手表/怀表/腕表/书包/背包/"
            "挎包/提包/包包/我的包/包(?=丢|落|掉|忘|不见|被|让)/眼镜/墨镜/耳机/U盘/硬盘/平板/"
            "电脑/笔记本/相机/手环/帽子/围巾/手套/鞋/行李/箱子/假牙/首饰/金条/金器/玉佩/玉坠/"
            "珠宝/钻石/钻戒/银行卡/社保卡/饭卡/公交卡/校园卡/工牌/现金/充电/遥控器/存折/工具/"
            "玩具/乐器/吉他/东西/口红/水杯/保温杯/身份证/证件/护照/户口本/户口簿/驾驶证/驾照/"
            "毕业证/结婚证/房产证/雨伞/伞(?=丢|落|忘|掉|不见)/外套/衣服/大衣/自行车/电动车/"
            "电瓶车/单车/摩托/票(?=丢|落|忘|掉|不见|被)/文件/"
            "wallet/purse/phone/keys?/ring/earring/necklace/bracelet/watch/bag/backpack/"
            "glasses/sunglasses/laptop/tablet/ipad/headphone/earphone/earbud/airpods/card/"
            "camera/luggage/suitcase/jewel\\w*/scarf/hat/glove/cash/charger/passport/umbrella/"
            "jacket/coat/bike/bicycle/document/book"
        ),
        "lost": (
            "失物/寻物/丢失/遗失/丢了/丢的/丢在/丢哪/不见了/找不到/找不着/落在/落下(?![^，,。]{0,3}(?:病|疾|毛病|口实))/"
            "落(?=[^，]{1,4}[上里了])/被偷/被盗/被窃/让人偷/偷了我/偷走我/掉[在哪]/弄丢/失窃/"
            "(?:证|卡|包|耳机|眼镜|[手项]链|戒指|耳环|耳钉|手机|钥匙|伞|手表)(?:掉|不见)/逃仆/"
            "逃婢/逃奴/逃走/在逃/占失/放在?哪(?!.{0,3}学)/哪去了/哪儿去了/哪里去了/"
            "[放搁扔收藏丢]到?哪/"
            "lost/stolen/misplaced/missing my/did i (?:lose|leave|drop)/"
            "where did i (?:put|leave)/can't find my/find my glasses/"
            "(?:steal|stole|stolen|taken?|took) my (?!heart|idea|thunder|show|side|advice|word"
            "|hand|place|time|breath)\\w+"
        ),
        "repays": (
            "还我钱/还钱/还得[上了起]?钱/欠我/欠.{0,3}[钱款账]/还款/pay me back/owes? me/repay me"
        ),
        "misses": (
            "没影/少了/滚哪/丢/掉(?!头)/落/忘/不见/没了/少了一/偷/拿走/拿了/顺走/冒领/搁哪/"
            "扔哪/放哪/还在家/捡/还在不在/[在去]哪[里儿]?(?!.{0,3}(?:买|卖|开|修|换|学|办))/"
            "哪[里儿](?=$|[？?])/找(?!工作|活|对象|人|份|[他她我])/"
            "where(?: \\w+){0,3} (?:is|are)/find (?:my|our|his|her|the)/"
            "where(?: is|'s| are| did)/missing/dropp?(?:ed)?/did i leave/left/"
            "forgot|gone(?= *[,?.]|$)/"
            "(?:is|are) my \\w+ (?:in|at|under|behind|on) (?:the|my) (?:car|house|office|drawer|bag"
            "|room|kitchen|garage|hotel|taxi|gym|bed|sofa|couch|coat|pocket|desk)/"
            "took|taken|stole|stolen/see my .{0,20}again"
        ),
        "pet": (
            "金鱼/二哈/金毛/泰迪/柯基/布偶/橘座/[的头只群][鸡鸭鹅牛羊猪马](?=少|不|丢|跑|飞|死|病)/"
            "[狗猫兔龟]/宠物/鹦鹉/仓鼠/鸟(?=飞|跑|丢|不|回|找|走|$)/"
            "hamster/dog/pupp(?:y|ie)/cat/kitten/pet/parrot/bird/rabbit/tortoise"
        ),
        "strayed": (
            "爬走|越狱/爬出去/没影/挣脱/少了[一两二三]/走丢/跑丢/跑出去/跑了/跑掉/飞了/飞走/飞出/"
            "走失/不见/丢/没回来/没回家/自己回来/逃/失踪/"
            "find (?:her|his|its) way/ran away/run away/missing/lost/"
            "(?:didn't|hasn't|not|never|will \\w+|she|he|it) (?:come|came) (?:home|back)"
        ),
        # Who is away.
        "absent": (
            "行人/寻人/归期/[何]时[回归]/何日[回归]/不归/无音/音信/得信/有信/回信/久出/出外/"
            "远去/失联/飞走/跑丢/走失/失踪/离家出走/占迎/何日到/回来/会来(?!事)/到家/夜不归/"
            "(?:is|are|been|went) missing/ran away/run away/gone missing/missing person/"
            "come home/come back/"
            "(?:get|arrive|return) (?:back )?home(?! (?:loan|insurance|delivery|office))"
        ),
        "silent": (
            "没联系/没有联系/没个电话/没回家/不回家/没消息/没有消息/没音讯/没信(?!心|用|号|息)/"
            "联系不[上到]/打不通/没人接/关机/不接(?:我)?电话/下落/出去[^，]{0,4}没回/"
            "no news/no word/heard nothing/(?:not|haven't|hasn't|never) (?:heard|had a word)"
        ),
        "comes": (
            "(?:什么时候|几时|啥时候|哪天|几点)回(?=[国家呢啊]?(?:$|[？?]))/不见人/人呢/没到/今晚到/明[天早]到/会来/来不来/会不会来/"
            "(?<![下起出过上进])来[不吗]?(?=$|[了？?])/来看我/到不到/"
            "能到(?!手|.{0,4}[米岁分级斤])/会到/[几何]点?时?到/什么时候到/来接/上门/赴约/"
            "来公司/来家/回不回来/回来/到吗/"
            "在哪(?!个?.{0,3}(?:上|读|买|卖|工|发|结|办|生|开|学))/现在在哪/"
            "landed/visit/come over/show up/turn up/come|coming|arrive/be here/get here/"
            "where is/where's"
        ),
        "caller": (
            "客人/贵客/来客/访客/师傅/维修工/水管工/房东/中介/快递员/外卖/阿姨来/亲戚/客户/"
            "买家/(?<!男|女)主人/贵人/"
            "plumber/guest/visitor/courier/electrician/repairman/handyman/technician/landlord"
        ),
        "goes_home": ("回家/回老家/回乡/回村"),
        # The bond of two.
        "bond": (
            "感情/婚(?![房车假检纱介])/恋爱/约会/恋情/异地恋/网恋/早恋/初恋/爱情/姻缘/桃花/"
            "复合/对象/夫妻/夫妇/偕老/相亲/嫁/娶/喜欢[我上]/喜欢的人/我喜欢的/爱我/暗恋/有别人(?!的)/有别的[男女]/对的人/异地(?!就医|高考|社保|恋)/正缘/"
            "良缘/缘分/另一半/分手/分了手/单身/脱单/追到/表白/告白/领证/外面有人/有外遇/"
            "小三(?![居室厅线轮])/外遇/出轨/劈腿/变心/倒追/追求/暧昧/牵手/心动/好感/真爱/"
            "真心喜欢/"
            "cheating/love(?!ly)/marriage/married/marry/wedding/relationship/breakup/break up/"
            "dating/crush/ask me out/feelings for/soulmate/back together/"
            "does [a-z]+ (?:like|love|miss) me/meet someone (?:new|special|nice)/"
            "(?:second|third|first|on a) date/propose (?:in|on|this|next|now|at)/"
            "the right (?:man|woman|guy|girl|person)/into me(?= *[?.]|$)/propose to/true love/"
            "girlfriend or/engaged/divorc\\w+"
        ),
        "wooing": (
            "复合/挽回/回到从前/表白/告白/分手/约[他她]/追[他她]/暗恋/喜欢我/喜欢上/"
            "ask me out/back together"
        ),
        "me": ("我/me/i/we/us"),
        "pronoun": ("[他她]/TA/he/she/him/her"),
        "lover": (
            "男神/女神/老伴/男友/女友/[男女]朋友/老公/老婆/丈夫/妻子/爱人/媳妇/太太/"
            "先生(?=[会是对不还跟和])/帅哥/美女/姑娘/女生/男生/女孩/男孩/意中人/心上人/"
            "那个[男女]的/有[夫妇][之][夫妇]/小伙/"
            "husband/wife/boyfriend/girlfriend/fianc\\w+/(?<!business )partner(?! in)"
        ),
        "courts": (
            "理我/不理/想我/想着我/念着我/想起我/联系我/找我/等我/有意思/有感觉/答应我/主动/"
            "回我/回消息/已读/秒回/拉黑/删了我/冷战/吵架/拌嘴/和好/哄/追[他她求到]/追得到/"
            "约[他她]/忘了我/忘不[了掉]/放不?下我?/真心/死心/渣/忠诚/合适/跟我离/心里还?有/什么关系/走得[很太]?近/离了/会分/"
            "分开/缘尽/在一起/对我好/靠谱/同居/低头/发脾气/原谅/骗我/嫌弃我/在乎我/介意我/"
            "误会我/疏远/冷淡/躲着我/避着我/有没有我/"
            "text me/call me/miss me/likes? me/forgive/trust/faithful/"
            "think(?:s|ing)? (?:about|of) me/into me/kiss/propose/reply to me/together/"
            "ghost\\w*/commit"
        ),
        "quarrel": (
            "我俩/我们俩/两个人/光棍/有没有戏/有没有可能/吵架/冷战/会不会分/会分/"
            "撑[得不]到结婚/谁先低头/缘分尽/和好/"
            "serious about/gone cold/how i feel"
        ),
        "former": ("前任/前女友/前男友/前夫/前妻/ex(?:-(?:wife|husband|girlfriend|boyfriend))?"),
        "with_partner": (
            "[和跟与同]我?对象/[男女]朋友/"
            "[和跟与同]我?的?(?:[男女](?:朋)?友|老公|老婆|丈夫|妻子|爱人|未婚[夫妻])/"
            "离开[他她]/"
            "[和跟与同][他她](?:还|会|能|最终|最后|将来)*(?:有可能|有结果|有未来|在一起|和好"
            "|走下去)/"
            "(?:leave|dump|let go of) (?:him|her)/"
            "(?:with|leave|dump|forgive|trust) my (?:ex[- ]?)?(?:girlfriend|boyfriend|wife"
            "|husband|fianc\\w+|crush)"
        ),
        # Learning.
        "study": (
            "及格/graduate/复试/被刷/申[请到][^，,。]{0,4}[大校](?=$|[吗？?])/测试(?!版|服)/[一二三四五六七八九十]级/[一二]甲/博导/升学/毕业班/学车/学业/学习/"
            "考试/考研/考博/高考/中考/会考/留学/论文/成绩/读书/读研/读博/读大学/毕业/录取/考证/"
            "保研/转学/[选什么]专业/[填报]志愿/志愿填/志愿/驾考/科[一二三四](?!胎)/"
            "科目[一二三四]/试中/[童岁科]试/岁考/道考/科考/[乡会殿府院]试/考不考得上/"
            "考[上过得不]/考到/能考/学校/学院/大学/中学/小学/幼儿园/私立/重点班/重点中学/驾照/"
            "雅思/托福/[四六八]级/专[四八]/注会/法考/司考/教资/初级会计/中级会计/一建/二建/"
            "考级/统考/联考/月考/模考/期末/期中/高数/裸考/补考/挂科/复读/盲审/答辩/开题/导师/"
            "研究生/硕士/博士/一本(?!书)/二本/本科/名校/清华/北大/藤校/小升初/幼升小/补习/家教/"
            "网课/竞赛/奥数/学位(?!房)/学籍/休学/退学/学期/作业/上学/开学/老师会(?:收|给)/"
            "drop out/essay/journal/"
            "get into (?:\\w+ )?(?:stanford|harvard|yale|princeton|oxford|cambridge|mit|law|med"
            "|grad|art)/quiz|maths?/test(?! drive)/CPA/driving test/driving licen[cs]e/college/"
            "ielts/toefl/study/studies/studying/exam/finals/school/degree/admission/university/uni/"
            "thesis/dissertation/phd/master's/gpa/sats?/semester/grades?/homework/professor/"
            "tutor/class(?:es)?/pass the (?:\\w+ )?test"
        ),
        # Money.
        "money": (
            "[\\d一二三四五六七八九十百千两几]+(?:块|元)(?![宝旦月])/庄家/拉升/股权/花呗/借呗/手头/周转/那?只股/割(?=了|不割|吗)/彩礼/借的款/凑[得不]?[齐够]/值不值钱/值多少/"
            "[\\d一二三四五六七八九十百两几]+万/回血/财/投资/投的项目/生意/买卖/借贷/借钱/欠款/"
            "讨债/股票/基金/彩票/[赚挣]/炒股/股市/大盘/A股/港股/美股/带货/直播/期货/比特币/"
            "以太坊/炒币/币圈/回款/尾款/货款/打款/付款/收款/项目款/首付款/收入/退休金/养老金/"
            "抚恤金/压价/还价/供应商/工资/薪(?!酬谈)/奖金/绩效/年终奖/提成/佣金/补助/津贴/涨钱/"
            "公积金/分红/中标/投标/开店/开(?:个|家|一家)?(?:[^，]{0,4})店/盘下/盘个/加盟/摆摊/"
            "副业/创收/接单/爆单/贸易/(?<!出)卖(?!力|萌)/脱[手货]/收货/囤货/这批货/出货/出掉/成交/"
            "脱手/转让/出手/得价/价钱/价格/好价/古窖/藏金/博戏/赌/斗鸡/斗蟋蟀/斗鹌鹑/"
            "(?<![酒饭旅书])店(?!员|长)/(?<![床卧])铺(?!垫|床)/煤窑/煤矿/置货/谋利/本利/索债/放债/"
            "失银/买豆/贩/典当/拆迁款/订单/客户/甲方/贷/钱(?!包|塘)/利润/盈利/回本/保本/本金/"
            "套牢/抄底/黄金/白银/理财/定投/存款/存钱/加仓/减仓/割肉/大涨/股价/币价/中奖/抽奖/"
            "刮刮乐/红包/房租/租金/押金/理赔/[会能肯]赔/赔[下得付]/赔钱/赔偿/保险公司/补偿款/"
            "开单/业绩/销量/销售额/奖学金/补贴/退税/退款/[债账](?!号)/帐(?=年|什么|何|还|要)/"
            "还清/还我/还给我/借给/借我/欠[我了]/合伙[开做]/合股/入股/破产/遗产/"
            "side hustle/worth anything/wealth/money/finance/investment/invest/"
            "business(?! (?:trip|partner))/salary/wage/pay (?:rise|raise)/raise(?! a)/bonus/"
            "sell/sale/sold/stock/lottery/raffle/loan/mortgage/debt/tender/bid/share/crypto/bitcoin/"
            "coin/make a profit/profit/earn/income/deposit/refund/scholarship/savings/"
            "index fund/funds?/etf/gold/dividend/pay ?out/pays? (?:me|it|us|back|off)/lent/"
            "lend/owe/owed/afford/price/insurance company/inherit\\w*/budget/bakery/"
            "(?:open|run|start|buy) (?:a|my|our|this|the)\\W+(?:\\w+\\W+){0,3}(?:shop|cafe"
            "|restaurant|store)"
        ),
        "sale": (
            "卖房/卖车/卖[掉出给得]/脱手/出手/出掉/卖不[掉出]/没卖/有人买/转让/卖个/sell/sale/sold"
        ),
        "proceeds": ("奖金/中标/投标/回款/借钱/讨债/欠款/欠钱/求财/财福/tender/raise(?! a)"),
        "cash": ("钱/款/工资/薪/押金/债/账/money/debt/pay (?:me|it) back/repay/owes? me/I lent"),
        "wages": (
            "加薪/涨薪/涨钱/工资/薪水/薪资/年终奖/绩效/提成/"
            "salary/pay raise/pay rise/(?:get|ask for|give me) a raise/bonus/wage"
        ),
        # Papers and what is bought by them.
        "formality": (
            "公章/盖章/盖得/社保/医保/认定/材料/转移/文书/证照/手续/户口/章奏/奏疏/居留/永居/"
            "入籍/房产/"
            "embassy/consulate/paper/authorit(?:y|ies)/document/residence permit/permit/"
            "licen[cs]e"
        ),
        "papers": (
            "合约/合同/契约/通行证/地[^，,。]{0,2}批/签证/护照/批文/执照/绿卡/落户/居住证/资质/许可证/专利/商标/版权/"
            "公证/年审/年检/备案/车牌/摇号/申请.{0,6}批/推荐信/介绍信/证明/审批/移民申请/"
            "房产证/不动产/过户/"
            "contract/visa/citizenship/green card/passport/patent/lease/paperwork/certificate/"
            "deed"
        ),
        "purchase": (
            "法拍/换房/买(?:[^，,。要]{0,5})(?:宝马|奔驰|特斯拉|比亚迪|奥迪|丰田)/"
            "[一二两三四小大][居室厅]室?(?=，|房|，|的|下|买|要|能|$)/户型/定金/下不下定/"
            "[买购](?:[^，,。要]{0,5})?[房车宅](?!票)/买(?:[^，]{0,4})(?:楼|公寓|商铺)/二手房/"
            "学区房/期房/烂尾/提车/新车/提[得不]到车/换(?:[^，,。]{0,5})车(?![位道次票])/"
            "入手(?:[^，,。]{0,5})[房车]/[这那](?:套|间)房/楼盘/首付/"
            "offer on (?:the|a|this)/bungalow/house purchase/"
            "buy (?:an?|the|this|that|our|my) (?:\\w+ ){0,2}(?:house|flat|apartment|home"
            "|cottage|car|condo|villa|van|place)"
        ),
        "vehicle": ("车辆/car"),
        "parcel": ("快递/包裹/快件/邮件到/my delivery/parcel/(?<!severance )(?<!pay )package"),
        # House and ground.
        "home": (
            "朝[东南西北]/住进/老屋/老宅/翻修/翻新/动土/屋顶/书房/家宅/阳宅/宅/住房/新家/新居/"
            "新房/风水/盖房/造屋/修造/装修/租(?!车|赁公司|书)/搬进/入宅/坟/墓地/房子/公寓/"
            "出租屋/合租/宿舍/卧室/客厅/厨房/床头/朝向/神像/佛像/供奉/漏水/凶宅/房东/租客/"
            "loft/feng shui/home(?! (?:late|safe|again|early|tonight))/apartment/house/flat/"
            "landlord/tenant/tenancy/rent/moving in/neighbou?rhood"
        ),
        "ghost": (
            "庙/祠/神位/(?<!搞)(?<!捣)鬼(?!混|话|脸|点子)/祟/闹邪/不干净/捕[盗贼]/盗贼/"
            "haunted/ghost"
        ),
        # Ways.
        "trip": (
            "搬到[^，,。]{1,4}住/机票/带[^，,。]{1,4}去(?!看病|医院|考)/延误/误点/飞(?=[上北广深香成重杭西东南海][^，,。]{1,2})/出远门/路上(?!的人|遇)/"
            "出行/旅/搬迁/搬家/出差/出国/移民/远行/迁移/避难/避乱/避一避/行船/舟行/还乡/"
            "[南北东西]行(?!业)/往治/航班/飞机/高铁/动车/火车/大巴/晚点/改签/坐[船车]/自驾/"
            "开车/爬山/登山/徒步/露营/出门/度假/出去玩/去[^，]{0,4}玩/环游/谒/往何方/"
            "ferry/boat|bus/coach|sail/travel/trip/journey/flight/fly/move abroad/emigrate/"
            "drive/driving/road trip/train/airport/cruise/holiday/vacation/hike/moving house/"
            "(?:miss|make|catch) my connection/relocat\\w+"
        ),
        "goes_to": (
            "(?:要不要|该不该|应不应该|适合|想|打算|可以|能不能|能)去(?!死|掉|除|做|找|跟|和"
            "|买|看|问|争|参加|面试|上班|医院|打|表|相亲|学|读|检查|试|见|拿|要|求|说|提|那"
            "|见)[^，]{2,8}/"
            "搬到/搬去/"
            "move to"
        ),
        # Work.
        "hired": ("(?:公司|单位|企业|岗位)[^，,。]{0,8}录取/录用/hired?"),
        "office": (
            "公务员/考公/考编/编制/功名/升迁/升职/升官/官运/补官/升选/提拔/晋升/晋级(?!赛)/升否/捐官/"
            "援例/出仕/中举/及第/事业编/教师编/选调/[国省]考/事业单位/行测/申论/遴选/职称/副高/"
            "正高/评上/提干/"
            "promotion/promoted/civil servant/civil service"
        ),
        "post_exam": ("考公/考上/考试/考编/国考/省考/上岸/笔试/教师编/选调/行测/申论/exam"),
        "old_exam": ("乡试/会试/殿试/道考/童试/科举/连捷"),
        "applies": ("面试/应聘/入职/跳槽/求职/简历/岗位/interview/apply for"),
        "seeks_job": (
            "跳[去到]/前途/投诉我/找(?:到|个|份|不到)?(?:好|新|合适的)?(?:工作|活|事做|班上)/就业/"
            "land a job/find (?:a |any |new )?(?:job|work)"
        ),
        "project": ("项目(?!款)/方案/业绩"),
        "farm": ("养殖/种植/鱼塘/大棚/果园/庄稼/收成"),
        "job": (
            "评[^，,。]{0,4}(?:员工|先进|劳模)/internship/"
            "裁人/裁到/裁我/减员/约谈/退休(?!金|后)/进[^，,。]{0,4}(?:局|厂|机关|国企)(?=$|[吗？?])/适合当(?![爸妈])/"
            "当[^，,。]{0,2}(?:店长|老师|医生)/考核/升到/升(?=[PTM]\\d)/体制内/前途/单干/[夜白早晚]班(?!车)/换个[^，,。]{0,4}活/"
            "述职/带新人/裁员/裁掉/被裁/优化/辞退/失业/下岗/分流/事业/工作/工做/份工/活儿干/"
            "找活/求职/面试/[一二三终初复]面(?!之)/跳槽/选官/候选/署印/致仕/防参/参劾/题升/"
            "调[任职走岗]/改制/候补/自陈/掣签/任上/在任/罢官/调动/饭碗/岗/职位/竞[聘岗选]/入职/"
            "裸辞/离职/辞职/续约/创业/转行/当兵/参军/入伍/官位/前程/仕途/实习/转正/试用期/猎头/"
            "简历/外派/外企/国企/央企/上班/返工/加班/跟单/部门/"
            "当[^，]{0,2}(?:组长|主管|经理|总监)/程序员/自由职业/带团队/"
            "post(?! office|card)/let go/HR/offer/career/job/work/interview/resign/laid off/"
            "hand in my notice/my notice/freelanc\\w+/recruiter/final round/"
            "(?:my|the|their) (?:new )?(?:firm|company|employer|office|team lead)/probation/"
            "position/quit/get rid of me/employer/profession"
        ),
        "employer": (
            "公司/单位/领导/老板/上司/主管/总监/经理/组长/主任/同事抢/项目(?!款)/"
            "boss/manager/firm/supervisor/colleague"
        ),
        # People.
        "offspring": (
            "子女/孩子/小孩/儿女/下属/训子/六畜/养[猪牛鸡鸭狗猫]/养只/买[只条](?=[^，,。]{0,4}[狗猫鱼鸟兔龟]|柯基|泰迪|金毛|布偶)/养个/宠物/叛逆/听话/管教/"
            "child/children/kid/pet"
        ),
        "friends": (
            "(?<![男女])朋友/合伙/兄弟/人际/同事/同学/合作/闺蜜/发小/哥们/战友/室友/拆伙/"
            "生意伙伴/邻居/"
            "friend/friendship/partnership/(?:business|my) partner/roommate"
        ),
        "slight": (
            "相处/处得来/合得来/有意见/说我坏话/背后说/闹翻/翻脸/绝交/得罪/小人/帮[我忙]/可靠"
        ),
        "relation": ("关系/感情/缘分"),
        # Nothing but the asker's own course.
        "dream": (
            "梦见/梦到/托梦/[做的]了?[^，,。]{0,4}梦(?!想|中情)/"
            "dream(?! (?:job|house|home|school|car|man|girl))"
        ),
        "luck": (
            "运气/运势/运程/时运/气运/流年/本命年/太岁/眼皮/倒霉/整体/什么兆头/兆/比赛/决赛/"
            "球队/国足/我们队/冠军/上分/排位/开黑/打牌/麻将/头发/发型/纹身/火锅/吃什么/演讲/"
            "表演/门票/抢[得不]?到/"
            "luck/lucky/fortune/match/league/team/tattoo/haircut/the game/concert/tournament/"
            "championship/raid/guild"
        ),
    }.items()
}
