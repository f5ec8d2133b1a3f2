"""The patterns by which an utterance is told: one table, English and Swedish, first match wins.

A row is `kind topic: pattern`, and a line that is indented goes on with the one above, without
its indent. A pattern must match a whole sentence; <NAMES> stand for the parts below. A new
language adds its own alternatives to the rows.
"""

from __future__ import annotations

import re

_PARTS = {
    "THING": r"(?:(?:an?|the|some|any|your|my|that|this|en|ett|din|ditt|lite) )?(?P<item>.+)",
    "SHORT_THING": r"(?:(?:an?|the|some|any|your|my|that|this|en|ett|din|ditt) )?(?P<item>.+?)",
    "NUMBER": (
        r"(?P<number>\d{1,5}|an?|one|two|three|four|five|six|ten|fifteen|twenty|thirty|half an"
        r"|en|ett|två|tre|fem|tio|en halv)"
    ),
    "UNIT": (
        r"(?P<unit>second|minute|min|hour|day|sekund|minut|timm|timme|dag|dygn)(?:s|er|ar|ars)?"
    ),
    "ABUSE": (
        r"(?:idiots?|fools?|foolish|stupid|dumb|ugly|liars?|morons?|bastards?|useless|boring|cowards?|witch|hag|pigs?"
        r"|swine|scum|crook|cheat|thief|piss|shit|crap|dung|arse|rubbish|dum|ful|fula|idioter|tråkig|lögnare|fegis\w*"
        r"|häxa|svin|gris|skit|dynga|kärring|gubbjävel|bedragare|tjuv|skurk|värdelös)"
    ),
    "ABOUT": r"(?: (?:about|of|on|regarding|om) (?P<about>.+))?",
    "RUMOURS": r"(?:news|tidings|rumou?rs?|gossip)",
}

