"""The street of the benchmark of crashes by day: who lives there, and what each process does until it is killed."""

from tests import database_file
from tests.benchmarks import crash_night
from tests.benchmarks.crash_world import DAY, EVENING

PHASES = ("walk", "giving", "passing_on")
# How many steps of a phase may be killed.
STEPS = {"walk": 5, "giving": 1, "passing_on": 1}
ROOMS = 4
# Seconds between two ticks, and ticks after which a round that is not over hangs.
TICK, MOST_TICKS = 30, 200
CARRIER, RECEIVER, SENDER, PLAYER = "Mara", "Bertil", "Ann", "Wat"


def clock():
    """The clock of the game is ours."""
    from evennia_ai import scheduling

    day, seconds = divmod(scheduling.clock().seconds(), DAY)
    return int(day), seconds, float(DAY)


def prepare():
    """Set the settings of the street, and read what each of its processes would read anew."""
    from django.conf import settings
    from django.test import override_settings

    from evennia_ai.core import languages
    from evennia_ai.life import news

    mine = {
        **settings.EVENNIA_AI,
        "GAME_CLOCK": "tests.benchmarks.crash_street.clock",
        "JOURNAL_MAX_ENTRIES": 2000,
    }
    override_settings(EVENNIA_AI=mine).enable()
    news.A_DAY = 1000
    for _ in languages.warm_up():
        pass


def warm_up(folder):
    """Do in a street of its own what each process would read and compile anew, and leave nothing open or known."""
    from django.db import connections
    from evennia.utils.idmapper.models import flush_cache

    from evennia_ai.testing import minds

    build(folder)
    for number in (PHASES.index("walk"), PHASES.index("passing_on")):
        play(folder, number, PHASES[number], lambda *told: None)
    connections.close_all()
    flush_cache()
    minds.forget_all()


def build(folder):
    """Make the street."""
    (folder / "server").mkdir(parents=True)
    _open(folder, 0)
    database_file.make_tables()
    from evennia.objects.objects import DefaultExit, DefaultRoom
    from evennia.utils.create import create_account, create_object

    from evennia_ai.memory import persona
    from evennia_ai.testing import minds
    from tests.scenarios.cast import Person

    street = [create_object(DefaultRoom, key=f"Step {n}", nohome=True) for n in range(ROOMS)]
    for here, there in zip(street, street[1:], strict=False):
        create_object(DefaultExit, key="on", location=here, destination=there)
        create_object(DefaultExit, key="back", location=there, destination=here)
    for name, room in ((CARRIER, street[0]), (RECEIVER, street[-1]), (SENDER, street[0])):
        npc = minds.make_assistant(name, location=room)
        npc.home = room
        if name == CARRIER:
            persona.save_persona(
                npc, {"description": "One.", "errands": ["things: letter", f"to: {RECEIVER}"]}
            )
    player = create_object(Person, key=PLAYER, location=street[0], home=street[0])
    player.account = create_account(PLAYER, None, "a word of Wat's", typeclass=None)
    return {}


def play(folder, number, phase, tell):
    """Bring the round of that number to its end, and tell of each step."""
    _open(folder, number)
    tell("tick")
    {"walk": _errand, "giving": _errand, "passing_on": _pass_on}[phase](number, phase, tell)


def check(folder, rounds):
    """Return what was lost and what is there twice, after all rounds."""
    _open(folder, rounds)
    lost, doubled = [], []
    for number in range(rounds):
        phase = PHASES[number % len(PHASES)]
        look = {"passing_on": _check_news}.get(phase, _check_errand)
        look(number, lost, doubled)
    return {"lost": lost, "doubled": doubled}


def _open(folder, number):
    from evennia_ai import scheduling

    crash_night.connect(folder)
    # A day between two rounds: what is limited by the day is open again.
    scheduling.set_clock(crash_night._clock(EVENING + number * 2 * DAY))


def _named(name):
    from evennia.objects.models import ObjectDB

    return ObjectDB.objects.get(db_key=name)


def _script(npc):
    from evennia_ai.typeclasses import scripts

    return scripts.find(npc)


def _advance(seconds):
    from evennia_ai import scheduling

    scheduling.clock().pump([0.5] * (2 * seconds))


def _pass_time(seconds):
    """Let much time pass at once."""
    from evennia_ai import scheduling

    scheduling.clock().advance(seconds)


def _errand(number, phase, tell):
    """Let the carrier set out with a letter, unless it did, and go on until it told how it went."""
    from evennia_ai import tick
    from evennia_ai.memory.state import kept_goals

    npc, receiver = _named(CARRIER), _named(RECEIVER)
    script = _script(npc)
    if not any(
        goal.title.startswith(f"Bring letter {number} ") for goal in kept_goals.goals(script)
    ):
        if npc.location != npc.home:
            npc.move_to(npc.home, quiet=True)
        _send(number, npc, receiver)
    for _ in range(MOST_TICKS):
        if not kept_goals.planned(script):
            return
        is_giving = npc.location == receiver.location
        is_watched = is_giving == (phase == "giving")
        if is_watched:
            tell("begin", phase)
        tick.run_tick(script)
        _advance(1)
        if is_watched:
            tell("end", phase, 1, 0.0)
        _pass_time(TICK)
    raise RuntimeError(f"letter {number} is not brought")


