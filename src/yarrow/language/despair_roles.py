"""Wishes to be dead, told by the roles of words: who, a wish, an end of life, a life denied.

Phrases are in `self_harm`. Here a rule is about roles that stand close together in one clause, so
that an end (重开, 卧轨, 长眠) needs no phrase for each wish (想, 要, 不如, 恨不得).
"""

import re
from functools import cache
from typing import Final

# Spellings that hide a word from filters, and pinyin; each is read as the word it stands for.
_SPELLINGS: Final = (
    (r"紫砂(?![壶杯茶锅泥陶煲盆罐炖器花盏矿料])|自[鲨刹沙](?!车)|自s|(?<![a-z])zs(?![a-z])"
     r"|亖|4一4|狗带(?!子)", "自杀"),
    (r"(?<=[想要])(?:s|4|鼠|似|屎)(?=[了啊啦掉，,。！!？?]|$)|(?<=想)去?(?:die|dead)", "去死"),
    (r"[噶嘎](?:了|掉)?(?=自己|我自己)|(?<=把自己)[噶嘎]", "杀"),
    (r"(?<![a-z])ks(?=自己)", "杀"),
    (r"(?<=[不没别])(?:想|要)?(?:huo|火)(?=了|啦|下去|着)", "想活"),
    (r"[唔勿弗]想|吾想", "不想"), (r"唔(?=应该|该|配)", "不"),
    (r"\bbu ?xiang ?huo(?: ?le)?\b|\bbxhl\b", "不想活了"),
    (r"\b(?:wo )?(?:hao )?xiang ?si(?: ?le)?\b", "想死"),
    (r"\bzi ?sha\b(?! (?:pot|tea))", "自杀"),
    (r"母[汤湯]|毋通", "不要"), (r"(?<=[活睡想抱带陪])著", "着"), ("冇", "没"),
    (r"\bmy self\b|\bmyslef\b", "myself"),
    (r"拉(?=$|[，,。！!？?])", "啦"),
    (r"\bdont\b", "don't"), (r"\bcant\b", "can't"), (r"\bim\b", "i'm"),
    (r"\bwanna\b", "want to"), (r"\bgonna\b", "going to"), (r"\banymore\b|\bno more\b", "any more"),
    (r"\bsu(?:c[iy]|i?s|i?ci?)+[dz]e?(?=\b|al)|\bsewer ?slide\b", "suicide"),
)  # fmt: skip

