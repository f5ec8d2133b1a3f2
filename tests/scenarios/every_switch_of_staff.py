"""What staff type in the scenario of every switch: what is right, and what is wrong in its own way."""

from tests.scenarios.table import Line, asking, wrong

NOT_DONE = "Nothing was done."
NO_SWITCH = "There is no switch"

TAKING_ALL = (
    wrong("Bea", "@assistant/detach all", "There is no NPC with a mind that you control."),
    Line(
        "Bea",
        "@assistant/create Wim = A cooper.",
        "You create Wim, whose mind is on.",
        log="Bea created the assistant Wim.",
    ),
    Line(
        "Bea",
        "@assistant/create Yan = A miller.",
        "You create Yan, whose mind is on.",
        log="Bea created the assistant Yan.",
    ),
    asking("Bea", "@assistant/detach all", "Take the minds from all 2 NPCs that you control? [ye…"),
    # It is more than one mind: the letter alone does not do.
    Line("Bea", "y", NOT_DONE),
    Line("Bea", "@assistant wim*", "…Wim …"),
    asking("Bea", "@assistant/detach all", "Take the minds from all 2 NPCs that you control? [ye…"),
    Line(
        "Bea",
        "yes",
        "2 have no mind any more. What they remember stays with their bodies.",
        log="Bea detached the mind from Wim.\nBea detached the mind from Yan.",
    ),
    wrong("Bea", "@assistant wim*", "No assistant has 'wim' in its name."),
    Line("Adam", "@assistant mara*", "…Mara …"),
)

MAKING = (
    Line(
        "Bea",
        "@assistant/create Ole;smith = A smith of few words.",
        "You create Ole, whose mind is on.",
        log="Bea created the assistant Ole.",
    ),
    wrong("Bea", "@assistant/create = A smith.", "Usage: @assistant/create […"),
    wrong("Bea", f"@assistant/create {'o' * 90}", "Usage: @assistant/create […"),
    Line("Bea", "@assistant", "…Ole …"),
    Line("Bea", "@assistant ol*", "…Ole …"),
    wrong("Bea", "@assistant |rnobody*", "No assistant has '|rnobody' in its name."),
    # Step by step: a name that is none, and in the end nothing.
    asking("Bea", "@assistant/create", "…What is it called?…"),
    asking("Bea", "o" * 90, "…A name has 1 to 80 characters.…"),
    asking("Bea", "Tor", "…Who is it?…"),
    asking("Bea", "A potter.", "…Press return to leave that open.…"),
    asking("Bea", "", "…When does it speak?…"),
    asking("Bea", "1", "…Make it?…"),
    Line("Bea", "no", "…Nothing was made.…"),
    asking("Bea", "@assistant/create", "…What is it called?…"),
    asking("Bea", "Tor", "…Who is it?…"),
    asking("Bea", "A potter.", "…Press return to leave that open.…"),
    asking("Bea", "", "…When does it speak?…"),
    asking("Bea", "never", "…It speaks never; it only hears and remembers.…"),
    Line("Bea", "yes", "…You create Tor, whose mind is on.…", log="Bea created the assistant Tor."),
    asking("Bea", "@assistant/detach Tor", "Take the mind from Tor for good? [y/N]"),
    Line("Bea", "n", NOT_DONE),
    Line("Bea", "@assistant tor*", "…Tor …"),
    asking("Bea", "@assistant/detach Tor", "Take the mind from Tor for good? [y/N]"),
    Line(
        "Bea",
        "y",
        "Tor has no mind any more. What it remembers stays with its body.",
        log="Bea detached the mind from Tor.",
    ),
    wrong("Bea", "@assistant tor*", "No assistant has 'tor' in its name."),
    wrong("Bea", "@assistant/detach Tor", "Tor has no mind; @assistant/attach gives it one."),
    Line("Bea", "create/drop anvil", "You create a new DefaultObject: anvil."),
    Line(
        "Bea",
        "@assistant/attach anvil",
        "anvil has a mind now, and it is on.",
        log="Bea attached a mind to anvil.",
    ),
    Line("Bea", "@assistant anvil", "…switch     on…"),
    wrong(
        "Bea",
        "@assistant/attach anvil",
        "anvil has a mind already; @assistant/start switches it on.",
    ),
    wrong(
        "Bea",
        "@assistant/attach Pia",
        "You may not change the mind of Pia: you do not control it.",
    ),
    Line(
        "Adam",
        "@assistant/attach Pia",
        "Pia is being played by somebody, and has a mind of their own.",
    ),
)