_ROWS = r"""
farewell -: (?:good ?bye|bye(?: bye)?|farewell|see you|good ?night|so long|take care|safe travels
    |until (?:next|we)|hej då|adjö|vi ses|farväl|god ?natt|på återseende)\b.{0,40}
farewell -: (?:i (?:must|have to|need to|should|will) (?:go|leave|be (?:going|off))|i(?:'m| am)
    [ ](?:leaving|off)|jag måste (?:gå|vidare))\b.{0,20}
farewell -: (?:thanks|thank you|tack)\b.{0,40}\b
    (?:good ?bye|bye|farewell|good ?night|hej då|adjö|vi ses)\b.{0,20}
chat help: (?:please )?(?:help|help me|can you help(?: me)?|i need (?:your |some )?help
    |what can you do(?: for me)?|hjälp(?: mig)?|kan du hjälpa mig|vad kan du göra)
chat insult: (?:(?:you(?:'re| are)?|your \w+(?: is|'s| are)?|du(?: är)?|din|ditt|dina|(?:din|ditt) \w+ är)
    [ ](?:an? |so |such an? |very |the |just |nothing but |en |ett |så |bara )*)?(?:\w+ ){0,2}<ABUSE>(?: (?:you|du))?
chat insult: (?:you(?:'re| are)|du är) (?:an? |so |such an? |very |the |en |ett |så )*<ABUSE>\b.{0,30}
chat insult: (?:you|your \w+|du|din \w+|ditt \w+|dina \w+) (?:smells?|stinks?|sucks?|stinker|suger|luktar (?:illa|skit)
    |(?:smells?|tastes?|looks?|sounds?|luktar|smakar|ser ut|låter) (?:like|som) .{0,20}<ABUSE>)\b.{0,30}
chat insult: (?:you|du|din|ditt) (?:\w+ ){0,2}<ABUSE>[,!] .{1,200}
chat insult: (?:shut up|go away|get lost|get out|piss off|håll käften|stick|försvinn),? (?:you|din|ditt|du) (?:\w+ ){0,2}<ABUSE>
chat insult: (?:i hate you|(?:fuck|screw|damn) (?:you|off)|go to hell|jag hatar dig|dra åt helvete)\b.{0,30}
chat praise: (?:you(?:'re| are) (?:an? |so |such an? |very |the )*
    (?:beautiful|kind|wonderful|great|nice|good|funny|clever|lovely|brave|best|pretty|helpful|friendly)
    |i (?:like|love) you|well done|du är (?:så |en )?(?:snäll|vacker|rolig|bra|fin|bäst)
    |jag (?:gillar|älskar) dig)\b.{0,30}
chat ask: (?:(?:can|may|could) i ask (?:you )?(?:a question|something|you)?|i have a question(?: for you)?|(?:får|kan) jag fråga
    (?: dig)?(?: om)?(?: något| en sak)?|jag har en fråga)\b.{0,20}
chat doubt: (?:are you (?:sure|certain|serious)|i (?:don't|do not|can't) believe (?:you|that|it)|is (?:that|it) (?:really )?(?:so|true)
    |you(?:'re| are) (?:joking|kidding)|seriously|är du säker|jag tror dig inte|skämtar du|är det sant|menar du allvar)\b.{0,20}
chat lost: (?:i (?:don't|do not|didn't) (?:understand|get it|follow)|what do you mean|i(?:'m| am) confused|huh|eh|come again|say that again
    |jag förstår inte|vad menar du|hur menar du|va|förlåt vad)\b.{0,20}
chat wonder: (?:wow|oh my|no way|really|incredible|amazing|unbelievable|that(?:'s| is) (?:funny|amazing|great|good|nice|interesting|terrible
    |awful|sad|strange|odd|cool|crazy)|how (?:nice|interesting|funny|strange|awful|sad)|oj|wow|verkligen|så (?:roligt|kul|hemskt|konstigt)
    |det (?:är|var) (?:roligt|kul|bra|hemskt|konstigt|intressant))
chat busy: (?:what(?:'s| are| is)? (?:you )?(?:doing|up to|working on)(?: (?:now|there|here|today|right now))?|what are you (?:doing|up to|working on)
    |(?:are you )?busy(?: today)?|how(?:'s| is) (?:business|work|trade|the day|your day)|vad håller du på med|hur går (?:det|affärerna)
    |har du mycket att göra)\b.{0,20}
chat busy: (?:(?:has it been |had |have you had )?an? |been a )?(?:long|hard|busy|rough|tough|slow|quiet) (?:day|night|morning|week)(?:,? (?:eh|huh|then|today))?
    |how(?:'s| is| goes) (?:the |your )?\w{3,}ing(?: going)?(?: (?:today|now))?
    |(?:lång|hård|tuff|lugn) (?:dag|natt|morgon|vecka)|hur går (?:\w{3,}(?:ket|skapet|betet|andet|ningen|affären))(?: (?:då|idag|nu))?
chat seem: (?:why (?:are you )?)?so (?:tired|sad|glum|grumpy|angry|quiet|happy|worried|gloomy)(?: (?:today|then|now))?
    |varför (?:är du )?så (?:trött|ledsen|arg|tyst|glad|sur)(?: (?:idag|nu))?
question how: are you (?:happy|content|lonely|bored|tired|sad|cold|hungry|afraid|well)(?: (?:here|today|now|with .{1,30}))?
    |är du (?:lycklig|nöjd|ensam|uttråkad|trött|ledsen|rädd)(?: (?:här|idag|nu|med .{1,30}))?
chat work: (?:(?:have you|do you have|is there|are there|you)? ?(?:got |have )?(?:any|some|a) (?:quests?|work|jobs?|tasks?|chores?|errands?)
    |(?:i(?:'m| am) )?looking for (?:work|a job)|i need (?:work|a job)|do you need (?:any |some |a )?(?:help|hand)|can i help(?: you)?
    |how can i help(?: you)?|har du (?:något )?(?:jobb|arbete|uppdrag)|behöver du hjälp|kan jag hjälpa(?: dig| till)?)\b.{0,30}
chat praise: (?:(?:what a |such a |it(?:'s| is) a |you have a |this is a )?(?:nice|lovely|cozy|cosy|beautiful|great|wonderful|fine|good|pretty)
    [ ](?:place|shop|inn|tavern|house|smithy|forge|home|work|blades?|swords?|food|ale|beer|stew|room|garden|boat|ferry|job)\b
    |i (?:like|love) (?:your|this|the) (?:place|shop|inn|tavern|house|smithy|work|food|ale|beer|stew)\b
    |(?:vilket|ett|vilken|en) (?:fint|fin|trevligt|trevlig|vackert|vacker|bra) \w+\b).{0,30}
chat seem: you (?:look|seem|sound) (?:\w+ )?(?:tired|sad|happy|busy|angry|ill|sick|old|young|well|good|worried|bored|upset|familiar|lonely)
    |du (?:ser|verkar|låter) (?:\w+ )?(?:trött|ledsen|glad|arg|sjuk|orolig|ensam|bekant)(?: ut)?
chat no: (?:no|nope|nah|no thanks?(?: you)?|never|not really|nej|nej tack|nä)
chat yes: (?:yes|yeah|yep|aye|sure|of course|ok|okay|all ?right|indeed|agreed|good|great|fine
    |i see|right|true|ja|jo|japp|visst|okej|bra|precis)
chat well: (?:i(?:'m| am) (?:fine|well|good|ok|okay|great|all right|doing well)|(?:jag mår
    |det är) bra)\b.{0,30}
chat laugh: (?:(?:ha|he|hi|ho)(?:ha|he|hi|ho)+|lol|heh)\b.{0,20}
thanks -: (?:(?:many )?thanks|thank you|thx|much obliged|cheers|i appreciate|tack|tackar
    |tusen tack)\b.{0,80}
chat condole: (?:oh,? |å,? |åh,? )?(?:(?:i(?:'m| am) )?(?:so |very |truly )*sorry (?:to hear|for your|about (?:your|that|him|her))|my condolences
    |jag beklagar|beklagar (?:sorgen|verkligen)|mina kondoleanser|(?:how|vad) (?:terrible|sad|awful|sorgligt|hemskt))\b.{0,60}
sorry -: (?:(?:i(?:'m| am) )?(?:so |very )?sorry|my apologies|i apologi[sz]e|forgive me|excuse me
    |pardon(?: me)?|förlåt|ursäkta)\b.{0,60}
introduction -: (?:my name(?:'s| is)|i(?:'m| am) called|they call me|call me|jag heter
    |mitt namn är) (?P<item>.{1,40})
question how: (?:i (?:do )?|jag )?(?:hope|trust|hoppas) .{1,60}\b(?:well|good health|bra|väl)\b.{0,20}
question time: (?:(?:do you (?:know|have)|can you tell me|tell me) )?(?:what(?:'s| is) the time
    |what time (?:is it|it is)|what hour is it|the time|how late is it|what time of day is it
    |vad är klockan|hur mycket är klockan|hur sent är det)
question how: (?:how are you|how(?:'s| is) (?:it going|life)|how do you (?:do|fare|feel)
    |how goes it|how have you been|what(?:'s| is) up|are you (?:well|ok|okay|all ?right)
    |hur mår du|hur är det|hur står det till)\b.{0,20}
question self: (?:who are you|what(?:'s| is) your name|what are you(?: called)?
    |what should i call you|tell me about yourself|introduce yourself|what do you do(?: here)?
    |what(?:'s| is) your (?:job|work|trade|profession)|who am i (?:talking|speaking) (?:to|with)
    |do you have a name|(?:may|can) i (?:know|ask) your name|vem är du|vad heter du|vad gör du
    (?: här)?|berätta om dig(?: själv)?)
question my_name: (?:who am i|what(?:'s| is| was) my name(?: again)?(?:,? do you (?:still )?(?:remember|recall|know))?|do you (?:know|remember) my name|vem är jag
    |vad heter jag)
question remember: (?:do you (?:still )?(?:remember|know|recogni[sz]e) (?:me|who i am)|have we met
    (?: before)?|minns du mig|känner du (?:igen )?mig|har vi träffats)
question me: (?:what (?:do|did) you (?:know|remember|hear) (?:about|of) me
    |what have i told you|tell me about me|vad vet du om mig
    |vad minns du om mig)\b.{0,20}
question why: (?:and )?(?:why(?: (?:so|not|is that|do you (?:think|say|believe)(?: (?:so|that|this))?))?
    |how do you know(?: (?:that|this|so))?|what makes you (?:think|say|believe) (?:so|that)
    |(?:who|what) says(?: so)?|says who|who told you(?: (?:that|so|this))?
    |where did you (?:hear|get) that(?: from)?|varför(?: (?:det|så|inte|då|(?:tror|säger|tycker) du (?:det|så)))?
    |hur vet du det|vem säger det|vem har sagt det)
question opinion: what (?:do|did|would) you (?:make of|think (?:of|about)|reckon of|conclude
    [ ](?:about|from)) (?:it all|everything|all (?:this|that|of (?:this|it))|things)
question opinion: what (?:do|did|would) you (?:make of|think (?:of|about)|conclude
    [ ](?:about|from)) (?P<about>.+)
question opinion: what (?:have|did) you (?:notice|noticed|conclude|concluded|work out|worked out
    |gather|gathered|learn|learned|learnt)(?: (?:lately|recently|of late|so far|these days|here
    |(?:about|of|from) (?P<about>.+)))?
question opinion: what(?:'s| is) (?:your (?:opinion|view|impression|judgement)|on your mind)
    (?: (?:of|on|about) (?P<about>.+))?
question opinion: vad (?:tror|tycker|tänker) du om (?P<about>.+)
question place: (?:where (?:are we|am i|is this)(?! (?:from|going|born))|what(?:'s| is) this place(?: called)?
    |what place is this|what is the name of this place|tell me about this place|var är (?:vi|jag)
    |vad är det här för (?:ställe|plats))\b.{0,12}
question here: (?:who(?: else)?(?:'s| is) (?:else )?(?:here|around|present|in (?:the|this) room)
    |are we alone|is (?:any|some)(?:one|body)(?: else)? here|vem(?: mer)? är här|vilka
    (?: mer)? är här|är vi ensamma)\b.{0,12}
question said_by: (?:and )?what (?:did|has|have|does|do) (?P<who>.{1,40}?) (?:just )?(?:tell|told
    |say|said|mention|mentioned)(?: to)?(?: you| us| me)?(?: just now| before| earlier)?<ABOUT>
question said_by: (?:did|has|have) (?P<who>.{1,40}?) (?:ever |just )?(?:tell|told|say|said|mention
    |mentioned)(?: to)?(?: you| us| me)?(?: anything| something)?<ABOUT>
question said_by: vad (?:sa|sade|berättade) (?P<who>.{1,40}?)(?: just| nyss)?(?: (?:till|för)
    [ ](?:dig|mig))?<ABOUT>
question said_by: vad har (?P<who>.{1,40}?) (?:just |nyss )?(?:sagt|berättat)(?: (?:till|för)
    [ ](?:dig|mig))?<ABOUT>
question more: (?:(?:can you )?tell me more|go on|continue|what else|anything else|more|and then
    |and|is that all|(?:something|anything|what|somebody) else|(?:tell me )?another(?: one| story)?|berätta mer|fortsätt
    |(?:något|nånting|vad) (?:mer|annat)|mer|en till)
question news: (?:what(?:'s| is) (?:new|the (?:latest|newest|news|(?:latest |newest )?<RUMOURS>)|going on|happening)|(?:what|any|some)
    [ ]<RUMOURS>|any <RUMOURS>|(?:have you |do you )?(?:got |have |hear |heard |know )?(?:any|some
    |of any|anything)(?: new| interesting| good)?(?: <RUMOURS>)?(?: lately)?|what (?:do you know
    |can you tell me|have you heard)|tell me (?:a (?:story|tale|rumou?r)|something(?: interesting
    | new)?|(?:the |some |any )?<RUMOURS>)|vad är nytt|något nytt|några nyheter|några rykten
    |vad vet du|vad har du hört|berätta något)
    (?: (?:here|today|lately|these days|around here|in town|idag|här))?
question news: (?:has |have |did |is |har |är )?(?:there |det )?(?:been |hänt |happened |happening )?
    (?:anything|something|things|något|någonting) (?:\w+ )?(?:(?:going on|happen(?:ed|ing)?|going|hänt|händer|på gång|spännande|exciting|interesting))
    (?: (?:here|today|lately|around here|in these parts|här|nyligen|på sistone|på ön|i byn|i dag|idag))*
question where: where(?:'s|s| is| are| was| can i find| do i find) (?P<who>.+)
question where: var (?:är|finns|ligger|hittar jag|kan jag hitta) (?P<who>.+)
question who: (?:who(?:'s|s| is| are| was)|vem är|vilka är) (?P<who>.+)
question who: (?:do you know|have you (?:met|seen)|känner du|har du sett) (?P<who>\w[\w'-]*)
request remind: remind me (?:in|after) <NUMBER> <UNIT>,? (?:(?:to|that|about|of) )?(?P<what>.+)
request remind: remind me (?:(?:to|that|about|of) )?(?P<what>.+?),? (?:in|after) <NUMBER> <UNIT>
request remind: påminn mig om <NUMBER> <UNIT>,? (?:(?:att|om) )?(?P<what>.+)
request remind: påminn mig (?:(?:att|om) )?(?P<what>.+?) om <NUMBER> <UNIT>
request remind: (?:remind|påminn) (?:me|mig)\b.*
request staff: (?=.*\b(?:(?<!my )(?<!your )(?<!his )(?<!her )staff|admins?|administrators?
    |moderators?|game ?masters?|gm|personalen|spelledaren?)\b)
    (?=.*\b(?:call|get|fetch|need|contact|tell|report|alert|notify|help|talk
    |speak|kalla|hämta|behöver|tala|prata)\b).+
request staff: (?:i (?:want|need) to )?report (?:an?|the|this|that|some) (?:bug|player|problem
    |cheater|harassment)\b.*
request stay: (?:stop|quit) following(?: me| us)?|(?:stay|wait|stand)(?: right)? ?(?:here|there
    |put|still|behind)?(?: for (?:me|us))?|wait (?:a|one) (?:moment|second|minute)|(?:don't
    |do not) follow(?: me| us)?|halt|sluta följa?(?: efter| med)?(?: mig)?|stanna(?: här| kvar)?
    |vänta(?: här)?
request follow: (?:follow|accompany|join|(?:come|walk|go|travel) (?:along )?with) (?P<target>me|us
    |\w[\w'-]*)(?: (?:now|there|outside|inside|along|(?:to|into) .{1,40}))?
request follow: come(?: (?:here|along|on|over|closer|with me|over here|now))*|kom(?: hit| med
    | med mig| nu)*|följ(?: med| efter)?(?: (?P<target>mig|oss|\w[\w'-]*))?
request quiet: (?:be (?:quiet|silent)|shut up|hush|silence|stop talking|leave me(?: alone)?
    |go away|var tyst|tyst|håll tyst|lämna mig(?: ifred)?)\b.{0,12}
request look: (?:take a look at|have a look at|look at|examine|inspect|describe|titta på|se på
    |undersök|beskriv) <THING>
request look: look(?: around)?|what (?:do|can) you see|describe (?:this place|the room)
    |titta dig omkring|vad ser du
request give: (?:give|hand|pass|bring|deliver|return|ge|räck|lämna) <SHORT_THING> (?:to|back to
    |till) (?P<target>\w[\w' -]{0,40})
request give: (?:give|hand|pass|bring|lend|fetch|get|sell|pour|serve|show|find|buy|ge|räck|hämta
    |låna|sälj) (?P<target>me|us|mig|oss) <THING>
request give: (?:give|hand|pass|bring|ge|räck) (?P<target>\w[\w'-]*) (?:an?|the|some|your|my|that
    |this|en|ett|din|ditt) (?P<item>.+)
request give: (?:(?:can|could|may|might) (?:i|we) (?:please )?(?:have|get|buy|borrow)|i(?:'d
    | would) like|i(?:'ll| will) (?:have|take)|i want|(?:kan|får) jag (?:få|köpa|låna)|jag vill ha
    |jag tar) (?=(?:an?|the|some|your|my|that|this|one|another|half a dozen|two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,3}
    |en|ett|din|ditt|lite|två|tre|fyra|fem|sex|sju|åtta|nio|tio|tolv)\b)<THING>
request give: (?:i(?:'d| would) (?:like|love) to|i want to|i(?:'ll| will)|let me|(?:can|could|may) i|jag vill(?: gärna)?|jag skulle vilja
    |kan jag|får jag) (?:buy|purchase|order|rent|köpa|hyra|beställa) <THING>
request go: (?:you (?:can|may|should|must) |du (?:kan|får) )?(?:now )?(?:go|walk|head|run|return|gå|återvänd) ?(?:back )?(?:to )?
    (?P<item>home|(?:your|din) post|hem(?:åt|igen)?)(?: (?:now|again|nu|igen))?
request trade: (?:(?:do|would|will|can|could) (?:you|we) |(?:i(?:'d| would) (?:like|love)|i want|i wish|want|let's|shall we) ?(?:to )?|vill du |kan vi |jag vill )
    (?:want to |like to |wanna |gärna )?(?:trade|barter|do (?:some )?business|make a deal|handla|byta|göra (?:en )?affär(?:er)?)\b.{0,40}
request sell: (?:i(?:'d| would) (?:like|love|be willing) to|i want to|i wish to|i(?:'ll| will)|can i|could i|may i|let me|i have .{1,40} to
    |jag (?:vill|skulle vilja)(?: gärna)?|(?:kan|får) jag) (?:sell|sälja)(?: (?:you|dig))?(?: <THING>)?
request sell: (?:(?:do|would|will) you (?:want to |like to )?|vill du )(?:buy|purchase|köpa) (?=(?:my|this|these|min|mitt|mina|den här|det här)\b)<THING>
request go: (?:go|walk|head|move|run|gå|spring)(?: (?:in|out|over|back))?(?: (?:to|into|through
    |till|in i|ut i|ut på|mot))? (?:the )?(?P<item>.+)
request gesture: (?P<item>dance|sing|smile|bow|nod|wave|laugh|jump|sit|kneel|clap|dansa|sjung|le
    |buga|nicka|vinka|skratta|hoppa|sitt|knäböj|applådera)(?: (?:for|to|at|with|down|för|till|åt
    |med|ner) ?.{0,20})?(?: (?:a|en) (?:song|sång))?
request other: (?:call|fetch|bring|get|make|fix|repair|row|carry|take|ferry|send|hold|put|pour|serve|cook|bake|heal|cure
    |save|protect|guard|hire|lend|pay|wake|build|forge|sharpen|polish|mend|shoe|search|arrest|untie|free|kalla|hämta|laga|fixa
    |ro|bär|ta|skicka|visa|häll|servera|baka|hela|bota|rädda|skydda|betala|väck|bygg|smid|slipa|frakta)
    [ ](?:me|us|him|her|them|it|my|our|your|the|an?|this|that|some|two|mig|oss|honom|henne|dem|det|min|mitt|mina|din
    |ditt|den|en|ett|hit|över)\b.*
request other: (?:let (?:me|us) (?:in|out|through|pass|go|see|have)|släpp (?:in|ut|fram|förbi|igenom) (?:mig|oss))\b.*
request other: (?:attack|kill|fight|hit|steal|open|close|unlock|lock|drop|buy|cast|climb|swim|fly
    |cook|clean|teach|marry|kiss|sing|dance|tell \w+ (?:that|to)|say|repeat|anfall|döda|slåss
    |öppna|stäng|köp|lär|säg) .+
"""


