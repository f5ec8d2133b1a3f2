"""The day of the demo: the innkeeper opens, bakes, goes to the gate for eels at noon, and comes back.

She speaks first where she has a reason, shouts at a thief, and tells a secret to whoever got so far in a quest.
"""

from tests.scenarios.stage import StepFailed

# Seconds until each mind has looked around.
TICK = 7.0
DAWN, MORNING, NOON, LATER = "05:00", "08:00", "12:00", "15:00"
ROUTINE = "; ".join(
    (
        f"{DAWN} the common room: opens the shutters",
        f"{MORNING} the kitchen: kneads dough",
        f"{NOON} the yard: haggles over eels at the gate",
        f"{LATER} the common room: wipes the counter",
    )
)
# Whoever is to stay silent had so many seconds to speak.
SILENCE = 1.5
THIEF = "Stop, thief!"
SECRET = "The vault of the guild lies under the ruined chapel."
# What time it is in the game, as the keeper sets it.
_SET = (
    "py from evennia.utils import gametime as g; "
    "g.GAME_TIME_OFFSET -= ({hour} * 3600 + 1800 - g.gametime(absolute=True)) % 86400 / g.TIMEFACTOR"
)


def opens(scene):
    """The innkeeper opens at dawn and goes to bake; alone she says nothing, and one line when Ann comes."""
    scene.keeper.does("@assistant/persona Mara/routine = 12:00 the castle")
    scene.keeper.sees("there is no room called or tagged 'the castle'")
    scene.keeper.does(f"@assistant/persona Mara/routine = {ROUTINE}")
    scene.keeper.sees("You write the routine of Mara")
    scene.keeper.does("@assistant/set Mara/talkative = chatty")
    scene.keeper.sees("talkative of Mara.*: chatty")
    set_hour(scene, 5)
    scene.keeper.does("@assistant/routine Mara = go")
    scene.ann.sees("^Mara opens the shutters")
    set_hour(scene, 8)
    scene.keeper.does("@assistant/routine Mara = go")
    scene.ann.sees(r"^Mara is leaving The Common Room, heading for The Kitchen\.")
    scene.stage.pump(2 * TICK)
    scene.keeper.does("@assistant/why Mara")
    scene.keeper.never_saw("by itself: quiet")
    scene.stage.note("nobody is in the kitchen, and she says nothing there")
    scene.ann.does("kitchen")
    scene.ann.sees("^The Kitchen")
    scene.ann.sees('^Mara says, ".*Ann')
    scene.ann.sees('^Mara says, "', seconds=4 * TICK)
    scene.stage.pump(3 * TICK)
    said = scene.ann.saw("^Mara says, ")
    if len(said) != 2:
        raise StepFailed(f"a greeting and one line were awaited, not {said}")
    scene.keeper.does("@assistant/why Mara")
    scene.keeper.sees("heard +by itself: quiet, Ann")
    scene.keeper.does("@assistant/set Mara/talkative =")
    scene.keeper.sees("talkative of Mara.*: addressed")
    scene.ann.does("common room")
    scene.ann.sees("^The Common Room")


def a_day(scene):
    """The innkeeper walks to the gate at noon and back, by her routine; who asks is told of it."""
    scene.bob.does("yard")
    scene.bob.sees("^Exits")
    set_hour(scene, 12)
    scene.keeper.does("@assistant/routine Mara = go")
    scene.ann.sees(r"^Mara is leaving The Common Room, heading for The Yard\.")
    scene.bob.sees(r"^Mara arrives to The Yard from The Common Room\.")
    scene.bob.sees(r"^Mara haggles over eels at the gate")
    scene.bob.does("say Mara, what are you doing?")
    scene.bob.sees(r'^Mara says, ".*I haggle over eels at the gate')
    scene.ann.does("say Bertil, where is Mara?")
    scene.ann.sees(r'^Bertil says, ".*The Yard')
    scene.ann.does("say Bertil, when will Mara be back?")
    scene.ann.sees(rf'^Bertil says, ".*{LATER}')
    set_hour(scene, 15)
    scene.keeper.does("@assistant/routine Mara = go")
    scene.keeper.sees("goes to The Common Room")
    scene.ann.sees(r"^Mara arrives to The Common Room from The Yard\.")
    scene.ann.sees(r"^Mara wipes the counter")
    scene.bob.does("tavern")
    scene.bob.sees("^Characters:.*Mara")
    empties(scene, "routine")


