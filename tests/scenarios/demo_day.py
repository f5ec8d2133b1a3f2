"""The day of the demo: at noon the innkeeper goes to the gate for eels, and comes back."""

# Seconds until each mind has looked around.
TICK = 7.0
MORNING, NOON, LATER = "05:00", "12:00", "15:00"
ROUTINE = "; ".join(
    (
        f"{MORNING} the kitchen: kneads dough",
        f"{NOON} the yard: haggles over eels at the gate",
        f"{LATER} the common room: wipes the counter",
    )
)
# What time it is in the game, as the keeper sets it.
_SET = (
    "py from evennia.utils import gametime as g; "
    "g.GAME_TIME_OFFSET -= ({hour} * 3600 + 1800 - g.gametime(absolute=True)) % 86400 / g.TIMEFACTOR"
)


def a_day(scene):
    """The innkeeper walks to the gate at noon and back, by her routine; who asks is told of it."""
    scene.keeper.does("@assistant/persona Mara/routine = 12:00 the castle")
    scene.keeper.sees("there is no room called or tagged 'the castle'")
    scene.keeper.does(f"@assistant/persona Mara/routine = {ROUTINE}")
    scene.keeper.sees("You write the routine of Mara")
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
    scene.keeper.does("@assistant/persona Mara/routine =")
    scene.keeper.sees(r"\[y/N\]")
    scene.keeper.does("y")
    scene.keeper.sees("You empty the routine of Mara")


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


def set_hour(scene, hour):
    """Let it be half past an hour in the game."""
    scene.keeper.is_shown, before = False, scene.keeper.is_shown
    scene.keeper.does(_SET.format(hour=hour))
    scene.keeper.is_shown = before
    scene.stage.note(f"by the game's clock it is {hour}:30")