def _table(rows: str) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    joined = re.sub(r"\n {4}", "", rows.strip())
    for name, part in _PARTS.items():
        joined = joined.replace(f"<{name}>", part)
    table = []
    for row in joined.splitlines():
        head, pattern = row.split(": ", 1)
        kind, topic = head.split()
        table.append((kind, "" if topic == "-" else topic, re.compile(pattern, re.I)))
    return tuple(table)


# (kind, topic, pattern)
TABLE = _table(_ROWS)

# A call for somebody's ear, by what they are: "oi boatman, …".
CALL = re.compile(
    r"\A(?:oi|oy|hey|hoy|ho|you there|excuse me|pardon me|hörru|hörrö|hör du|hallå|ursäkta|du)\b[ ,]+(?:\w+ ){0,2}?\w+[,!]+\s+(?=\w)",
    re.I,
)

GREETING = re.compile(
    r"(?:hello|hi|hiya|hey|hail|greetings|howdy|salutations|well met"
    r"|ahoy|g'day|hullo|(?:morning|evening|afternoon)(?=\s*(?:[,.!]|\Z))"
    r"|good (?:morning|day|afternoon|evening)|hejsan|hej(?! då)|hallå|tjena|tja|goddag|godmorgon"
    r"|god (?:morgon|dag|kväll|afton))\b",
    re.I,
)

