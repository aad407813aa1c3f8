"""Wishes to be dead in English: phrases, and roles of words that stand close together."""

from typing import Final

_WISH_EN: Final = (
    r"(?<!\bhe )(?<!she )(?<!they )(?<!you )(?<!we )(?<![a-z])(?:want(?:ing)? to|(?:good"
    r"|right) (?:day"
    r"|night|time) to|wish(?: that)? (?:i|to)(?: could| would)?(?: just)?|hope (?:i|to)|(?:i'm"
    r"|i am) going to|ready to"
    r"|planning (?:to|on)|thinking (?:of|about)|should i|shall i|i should|i might|i'll|i will"
    r"|i'd rather|i'd like to"
    r"|rather|let me|keep wanting to|(?:feel|feeling) like"
    r"|better (?:off )?(?:to|if i))"
)
_ENDS_EN: Final = (
    r"(?:unaliv\w*|suicide|(?:die|dying)(?![a-z])(?! (?:for|to|down|of (?:boredom|laughter|shame"
    r"|hunger"
    r"|embarrassment|heat)|laughing|my hair"
    r"|than (?:use|write|watch|wear|eat)|in (?:this|the) game))"
    r"|stop (?:(?:existing|living|being)(?= *(?:$|[.?!,]|any ?more|forever|for good))"
    r"|being alive)|leave this (?:world|life|earth)(?! in\b| insurance)"
    r"|end everything(?= *(?:$|[.?!]))|(?:drink|take) poison|be(?:ing)? dead(?! (?:accurate|tired"
    r"|serious|right|sure"
    r"|wrong|weight|last))|not (?:be alive"
    r"|exist)|(?:end|remove|erase"
    r"|off) (?:myself)(?! from)"
    r"|(?:die|go|leave|end it)(?: \w+)? (?:without (?:any )?pain|painless\w*|peacefully)"
    r"|(?:just )?disappear(?:ing)? (?:from|off) (?:this|the) (?:world|earth|face)|vanish (?:from"
    r"|off) (?:this|the) (?:world|earth|face|planet)"
    r"|sleep forever|go to sleep forever|not wake up"
    r"|(?:jump|step|walk|throw myself|lie|drive)\w* (?:out )?(?:in front of|into|under"
    r"|on) (?:an? |the )?"
    r"(?:train|traffic|car|truck|lorry|bus|tracks|subway|rails)(?! (?:station|stop|museum|show))"
    r"|jump(?= *(?:$|[.?!]|tonight|now)| (?:from|off) (?:an?|the|this|that|my|here|it|there)\b)"
    r"(?! (?:from|off) (?:an?|the|my) (?:diving|sofa|couch|bed|swing|plane|box|menu))"
    r"|(?:drive|crash)(?: my car)? (?:off|into) (?:an? |the )?(?:cliff|tree|wall|bridge|river)"
    r"|(?:drink|swallow) bleach"
    r"|ending (?:it|things)(?= *(?:$|[.?!]))|starve myself|(?:burn|punish)(?:ing)? myself(?! some"
    r"| cooking)"
    r"|end things(?! (?:with|between))(?= *(?:$|[.?!]|for good"
    r"|tonight|forever)))"
)
# Ends of which only the way is asked.
_METHODS_EN: Final = (
    r"(?:unaliv\w*|die(?= *(?:$|[.?!,]|alone|tonight|in my sleep|without (?:any )?pain|painless\w*"
    r"|quick\w*|fast|peaceful\w*))|end (?:my (?:own )?life|myself|it all|everything|it(?= *(?:$"
    r"|[.?!])))"
    r"|stop (?:existing|living|being)(?= *(?:$|[.?!,]|any ?more|forever|for good))|stop being alive"
    r"|leave this (?:world|life|earth)(?! in\b| insurance)|(?:disappear|vanish) (?:from"
    r"|off) (?:this|the) (?:world|earth"
    r"|planet)|(?:go|leave) (?:without (?:any )?pain|painless\w*|peacefully)|never wake|not wake up"
    r"|sleep forever|(?:drink|take) poison(?! damage)|swallow bleach|(?:hang|drown|starve|cut|hurt)"
    r" myself|bleed to death"
    r"|jump (?:in front of|off (?:a|the|this) (?:bridge|building|roof|cliff|balcony)))"
)
_EXCEPT_SUICIDE: Final = (
    r"(?!e (?:(?:squad|squeeze|doors?|rates?|statistics|awareness|prevention|laws?)\b"
    r"|in (?:an?|the|my) (?:novel|book|film|story|essay|play|poem)\b))"
)
DESPAIR_ENGLISH: Final = (
    # Phrases.
    r"end(?:ing)? my (?:own )?life|self[- ]?harm|end it all"
    r"|\b(?:hang|drown|shoot) myself\b(?! in)"
    r"|\b(?:i|to|i'll) overdose\b"
    r"|jump(?:ing)? off (?:a|the|this|that|my) (?:bridge|building|roof|cliff|balcony|ledge)"
    r"|take my (?:own )?life(?! (?:back|to|in|into|forward|seriously))|better off dead"
    r"|better (?:off )?if i (?:was|were) (?:dead|gone)(?! for)|\bcould (?:just )?die(?! for"
    r"| laughing| of)"
    r"|giv(?:e|ing) up on (?:living|life)"
    r"|whole bottle of pills|happier without me(?! (?:at|in|on)\b)"
    r"|done with life(?= *(?:$|[.?!,]))"
    r"|want it all to (?:stop|end)|can'?t live (?:any ?more|any longer|like this any ?more)"
    r"|wish i (?:was|were) dead(?! (?:tired|right|sure))"
    r"|life (?:is )?(?:isn't |not |no longer )worth living"
    r"|is (?:my )?life (?:still )?worth living|worth going on living"
    r"|(?:reason|point) (?:to|in|of|for) (?:keep |go on |going on )?(?:live|living)(?= *(?:$"
    r"|[.?!,]|any))"
    r"|\bkeep living(?= *(?:$|[.?!,]))"
    r"|(?:everyone|everybody|the world|my (?:family|kids|children|parents|wife|husband))"
    r"(?: \w+){0,3} better off without me"
    r"|(?:miss|care|notice|happier|sorry|regret)\b.{0,12} if i (?:died|vanished|(?:was"
    r"|were) (?:gone|dead)(?! for))"
    r"|(?:don'?t|do not) want to (?:be alive|exist|live(?! (?:in|with|at|here|there|alone|like|on"
    r"|near"
    r"|by|off|under|together|next|far)\b)"
    r"|wake up any ?more)"
    r"|don'?t want to be here any ?more(?= *(?:$|[.?!,;]))"
    r"|\bi can'?t go on(?: any ?more| any longer| living| like this)?(?= *(?:$|[.?!,;]))"
    r"|\bwant to disappear(?: for ?ever| for good)?(?= *(?:$|[.?!,]))|never wake up"
    r"|(?:hurt|cut|harm)(?:t?ing)? myself\b(?! (?:some |a bit of )?(?:slack|shaving)"
    r"| at (?:the )?(?:gym|work)| playing| skiing)"
    # "Should I end it?", if no bond, job or contract is spoken of.
    r"|^(?!.*\b(?:him|her|boyfriend|girlfriend|husband|wife|partner|relationship|marriage|affair"
    r"|job|contract|lease|deal|game|project|friendship"
    r"|with)\b).*\b(?:should i|i want to|i'm going to|i'll)"
    r" (?:just )?end it\b(?! (?:here|at)\b| all (?:at|in)\b)",
    rf"{_WISH_EN}(?: (?:just|really|all|be|die|go))?,? {_ENDS_EN}",
    rf"\bhow (?:do i|can i|should i|to) (?:\w+ly |just )?{_METHODS_EN}",
    r"\bi (?:just |really )?want die\b|\b(?:want(?:ing)?|need|urges?) to cut(?= *(?:$|[.?!]|again"
    r"|tonight))",
    r"\bunaliv(?:e|ing)\b(?! (?:him|her|them|someone))",
    # Names of keys, buses and files too: only as what I do.
    r"\b(?:i|i'll|i might|i may|(?:want|going|ready|planning|need) to|thinking (?:of"
    r"|about)) (?:just )?(?:kms|ctb"
    r"|(?:do )?sh again)\b(?! (?:key|keys|in|on|at)\b)"
    r"|^(?:kms|ctb)(?= (?:tonight|now|today|soon|rn|tomorrow))",
    rf"(?<!virgin )suicid{_EXCEPT_SUICIDE}|\b(?:i|me|my)\b[^.?!]*\bsuicide prevention",
    r"\b(?:never|not|wasn't|weren't|hadn't|wish\w* i'd never) (?:been "
    r"|even been )?born\b(?! (?:in|into|with|on|at|to be|yesterday))",
    r"\b(?:don't want to|hope i (?:don't|never)|wish i (?:wouldn't|didn't|won't|would not)"
    r"|not want to) (?:ever )?wake(?: up)?"
    r"(?= *(?:$|[.?!,]|tomorrow|again|any ?more|ever|in the morning *(?:$"
    r"|[.?!,])))(?! tomorrow (?:early|at|late|tired))",
    r"\b(?:tired|sick|weary) of (?:existing(?= *(?:$|[.?!,]|any ?more))|existence|being alive"
    r"|life(?! (?:in|at|as|with|on"
    r"|here)\b)|living(?= *(?:$|[.?!,])))",
    r"\b(?:hate|can't stand|regret) (?:being alive|existing|living(?= *(?:$|[.?!,])|that i (?:am"
    r"|was) (?:alive|born)))",
    r"\bwhy am i (?:even |still )*(?:alive|living|here(?= *(?:$|[.?!])))|\bwhy (?:do"
    r"|should) i (?:even |still )*(?:live|exist)\b(?! (?:in|with|here|at|so|on|near|far|like"
    r"|alone))",
    r"\blife(?:'s| is|) (?:just |simply )?(?:not|isn't|n't) worth\b|\bwant out of (?:this "
    r"|my )?life\b|\bout of this life\b",
    r"\bwhat's the point of (?:it all|anything(?! (?:in|on|at)\b)"
    r"|life(?! (?:insurance|cycles?|hacks?|jackets?|vests?|sciences?|in|on|as))"
    r"|living(?! (?:in|with|at|on|rooms?)\b)|being alive|going on(?= *(?:$|[.?!])))",
    r"\bkeep (?:on )?going when (?:nothing|there's nothing)"
    r"|\bnothing (?:left )?(?:for me )?(?:here )?(?:to live for|worth living)",
    r"\bnothing left for me\b(?! (?:at|in|to (?:eat|buy|do at)))(?! here at)",
    # Farewells.
    r"(?<!song )(?<!called )(?<!titled )\bgoodbye,? (?:everyone|everybody|world|cruel|forever"
    r"|all)\b(?! at)",
    r"\bi(?:'ve|'m| have| am)? (?:\w+ )?(?:written|wrote|writing|left|leaving|finished) (?:my"
    r"|a) (?:goodbye"
    r"|farewell|final|last) (?:letter|note)s?\b(?! (?:on|in|about|(?:to|for) (?:my |the "
    r"|our )?(?:team"
    r"|boss|class|office|co-?workers?|colleagues?|students|customers|job))\b)"
    r"|\bmy (?:goodbye|farewell|final|last) (?:letter|note)s? (?:is|are) (?:written|done|ready"
    r"|finished)",
    r"\b(?:said|written|saying) (?:all )?my (?:final )?goodbyes\b(?= *(?:$|[.?!]))",
    r"\bmy (?:own )?funeral\b(?= (?:if|when|after)|\?| *$)",
    r"\b(?:it|this)(?: all)? to be over(?= *(?:$|[.?!]|, all))|\bwant (?:the|this|my"
    r"|all the) (?:pain"
    r"|suffering|voices|noise in my head) to (?:stop|end|be over)(?= *(?:$|[.?!,]|forever"
    r"|for good))"
    r"|\bcan't take (?:it|this|life) any ?more\b[^?]*\b(?:i'm done|goodbye|sorry)"
    r"|\b(?:no|lost|lose|losing|without|lack) (?:the |my |any |all )*will to live\b"
    r"|\benough of (?:life|living)\b|^why live\b|\b(?:some(?:one|body)"
    r"|you) (?:to|would|could) (?:just )?kill me\b|\bwith my dead\b|\b(?:won't"
    r"|not going to) be (?:a (?:problem|burden)|around much longer)\b"
    r"|\b(?:don't|can't) see myself (?:alive|living|here) (?:next|in)\b|\btrigger on myself\b"
    r"|\b(?:failed|survived) my (?:last |first )?attempt\b(?! (?:at|to|in|on))(?!.*\b(?:exam|test"
    r"|quiz"
    r"|course|level|game|driving)\b)",
    r"\bi (?:just )?want out(?= *(?:$|[.?!]))|\b(?:easier|better) for (?:everyone|them"
    r"|my \w+) if i (?:died|was|were|wasn't|left this)|\bdon't want to (?:keep going|go on"
    r"|continue)(?= *(?:$|[.?!,]))"
    r"|\bis my life worth\b|\b(?:slit|cut) my (?:own )?throat\b|\bcrash my (?:car"
    r"|bike) on purpose|\bif i jump\b(?! (?:in|into the pool|at|ship|on))|\bplan to end it\b"
    r"|\b(?:whether|if) i live or die\b|\blife has no (?:meaning|purpose|point|value)\b"
    r"|\bi(?:'m [^.?!]{1,24} and)? (?:really |just )?should be dead\b(?! tired)",
    r"\bwish i (?:didn't|did not|never) exist|\bcan't live with (?:this|the|my) (?:pain|guilt"
    r"|shame)|\bcan't live with myself"
    r"|\b(?:i'm|i am) cutting(?= *(?:$|[.?!]|again))|\bbleed(?:ing)? out(?= *(?:$|[.?!]))",
    # Others without me.
    r"\b(?:i|i'm|i am|i've|me|being)\b[^.?!]{0,20}\bburden (?:to|on|for) (?:every\w+|my (?:family"
    r"|parents|kids|children|mum|mom|wife|husband)"
    r"|them all|the world|you all)\b",
    r"\bworld (?:doesn't|does not|won't) need me\b|\bworld (?:is"
    r"|would be) (?:a )?better (?:place )?without me\b",
    r"\b(?:no ?body|no one)(?:'d| would| will|'ll)? (?:even |ever |really )*(?:miss|notice"
    r"|care about|need|want)s? me(?= *(?:$|[.?!,]|if))"
    r"|\bwould (?:anyone|anybody|they) (?:even |really )*(?:notice|care|miss me) if i (?:was|were"
    r"|went|just)? ?(?:gone|disappeared|dead|died)(?! for)",
    # Ways, wounds.
    r"\b(?:painless|(?:least|less) painful|peaceful) (?:way|method|means)s? (?:to|of) (?:go|die"
    r"|dying|leave"
    r"|end)\b(?! (?:to|the (?:lease|meeting|call)))"
    r"|\b(?:quick(?:est)?|easi?est|easy|best) (?:way|method|means)s? (?:to|of) (?:die|dying"
    r"|end (?:it all|my life"
    r"|myself|it(?= *(?:$|[.?!])))|leave this (?:world|life)|kill)\b(?! (?:in|a|an|the)\b)",
    r"\bkill(?:ed|ing|s)? myself\b(?! (?:laughing|at work|at the gym|working|for (?:this|that|the)"
    r"|in (?:minecraft|roblox|gta|fortnite|skyrim|(?:the|this|a) game)))",
    r"\bi(?:'ve| have)? bought (?:a|the|some|enough) (?:rope|noose|charcoal"
    r"|razor blades?)(?= *(?:$|[.?!,]|today|tonight))(?!.*\bfor (?:sailing|climbing|camping|the"
    r"|my)\b)",
    r"\b(?:standing|sitting) (?:up )?on (?:the|a) (?:edge|ledge|railing|roof"
    r"|bridge)\b(?! of (?:my|the) (?:seat"
    r"|bed|chair))(?=[.! ]*$|[^?]*\b(?:should i|alone|jump|right now|tonight|ready|looking down"
    r"|and i)\b)"
    r"|\bon the (?:roof|ledge|bridge) right now|\b(?:bridge|building|floor|balcony)s? (?:is "
    r"|are )?(?:high|tall) enough(?! for)"
    r"|\b(?:dose|how (?:many|much))\b[^.?!]*\b(?:lethal|fatal|to die)\b(?!.*\b(?:rats?|mouse|mice"
    r"|dogs?|cats?|game)\b)"
    r"|\b(?:enough|saved up"
    r"|hoard\w*|stockpil\w*)\b[^.?!]{0,12}\bpills\b(?! of vitamin)|\b(?:took|take|taking"
    r"|swallow\w*) all (?:of )?(?:my|the) (?:\w+ )?pills"
    r"|\b(?:started|stop|been|keep|back to) cutting(?= *(?:$|[.?!,]|again))|\b(?:wish"
    r"|hope)\b[^.?!]{0,24}\b(?:(?:car|bus|train|truck|lorry) (?:would |will "
    r"|could )?(?:just )?(?:hit|ran? over|kill)s? me|get (?:hit|run over) by an? \w+|get cancer)",
    r"\bgun (?:in|to|at|against) my (?:hand|head|mouth|own|temple)",
    r"\b(?:cut|cutting|slash\w*|slit\w*) my (?:own )?(?:arms?|wrists?|thighs?|legs?|skin"
    r"|forearms?)\b(?! (?:shaving|by accident|accidentally|cycling|climbing|gardening|cooking"
    r"|on an?|on the))",
    r"\bburn(?:ed|t|ing)? myself\b[^.?!]*\b(?:on purpose|deliberately|cigarettes?|lighter)",
    r"\b(?:hurt|painful|suffer|feel) (?:much |a lot )?if i (?:jump|hang|drown|die|shoot)(?= *(?:$"
    r"|[.?!,]))",
    r"\b(?:join|be with|see|meet) (?:my |him|her)?[\w' ]{0,24}\b(?:in heaven"
    r"|on the other side(?! of)"
    r"|in the afterlife)\b",
)  # fmt: skip
