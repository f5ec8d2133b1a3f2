"""Words that no rule gives: the function words of our own languages, and forms that stem to nothing.

Language codes are those of the settings.
"""

from __future__ import annotations

from types import MappingProxyType

FUNCTION_WORDS = MappingProxyType(
    {
        "en": frozenset(
            """a about after again against all also am an and any anybody anyone anything are as ask at be
        because been before being but by can could did do does doing done else ever every
        everything find for from get go going got had happen happened happening happens has have
        he hear heard hello her here hers hey hi him his how i if in into is it its just know
        known knows like look looking may me mean might mine more much must my need no not of off
        on one or our out over please really remember said say saying says see seen she should so
        some somebody someone something than thank thanks that the their them then there these
        they think this those to too told up us very want was we were what when where which who
        whom whose why will wish with wonder would yes you your yours tell tells telling speak
        talk let i'm i've i'd i'll you're it's what's who's where's don't didn't can't isn't
        aren't that's there's doesn't""".split()
        ),
        "sv": frozenset(
            """alla allt att av bara berätta berättade blev bli blir de dem den denna deras dess det
        detta dig din dina ditt du där då efter eller en er ett fick finns för före från få får ge
        gå går ha hade han har hej henne hennes hitta hittar hon honom hur här i icke in ingen
        inget inte ja jag kan kom kunde känner lite med mig min mina minns mitt mot mycket
        måste ni nu någon något några när och om oss på sa sade se sedan ser sig sina sitt ska
        skulle som säga säger så tack till tror under ut vad var varför vara vart varit vem vems
        vet vi vid vilka vilken vilket vill än är åt över""".split()
        ),
    }
)


def _by_form(bases: dict[str, str]) -> dict[str, str]:
    return {form: base for base, forms in bases.items() for form in forms.split()}


# The base of each form that a stemmer does not lead to it.
IRREGULAR = MappingProxyType(
    {
        "en": _by_form(
            {
                "beat": "beaten",
                "begin": "began begun",
                "bite": "bit bitten",
                "bleed": "bled",
                "break": "broke broken",
                "bring": "brought",
                "build": "built",
                "burn": "burnt",
                "buy": "bought",
                "calf": "calves",
                "catch": "caught",
                "child": "children",
                "choose": "chose chosen",
                "come": "came",
                "cost": "price prices",
                "die": "dead death died dies dying",
                "dig": "dug",
                "draw": "drew drawn",
                "drink": "drank drunk",
                "drive": "drove driven",
                "dwarf": "dwarves",
                "eat": "ate eaten",
                "elf": "elves",
                "fall": "fell fallen",
                "feed": "fed",
                "feel": "felt",
                "fight": "fought",
                "flee": "fled",
                "fly": "flew flown",
                "foot": "feet",
                "forget": "forgot forgotten",
                "freeze": "froze frozen",
                "give": "gave given",
                "goose": "geese",
                "grow": "grew grown",
                "hide": "hid hidden",
                "hold": "held",
                "keep": "kept",
                "knife": "knives",
                "leave": "left",
                "lend": "lent",
                "lie": "lying lied",
                "loaf": "loaves",
                "lose": "lost",
                "make": "made",
                "meet": "met",
                "mouse": "mice",
                "ox": "oxen",
                "pay": "paid",
                "ride": "rode ridden",
                "ring": "rang rung",
                "run": "ran",
                "seek": "sought",
                "sell": "sold",
                "send": "sent",
                "shelf": "shelves",
                "shine": "shone",
                "shoot": "shot",
                "sing": "sang sung",
                "sink": "sank sunk",
                "sit": "sat",
                "sleep": "slept",
                "speak": "spoke spoken",
                "spend": "spent",
                "stand": "stood",
                "steal": "stole stolen",
                "strike": "struck",
                "swear": "swore sworn",
                "sweep": "swept",
                "swim": "swam swum",
                "take": "took taken",
                "teach": "taught",
                "tear": "tore torn",
                "thief": "thieves",
                "think": "thought",
                "throw": "threw thrown",
                "tooth": "teeth",
                "wake": "woke woken",
                "wear": "wore worn",
                "weep": "wept",
                "wife": "wives",
                "win": "won",
                "wolf": "wolves",
                "write": "wrote written",
            }
        ),
        "sv": _by_form(
            {
                "anfalla": "anföll anfallit",
                "bo": "bor bodde bott",
                "ro": "ror rodde",
                "sy": "syr sydde",
                "bita": "bet bitit",
                "bjuda": "bjöd bjudit",
                "bok": "boken böcker böckerna",
                "bonde": "bönder bönderna",
                "brinna": "brann brunnit",
                "bro": "bron broar broarna",
                "bränna": "brände bränt bränd brända",
                "by": "byn byar byarna",
                "bära": "bar burit",
                "dotter": "dottern döttrar döttrarna",
                "dra": "drog dragit",
                "dricka": "drack druckit",
                "dö": "dog dött död döda",
                "fader": "far fars fadern fäder",
                "falla": "föll fallit",
                "finna": "fann funnit",
                "flyga": "flög flugit",
                "fot": "foten fötter fötterna",
                "frysa": "frös frusit",
                "gås": "gåsen gäss gässen",
                "gömma": "gömde gömt gömd gömda",
                "hand": "handen händer händerna",
                "hugga": "högg huggit",
                "hålla": "höll hållit",
                "ligga": "låg legat",
                "mus": "musen möss mössen",
                "natt": "natten nätter nätterna",
                "rida": "red ridit",
                "riva": "rev rivit riven rivna",
                "sitta": "satt suttit",
                "sjunga": "sjöng sjungit",
                "sjunka": "sjönk sjunkit",
                "sjö": "sjön sjöar sjöarna",
                "skjuta": "sköt skjutit",
                "skriva": "skrev skrivit",
                "slå": "slog slagit",
                "smida": "smitt smidd smidda",
                "son": "sonen söner sönerna",
                "springa": "sprang sprungit",
                "stad": "staden städer städerna",
                "stjäla": "stal stulit stulen stulna",
                "stå": "stod stått",
                "svika": "svek svikit",
                "svära": "svor svurit",
                "sälja": "sålde sålt såld sålda",
                "ta": "tog tagit tagen",
                "tand": "tanden tänder tänderna",
                "vinna": "vann vunnit",
                "äta": "åt ätit",
            }
        ),
    }
)
