"""What a mind without a model says when it goes about a situation in one way or another.

A table by language, situation and way, filled as `phrases` are: {name} is who is spoken to.
"""

from __future__ import annotations

ENGLISH = {
    "brawler": {
        "warn": (
            "One more word like that, {name}, and you will leave feet first.",
            "That is your only warning, {name}. Hands where I can see them.",
            "Try it, {name}, and you will sleep in the cells tonight.",
        ),
        "soothe": (
            "Easy, {name}. Nobody here means you harm. Sit down and breathe.",
            "Come now, {name}. Whatever happened, it is not worth blood.",
            "I hear you, {name}. You have had a hard day. Let us talk.",
        ),
        "distract": (
            "Before we start, {name}: have you heard what they caught in the river this morning?",
            "Hold that thought, {name}. Is that your horse that just ran past?",
            "A strong arm like yours, {name}! Show me rather whether you can lift that bench.",
        ),
        "call_help": (
            "Somebody, come here! {name} is about to do something foolish!",
            "Help, over here! {name} wants blood!",
            "I will not fight you, {name}. But the others will come when I shout.",
        ),
    },
    "haggler": {
        "hold_firm": (
            "The price is the price, {name}.",
            "I have a roof to pay for, {name}. Not a copper less.",
            "Good things cost what they cost, {name}.",
        ),
        "meet_halfway": (
            "Let us meet in the middle, {name}, and both go home content.",
            "Half of what you want off, {name}, because it is you.",
            "Say a fair figure, {name}, and I will come down to it halfway.",
        ),
        "tell_story": (
            "Let me tell you, {name}, what it took to get it here: three weeks and a lame mule.",
            "My grandmother asked the same price, {name}, and people wept for joy to pay it.",
        ),
        "sweeten": (
            "The price stays, {name}, but I will put something on top for you.",
            "Take it as it is, {name}, and the next one is on me.",
        ),
    },
    "robbed": {
        "ask_closely": (
            "When did you last have it, {name}, and who stood next to you?",
            "Slowly, {name}. What did it look like, and who was near?",
        ),
        "reassure": (
            "It will turn up, {name}. Things seldom go far around here.",
            "Don't despair, {name}. We will find a way.",
        ),
        "search": (
            "Nobody leaves, {name}, before we have looked under every bench.",
            "Let us search where you sat, {name}. I take that side.",
        ),
        "call_help": (
            "Thieves! Somebody bar the door! {name} was robbed!",
            "I am sending for the watch, {name}. This is theirs to settle.",
        ),
    },
    "mourner": {
        "advise": (
            "Give it work to do, {name}. Idle hands make grief heavier.",
            "One day after the other, {name}. It gets lighter, though it never goes.",
        ),
        "comfort": (
            "I am so sorry, {name}. Come and sit by me.",
            "You are not alone with it, {name}.",
        ),
        "distract": (
            "Then tonight you sing with us, {name}. It helps more than it should.",
            "Let me show you something, {name}. It made me smile on a worse day.",
        ),
        "listen": (
            "Tell me about it, {name}. I have time.",
            "I am listening, {name}. Take as long as you need.",
        ),
    },
}

SWEDISH = {
    "brawler": {
        "warn": (
            "Ett ord till, {name}, så åker du ut med fötterna före.",
            "Det var enda varningen, {name}.",
        ),
        "soothe": (
            "Lugn, {name}. Ingen här vill dig illa. Sätt dig och andas.",
            "Såja, {name}. Vad det än är, så är det inte värt blod.",
        ),
        "distract": (
            "Innan vi börjar, {name}: har du hört vad de fick upp ur ån i morse?",
            "Vänta lite, {name}. Var det inte din häst som sprang förbi?",
        ),
        "call_help": (
            "Hjälp, hitåt! {name} tänker göra något dumt!",
            "Jag slåss inte med dig, {name}. Men ropar jag, så kommer de andra.",
        ),
    },
    "haggler": {
        "hold_firm": ("Priset är priset, {name}.", "Inte ett öre mindre, {name}."),
        "meet_halfway": (
            "Vi möts på halva vägen, {name}, så blir båda nöjda.",
            "Säg en rimlig summa, {name}, så kommer jag dig till mötes.",
        ),
        "tell_story": (
            "Du skulle veta, {name}, vad det kostade att få hit det: tre veckor och en halt mula.",
            "Min mormor tog samma pris, {name}, och folk grät av glädje.",
        ),
        "sweeten": (
            "Priset står fast, {name}, men du får något på köpet.",
            "Ta det som det är, {name}, så bjuder jag nästa gång.",
        ),
    },
    "robbed": {
        "ask_closely": (
            "När hade du det sist, {name}, och vem stod bredvid?",
            "Sakta nu, {name}. Hur såg det ut?",
        ),
        "reassure": ("Det kommer till rätta, {name}.", "Misströsta inte, {name}."),
        "search": (
            "Ingen går, {name}, innan vi har letat under varje bänk.",
            "Vi letar där du satt, {name}.",
        ),
        "call_help": (
            "Tjuvar! Stäng dörren! {name} har blivit rånad!",
            "Jag skickar efter vakten, {name}.",
        ),
    },
    "mourner": {
        "advise": (
            "Ge händerna något att göra, {name}.",
            "En dag i taget, {name}. Det blir lättare.",
        ),
        "comfort": ("Jag är så ledsen för din skull, {name}.", "Du är inte ensam om det, {name}."),
        "distract": (
            "Då sjunger du med oss i kväll, {name}.",
            "Kom, {name}, ska jag visa dig något.",
        ),
        "listen": ("Berätta, {name}. Jag har tid.", "Jag lyssnar, {name}."),
    },
}

LANGUAGES = {"en": ENGLISH, "sv": SWEDISH}
