"""Evennia's usual objects are the same whether they were just made or put back as rows."""

import unittest
from unittest.mock import patch

import evennia
from django.test import override_settings
from evennia.objects.models import ObjectDB
from evennia.objects.objects import DefaultCharacter, DefaultObject
from evennia.server.serversession import ServerSession
from evennia.utils.create import create_object

from evennia_ai import tick
from evennia_ai.memory import persona
from evennia_ai.testing import AITestCase, minds
from evennia_ai.typeclasses import scripts
from tests import usual_objects

NAMES = (
    *("account", "account2", "room1", "room2", "exit"),
    *("obj1", "obj2", "char1", "char2", "script"),
)


class Quiet(DefaultCharacter):
    """A class of a game that says nothing of its own."""


class Busy(DefaultCharacter):
    """A class of a game that does something of its own whenever one is made."""

    def at_object_creation(self):
        self.ndb.made = True


class Samples:
    """Hidden in a class, so that no loader takes the samples for tests of the project."""

    class Plain(AITestCase):
        def test(self):
            """Say what is there, and leave some dirt."""
            self.seen = described(self)
            self.is_put_back = self.create_rooms is usual_objects._nothing
            self.char1.ndb.dirt = True
            self.char1.key = "Somebody else"
            self.room1.db.desc = "burnt"
            self.obj2.delete()
            self.account.ndb.dirt = True
            create_object(DefaultObject, key="dirt", location=self.room1, home=self.room1)

    class OfAGame(Plain):
        character_typeclass = Quiet

    class OfABusyGame(Plain):
        character_typeclass = Busy

    class WithRoomsOfItsOwn(Plain):
        def create_rooms(self):
            super().create_rooms()

    class WithAnEndOfItsOwn(Plain):
        def teardown_accounts(self):
            super().teardown_accounts()

    class WithACast(Plain):
        """A second player, and an NPC whose script does something at each start."""

        lore = ("Ale is cheap.",)
        clock_start = 500.0
        cast_from = ("lore",)

        def create_cast(self):
            self.guest = log_in(self.account2, self.char2)
            self.char2.aliases.add("stranger")
            self.char2.nicks.add("hi", "say Good evening!")
            self.npc = minds.make_assistant("Mara", location=self.room1, lore=self.lore)
            self.mind = scripts.find(self.npc)

        def test(self):
            super().test()
            self.seen |= {name: described_one(getattr(self, name)) for name in ("npc", "mind")}
            self.seen["guest"] = described_session(self.guest)
            self.seen["lore"] = [each.text for each in persona.load_lore(self.npc)]
            self.seen["rates"] = tick.subscribed_rates()

    class WithAnotherCast(WithACast):
        lore = ("Ale is dear.",)


def log_in(account, character):
    """Let a second player come, who plays a character that nobody else may play."""
    blank = ServerSession()
    blank.init_session("telnet", ("localhost", "testmode"), evennia.SESSION_HANDLER)
    blank.sessid = 2
    evennia.SESSION_HANDLER.portal_connect(blank.get_sync_data())
    session = evennia.SESSION_HANDLER.session_from_sessid(2)
    character.locks.add("puppet:all()")
    evennia.SESSION_HANDLER.login(session, account, testmode=True)
    return session


def described_session(session):
    return {
        "account": session.account.key,
        "puppet": session.puppet.key,
        "back": session in session.puppet.sessions.all(),
        "whose": session.puppet.account.key,
        "logged in": session.logged_in,
        "cmdsets": [str(each) for each in session.cmdset.all()],
        "playing": [each.key for each in session.account.get_all_puppets()],
        "connected": session.account.is_connected,
    }


def described(case):
    """Return all that can be seen of the objects of a test, without the times of their making."""
    seen = {name: described_one(getattr(case, name)) for name in NAMES}
    return {**seen, "session": described_session(case.session)}


def nicks(one):
    """Return what somebody has short words for, as a typed line looks them up."""
    kinds = ("inputline", "channel", "object", "account")
    found = getattr(one, "nicks", {})
    return [found.get(category=kind, return_list=True) for kind in kinds] if found else []


def described_one(one):
    columns = {
        field.name: str(getattr(one, field.attname))
        for field in one._meta.concrete_fields
        if "date" not in field.name and field.name not in ("last_login", "password")
    }
    return {
        **columns,
        "class": type(one),
        "attributes": {each.key: str(each.value) for each in one.attributes.all()},
        "tags": one.tags.all(return_key_and_category=True),
        "permissions": one.permissions.all(),
        "aliases": one.aliases.all(),
        "nicks": nicks(one),
        "locks": str(one.locks),
        "contents": [str(each) for each in getattr(one, "contents", ())],
        "ndb": {each.key for each in one.nattributes.all()} if one.nattributes.all() else set(),
        "cmdset": str(one.cmdset.current) if hasattr(one, "cmdset") else "",
        "sessions": len(one.sessions.all()) if hasattr(one, "sessions") else 0,
    }