def _send(number, npc, receiver):
    from evennia.objects.objects import DefaultObject
    from evennia.utils.create import create_object

    from evennia_ai import scheduling
    from evennia_ai.domain.choices import step_rules
    from evennia_ai.memory import identity
    from evennia_ai.memory.state import kept_goals

    found = DefaultObject.objects.filter_family(db_key=f"letter {number}").first()
    letter = found or create_object(DefaultObject, key=f"letter {number}", location=npc)
    if not letter.tags.has("letter"):
        letter.tags.add("letter")
    sender = _named(SENDER)
    who, whom = identity.perceived(npc, sender), identity.perceived(npc, receiver)
    kept_goals.add_goal(
        _script(npc),
        f"Bring letter {number} to {RECEIVER}",
        audience=sorted({who, whom, identity.identity_of(npc)}),
        said_by=who,
        about=[whom],
        plan=step_rules.errand(
            thing=(identity.identity_of(letter), letter.id),
            sender=(who, sender.id),
            receiver=(whom, receiver.id),
            back_to=npc.location.id,
            is_here=True,
            now=scheduling.now(),
        ),
    )


_WORDS = "amber birch cedar delta ebony fennel garnet hazel indigo jasper kelp lilac maple nutmeg olive".split()


def _pass_on(number, phase, tell):
    """Let the carrier meet the receiver with something new, until that has it."""
    from evennia_ai import tick
    from evennia_ai.agent import ingest
    from evennia_ai.memory import journal

    npc, other = _named(CARRIER), _named(RECEIVER)
    if npc.location != other.location:
        npc.move_to(other.location, quiet=True)
        _advance(2)
    if not any(_news(number) == entry.content for entry in journal.entries(npc)):
        ingest.add_entry(
            npc, _news(number), source_type="observation", audience="public", importance=8
        )
    for _ in range(MOST_TICKS):
        if any(_news(number) == entry.content for entry in journal.entries(other)):
            npc.move_to(npc.home, quiet=True)
            return
        tell("begin", phase)
        tick.run_tick(_script(npc))
        _advance(1)
        tell("end", phase, 1, 0.0)
        _pass_time(TICK)
        # A meeting has one thing.
        npc.move_to(npc.home, quiet=True)
        tick.run_tick(_script(npc))
        npc.move_to(other.location, quiet=True)
        _advance(2)
    raise RuntimeError(f"news {number} is not passed on")


def _news(number):
    first, second = _WORDS[number % len(_WORDS)], _WORDS[number // len(_WORDS)]
    return f"A wolf with {first} fur was seen at the {second} ford."


def _check_errand(number, lost, doubled):
    from evennia.objects.objects import DefaultObject

    from evennia_ai.memory import journal
    from evennia_ai.memory.state import kept_goals

    npc, receiver = _named(CARRIER), _named(RECEIVER)
    letters = list(DefaultObject.objects.filter_family(db_key=f"letter {number}"))
    if [one.location for one in letters] != [receiver]:
        kind = doubled if len(letters) > 1 else lost
        kind.append(f"letter {number} is with {[str(one.location) for one in letters]}")
    title = f"Bring letter {number} to {RECEIVER}"
    goals = [goal for goal in kept_goals.goals(_script(npc)) if goal.title == title]
    given = [one for goal in goals for one in goal.milestones if "gave" in one]
    # The oldest goals are let go.
    if len(goals) > 1 or len(given) > 1:
        doubled.append(f"errand {number}: {len(goals)} goals, {given}")
    if any(goal.status != "done" for goal in goals):
        lost.append(f"errand {number}: {[goal.status for goal in goals]}")
    noted = [one for one in journal.entries(npc) if f"letter {number} to " in one.content]
    if len(noted) > 1:
        doubled.append(f"errand {number} is noted {len(noted)} times")
    if not noted:
        lost.append(f"errand {number} is noted nowhere")


def _check_news(number, lost, doubled):
    from evennia_ai.memory import identity, journal

    npc, other = _named(CARRIER), _named(RECEIVER)
    mine = [one for one in journal.entries(npc) if one.content == _news(number)]
    theirs = [one for one in journal.entries(other) if one.content == _news(number)]
    whom = identity.perceived(npc, other)
    told = [one for entry in mine for one in entry.shared if one["with"] == whom]
    if len(theirs) > 1 or len(told) > 1:
        doubled.append(f"news {number}: heard {len(theirs)}, told {len(told)} times")
    if not (theirs and told):
        lost.append(f"news {number}: heard {len(theirs)}, told {len(told)} times")