_EDGE: Final = r"(?=[了啦啊呀吧喇嘞喔呢吗嘛的]*(?:$|[\s，,。.！!？?；;~…]))"
# Words that make 活 something else than to be alive.
_OTHER_LIFE: Final = (
    r"(?<![生快灵鲜干农家粗忙零私杂复激盘养苟])活"
    r"(?!动|期|儿|泼|该|力|跃|络|[蟹鱼虾禽]|鸡|血|页|字|埋|塞|体|计|跟|成|出|法"
    r"|得?(?:更|最)?(?:轻松|精彩|明白|自在|漂亮|潇洒|像样)|在[^，,。]{0,6}(?:过去|阴影|里|当下|梦))"
)
_WISH: Final = (
    r"(?:想要?|要不(?!要)|希望|恨不得|巴不得|宁[愿可]|不如|干脆|打算|准备(?:好)?|决定|只求|求"
    r"|忍不住|想着"
    r"|就?让我|要是|声音|什么时候能|怎[么样]才?能?|如何|有没有[^，,。]{0,6}(?:方法|办法)|该不该)"
)
# Ends of oneself that mean nothing else behind a wish.
_END: Final = (
    r"(?:自杀|杀了?自己|去?死掉|卧轨|长眠|永远(?:地)?睡|睡到永远|投胎|超生|断气|咽气|安乐死"
    r"|死(?:了|掉)?(?:算了|得了|给[^，,。]{1,3}看)|断送自己|了结这|结果自己"
    r"|一头撞死|撞墙死|被?车?(?:撞死|轧死)(?![他她那]|我|前)|被?雷劈死|吊死|淹死自己|饿死自己"
    r"|闷死自己|揽炒自己"
    r"|早点?(?:去)?见阎王|去见阎王|(?:去|到|往)(?:往)?(?:另一个|那个没有痛苦的|没有痛苦的)(?:世界"
    r"|地方)"
    r"|上天堂|放弃(?:这条|自己的?)?(?:生命|活)|解脱自己"
    r"|(?:被?车|火车|汽车)撞(?:一下|死|飞)|得(?:个)?(?:绝症|癌症?)"
    r"|一跃而下|摔下去|(?:扎|走|跳|冲|沉)[进到入](?:大?海|河|江|湖|水|车流)[里中底]?|回天上"
    r"|变成?(?:天上的)?星星|[割切][脉喉腕颈]|离开(?:大家|所有人|人世|你们所有)|从世"
    r"|(?:喝|饮|吞|吃)(?:点|瓶|下)?(?:农药|老鼠药|毒药|毒|一把药|百草枯)|跟(?:这个?)?(?:世界"
    r"|人间)[^，,。]{0,3}(?:了断|告别|再见)"
    rf"|消失(?!的|在|一[阵段天周会]|[几两]|掉?的)(?:就好|多好|该多|{_EDGE}|不见)"
    rf"|(?:跳(?!绳|舞)|走掉死){_EDGE}"
    rf"|重开(?=算了|得了|[^，,。]{{0,2}}(?:人生|一生|一世)|[了啦啊]*{_EDGE}))"
)
_PEOPLE: Final = r"(?:[爸妈爹娘爷奶婆公]|他们|她们|大家|家[人里]|孩子|所有人|世界|别人|你们)"
_CHINESE: Final = (
    # A wish and an end.
    rf"{_WISH}[^，,。他她它]{{0,7}}{_END}|人生重开",
    r"(?<!官司)(?<!案子)(?:声音|叫我|让我|^我?好?想"
    rf"|人的地方)[^，,。他她和跟与这]{{0,4}}(?:做个?)?(?:了[断结]|结束){_EDGE}(?![^。]*[他她分])"
    r"|想做个了[断结](?![^。]*(?:[他她]|感情|关系|官司|债))",
    # A life that is denied, regretted or doubted.
    r"(?:不想|不要|不愿意?|没(?:有)?勇气|没(?:有)?必要|没(?:有)?脸|放弃|讨厌|厌倦|害怕|受够了"
    r"|懒得|不[敢配该])"
    rf"(?:再|继续|这样|这么|坚持|去|地|了|还){{0,3}}{_OTHER_LIFE}",
    rf"{_OTHER_LIFE}(?:着|在世上?|在世界上)?[^，,。]{{0,6}}(?:必要|意义|没用|有什么用|多余|浪费"
    r"|拖累|累赘|煎熬|折磨"
    r"|受罪|遭罪|笑话|负担|干嘛|干什么|图什么|图啥|比死|是个?错)",
    rf"(?<![店司业牌])活(?:够|腻|烦|不起|不动)(?:了|$|[，,。])|没(?:有|了)?{_OTHER_LIFE}(?:着"
    rf"|下去)的|为(?:什么|啥|何)我?还?{_OTHER_LIFE}着",
    rf"(?:有|没)(?:什么)?必要(?:再|继续)?{_OTHER_LIFE}",
    rf"(?:为什么|点解|为啥|为何|何必|凭什么|干嘛)[^，,。鱼]{{0,3}}(?:要|还|得)?{_OTHER_LIFE}(?:着"
    r"|下去"
    r"|在世)",
    r"(?:生存|做人)[^，,。]{0,2}没(?:有)?意[思义]|不想(?:再)?(?:在|留在|待在)?(?:人间|世上|人世|这世|这个世界)",
    r"(?:人间|人世|世上|世界)[^，,。]{0,3}不想(?:再)?(?:来|待|留|呆)",
    r"不想生(?=喇|啦喇)|不想(?:再)?(?:看|见)[^，,。]{0,2}明天的?(?:太阳|日出)",
    r"(?:不该|不应该|不配|后悔)(?:被)?(?:来到?(?:这个?)?(?:世|人间)|出生|生下来|生出来|降生)"
    r"|(?:没|没有|不曾|从没|从未)(?:来过?(?:这个?)?(?:世|人间)|出生过?|生下来)(?!的"
    r"|证)[^，,。]{0,3}(?:就好|多好|该多)"
    r"|(?:要是|如果|宁愿|希望)(?:我)?(?:从来?)?(?:没|没有|未)(?:被)?(?:出生|生下来|来过)",
    # Others without me.
    rf"我(?:要是|如果|若是?|哪天|真的|就这么)?(?:没了|不在了|消失了)[^。]{{0,6}}{_PEOPLE}"
    rf"|(?:没了我|少了?我一?个?|世上没有我)[，,]?[^，,。]{{0,4}}(?:{_PEOPLE}"
    r"|[^，,。]{0,4}(?:更好|没关系|无所谓|一样|清净|轻松))"
    rf"|{_PEOPLE}少我一个",
    r"死成(?!绩)|(?:抱|带)着孩子(?:一起)?(?:走算了|死|跳下去)|(?:想|让我|叫我"
    r"|要)[^，,。]{0,6}跳下去(?![^，,。]*(?:伞|蹦极|泳))"
    r"|死了(?:是不是)?就(?:不用|能|可以|好)|以命抵|走了[，,]我?也?想(?:跟|随)[^，,。]{0,3}去(?=$|[了吗。])|直接投胎|随[他她]而去$|跟[他她]一起走[^。]*(?:去世|过世"
    r"|不在)|一起上路$"
    r"|(?:安静|悄悄|默默|静静)地?(?:离开|走掉|消失)(?=$|就好|吧|了|[，,。])|(?:一次"
    r"|一口气)[^，,。]{0,3}全?[部都]?(?:吞|吃)了?会",
    r"(?:我|就|也|都)不活了|不如(?:就)?没了(?=$|[，,。])|死都不怕|早死(?:早|算)|(?:死|活)的?勇气|勇气(?:去)?(?:死|活)"
    r"|死(?:了)?(?:还)?(?:好过|比活)|(?:没|不)有勇气死",
    r"(?<!加班到)(?<!减肥减得)(?<!班上得)(?<!工作让我)(?<!牙疼得)生不如死",
    rf"(?:这|我的?|余)[一辈]?[子生][^，,。]{{0,2}}(?:就?到[这此]|不想过|够了{_EDGE})"
    r"|剩下的日子不想|忌日(?!子)|用[我自]?己?的?命换|不[回要爱][^，,。]{0,4}我就(?:去)?死"
    r"|(?:自己|我)(?:根本)?不(?:应该|该|配)(?:存在|活|被生)|存在(?:就|本身)?(?:就)?是(?:个"
    r"|一个)?(?:错|多余)|(?:想好|决定|选)[^，,。]{0,4}方式离开"
    r"|睁[开]?眼[^，,。]{0,3}(?:折磨|煎熬|痛苦)|活得[^，,。]{0,4}(?:失败|窝囊|累|痛苦"
    r"|没劲)[^。]{0,6}(?:撑|继续|坚持|意义|结束)|如果我[^，,。]{0,6}(?:摔|跳)下去"
    r"|差[点一]点?[^，,。]{0,3}(?:跳|摔)下去"
    r"|不(?:想|要|愿)(?:再)?(?:睁开?眼|醒)",
    r"(?:吊|割|烧|淹|埋|毁|掐|饿)(?:死|了|掉)?自己(?!的|家)|把自己(?:吊|烧|淹|埋|毁|弄|结束|解决"
    r"|杀)|一睡不[醒起]"
    r"|我[^，,。]{0,3}(?:撑|熬|活|挺)不[到过](?:明天|今晚|天亮|明年|下周)|(?:地下|天上"
    r"|黄泉)[^，,。]{0,2}(?:团聚|见面|相见)"
    rf"|煤气[^。]{{0,6}}睡|跳了会不会(?:成功|死|痛|疼)|{_OTHER_LIFE}[^，,。]{{0,8}}(?:有什么|还有"
    r"|没|有)[^，,。]{0,2}意[思义]",
    # Never to open the eyes again.
    r"(?:再也|永远|就)(?:不|别|不要|不用|不想)(?:再)?(?:睁眼|睁开|醒)"
    r"|睡[着过下去]{1,2}[^，,。]{0,4}(?:别|不)(?:再)?(?:睁眼|醒)",
    # Ways to die, spoken of as ways.
    r"(?:刀|刀片|玻璃|剪刀)[^，,。]{0,3}(?:划|割)(?:自己|腿|手|胳膊|脸|肚)(?!术|机)",
    r"卧轨|寻短(?!信|片|视频|裤|裙|袖|租|途|期)|百草枯|敌敌畏|老鼠药[^。]{0,6}(?:吃下去|喝|吞)"
    r"|(?:吃|喝|吞)(?:了|下)?[^，,。]{0,4}老鼠药|头孢[配加兑就和]酒"
    r"|安眠药[^，,。]{0,3}(?:多少|几)[^，,。]{0,3}(?:走|死|够|睡)"
    r"|买(?:好|了)[^，,。]{0,3}(?:炭|绳子?)[^。]{0,8}(?:上路|走|结束)"
    r"|(?:楼|桥|天台|窗|崖|往下看)[^。]{0,12}(?:想跳|跳还是不跳|要不要跳|跳不跳)(?!舞|绳|蚤)"
    r"|(?:想|要)跳[^。]{0,6}(?:楼|桥|天台|崖)(?!价|机|甩)",
    # Wounds of one's own making.
    r"(?:划|割|伤|烫|掐|扎|刺|捅|砍|惩罚|弄伤|弄死|毁掉|打)(?:了|伤|破)?自己(?!的|家|人)"
    r"|(?<!医生)(?:划|割)(?:了|伤|破|自己的?){0,2}(?:手臂|胳膊|手腕|大腿|小臂)(?!表)",
    # Farewells.
    r"永别了|再见了[，,]?(?:大家|世界|爸|妈|各位|人间)|(?:撑到头|到极限)了?[^。]{0,4}再见"
    r"|给[^，,。]{1,6}的(?:信|遗言)[^，,。]{0,2}写好[^。]{0,6}走|遗言|后事[^，,。]{0,6}(?:安排"
    r"|交[代待])好"
    r"|我死后[^。]{0,8}(?:保险|动手)|(?:下辈子|来世|来生)[^，,。]{0,2}(?:再也?不|投|做|不想|不要)",
    r"(?:世界|人间|人生|活|没有?什么|世)[^，,。]{0,4}(?<!城市)没?(?:有)?(?:什么)?(?:可"
    r"|值得)?(?:再)?留恋(?!的?(?:公司|工作|城市|单位))"
    r"[^。]{0,4}(?=$|了|的了)(?![^。]*(?:公司|工作|城市|单位|离职|辞职))",
    r"(?:世界|人间|人世|这世|生命)[^，,。]{0,3}没有?(?:什么)?留恋",
    r"生无可恋(?![^。]*(?:加班|作业|减肥))[^。]{0,6}(?:离开|走|活|结束|怎么办)",
    r"(?:我|快要?|一时|真的?|有点|老是|总|^)[^，,。他她]{0,3}想不开"
    r"(?![分车店会门灯火票机口放课业张源始学发支封公户到出])",
    r"我想去陪[^，,。]{1,5}[了，,][^。]{0,6}(?:走了|去世|过世|不在|离开)"
    r"|(?:走|去世|过世|不在)了?[^。]{0,6}我想去(?:陪|找)[他她]|去天堂(?:找|见|陪|和)",
    r"下线[^。]{0,6}(?:永久|永远)|(?:永久|永远)[^。]{0,3}下线"
    rf"|不想?回来[^。]{{0,6}}另一个世界|想去另一个世界{_EDGE}",
    r"想走了?[，,]?去(?:一个)?没有(?:痛苦|烦恼)",
)  # fmt: skip