def run(case_class):
    """Run a sample; return it when it has passed."""
    case, result = case_class("test"), unittest.TestResult()
    case(result)
    problems = result.failures + result.errors
    assert not problems, problems[0][1]
    return case


class UsualObjectsTests(unittest.TestCase):
    def setUp(self):
        self.addCleanup(usual_objects._kept.update, dict(usual_objects._kept))
        self.addCleanup(usual_objects._kept.clear)
        usual_objects._kept.clear()
        self.maxDiff = None

    def are_put_back(self, case_class):
        """Return whether a sample has its objects put back the first and the second time."""
        return [run(case_class).is_put_back for _ in range(2)]

    def test_what_is_put_back_is_what_was_made(self):
        made, put_back, again = (run(Samples.Plain) for _ in range(3))
        self.assertEqual(
            [case.is_put_back for case in (made, put_back, again)], [False, True, True]
        )
        self.assertEqual(put_back.seen, made.seen)
        self.assertEqual(again.seen, made.seen)

    def test_evennia_itself_makes_the_same(self):
        run(Samples.Plain)
        with patch.object(usual_objects, "makers", lambda case: {}):
            evennias = run(Samples.Plain)
        self.assertFalse(evennias.is_put_back)
        self.assertEqual(run(Samples.Plain).seen, evennias.seen)
        self.assertEqual(evennias.seen["char1"]["db_key"], "Char")
        self.assertEqual(evennias.seen["room1"]["attributes"], {"desc": "room_desc"})
        self.assertEqual(evennias.seen["account"]["permissions"], ["developer", "player"])

    def test_nothing_is_left_of_it_afterwards(self):
        run(Samples.Plain)
        run(Samples.Plain)
        self.assertEqual(ObjectDB.objects.count(), 0)
        self.assertEqual(list(evennia.SESSION_HANDLER), [])

    def test_a_class_that_adds_nothing_has_objects_of_that_class(self):
        self.assertEqual(self.are_put_back(Samples.OfAGame), [False, True])
        self.assertIs(run(Samples.OfAGame).seen["char1"]["class"], Quiet)
        self.assertIs(run(Samples.Plain).seen["char1"]["class"], DefaultCharacter)

    def test_a_class_with_hooks_of_its_own_has_them_called_each_time(self):
        self.assertEqual(self.are_put_back(Samples.OfABusyGame), [False, False])
        self.assertEqual(run(Samples.OfABusyGame).seen["char1"]["ndb"], {"made"})

    def test_a_test_that_makes_or_deletes_its_own_way_does(self):
        self.assertEqual(self.are_put_back(Samples.WithRoomsOfItsOwn), [False, False])
        self.assertEqual(self.are_put_back(Samples.WithAnEndOfItsOwn), [False, False])

    def test_under_other_settings_they_are_made(self):
        run(Samples.Plain)
        with override_settings(MAX_NR_CHARACTERS=7):
            self.assertEqual(self.are_put_back(Samples.Plain), [False, False])

    def test_a_cast_is_put_back_as_it_was_made(self):
        made, put_back, again = (run(Samples.WithACast) for _ in range(3))
        self.assertEqual(
            [case.is_put_back for case in (made, put_back, again)], [False, True, True]
        )
        self.assertEqual(put_back.seen, made.seen)
        self.assertEqual(again.seen, made.seen)
        self.assertEqual(again.seen["guest"]["puppet"], "Char2")
        self.assertEqual(again.seen["char2"]["aliases"], ["stranger"])
        self.assertIn("say Good evening!", str(again.seen["char2"]["nicks"]))
        self.assertEqual(again.seen["lore"], ["Ale is cheap."])
        self.assertEqual(again.clock.seconds(), 500.0)
        # By this its script has started.
        self.assertEqual(again.seen["rates"], {5})

    def test_another_cast_is_made_upon_what_is_put_back_and_put_back_with_it(self):
        run(Samples.WithACast)
        self.assertEqual(self.are_put_back(Samples.WithAnotherCast), [True, True])
        self.assertEqual(run(Samples.WithAnotherCast).seen["lore"], ["Ale is dear."])
        self.assertEqual(run(Samples.WithACast).seen["lore"], ["Ale is cheap."])
        self.assertEqual(run(Samples.Plain).seen["char2"]["aliases"], [])

    def test_a_cast_is_the_same_upon_what_was_made_and_what_was_put_back(self):
        made = run(Samples.WithACast).seen
        usual_objects._kept.clear()
        run(Samples.Plain)
        self.assertEqual([run(Samples.WithACast).seen for _ in range(2)], [made, made])


class IdTests(AITestCase):
    """Where other objects have the ids already, the rows are not those that were kept."""

    @classmethod
    def setUpClass(cls):
        run(Samples.Plain)
        super().setUpClass()

    @classmethod
    def setUpTestData(cls):
        super().setUpTestData()
        cls.first = create_object(DefaultObject, key="first", nohome=True)

    def test_one(self):
        self.assertEqual(self.room1.id, self.first.id + 1)
        self.assertEqual(self.room1.key, "Room")

    def test_two(self):
        self.test_one()
