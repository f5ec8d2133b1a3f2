"""What players and builders type about what an NPC remembers, in the scenario of every switch."""

from tests.scenarios.table import Line, asking, wrong

NOT_DONE = "Nothing was done."
NO_SWITCH = "There is no switch"
CONTENTS = "2 entries of the journal, 1 memory, 1 person or thing, 1 conversation"

PLAYERS = (
    Line("Pia", "tell Ole = Good day.", '…Ole tells you: "…'),
    wrong("Pia", "tell Ole =", "Usage: tell <npc> = <words>"),
    wrong("Pia", "tell |rNobody = Hi.", "There is no '|rNobody' here who would listen."),
    Line("Pia", "tell Bea = Hi.", "Bea has no mind that could hear you."),
    wrong("Pia", "tell/loud Ole = Hi.", f"{NO_SWITCH} /loud: tell has no switches. {NOT_DONE}"),
    wrong("Pia", f"tell {'o' * 3000} = Hi.", "Usage: tell <npc> = <words>"),
    Line(
        "Pia",
        "rate Ole = 8 Polite.",
        "You rate what Ole did as 8 out of 10.",
        log="Pia gave 8 out of 10 to Ole.",
    ),
    Line("Bea", "@assistant/why Ole", "…Pia…"),
    wrong(
        "Pia",
        "rate Ole = 11",
        "A rating is a whole number from 0 to 10, with a note behind it if you like.",
    ),
    wrong("Bea", f"rate Ole/{'9' * 4999} = 5", "Usage: rate <npc> = <0-10> [note]"),
    Line("Adam", "rate Ole = 5", "Ole has done nothing for you lately to rate."),
    wrong("Pia", "rate/hard Ole = 5", f"{NO_SWITCH} /hard: rate has no switches. {NOT_DONE}"),
    Line("Pia", "say The bridge is broken, Ole.", '…Ole says, "…'),
    Line("Pia", "remember Ole", "…The bridge is broken, Ole.…"),
    wrong("Pia", "remember mug", "There is no 'mug' here who would listen."),
    Line(
        "Pia",
        "remember/correct Ole = bridge | The bridge is mended.",
        "Ole knows better now.",
        log="Pia corrected what is known of them by Ole.",
    ),
    Line("Bea", "@aimemory/journal Ole", "…The bridge is mended.…"),
    wrong(
        "Pia",
        "remember/correct Ole = crown | It is gone.",
        "Ole knows nothing like 'crown' of you or from you.",
    ),
    wrong(
        "Pia",
        "remember/correct Ole = bridge",
        "Usage: remember/correct <npc> = <what is wrong> | <what is right>",
    ),
    wrong("Pia", "remember/hide Ole", f"{NO_SWITCH} /hide: remember has /correct, /forget, /opt…"),
    Line(
        "Pia",
        "remember/quiet Ole",
        "Ole does not speak to you first any more.",
        log="Pia wants to be spoken to first no more by Ole.",
    ),
    wrong("Pia", "remember/quiet", "Usage: remember/quiet <npc>…"),
    Line(
        "Pia",
        "remember/talk Ole",
        "Ole may speak to you first again.",
        log="Pia wants to be spoken to first again by Ole.",
    ),
    wrong("Pia", "remember/talk", "Usage: remember/talk <npc>…"),
    Line(
        "Pia",
        "remember/optout",
        "Nobody will remember you for longer than you are in the game. An NPC that meets you from now on"
        " forgets, when you leave, also who you were to it and your talk of before. What it noted of"
        " your words until now stays, until you have it forgotten. remember/forget all, or remember/optin, changes that.",
        log="Pia does not want to be remembered.",
    ),
    wrong(
        "Pia",
        "remember/optout",
        "You are not remembered already. remember/forget all, or remember/optin, changes that.",
    ),
    Line("Pia", "remember Ole", "…You asked not to be remembered:…"),
    Line(
        "Pia",
        "remember/optin",
        "You will be remembered as everybody else.",
        log="Pia wants to be remembered again.",
    ),
    wrong("Pia", "remember/optin", "You are remembered as everybody else already."),
)