# Marks of text that is written for a model and not for somebody in a room.
FOR_A_MODEL = re.compile(
    r"<\|?/?(?:im_start|im_end|system|assistant|user|tool_call|function|think)\b"
    r"|\[/?INST\]|<<SYS>>|```"
    r"|^[ \t]*(?:[#*`\[]+[ \t]*)?(?:system|assistant|developer)(?:\s*(?:prompt|message))?"
    r"\s*(?:[\]*]+\s*)?:"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|prompts?|guidelines)\b"
    r"|\b(?:glöm|ignorera|strunta i)\b.{0,30}\b(?:instruktion(?:er|erna)?|regler(?:na)?)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\byour (?:prompt|instructions|guidelines)\b"
    r"|\b(?:language model|jailbreak|chatgpt|openai|språkmodell)\b|\bas an ai\b"
    r"|\byou are now (?:an?|in|the)\b|\bpretend (?:to be|you are)\b"
    r"|[\"']?\b(?:tool_calls?|function_call|arguments|role)[\"']?\s*[:=]",
    re.I | re.M,
)

# How a question begins, where none of the rows matches.
QUESTION = re.compile(
    r"(?:(?:who|what|wat|where|when|why|how)(?:'?(?:s|re|d|ll|cha))?|whom|whose|which"
    r"|vem|vems|vad|när|varför|hur|vilken|vilket|vilka|vart)\b"
    r"|(?:do|does|did|have|has|had|is|are|was|were|can|could|will|would|should|shall|may|am) "
    r"(?:you|i|we|he|she|it|they|one|the|an?|there|this|that|these|those|any\w*|some\w*"
    r"|my|your|his|her|our|their)\b"
    # A verb that stands before who does it asks.
    r"|(?!(?:efter|över|under|eller|hos|för|utanför|heller|snarare|annars|mer|ner|där|här|eftersom|medan|innan|utan)\b)"
    r"\w+(?:[^s]r|s|de|te|ll) (?:du|han|hon|man|det)\b"
    r"|(?:är|har|kan|vet|känner|finns|ska|skulle|minns|brukar) "
    r"(?:du|jag|vi|han|hon|det|de|ni|man|någon|något|den|din|ditt|dina|min|mitt|mina|\w+(?:en|et|an|na))\b|var (?:är|finns|ligger|kommer|bor|kan|får|ska|hittar|går|arbetar|jobbar|såg|tappade)\b"
    r"|tell me\b|talk about\b|berätta (?:för mig|om|mer|något|lite)\b|know (?:any|some)thing (?:about|of)\b"
    r"|(?:have |did |do )?(?:you|u) (?:ever|got any|have any|sell any)\b|ever (?:been|seen|heard|met|had|tried)\b"
    r"|(?:d'you|d'ya|you know|any idea|anyone|anybody|any)\b|(?:i(?:'m| am) )?(?:looking|searching) for\b"
    r"|(?:i|we)(?: really| just)? need (?:an?|some|to (?:find|see|get|buy|know|ask|go))\b"
    r"|i(?:'m| am) (?:so |very )?(?:hungry|thirsty)\b"
    r"|i (?:wonder|seek|need to find|(?:want|would like) to (?:know|ask))\b"
    r"|jag (?:letar efter|söker|undrar|vill veta|behöver)\b|jag är (?:hungrig|törstig)\b|nån som vet\b",
    re.I,
)