SWITCHING = (
    wrong("Bea", "@assistant/start Ole", "The mind of Ole is on already."),
    Line(
        "Bea",
        "@assistant/stop Ole",
        "The mind of Ole is off now.",
        log="Bea switched off the mind of Ole.",
    ),
    wrong("Bea", "@assistant/stop Ole", "The mind of Ole is off already."),
    Line("Bea", "@assistant Ole", "…switch     off…"),
    Line(
        "Bea", "@aimemory/sleep Ole", "The mind of Ole is off; nothing would happen in its sleep."
    ),
    wrong("Pia", "tell Ole = Good day.", "Ole does not listen to what it is told."),
    Line(
        "Bea",
        "@assistant/start Ole",
        "The mind of Ole is on now.",
        log="Bea switched on the mind of Ole.",
    ),
    Line("Bea", "@assistant Ole", "…switch     on…"),
    wrong("Bea", "@assistant Ole = x", "Could not find 'Ole = x'."),
    Line("Bea", "@assistant/st Ole", "/st may be /start or /stop: @assistant has /…"),
    Line("Bea", "@assistant/start/stop Ole", "One switch at a time: @assistant has /…"),
)

PERSONA = (
    Line("Bea", "@assistant/show Ole", "…A smith of few words.…"),
    wrong("Bea", "@assistant/show Nobody", "Could not find 'Nobody'."),
    Line(
        "Bea",
        "@assistant/persona Ole/greeting_lines = Well met at the forge, {name}.",
        "You write the greeting_lines of Ole.",
        log="Bea wrote the greeting_lines of Ole.",
    ),
    Line(
        "Pia",
        "say Hello, Ole! My sister keeps bees.",
        '…Ole says, "Hello. …',
    ),
    wrong("Bea", "@assistant/persona Ole/hat = Tall.", "A persona has no 'hat'; it has descr…"),
    asking(
        "Bea", "@assistant/persona Ole/greeting_lines =", "Empty the greeting_lines of Ole? [y/N]"
    ),
    Line("Bea", "n", NOT_DONE),
    asking("Bea", "@assistant/persona Ole/greeting_lines", "…Well met at the forge, {name}.…"),
    Line("Bea", ":q", "…You leave the greeting_lines of Ole.…"),
    asking(
        "Bea", "@assistant/persona Ole/greeting_lines =", "Empty the greeting_lines of Ole? [y/N]"
    ),
    Line(
        "Bea",
        "y",
        "You empty the greeting_lines of Ole.\nIt was: Well met at the forge, {name}.",
        log="Bea wrote the greeting_lines of Ole.",
    ),
    wrong("Bea", "@assistant/persona Ole/greeting_lines =", NOT_DONE),
    asking("Bea", "@assistant/persona Ole/background", "…Line Editor…"),
    asking("Bea", "Born in a forge.", "…Born in a forge.…"),
    Line(
        "Bea",
        ":wq",
        "…You write the background of Ole.…",
        log="Bea wrote the background of Ole.",
    ),
    asking("Bea", "@assistant/persona Ole/background", "…Born in a forge.…"),
    Line("Bea", ":q", "…You leave the background of Ole.…"),
)