VIEWS = (
    Line("Bea", "@aimemory", "@aimemory needs a switch: /…"),
    Line("Bea", "@aimemory/journal Ole = who=Pia", "[2] …"),
    wrong("Bea", "@aimemory/journal Ole = crown", "None of its 2 entries fits."),
    wrong(
        "Bea",
        "@aimemory/journal Ole = hue=red",
        "There is no filter 'hue'; there are words, tag=…, who=…, importance>=…, days=….",
    ),
    Line("Bea", "@aimemory/journal Ole = days=|rx", "days is a number, not '|rx'."),
    Line("Bea", "@aimemory/profile Ole = Pia", "Pia (player)…"),
    wrong("Bea", "@aimemory/profile Ole = Oto", "Ole knows nothing of Oto."),
    Line(
        "Bea",
        "@aimemory/profile Ole = Pia hostile",
        "…disposed   -1.00…",
        log="Bea chose hostile towards 'Pia' for Ole.",
    ),
    Line(
        "Bea",
        "@aimemory/profile Ole = Pia open",
        "Pia (player)…",
        log="Bea chose open towards 'Pia' for Ole.",
    ),
    wrong(
        "Bea",
        "@aimemory/profile Ole = |rNobody",
        "There is no '|rNobody' whom Ole knows or whom you can see.",
    ),
    Line("Bea", "@aimemory/search Ole = where is the bridge?", "…The bridge is mended."),
    Line("Bea", "@aimemory/search Ole = bridge /as Pia", "…The bridge is mended."),
    wrong(
        "Bea",
        "@aimemory/search Ole = bridge /as Nobody",
        "There is no 'Nobody' whom Ole knows or whom you can see.",
    ),
    Line(
        "Bea",
        "@aimemory/pin Ole = 1",
        "Entry 1 of Ole is pinned now. It is never let go.",
        log="Bea pinned entry 1 of Ole.",
    ),
    Line("Bea", "@aimemory/journal Ole", "…pinned…"),
    Line("Bea", "@aimemory/pin Ole = 1", "Entry 1 is pinned already."),
    wrong("Bea", "@aimemory/pin Ole = 9", "Ole has no entry 9."),
    wrong(
        "Bea", "@aimemory/pin Ole = x", "Usage: @aimemory/pin <npc> = <number of an entry> [off]"
    ),
    Line(
        "Bea",
        "@aimemory/pin Ole = 1 off",
        "Entry 1 of Ole is not pinned now. It may be let go, as any other.",
        log="Bea unpinned entry 1 of Ole.",
    ),
    wrong("Bea", "@aimemory/pin Ole = 1 off", "Entry 1 is not pinned."),
)

FILES = (
    wrong("Bea", "@aimemory/export Ole", f"{NO_SWITCH} /export: @aimemory has /…"),
    Line(
        "Adam",
        "@aimemory/export Ole = ole",
        f"server/minds/ole.json holds the mind now: {CONTENTS}, …",
        log="Adam exported to ole.json the mind of Ole.",
    ),
    asking(
        "Adam",
        "@aimemory/export Ole = ole",
        "server/minds/ole.json is there already. Write over it? [y/N]",
    ),
    Line("Adam", "n", NOT_DONE),
    asking(
        "Adam",
        "@aimemory/export Ole = ole",
        "server/minds/ole.json is there already. Write over it? [y/N]",
    ),
    Line(
        "Adam",
        "y",
        f"server/minds/ole.json holds the mind now: {CONTENTS}, …",
        log="Adam exported to ole.json the mind of Ole.",
    ),
    wrong(
        "Adam",
        "@aimemory/export Ole = ../ole",
        f"'../ole.json' is not the name of a file in server/minds. {NOT_DONE}",
    ),
    wrong(
        "Adam",
        "@aimemory/import Ole = ole",
        "Ole remembers something. Let it forget that first: @aimemory/forget Ole = all",
    ),
    wrong(
        "Adam",
        "@aimemory/import Ole = nofile",
        f"There is no file nofile in server/minds. {NOT_DONE}",
    ),
    Line("Bea", "@aimemory/seed ole = dry", "ole.yaml would change:\nOle…"),
    asking("Bea", "@aimemory/seed ole", "…Write this, from ole.yaml? [y/N]"),
    Line("Bea", "n", NOT_DONE),
    asking("Bea", "@aimemory/seed ole", "…Write this, from ole.yaml? [y/N]"),
    Line("Bea", "y", "Done: Ole.", log="Bea seeded from ole.yaml Ole."),
    Line("Bea", "@aimemory/seed ole", "ole.yaml: all is as it says already."),
    wrong("Bea", "@aimemory/seed ole = wet", "Usage: @aimemory/seed <file> [= dry]"),
    wrong(
        "Bea", "@aimemory/seed |rno", f"'|rno' is not the name of a file in world/minds. {NOT_DONE}"
    ),
    Line(
        "Bea",
        "@aimemory/seed innkeeper",
        f"innkeeper.yaml: you may not change the mind of Mara. {NOT_DONE}",
    ),
)

