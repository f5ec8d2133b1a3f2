"""Inside the Server: rooms, those who speak in them and those who answer, and how they are seated.

A player here is a character with an account and a session of its own; only the telnet line behind
it is missing, so that what is sent to it goes to the Portal and ends there.
"""

import evennia
from evennia.objects.objects import DefaultCharacter, DefaultRoom
from evennia.server.serversession import ServerSession
from evennia.utils.create import create_account, create_object
from twisted.internet.task import cooperate

from evennia_ai.memory import persona
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter

# Session ids that no Portal will give away meanwhile.
FIRST_SESSION = 100_000

DESCRIPTION = (
    "The keeper of an inn at the river road, sixty winters old, broad, slow to anger and fond of "
    "a story that is longer than it needs to be. Knows every guest by name."
)
LORE = [
    "The ale is brewed by old Tam, down by the mill.",
    "The cellar was bricked up after the flood, forty years ago.",
    "The ferry crosses at dawn and at dusk, and never in fog.",
    "A bed for the night costs three coppers, with breakfast four.",
    "The captain of the watch is called Ysolde.",
    "Wolves came down from the hills last winter and took eleven sheep.",
    "The road to the north is closed where the bridge was washed away.",
    "The smith pays well for charcoal.",
]


class Speaker(DefaultCharacter):
    """Somebody who speaks to an NPC, and tells `on_hear` of each line that somebody else says."""

    on_hear = None

    def at_msg_receive(self, text=None, from_obj=None, **kwargs):
        """Pass on what reaches it."""
        if Speaker.on_hear is not None and from_obj is not None and from_obj is not self:
            Speaker.on_hear(self, str(text), from_obj)
        return super().at_msg_receive(text=text, from_obj=from_obj, **kwargs)


def build_talkers(count):
    """Build `count` rooms with a speaker and an NPC with a mind in each."""
    return _in_steps(map(_build_talker, range(count)))


def build_crowd(count, per_room):
    """Build `count` NPCs that can have a mind and have none yet, `per_room` to a room."""
    return _in_steps(_build_crowd(count, per_room))


def attach_minds():
    """Give a mind to each NPC that can have one."""
    found = AssistantCharacter.objects.all_family()
    return _in_steps(scripts.attach(npc) for npc in found)


def seat_players():
    """Give each speaker a session in this Server; return how many there are."""
    found = list(Speaker.objects.all())
    for number, speaker in enumerate(found):
        seat(speaker, FIRST_SESSION + number)
        # As whoever comes in does.
        speaker.at_look(speaker.location)
    return len(found)


def seat(speaker, session_id):
    """Let a session with nobody at the other end play a character; return it."""
    account = evennia.AccountDB.objects.get(username=f"{speaker.key}-player")
    session = ServerSession()
    session.init_session("telnet", ("127.0.0.1", 0), evennia.SESSION_HANDLER)
    session.sessid = session_id
    evennia.SESSION_HANDLER[session_id] = session
    session.at_login(account)
    session.puppet, session.puid = speaker, speaker.id
    speaker.sessions.add(session)
    speaker.account = account
    speaker.locks.cache_lock_bypass(speaker)
    return session


def make_speaker(name, room):
    """Build a character with an account."""
    speaker = create_object(Speaker, key=name, location=room, home=room)
    create_account(f"{name}-player", None, "bench-only-1")
    return speaker


def _build_talker(number):
    room = create_object(DefaultRoom, key=f"Room {number}")
    room.db.desc = "A low room with a fire, a long table and a door to the yard."
    make_speaker(f"Guest{number}", room)
    npc = create_object(AssistantCharacter, key=f"Npc{number}", location=room, home=room)
    npc.db.desc = DESCRIPTION
    persona.save_persona(npc, DESCRIPTION)
    persona.save_lore(npc, LORE)
    scripts.attach(npc)


def _build_crowd(count, per_room):
    for number in range(count):
        if number % per_room == 0:
            room = create_object(DefaultRoom, key=f"Room {number // per_room}")
        npc = create_object(AssistantCharacter, key=f"Npc{number}", location=room, home=room)
        persona.save_persona(npc, DESCRIPTION)
        yield


def _in_steps(steps):
    """Run a generator in small pieces, so that the Server can answer the Portal meanwhile."""
    return cooperate(None for _ in steps).whenDone().addCallback(lambda _: None)
