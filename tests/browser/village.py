"""Inside the game of which the pictures of docs/web.md are made: a village, and what its people have lived through.

Copied to the game, called at the first start.
"""

from datetime import timedelta

PASSWORD = "river-road-7"
PLAYERS = ("Ann", "Rolf", "Signe", "Tove", "Casper")

# Who lives there beside those of the tavern: what they look like, who they are, what they know.
VILLAGERS = {
    "Hedda": (
        "A ferrywoman with a rope over her shoulder.",
        "You are Hedda, the ferrywoman. You are dry and patient.",
        ["The ferry crosses at dawn and at dusk.", "A crossing costs two coppers."],
    ),
    "Tam": (
        "An old brewer who smells of malt.",
        "You are Tam, the brewer. You are proud of your ale.",
        ["The dark ale needs three weeks.", "The best barley comes from the abbey."],
    ),
    "Sister Ilse": (
        "A nun with ink on her fingers.",
        "You are Sister Ilse, who keeps the books of the abbey. You are curious and kind.",
        ["The abbey lends books to whoever can read.", "The bell tower is closed since the storm."],
    ),
    "Jorun": (
        "A smith with burnt eyebrows.",
        "You are Jorun, the smith. You say little.",
        ["A horseshoe costs four coppers.", "The iron comes up the river in spring."],
    ),
}
ROOMS = {"Hedda": "The Yard", "Jorun": "The Yard", "Tam": "The Kitchen"}
# What Mara remembers: days ago, whose word it is, for whom, how much it matters, what.
HEARD = (
    (
        9,
        "Tove",
        "all",
        4,
        "The miller has gone to the city until spring, his wife minds the wheel.",
    ),
    (
        8,
        "Casper",
        "all",
        5,
        "Two wagons were robbed on the river road, just past the stone bridge.",
    ),
    (7, "Ann", "me", 8, "I owe the ferrywoman nine silver, and I cannot pay her before the fair."),
    (
        6,
        "Rolf",
        "all",
        6,
        "I am looking for work; I was a carpenter before the flood took our house.",
    ),
    (
        5,
        "Signe",
        "all",
        5,
        "There was a light in the bell tower last night, and nobody goes up there.",
    ),
    (
        4,
        "Casper",
        "me",
        7,
        "It was me who broke the mirror. I will pay for it when I have the money.",
    ),
    (3, "Ann", "all", 6, "My brother comes home with the salt barges, after two years at sea."),
    (2, "Tove", "all", 4, "The abbey buys honey again, and pays better than the market."),
    (
        1,
        "Rolf",
        "all",
        6,
        "I have mended the stable roof, and Hedda has asked me for a new landing stage.",
    ),
)
THOUGHT = (
    "Rolf keeps his word: he wanted work, and has mended the stable roof since.",
    "Somebody is about at night, on the road and in the bell tower; guests should not walk alone.",
)
NOTICED = {
    "Ann": ("counts her coins twice before she orders", "laughs loudest when Signe sings"),
    "Rolf": ("has sawdust in his hair", "drinks water until the work is done"),
    "Signe": ("asks about the abbey each time that she is here",),
    "Casper": ("looks away when the mirror is spoken of",),
}
# How much each is liked, step by step.
LIKED = {
    "Ann": (0.2, 0.15, 0.2),
    "Rolf": (0.15, 0.2, 0.25, 0.2),
    "Signe": (0.2, 0.1),
    "Tove": (0.1, 0.05),
    "Casper": (0.05, -0.05),
}
WHY = ("paid for a round", "helped in the kitchen", "told news from the road", "kept a promise")


def at_initial_setup():
    """Build the village, and give its people a past."""
    from evennia.accounts.accounts import DefaultAccount
    from evennia.objects.models import ObjectDB

    from world import tavern

    tavern.build()
    for name in PLAYERS:
        DefaultAccount.create(username=name, password=PASSWORD)
    players = {name: ObjectDB.objects.get(db_key=name) for name in PLAYERS}
    room = ObjectDB.objects.get(db_key="The Common Room")
    rooms = [ObjectDB.objects.get(db_key=ROOMS.get(name, room.key)) for name in VILLAGERS]
    villagers = [_settle(name, at) for name, at in zip(VILLAGERS, rooms, strict=True)]
    mara = ObjectDB.objects.get(db_key="Mara")
    _remember(mara, players)
    for npc in villagers:
        _know(npc, list(players.values())[: 2 + npc.id % 3])
    _pay([mara, ObjectDB.objects.get(db_key="Bertil"), *villagers])


def _settle(name, room):
    from evennia_ai import api

    desc, persona, lore = VILLAGERS[name]
    npc = api.AssistantCharacter.create(name, location=room, home=room)[0]
    npc.db.desc = desc
    api.save_persona(npc, persona)
    api.save_lore(npc, lore)
    api.attach(npc)
    return npc


def _remember(mara, players):
    from evennia_ai import scheduling
    from evennia_ai.memory import identity, journal
    from evennia_ai.memory.people import entity_profiles

    own, noted = identity.identity_of(mara), {}
    for days, name, known, importance, words in HEARD:
        who = identity.identity_of(players[name])
        entry = journal.add_entry(
            mara,
            words,
            source_type="direct",
            source_id=who,
            source_entity=name,
            audience="public" if known == "all" else sorted([who, own]),
            importance=importance,
            now=scheduling.now() - timedelta(days=days, hours=importance),
        )
        noted.setdefault(name, []).append(entry.id)
    evidence = (noted["Rolf"], [noted["Casper"][0], noted["Signe"][0]])
    for words, from_what in zip(THOUGHT, evidence, strict=True):
        journal.add_entry(
            mara,
            words,
            tags=["synthesis"],
            source_type="inference",
            importance=7,
            evidence=from_what,
            now=scheduling.now() - timedelta(hours=9),
        )
    journal.edit_entry(mara, noted["Rolf"][1], pinned=True)
    for name, all_of_it in NOTICED.items():
        for words in all_of_it:
            then = scheduling.now() - timedelta(days=len(words) % 6, hours=len(words) % 9)
            entity_profiles.add_entity_observation(
                mara, players[name], words, "observation", audience="public", now=then
            )
    _know(mara, players.values())
    entity_profiles.set_disposition(mara, players["Casper"], -1.0)


def _know(npc, people):
    from evennia_ai.memory.people import entity_profiles

    for one in people:
        entity_profiles.create_entity_profile(npc, one)
        for step, reason in zip(LIKED[one.key], WHY, strict=False):
            entity_profiles.update_relationship(npc, one, step, reason)


def _pay(npcs):
    """Let a model have answered for some of them today."""
    from evennia_ai import scheduling
    from evennia_ai.models import LedgerEntry

    for place, npc in enumerate(npcs):
        for number in range(14 - 2 * place):
            LedgerEntry.objects.create(
                created=scheduling.now(),
                alias="default",
                job="reply",
                assistant_id=npc.id,
                outcome="ok",
                prompt_tokens=1800 + 60 * number,
                completion_tokens=90,
                money=2900 + 90 * number,
            )