CHANGING = (
    wrong(
        "Bea",
        "@aimemory/edit Ole = x",
        "Usage: @aimemory/edit <npc> = <number of an entry> <words>",
    ),
    wrong("Bea", "@aimemory/edit Ole = 9 No.", "Ole has no entry 9."),
    wrong("Bea", "@aimemory/edit Ole = 2", "An entry says something."),
    asking(
        "Bea",
        "@aimemory/edit Ole = 2 The bridge fell.",
        'Let entry 2 of Ole say "The bridge fell.", and what rests on it be forgotten? [y/N]',
    ),
    Line("Bea", "n", NOT_DONE),
    asking(
        "Bea",
        "@aimemory/narrow Ole = 2 nobody",
        "Let entry 2 of Ole be for nobody, and what rests on it be forgotten? [y/N]",
    ),
    Line("Bea", "n", NOT_DONE),
    asking(
        "Bea",
        "@aimemory/edit Ole = 2 The |rbridge is mended.",
        'Let entry 2 of Ole say "The |rbridge is mended.", and what rests on it be forgotten? [y/N]',
    ),
    Line(
        "Bea",
        "y",
        "Ole has changed entry 2, and forgotten what it was: …",
        log="Bea wrote anew entry 2 of Ole.",
    ),
    Line("Bea", "@aimemory/journal Ole = bridge", "…The |rbridge is mended."),
    wrong(
        "Bea",
        "@aimemory/narrow Ole = 2",
        "Usage: @aimemory/narrow <npc> = <number of an entry> nobody/<who>, …",
    ),
    wrong(
        "Bea",
        "@aimemory/narrow Ole = 2 Nobody at all",
        "There is no 'Nobody at all' whom Ole knows or whom you can see.",
    ),
    asking(
        "Bea",
        "@aimemory/narrow Ole = 2 Pia",
        "Let entry 2 of Ole be for Ole, Pia, and what rests on it be forgotten? [y/N]",
    ),
    Line(
        "Bea",
        "y",
        "Ole has changed entry 2, and forgotten what it was: …",
        log="Bea narrowed who may know entry 2 of Ole.",
    ),
    wrong(
        "Bea",
        "@aimemory/narrow Ole = 2 Adam",
        "Who may know entry 2 can become fewer, and nobody who may not know it now.",
    ),
)

# What a night would notice of her.
NOTICED = (
    "py __import__('evennia_ai.memory.people.entity_profiles', fromlist=['']).add_entity_observation("
    "evennia.search_object('Ole')[0], evennia.search_object('Pia')[0], 'limps', audience='public')"
)
PUT_RIGHT = "Bea put right what is known of somebody by Ole."
CORRECTING = (
    wrong(
        "Bea",
        "@aimemory/correct Ole = Pia",
        "Usage: @aimemory/correct <npc> = <who> | <what is wrong> | <what is right>/nothing",
    ),
    wrong(
        "Bea", "@aimemory/correct Ole = Pia | crown | x", "Ole knows nothing like 'crown' of them."
    ),
    Line("Keeper", NOTICED, "…limps…"),
    asking(
        "Bea",
        "@aimemory/correct Ole = Pia | limps | Walks well.",
        "Let Ole know 'Walks well.' instead of 'limps'? [y/N]",
    ),
    Line("Bea", "n", NOT_DONE),
    asking(
        "Bea",
        "@aimemory/correct Ole = Pia | limps | Walks well.",
        "Let Ole know 'Walks well.' instead of 'limps'? [y/N]",
    ),
    Line("Bea", "y", "Ole knows better now.", log=PUT_RIGHT),
    asking(
        "Bea",
        "@aimemory/correct Ole = Pia | walks | nothing",
        "Let Ole forget 'Walks well.'? [y/N]",
    ),
    Line("Bea", "y", "Ole has forgotten it.", log=PUT_RIGHT),
)