LORE = (
    Line("Bea", "@assistant/lore Ole", "Ole has no lore; @assistant/lore Ole = <fact> adds some."),
    Line(
        "Bea",
        "@assistant/lore Ole = The forge is cold on Sundays.",
        "Fact 1 of Ole (known to all): The forge is cold on Sundays.\nEverybody who asks may hear it; …",
        log="Bea wrote fact 1 of Ole.",
    ),
    wrong(
        "Bea",
        "@assistant/lore Ole =",
        "Usage: @assistant/lore <npc>[/<number>] [= <fact> [/for <w…",
    ),
    wrong("Bea", "@assistant/lore Ole/|r2 = x", "'|r2' is none of its facts; @assistant/lore Ole…"),
    wrong("Bea", f"@assistant/lore Ole = {'x' * 1001}", "A fact has at most 1000 characters. No…"),
    Line(
        "Bea",
        "@assistant/lore Ole/1 = The forge is cold on feast days.",
        "Fact 1 of Ole (known to all): The forge is cold on feast days.\nIt was: The forge is cold on Sundays.",
        log="Bea wrote fact 1 of Ole.",
    ),
    Line(
        "Bea",
        "@assistant/lore/audience Ole/1 = nobody",
        "Fact 1 of Ole is for nobody now.\nIt was: known to all",
        log="Bea chose who may know fact 1 of Ole.",
    ),
    wrong("Bea", "@assistant/lore/audience Ole/1 =", "Usage: @assistant/lore/audience <npc>/<num…"),
    wrong(
        "Bea", "@assistant/lore/audience Ole = all", "Usage: @assistant/lore/audience <npc>/<nu…"
    ),
    Line(
        "Bea",
        "@assistant/lore/audience Ole/1 = if tag(smith)",
        "Fact 1 of Ole is told if tag(smith) now.\nIt was: for nobody",
        log="Bea chose who may know fact 1 of Ole.",
    ),
    Line(
        "Bea",
        "@assistant/lore/audience Ole/1 = nobody",
        "Fact 1 of Ole is for nobody now.\nIt was: told if tag(smith)",
        log="Bea chose who may know fact 1 of Ole.",
    ),
    wrong(
        "Bea",
        "@assistant/lore/audience Ole/1 = if rich(1)",
        "'rich(1)' is no lock string such as …",
    ),
    wrong("Bea", "@assistant/lore/audience Ole/1 = |rghost", "There is no '|rghost' whom Ole kno…"),
    Line("Bea", "@assistant/lore Ole", "…1. The forge is cold on feast days. (for nobody)"),
    asking("Bea", "@assistant/lore Ole/1 =", "Take this from Ole: The forge is cold on feast d…"),
    Line("Bea", "n", NOT_DONE),
    asking("Bea", "@assistant/lore Ole/1 =", "Take this from Ole: The forge is cold on feast d…"),
    Line("Bea", "y", "Ole does not know that any more.", log="Bea took fact 1 from Ole."),
)

SPEAKING = (
    Line(
        "Bea",
        "@assistant/say Ole = Mind the sparks.",
        'Ole says, "Mind the sparks."\nYou let Ole say it.',
        log="Bea gave words of their own ('Mind the sparks.') to Ole.",
    ),
    wrong("Bea", "@assistant/say Ole =", "Usage: @assistant/say <npc> = <words>"),
    wrong("Bea", "@assistant/say Ole = :", "Ole says nothing: the words are empty."),
    Line("Bea", "@assistant/channel Ole", "Ole follows: none."),
    Line(
        "Bea",
        "@assistant/channel Ole = Public listen",
        "Ole listens on Public now.",
        log="Bea let the channel 'Public' be followed (listen) by Ole.",
    ),
    Line("Bea", "@assistant/channel Ole", "Ole follows: Public (listens)."),
    wrong(
        "Bea",
        "@assistant/channel Ole = |rShout",
        "There is no channel '|rShout' that you may listen to.",
    ),
    Line(
        "Bea",
        "@assistant/channel Ole = Public off",
        "Ole does not hear Public any more.",
        log="Bea let the channel 'Public' be left by Ole.",
    ),
    wrong("Bea", "@assistant/channel Ole = Public off", "Ole does not follow 'Public'."),
    Line("Bea", "@assistant/channel Ole", "Ole follows: none."),
    Line("Bea", "@assistant/why", "…heard      Pia, say: Hello, Ole!…"),
    Line("Bea", "@assistant/why Ole = 1", "…heard      Pia, say: Hello, Ole!…"),
    wrong(
        "Bea", "@assistant/why Ole = 0", "Usage: @assistant/why [<npc>] [= <which, from the last> …"
    ),
    wrong("Bea", "@assistant/why Ole = 50", "Only 1 turn is kept of Ole."),
    Line("Bea", "@assistant/why Ole = prompt", "…=== system…"),
    Line("Bea", "@assistant/why Ole = 1 prompt", "…Ole, …"),
    wrong("Bea", "@assistant/why Ole = 50 prompt", "Only 1 turn is kept of Ole."),
    wrong("Bea", f"@assistant/why Ole = {'9' * 4999}", "Usage: @assistant/why [<npc>] […"),
)

