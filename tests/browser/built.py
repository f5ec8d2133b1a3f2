"""Inside the game: the tavern, and the people of these tests. Copied to the game, called at the first start."""

PASSWORD = "river-road-7"
# Who is staff, and as what.
STAFF = {"Dora": "Builder", "Edda": "Builder", "Olga": "Admin"}
PLAYERS = ("Ann", "Bob", "Cid")
# Words that somebody may say, a cheat might like to have read as a page, or break one.
HOSTILE = (
    "<script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\"> <svg onload=alert(1)>",
    "</bdi></td></table><h1>Down for repairs</h1><!--",
    "|lcquit|ltclick me|le and |rred|n and |*this|n $You() {{ game }} {% now 'Y' %}",
    "\u202eniatpac eht si sihT\u202c \u2066and\u2069 \u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627",
    "z\u0335\u0322\u0321\u0353a\u0336\u0334l\u0337\u0315g\u0338\u0316o" + "\u0301" * 40,
    "javascript:alert(1) data:text/html,x https://elsewhere.example/steal?me",
    "w" * 400,
)
NAME = '<b>Zed</b> & "Co" \u202edeZ'


def at_initial_setup():
    """Build the demo world, and who is in it."""
    from evennia.accounts.models import AccountDB
    from evennia.objects.models import ObjectDB

    from evennia_ai import api
    from world import tavern

    tavern.build()
    for name in (*STAFF, *PLAYERS):
        _enroll(name)
    _enroll("Rover", permissions=["Guest"], typeclass="evennia.accounts.accounts.DefaultGuest")
    dora = AccountDB.objects.get(username="Dora")
    [hers] = dora.characters.all()
    mara = ObjectDB.objects.get(db_key="Mara")
    _entrust(mara, f"id({hers.id})")
    # The number of her account, which is 2, is no number of a character.
    yard = ObjectDB.objects.get(db_key="The Yard")
    for name, number in (("Osk", dora.id), (NAME, hers.id)):
        npc = api.AssistantCharacter.create(name, location=yard, home=yard)[0]
        npc.key = name
        api.attach(npc)
        _entrust(npc, f"id({number})")
    _remember(mara)


def _remember(mara):
    from evennia.accounts.models import AccountDB

    from evennia_ai.memory import identity, journal
    from evennia_ai.memory.people import entity_profiles

    [ann] = AccountDB.objects.get(username="Ann").characters.all()
    who = identity.identity_of(ann)
    for words in (*HOSTILE, "My brother is a smith.", "The mill wheel is broken."):
        journal.add_entry(mara, words, source_type="direct", source_id=who, source_entity="Ann")
    journal.add_entry(
        mara, "I owe the mayor money.", source_type="direct", source_id=who, audience=[who]
    )
    journal.add_entry(mara, "The toll at the bridge is two coppers.")
    for words in (*HOSTILE[:2], "limps a little"):
        entity_profiles.add_entity_observation(mara, ann, words, audience="public")


def _enroll(name, **how):
    from evennia.accounts.accounts import DefaultAccount

    account, errors = DefaultAccount.create(username=name, password=PASSWORD, **how)
    if account is None:
        raise ValueError(f"{name}: {errors}")
    if name in STAFF:
        account.permissions.clear()
        account.permissions.add(STAFF[name])


def _entrust(npc, lock):
    npc.locks.add(f"control:{lock} or perm(Admin);edit:{lock} or perm(Admin)")