FORGETTING = (
    wrong(
        "Bea", "@aimemory/forget Ole =", "Usage: @aimemory/forget <npc> = <number of an entry>/…"
    ),
    wrong("Bea", "@aimemory/forget Ole = 9", "Ole has no entry 9."),
    wrong(
        "Bea",
        "@aimemory/forget Ole = |rNobody",
        "There is no '|rNobody' whom Ole knows or whom you can see.",
    ),
    asking(
        "Bea",
        "@aimemory/forget Ole = 2",
        "Let Ole forget entry 2 and what rests on it for good? [y/N]",
    ),
    Line("Bea", "n", NOT_DONE),
    Line("Bea", "@aimemory/journal Ole", "[2] …"),
    asking(
        "Bea",
        "@aimemory/forget Ole = 2",
        "Let Ole forget entry 2 and what rests on it for good? [y/N]",
    ),
    Line(
        "Bea",
        "y",
        "Ole has forgotten entry 2 and what rests on it: 1 entry.",
        log="Bea let entry 2 be forgotten by Ole.",
    ),
    Line("Bea", "@aimemory/journal Ole = bridge", "None of its 1 entry fits."),
    asking(
        "Bea",
        "@aimemory/forget Ole = experience",
        "Let Ole forget what it has learned by doing for good? [y/N]",
    ),
    Line(
        "Bea",
        "y",
        "Ole has forgotten what it has learned by doing: …",
        log="Bea let its experience be forgotten by Ole.",
    ),
    wrong("Pia", "remember/forget |rmug", "There is no '|rmug' here who would listen."),
    asking(
        "Pia",
        "remember/forget Ole",
        "Shall Ole forget you and all that you told them, for good? [y/N]",
    ),
    Line("Pia", "n", NOT_DONE),
    Line("Bea", "@aimemory/profile Ole = Pia", "Pia (player)…"),
    asking(
        "Pia",
        "remember/forget Ole",
        "Shall Ole forget you and all that you told them, for good? [y/N]",
    ),
    Line(
        "Pia",
        "y",
        "You are forgotten: Ole will know you no more.",
        log="Pia asked to be forgotten by Ole.",
    ),
    wrong("Bea", "@aimemory/profile Ole = Pia", "Ole knows nothing of Pia."),
    asking(
        "Pia",
        "remember/forget all",
        "Shall everybody forget you and all that you told them, for good? [y/N]",
    ),
    Line(
        "Pia",
        "y",
        "You are forgotten: everybody will know you no more.",
        log="Pia asked to be forgotten by everybody.",
    ),
    asking(
        "Bea",
        "@aimemory/forget Ole = all",
        "Let Ole forget everything that it remembers for good? [y/N]",
    ),
    Line(
        "Bea",
        "y",
        "Ole has forgotten everything that it remembers.",
        log="Bea let everything be forgotten by Ole.",
    ),
)

COMING_BACK = (
    asking("Adam", "@aimemory/import Ole = ole", f"Put this into Ole: {CONTENTS}, …"),
    Line("Adam", "n", NOT_DONE),
    wrong("Bea", "@aimemory/journal Ole", "None of its 0 entries fits."),
    asking("Adam", "@aimemory/import Ole = ole", f"Put this into Ole: {CONTENTS}, …"),
    Line(
        "Adam",
        "y",
        f"Ole has it now: {CONTENTS}, …",
        log="Adam imported a mind into Ole.",
    ),
    Line("Bea", "@aimemory/journal Ole", "…The bridge is mended.…"),
)

SLEEPING = (
    wrong("Bea", "@aimemory/wake Ole", "Ole is awake."),
    wrong("Bea", "@aimemory/sleep Ole = dozing", "Usage: @aimemory/sleep <npc> [= light/deep]"),
    Line(
        "Bea",
        "@aimemory/sleep Ole = deep",
        "Ole falls asleep (deep).",
        log="Bea put to deep sleep Ole.",
    ),
    wrong("Bea", "@aimemory/sleep Ole", "Ole sleeps already: sleep (deep, …"),
    Line("Bea", "@assistant Ole", "…mode       sleep (deep, …"),
    Line("Bea", "@aimemory/wake Ole", "Ole wakes.", log="Bea woke Ole."),
    Line("Bea", "@assistant Ole", "…mode       awake …"),
)