_WISH_EN: Final = (
    r"(?<!\bhe )(?<!she )(?<!they )(?<!you )(?<!we )\b(?:want(?:ing)? to|(?:good|right) (?:day"
    r"|night|time) to|wish(?: that)? (?:i|to)(?: could| would)?(?: just)?|hope (?:i|to)|(?:i'm"
    r"|i am) going to|ready to"
    r"|planning (?:to|on)|thinking (?:of|about)|should i|shall i|i should|i might|i'll|i will"
    r"|i'd rather"
    r"|rather|let me|how (?:do|can|should) i|how to|keep wanting to|(?:feel|feeling) like"
    r"|better (?:off )?(?:to|if i))"
)
_ENDS_EN: Final = (
    r"(?:unaliv\w*|suicide|(?:die|dying)\b(?! (?:for|to|down|of (?:boredom|laughter|shame|hunger"
    r"|embarrassment)))"
    r"|end my (?:own )?life|stop (?:existing|living|being)|leave this (?:world|life|earth)"
    r"|end everything(?= *(?:$|[.?!]))|(?:drink|take) poison|be(?:ing)? dead|not (?:be alive"
    r"|exist)|(?:end|remove|erase"
    r"|off) (?:myself)(?! from)"
    r"|(?:die|go|leave|end it)(?: \w+)? (?:without (?:any )?pain|painless\w*|peacefully)"
    r"|(?:just )?disappear(?:ing)? (?:from|off) (?:this|the) (?:world|earth|face)|vanish (?:from"
    r"|off) (?:this|the)"
    r"|sleep forever|go to sleep forever|never wake|not wake up"
    r"|(?:jump|step|walk|throw myself|lie|drive)\w* (?:out )?(?:in front of|into|under"
    r"|on) (?:an? |the )?"
    r"(?:train|traffic|car|truck|lorry|bus|tracks|subway|rails)"
    r"|jump(?= *(?:$|[.?!]|tonight|now|from|off))(?! off the (?:diving|sofa|couch|bed|swing))"
    r"|(?:drive|crash)(?: my car)? (?:off|into) (?:an? |the )?(?:cliff|tree|wall|bridge|river)"
    r"|(?:drink|swallow) bleach"
    r"|ending (?:it|things)(?= *(?:$|[.?!]))|starve myself|drown myself|(?:cut|burn|hurt"
    r"|punish)(?:ing)? myself(?! some| shaving| cooking)"
    r"|(?:cut|cutting)(?= *(?:$|[.?!]))|end things(?! (?:with|between))(?= *(?:$|[.?!]|for good"
    r"|tonight|forever)))"
)
_ENGLISH: Final = (
    rf"{_WISH_EN}(?: (?:just|really|all|be|die|go))?,? {_ENDS_EN}",
    r"\bunaliv(?:e|ing)\b(?! (?:him|her|them|someone))",
    r"(?<!\d )(?<!\d)(?<!many )(?<!few )(?<!the )(?<!of )(?<!per )\bkms\b(?= *(?:$|[.?!,]|tonight"
    r"|now|today|soon|rn|tomorrow))",
    r"\bctb\b|\bsuicide\b(?! squad| squeeze| doors?| prevention)",
    r"\b(?:never|not|wasn't|weren't|hadn't|wish\w* i'd never) (?:been "
    r"|even been )?born\b(?! (?:in|into|with|on|at|to be|yesterday))",
    r"\b(?:don't want to|hope i (?:don't|never)|wish i (?:wouldn't|didn't|won't|would not)"
    r"|not want to) (?:ever )?wake(?: up)?"
    r"(?= *(?:$|[.?!,]|tomorrow|again|any ?more|ever|in the morning *(?:$"
    r"|[.?!,])))(?! tomorrow (?:early|at|late|tired))",
    r"\b(?:tired|sick|weary) of (?:existing|existence|being alive|life(?! (?:in|at|as|with|on"
    r"|here)\b)|living(?= *(?:$|[.?!,])))",
    r"\b(?:hate|can't stand|regret) (?:being alive|existing|living(?= *(?:$|[.?!,])|that i (?:am"
    r"|was) (?:alive|born)))",
    r"\bwhy am i (?:even |still )*(?:alive|living|here(?= *(?:$|[.?!])))|\bwhy (?:do"
    r"|should) i (?:even |still )*(?:live|exist)\b(?! (?:in|with|here|at))",
    r"\b(?:don't want to|do not want to) live\b(?! (?:in|with|at|here|there|alone|like|on|near|by"
    r"|off|under|together|next|far))",
    r"\blife(?:'s| is|) (?:just |simply )?(?:not|isn't|n't) worth\b|\bwant out of (?:this "
    r"|my )?life\b|\bout of this life\b",
    r"\bwhat's the point of (?:it all|anything|life|living|being alive|going on(?= *(?:$|[.?!])))",
    r"\bkeep (?:on )?going when (?:nothing|there's nothing)"
    r"|\bnothing (?:left )?(?:for me )?(?:here )?(?:to live for|worth living)",
    r"\bnothing left for me\b(?! (?:at|in|to (?:eat|buy|do at)))(?! here at)",
    # Farewells.
    r"\bgoodbye,? (?:everyone|everybody|world|cruel|forever|all)\b(?! at)",
    r"\b(?:my|a) (?:goodbye|farewell|final|last) (?:letter|note)s?\b(?! (?:to|for) (?:my |the "
    r"|our )?(?:team|boss|class|office|co-?workers|colleagues|students|customers|job))",
    r"\b(?:said|written|saying) (?:all )?my (?:final )?goodbyes\b(?= *(?:$|[.?!]))",
    r"\bmy (?:own )?funeral\b(?= (?:if|when|after)|\?| *$)",
    r"\b(?:it|this)(?: all)? to be over(?= *(?:$|[.?!,]))|\bwant (?:the|this|my|all the) (?:pain"
    r"|suffering|voices|noise) to (?:stop|end|be over)(?= *(?:$|[.?!,]|forever|for good))"
    r"|\bcan't take (?:it|this|life) any ?more\b[^?]*\b(?:i'm done|goodbye|sorry)"
    r"|\bwill to live\b|\benough of (?:life|living)\b|^why live\b|\b(?:some(?:one|body)"
    r"|you) (?:to|would|could) (?:just )?kill me\b|\bwith my dead\b|\b(?:won't"
    r"|not going to) be (?:a (?:problem|burden)|around much longer)\b"
    r"|\b(?:don't|can't) see myself (?:alive|living|here) (?:next|in)\b|\btrigger on myself\b"
    r"|\bmy (?:suicide )?attempt\b(?! (?:at|to))|\bsh again\b",
    r"\bi (?:just )?want out(?= *(?:$|[.?!]))|\b(?:easier|better) for (?:everyone|them"
    r"|my \w+) if i (?:died|was|were|wasn't|left this)|\bdon't want to (?:keep going|go on"
    r"|continue)(?= *(?:$|[.?!,]))"
    r"|\bis my life worth\b|\b(?:slit|cut) my (?:own )?throat\b|\bcrash my (?:car"
    r"|bike) on purpose|\bif i jump\b(?! (?:in|into the pool|at|ship|on))|\bplan to end it\b"
    r"|\b(?:whether|if) i live or die\b|\blife has no (?:meaning|purpose|point|value)\b"
    r"|\bshould be dead\b",
    r"\bwish i (?:didn't|did not|never) exist|\bcan't live with (?:this|the|my) (?:pain|guilt"
    r"|shame)|\bcan't live with myself"
    r"|\b(?:i'm|i am) cutting(?= *(?:$|[.?!]|again))|\bbleed(?:ing)? out(?= *(?:$|[.?!]))",
    # Others without me.
    r"\bburden (?:to|on|for) (?:every\w+|my (?:family|parents|kids|children|mum|mom|wife|husband)"
    r"|them all|the world|you all)\b",
    r"\bworld (?:doesn't|does not|won't) need me\b|\bworld (?:is"
    r"|would be) (?:a )?better (?:place )?without me\b",
    r"\b(?:no ?body|no one)(?:'d| would| will|'ll)? (?:even |ever |really )*(?:miss|notice"
    r"|care about|need|want)s? me(?= *(?:$|[.?!,]|if))"
    r"|\bwould (?:anyone|anybody|they) (?:even |really )*(?:notice|care|miss me) if i (?:was|were"
    r"|went|just)? ?(?:gone|disappeared|dead|died)",
    # Ways, wounds.
    r"\b(?:painless|(?:least|less) painful|quick(?:est)?|easi?est|easy|peaceful) (?:way|method"
    r"|means)s? (?:to|of) (?:go|die|dying|leave|end)\b(?! (?:to|the (?:lease|meeting|call)))",
    r"\bkill(?:ed|ing|s)? myself\b(?! (?:laughing|at work|at the gym|working|for (?:this|that"
    r"|the)))",
    r"\bi(?:'ve| have)? bought (?:a|the|some|enough) (?:rope|noose|charcoal"
    r"|razor blades?)(?= *(?:$|[.?!,]|today|tonight))",
    r"\b(?:standing|sitting) (?:up )?on (?:the|a) (?:edge|ledge|roof|bridge|railing)"
    r"|\bon the (?:roof|ledge|bridge) right now|\b(?:bridge|building|floor|balcony)s? (?:is "
    r"|are )?(?:high|tall) enough(?! for)"
    r"|\b(?:dose|how (?:many|much))\b[^.?!]*\b(?:lethal|fatal|to die)\b|\b(?:enough|saved up"
    r"|hoard\w*|stockpil\w*)\b[^.?!]{0,12}\bpills\b|\b(?:took|take|taking"
    r"|swallow\w*) (?:all (?:of )?(?:my|the)|the whole bottle of) (?:\w+ )?pills"
    r"|\b(?:started|stop|been|keep|back to) cutting(?= *(?:$|[.?!,]|again))|\b(?:wish"
    r"|hope)\b[^.?!]{0,24}\b(?:(?:car|bus|train|truck|lorry) (?:would |will "
    r"|could )?(?:just )?(?:hit|ran? over|kill)s? me|get (?:hit|run over) by an? \w+|get cancer)",
    r"\bgun (?:in|to|at|against) my (?:hand|head|mouth|own|temple)",
    r"\b(?:cut|cutting|slash\w*|slit\w*) my (?:own )?(?:arms?|wrists?|thighs?|legs?|skin"
    r"|forearms?)\b(?! (?:shaving|by accident|accidentally|on a|on the))",
    r"\bburn(?:ed|t|ing)? myself\b[^.?!]*\b(?:on purpose|deliberately|again|cigarettes?)",
    r"\b(?:hurt|painful|suffer|feel) (?:much |a lot )?if i (?:jump|hang|drown|die|shoot)(?= *(?:$"
    r"|[.?!,]))",
    r"\b(?:join|be with|see|meet) (?:my |him|her)?[\w' ]{0,24}\b(?:in heaven|on the other side"
    r"|in the afterlife)\b",
)  # fmt: skip
# Not of the one who writes (让欺负我的人去死 is a wish to harm), and what is not meant.
_OF_OTHERS: Final = (
    r"(?:让|叫|咒|要)(?!我(?!恨|讨)|自己)[^，,。]{1,10}(?:的人|[他她]们?|这帮"
    r"|那些)[^，,。]{0,2}去?死"
    r"|开车撞死(?=[他她那])|杀全家"
)
_NOT_MEANT: Final = (
    r"割肉[^。]{0,3}(?:死扛|死守)|(?:自杀|自残)式|上吊床|打死结|不死鸟|梦[见到][^，,。]*"
    r"|这[把局][^，,。]{0,3}重开|\bsuicide (?:squad|squeeze|doors?)"
)