def speaks_first(scene):
    """Whom the innkeeper promised something, she speaks to as they come in, of herself; nobody else is."""
    scene.keeper.does(
        "py __import__('evennia_ai.api').api.add_pending_action"
        "(self.search('Mara'), self.search('Bob'), 'I will mend your boots.', 5)"
    )
    scene.keeper.sees("mend your boots|None")
    scene.bob.does("yard")
    scene.bob.sees("^Exits")
    scene.ann.never_saw("^Mara says, .*boots", seconds=TICK)
    scene.bob.does("tavern")
    scene.bob.sees(r'^Mara (says|whispers).*"I promised you, Bob: .*mend your boots')
    scene.keeper.does("@assistant/why Mara")
    scene.keeper.sees(r"heard +by itself: met, Bob")
    scene.bob.saw_once("mend your boots", seconds=TICK)


def thief(scene):
    """The innkeeper shouts at a thief who comes in, and at nobody else."""
    scene.keeper.does(f"@assistant/persona Mara/triggers = arrive [if tag(thief)]: say {THIEF}")
    scene.keeper.sees("You write the triggers of Mara")
    walks_in(scene)
    scene.ann.never_saw("thief")
    scene.keeper.does("@tag Bob = thief")
    scene.keeper.sees("tag")
    walks_in(scene)
    scene.bob.sees(f'^Mara says, "{THIEF}"')
    scene.ann.saw_once(f'^Mara says, "{THIEF}"', seconds=TICK)
    scene.keeper.does("@tag/del Bob = thief")
    scene.keeper.sees("(?i)removed")
    empties(scene, "triggers")


def walks_in(scene):
    """Let Bob go out and come in again."""
    scene.bob.does("yard")
    scene.bob.sees("^The Yard")
    scene.bob.does("tavern")
    scene.bob.sees("^The Common Room")
    scene.stage.pump(TICK)


def vault(scene):
    """A secret is told to whoever got so far in a quest, and to nobody else who listens."""
    scene.keeper.does(f"@assistant/lore Mara = {SECRET}")
    number = scene.keeper.sees(rf"^Fact (\d+) of Mara.*{SECRET}")[1]
    scene.keeper.does(f"@assistant/lore/audience Mara/{number} = if attr_ge(quest_vault, 2)")
    scene.keeper.sees("attr_ge")
    scene.ann.does("whisper Mara = Where is the vault of the guild?")
    scene.ann.sees("^Mara (whispers|says)")
    scene.keeper.does("@set Ann/quest_vault = 2")
    scene.keeper.sees("quest_vault")
    scene.ann.never_saw("chapel")
    scene.ann.does("say Mara, where is the vault of the guild?")
    scene.ann.sees('^Mara whispers.*"[^"]*under the ruined chapel')
    scene.stage.note("Bob listens, who has not begun that quest: so she whispers")
    scene.bob.never_saw("chapel", seconds=SILENCE)


def empties(scene, field):
    """Take away what is written of Mara in a field."""
    scene.keeper.does(f"@assistant/persona Mara/{field} =")
    scene.keeper.sees(r"\[y/N\]")
    scene.keeper.does("y")
    scene.keeper.sees(f"You empty the {field} of Mara")


def set_hour(scene, hour):
    """Let it be half past an hour in the game."""
    scene.keeper.is_shown, before = False, scene.keeper.is_shown
    scene.keeper.does(_SET.format(hour=hour))
    scene.keeper.is_shown = before
    scene.stage.note(f"by the game's clock it is {hour}:30")