SPENDING = (
    Line("Adam", "@aiadmin", "@aiadmin needs a switch: /…"),
    Line("Adam", "@aiadmin/cost", "…No model was asked.…"),
    Line("Adam", "@aiadmin/cost Ole = yesterday", "Ole, day by day (UTC)\nNo model was asked.…"),
    wrong(
        "Adam",
        "@aiadmin/cost = |rsomeday",
        "'|rsomeday' is no day: today, yesterday, or one like 2026-12-31.",
    ),
    wrong(
        "Adam",
        "@aiadmin/cost |rNobody",
        "There is neither an assistant nor a player called '|rNobody'.",
    ),
    Line(
        "Adam",
        "@aiadmin/budget Ole = 5000/0.5",
        "The budget of Ole is 5,000 tokens and 0.5000 in money a day now.",
        log="Adam set the budget of Ole to 5,000 tokens and 0.5000 in money a day.",
    ),
    Line("Adam", "@aiadmin/budget", "…0 of 5,000…"),
    wrong("Adam", "@aiadmin/budget Ole", "Usage: @aiadmin/budget [<whose> = <tokens>[/<money>]]"),
    wrong("Adam", "@aiadmin/budget Ole = |rmuch", "'|rmuch' is no budget: tokens or tokens/money…"),
    wrong("Adam", f"@aiadmin/budget Ole = {'9' * 4999}", "'9999…"),
    Line(
        "Adam",
        "@aiadmin/budget Ole = default",
        "The budget of Ole is 300,000 tokens a day now.",
        log="Adam set the budget of Ole to 300,000 tokens a day.",
    ),
)

REPORTS = (
    Line("Adam", "@aiadmin/reports", "No report waits."),
    Line(
        "Pia",
        "report Ole = He is rude.",
        "Staff will look at …",
        log="Pia made report 1 of Ole.",
    ),
    wrong("Pia", "report Ole", "You have reported that already; staff will look at it."),
    wrong("Pia", "report mug", "There is no 'mug' here who would listen."),
    wrong("Pia", "report/loudly Ole", f"{NO_SWITCH} /loudly: report has no switches. {NOT_DONE}"),
    Line("Adam", "@aiadmin/reports", "…He is rude.…"),
    Line("Adam", "@aiadmin/reports 1", '…"He is rude."…'),
    wrong("Adam", "@aiadmin/reports 99", "There is no report '99'."),
    wrong("Adam", "@aiadmin/reports |rall", "There is no report '|rall'."),
    wrong("Adam", "@aiadmin/reports 1 = x", "Usage: @aiadmin/reports [<number> [= done]/done]"),
    Line(
        "Adam",
        "@aiadmin/reports 1 = done",
        "Report 1 is dealt with.",
        log="Adam dealt with report 1 of Ole.",
    ),
    wrong("Adam", "@aiadmin/reports 1 = done", "Adam has dealt with report 1 already."),
    Line("Adam", "@aiadmin/reports done", "…He is rude.…"),
)

RUNNING = (
    Line("Adam", "@aiadmin/tools", "…Ole …"),
    Line("Adam", "@aiadmin/tools Ole", "Ole, if somebody spoke to it now…"),
    wrong("Adam", "@aiadmin/tools mug", "Could not find 'mug'."),
    Line("Adam", "@aiadmin/jobs", "No job leaves this server: it does them itself, in a thread…"),
    Line("Adam", "@aiadmin/jobs failed", "No job leaves this server: it does them itself…"),
    wrong("Adam", "@aiadmin/jobs |rall", "Usage: @aiadmin/jobs [waiting/running/failed, or <nu…"),
    wrong("Adam", "@aiadmin/jobs 1 = again", "Usage: @aiadmin/jobs [waiting/running/failed, or…"),
    Line("Adam", "@aiadmin/doctor", "All is well."),
    Line(
        "Adam",
        "@aiadmin/halt",
        "Every mind is halted (4). @aiadmin/resume lets them go on.",
        log="Adam halted every mind.",
    ),
    wrong(
        "Adam",
        "@aiadmin/halt",
        "Every mind is halted already. @aiadmin/resume lets them go on.",
    ),
    Line("Adam", "@aiadmin/doctor", "…Every mind is halted.…"),
    Line("Bea", "@assistant Ole", "…switch     on, but every mind is halted…"),
    Line(
        "Adam",
        "@aiadmin/resume",
        "The minds go on (4).",
        log="Adam let every mind go on.",
    ),
    wrong("Adam", "@aiadmin/resume", "The minds are not halted."),
    Line("Adam", "@aiadmin/doctor", "All is well."),
)