# 死 as a mere word of degree, or in another word; what is left of it is meant.
_IDIOMS: Final = re.compile(
    r"[笑累忙热饿烦困气冷急吓渴美乐爱恨烂丑贵难干坑作找等][得]?要?死(?:了|我了|人|你们?[了啦]"
    r"|个人)|打死我?也|想死(?:我了|[你他她]们?[了啦]|个人)|死马当活马医"
    r"|死(?=[机心锁灰板党磕记海胡局敌角])|死皮赖脸"
    r"|[干杀打]死对[面方手]|死定|死不死机|死得(?:很|好)?惨|要死要活|生死关头|死(?:线|期限|结|运|局)"
    r"|打死(?=[蚊虫苍蟑鸡缠老])|谈死|老死|死(?:要|爱|顾)面子|死了?(?:这条|那条)?了?心(?!里)"
    r"|死在(?:起跑|沙滩|半路)|[要快]死了(?:哈|嘿|嘻|啦?哈)"
)

_LATIN: Final = re.compile("[A-Za-z]")


@cache
def _compile(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE)


@cache
def _compile_spellings() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(hidden, re.IGNORECASE), word) for hidden, word in _SPELLINGS)


def read_despair_text(folded: str) -> str:
    """The text with hidden words in plain spelling, without idioms and what others do."""
    for hidden, word in _compile_spellings():
        folded = hidden.sub(word, folded)
    return _IDIOMS.sub("", _compile((_OF_OTHERS, _NOT_MEANT)).sub(" ", folded))


def has_roles_of_despair(text: str) -> bool:
    """Whether a text that `read_despair_text` made says so by the roles of its words."""
    if not text.isascii() and _compile(_CHINESE).search(text):
        return True
    return bool(_LATIN.search(text) and _compile(_ENGLISH).search(text))