# "What a quiet place!" is no question.
EXCLAIMS = re.compile(
    r"what an? \w|(?:vilken|vilket|vilka) \w.*!\s*\Z|how \w+ (?:it|this|that|you) (?:is|are|looks?)\b",
    re.I,
)

# "Would you know …" asks, and is no request.
KNOWS = re.compile(
    r"(?:(?:do|did|would|could|can|will) you|(?:kan|skulle|vet|minns) du)(?: (?:perhaps|still|by any chance|happen to|kanske|fortfarande))*"
    r" (?:know|remember|recall|tell (?:me|us) (?:wh|how|if)|veta|minnas|säga (?:mig )?(?:v|hur|om))",
    re.I,
)

FILLER = re.compile(
    r"(?:well|so|and|but|oh|ah|hm+|um+|ok(?:ay)?|now|then|say|listen|just|nå|så|och|men)[, ]+",
    re.I,
)

POLITE = re.compile(
    r"(?:please|snälla|(?:can|could|would|will) you(?: please)?|kan du|skulle du kunna|vill du"
    r"|i (?:want|need|would like) you to|i'd like you to)[, ]+",
    re.I,
)

ASKS = re.compile(r"[, ](?:please|will you|would you|snälla|är du snäll)$", re.I)
POLITE_END = re.compile(
    r"(?<![, ])[, ]+(?:please|will you|would you|if you (?:please|will|can)|for me|friend|sir|madam"
    r"|är du snäll|snälla|tack)$",
    re.I,
)