SETTINGS = (
    Line("Bea", "@assistant/set Ole", "What is set for Ole…"),
    Line(
        "Bea",
        "@assistant/set Ole/gossip = never",
        "gossip of Ole…",
        log="Bea set gossip of Ole.",
    ),
    Line("Bea", "@assistant/set Ole/gossip", "gossip of Ole…"),
    wrong(
        "Bea", "@assistant/set Ole/gossip = |rloudly", "Nothing was done: gossip is one of never…"
    ),
    wrong(
        "Bea", "@assistant/set Ole/mood = merry", "There is no setting 'mood'; there is talkative…"
    ),
    Line(
        "Bea",
        "@assistant/copy Ole = Twin",
        "Twin…",
        log="Bea copied Ole to Twin.",
    ),
    wrong("Bea", "@assistant/copy Ole", "Usage: @assistant/copy <npc> = <name>…"),
)

LEARNING = (
    Line("Bea", "@assistant/experience Ole", "…What it tries when:…"),
    wrong("Bea", "@assistant/experience Nemo", "Could not find 'Nemo'."),
    Line(
        "Bea",
        "@assistant/experience Ole = 7 better:peace hours:2 Well |rsaid.",
        "…of Ole as 7 out of 10.",
        log="Bea gave 7 out of 10 to Ole.",
    ),
    Line(
        "Bea",
        "@assistant/experience Ole",
        "…rated 7 out of 10 better: peace; took hours: 2; Well |rsaid.…",
    ),
    wrong(
        "Bea",
        "@assistant/experience Ole = 11",
        "Usage: @assistant/experience <npc>[/<number>] [= <0-10>…",
    ),
    wrong(
        "Bea",
        "@assistant/experience Ole/0 = 7",
        "Usage: @assistant/experience <npc>[/<number>] [= <0-10>…",
    ),
    wrong("Bea", "@assistant/experience Ole/99 = 7", "Ole has done …"),
)

GOALS = (
    Line("Bea", "@assistant/goal Ole", "Ole has no goals."),
    Line(
        "Bea",
        "@assistant/goal Ole = Forge a bell",
        "Ole has goal 1 now: Forge a bell",
        log="Bea set goal 1 of Ole.",
    ),
    Line("Bea", "@assistant/goal Ole", "Ole wants to achieve:\n…"),
    wrong("Bea", "@assistant/goal Ole =", "Usage: @assistant/goal <npc>…"),
    wrong("Bea", "@assistant/goal Ole/|r9 = 50", "'|r9' is none of its goals; @assistant/goal O…"),
    Line(
        "Bea",
        "@assistant/goal Ole/1 = 50",
        "Goal 1 of Ole: 50",
        log="Bea noted how goal 1 goes of Ole.",
    ),
    Line("Bea", "@assistant/goal Ole", "Ole wants to achieve:\n…"),
    wrong("Bea", "@assistant/routine Ole", "Ole has no routine; @assistant/persona…"),
    Line(
        "Bea",
        "@assistant/persona Ole/routine = 00:00 : hammers a nail",
        "You write the routine of Ole.",
        log="Bea wrote the routine of Ole.",
    ),
    Line("Bea", "@assistant/routine Ole", "The day of Ole…"),
    Line(
        "Bea",
        "@assistant/routine Ole = go",
        "…Ole stays. It is where it should be.",
        log="Bea pushed on the day of Ole.",
    ),
    wrong("Bea", "@assistant/routine Ole = fly", "Usage: @assistant/routine <npc>…"),
    wrong("Bea", "@assistant/errands Ole", "Ole runs no errands; its persona has no `errands`."),
    Line(
        "Bea",
        "@assistant/persona Ole/errands = things: letter; to: Mara",
        "You write the errands of Ole.",
        log="Bea wrote the errands of Ole.",
    ),
    Line("Bea", "@assistant/errands Ole", "Ole carries letter to Mara."),
    wrong(
        "Bea", "@assistant/errands Ole/7 = drop", "'7' is none of its errands; @assistant/errands…"
    ),
    wrong("Bea", "@assistant/errands Ole = drop", "Usage: @assistant/errands <npc>…"),
    # Else its copies hammer nails between the answers.
    asking("Bea", "@assistant/persona Ole/routine =", "Empty the routine of Ole? [y/N]"),
    Line(
        "Bea",
        "y",
        "You empty the routine of Ole.\nIt was: 00:00 : hammers a nail",
        log="Bea wrote the routine of Ole.",
    ),
)
