"""The page of what an NPC remembers: all kinds in one list, who sees it, and one forgotten."""

import re
from unittest import mock

from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.agent.revising import forgetting
from evennia_ai.core.records import Reminder
from evennia_ai.memory import identity, journal
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import assistant
from evennia_ai.semantic.base import get_memory
from evennia_ai.semantic.memory_thread import MemoryUnavailable
from evennia_ai.typeclasses import scripts
from evennia_ai.web import memory_pages
from tests.domain.lines import OF_THE_GAME
from tests.web.cases import PageTestCase
from tests.web.watched import Watched


class MemoriesTestCase(PageTestCase):
    def setUp(self):
        super().setUp()
        self.address = f"/ai/npc/{self.mara.id}/memories/"
        self.forgetting = f"/ai/npc/{self.mara.id}/forget/"
        self.ann = identity.identity_of(self.char2)
        self.char2.key = "Ann"
        self.well = self.noted("The well is dry.", "2026-11-01T10:00:00Z")

    def noted(self, words, now="2026-11-02T10:00:00Z", **how):
        return journal.add_entry(self.mara, words, now=now, **how)

    def keep(self, text, **metadata):
        memory = get_memory()
        kept = memory.add(
            text,
            assistant_key=identity.identity_of(self.mara),
            audience="public",
            metadata=metadata,
        )
        self.successResultOf(kept)
        return memory

    def fill(self):
        """Give Mara one memory of each kind."""
        self.noted(
            "The key lies under the stone.",
            source_entity="Ann",
            source_id=self.ann,
            audience=[self.ann],
            importance=9,
        )
        self.noted(
            "Water is dear here.", tags=["synthesis"], evidence=[self.well.id], source_trust=0.2
        )
        self.keep("The mill burned down.", timestamp="2026-10-01T10:00:00Z")
        self.keep("The well is dry.", entry_id=self.well.id)
        entity_profiles.add_entity_observation(
            self.mara, self.char2, "limps a little", audience="public"
        )
        promise = Reminder(
            sources=OF_THE_GAME,
            audience=[],
            said_by=self.ann,
            due="2026-12-01T10:00:00Z",
            text="bring rope",
            actor_name="Ann",
        )
        assistant.add_reminder(scripts.find(self.mara), promise)

    def looks(self, **wanted):
        """Return which of the six are shown."""
        page = self.posts(self.address, status=200, **wanted)
        words = ("well", "key", "Water", "mill", "limps", "rope")
        return [one for one in words if one in page]


class ShownTests(MemoriesTestCase):
    def test_all_kinds_are_in_one_list_the_newest_first(self):
        self.fill()
        page = self.page(self.address)
        order = ["bring rope", "Water is dear", "under the stone", "well is dry", "mill burned"]
        places = [page.index(one) for one in order]
        self.assertEqual(places, sorted(places))
        self.assertEqual(page.count("The well is dry."), 1)
        for words in (
            "6 memories, the newest first",
            "to Ann: bring rope",
            "<bdi>for Ann</bdi>",
            "for nobody",
            f'rests on <a href="#entry-{self.well.id}">{self.well.id}</a>',
            f'<li id="entry-{self.well.id}">',
            "<dt>Importance</dt><dd>9 of 10 <small>how much it matters to <bdi>Mara</bdi>",
            "<dt>Believed</dt><dd>20 % <small>how far <bdi>Mara</bdi> trusts where it is from",
            "Ann: limps a little",
        ):
            self.assertIn(words, page)

    def test_the_first_are_open_and_the_rest_is_folded(self):
        for number in range(7):
            self.noted(f"Day {number} was dull.")
        page = self.page(self.address)
        folded = page.index("<details><summary>2 more</summary>")
        self.assertLess(page.index("Day 6"), folded)
        self.assertLess(folded, page.index("The well is dry."))

    def test_the_game_calls_the_npc_by_its_name(self):
        self.noted("Ann gives you a pie.")
        page = self.page(self.address)
        self.assertIn("Ann gives Mara a pie.", page)
        self.assertNotIn("gives you", page)

    def test_they_are_filtered(self):
        self.fill()
        everything = ["well", "key", "Water", "mill", "limps", "rope"]
        for wanted, found in (
            ({}, everything),
            ({"text": "THE"}, ["well", "key", "mill"]),
            ({"person": "ann"}, ["key", "limps", "rope"]),
            ({"person": "all"}, []),
            ({"kind": "journal"}, ["well", "key"]),
            ({"kind": "insight"}, ["Water"]),
            ({"kind": "long-term"}, ["mill"]),
            ({"kind": "person"}, ["limps"]),
            ({"kind": "promise"}, ["rope"]),
            ({"audience": "everybody"}, ["well", "Water", "mill", "limps"]),
            ({"audience": "some"}, ["key"]),
            ({"audience": "nobody"}, ["rope"]),
            ({"person": "Ann", "audience": "everybody"}, ["limps"]),
            ({"importance": "9"}, ["key"]),
            ({"importance": "x"}, everything),
            ({"trust": "30"}, ["Water"]),
            ({"trust": "30", "importance": "9"}, []),
        ):
            with self.subTest(wanted=wanted):
                self.assertEqual(self.looks(**wanted), found)
        self.assertIn("None of its 6 memories fits.", self.posts(self.address, 200, text="zzz"))

    def test_no_more_than_somebody_reads(self):
        self.fill()
        self.patch(memory_pages, "SHOWN", 2)
        self.assertIn("2 of 6 memories, the newest first; 6 fit", self.page(self.address))

    def test_what_is_looked_for_is_in_no_address(self):
        page = self.page(self.address)
        self.assertIn(f'method="post" action="{self.address}"', page)
        self.assertIn("well", self.page(f"{self.address}?text=zzz"))

    def test_without_long_term_memory_the_rest_is_shown(self):
        memory = get_memory()
        memory.fail_with = MemoryUnavailable("its file is broken.")
        page = self.page(self.address)
        self.assertIn("Long-term memory cannot be asked: its file is broken.", page)
        self.assertIn("The well is dry.", page)
        memory.fail_with = None
        self.patch(memory, "get_all", lambda **how: Deferred())
        page = self.page(self.address)
        self.assertIn("Long-term memory is not ready.", page)
        self.assertIn("The well is dry.", page)

    def test_hostile_words_are_text(self):
        self.noted("<script>alert(1)</script> |lcquit|ltx|le \u202e\"'", source_entity="<b>Bo</b>")
        page = self.posts(self.address, status=200, person="<b>")
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt; |lcquit|ltx|le", page)
        self.assertIn('value="&lt;b&gt;"', page)
        self.assertNotIn("<script", page)
        self.assertNotIn("<b>", page)


class WhoTests(MemoriesTestCase):
    def test_nobody_else_sees_or_forgets(self):
        self.as_builder()
        for permission, status in ((None, 404), ("Builder", 403)):
            if permission:
                self.account2.permissions.remove(permission)
            self.assertNotIn("well", self.page(self.address, status=status))
            self.assertNotIn("well", self.posts(self.address, status=status, text="well"))
            for sure in ("", "yes"):
                values = {"entry": self.well.id, "sure": sure}
                self.assertNotIn("well", self.posts(self.forgetting, status=status, **values))
        self.assertEqual(journal.size(self.mara), 1)

    def test_who_quells_what_lets_them_see_does_not(self):
        self.account2.permissions.add("Admin")
        self.web.force_login(self.account2)
        self.assertIn("well", self.page(self.address))
        self.account2.attributes.add("_quell", True)
        self.page(self.address, status=403)

    def test_all_of_the_game_comes_over_the_bridge(self):
        self.fill()
        watched = Watched(self)
        with watched.watching():
            self.page(self.address)
            self.posts(self.forgetting, entry=self.well.id, sure="yes")
        self.assertEqual(watched.touched, [])


class ForgetTests(MemoriesTestCase):
    def test_it_is_asked_first_and_then_done(self):
        page = self.posts(self.forgetting, status=200, entry=self.well.id)
        self.assertIn("Forget entry 1?", page)
        self.assertIn("The well is dry.", page)
        self.assertEqual(journal.size(self.mara), 1)
        lines = self.logged(self.forgetting, entry=self.well.id, sure="yes")
        number = self.mara.id
        expected = (
            f"evennia_ai: Char(#{self.char1.id}) let entry 1 be forgotten by Mara(#{number})."
        )
        self.assertIn(expected, lines)
        said = f"Mara (#{number}) has forgotten entry 1 and what rests on it: 1 entry."
        self.assertIn(said, self.seen)
        self.assertEqual(journal.size(self.mara), 0)
        self.posts(self.forgetting, status=404, entry=self.well.id, sure="yes")

    def test_looking_at_the_address_does_nothing(self):
        self.assertEqual(self.web.get(f"{self.forgetting}?entry=1&sure=yes").status_code, 405)
        self.assertEqual(journal.size(self.mara), 1)

    def test_what_is_no_entry_is_not_found(self):
        self.posts(self.forgetting, status=404, entry="99")

    def test_what_is_not_ticked_is_not_forgotten(self):
        for entry in ("", "x", "9" * 5000):
            page = self.posts(self.forgetting, entry=entry, sure="yes")
            self.assertIn("No entry was ticked. Nothing was done.", page)
        self.assertEqual(journal.size(self.mara), 1)

    def test_all_that_was_looked_for_is_forgotten_at_once(self):
        for words in ("The mill burned down.", "The mill stands again."):
            journal.add_entry(self.mara, words)
        address = self.address
        self.assertNotIn('name="all"', self.page(address))
        [found] = re.findall(r'name="all" value="([^"]+)"', self.posts(address, 200, text="mill"))
        page = self.posts(self.forgetting, 200, all=found)
        self.assertIn("Forget 2 entries?", page)
        self.assertNotIn("The well is dry.", page)
        self.posts(self.forgetting, entry=found.split(), sure="yes")
        self.assertEqual([one.content for one in journal.entries(self.mara)], ["The well is dry."])

    def test_what_is_not_forgotten_yet_is_said(self):
        get_memory().fail_with = MemoryUnavailable("its file is broken.")
        page = self.posts(self.forgetting, entry=self.well.id, sure="yes")
        self.assertIn("has not forgotten all of it: its file is broken. Do it once more.", page)

    def test_several_are_shown_before_they_are_forgotten(self):
        mill = self.noted("The mill burned down.")
        self.noted("Fire is to be feared.", tags=["synthesis"], evidence=[mill.id])
        values = {"entry": [self.well.id, mill.id, 99, "x"]}
        page = self.posts(self.forgetting, status=200, **values)
        for words in ("Forget 2 entries?", "The well is dry.", "The mill burned down."):
            self.assertIn(words, page)
        lines = self.logged(self.forgetting, sure="yes", **values)
        self.assertEqual(sum("be forgotten by Mara" in line for line in lines), 2)
        said = f"Mara (#{self.mara.id}) has forgotten 2 entries and what rests on them: 3 entries."
        self.assertIn(said, self.seen)
        self.assertEqual(journal.size(self.mara), 0)

    def test_one_that_went_with_another_is_no_failure(self):
        rests = self.noted("Water is dear.", tags=["synthesis"], evidence=[self.well.id])
        self.posts(self.forgetting, entry=[self.well.id, rests.id], sure="yes")
        self.assertEqual(journal.size(self.mara), 0)


class PinTests(MemoriesTestCase):
    def pins(self, what, status=302, **values):
        return self.posts(f"/ai/npc/{self.mara.id}/{what}/", status, **values)

    def test_an_entry_is_pinned_and_let_loose_as_by_the_commands(self):
        name = f"Mara (#{self.mara.id})"
        lines = self.logged(f"/ai/npc/{self.mara.id}/pin/", entry=self.well.id)
        pinned = f"evennia_ai: Char(#{self.char1.id}) pinned entry 1 of Mara(#{self.mara.id})."
        self.assertIn(pinned, lines)
        self.assertIn(f"Entry 1 of {name} is pinned now. It is never let go.", self.seen)
        self.assertIn('aria-label="unpin entry 1"', self.seen)
        self.assertTrue(journal.get_entry(self.mara, self.well.id).pinned)
        self.assertIn("Entry 1 is pinned already.", self.pins("pin", entry=self.well.id))
        page = self.pins("unpin", entry=self.well.id)
        self.assertIn(f"Entry 1 of {name} is not pinned now.", page)
        self.assertFalse(journal.get_entry(self.mara, self.well.id).pinned)

    def test_what_is_no_entry_or_not_theirs_is_not_found(self):
        for entry in ("", "x", "99"):
            self.pins("pin", 404, entry=entry)
        self.as_builder()
        self.pins("pin", 404, entry=self.well.id)
        self.assertFalse(journal.get_entry(self.mara, self.well.id).pinned)


class SearchTests(MemoriesTestCase):
    def setUp(self):
        super().setUp()
        self.asking = f"/ai/npc/{self.mara.id}/search/"
        told = {"source_entity": "Ann", "source_id": self.ann, "audience": [self.ann]}
        self.noted("The silver key lies under the well.", **told)
        entity_profiles.add_entity_observation(self.mara, self.char2, "limps", audience="public")

    def asks(self, question, person="", status=200):
        return self.posts(self.asking, status, question=question, person=person)

    def test_it_finds_what_would_come_to_mind_with_its_score_and_who_may_know_it(self):
        page = self.asks("Where is the silver key?")
        for words in ("The silver key lies under the well.", "<bdi>for Ann</bdi>", "journal"):
            self.assertIn(words, page)
        self.assertRegex(page, r'data-label="Score" class="number">[0-9]+\.[0-9]{2}<')

    def test_for_somebody_it_finds_what_it_would_tell_them(self):
        self.assertIn("under the well", self.asks("Where is the silver key?", "ann"))
        self.assertNotIn("under the well", self.asks("Where is the silver key?", "Char"))
        self.assertIn("It knows nobody of that name.", self.asks("Where is it?", "Zoe"))

    def test_nothing_found_is_said_and_nothing_asked_finds_nothing(self):
        self.assertIn("Nothing comes to its mind.", self.asks("zzz qqq"))
        self.assertNotIn("<table", self.page(f"{self.asking}?question=silver+key"))

    def test_what_is_asked_is_text(self):
        page = self.asks("<script>alert(1)</script> silver key", "<b>")
        self.assertIn('value="&lt;b&gt;"', page)
        self.assertNotIn("<script", page)

    def test_a_slow_store_is_said(self):
        self.patch(get_memory(), "search", lambda *args, **how: Deferred())
        self.assertIn("is not ready. Ask again", self.asks("Where is the silver key?"))

    def test_nobody_else_asks(self):
        self.as_builder()
        self.assertNotIn("under the", self.asks("Where is the silver key?", status=404))
        self.account2.permissions.clear()
        self.assertNotIn("under the", self.asks("Where is the silver key?", status=403))

    def test_all_of_the_game_comes_over_the_bridge(self):
        watched = Watched(self)
        with watched.watching():
            self.asks("Where is the silver key?", "Ann")
        self.assertEqual(watched.touched, [])


class ChangeTests(MemoriesTestCase):
    """An entry in other words, or for fewer ears."""

    def setUp(self):
        super().setUp()
        self.own = identity.identity_of(self.mara)
        self.key = self.noted(
            "The key lies under the stone.",
            source_entity="Ann",
            source_id=self.ann,
            audience=sorted([self.ann, self.own]),
        )

    def changes(self, what, status=302, **values):
        return self.posts(f"/ai/npc/{self.mara.id}/{what}/", status, **values)

    def test_an_entry_is_shown_before_it_is_changed(self):
        page = self.changes("entry", 200, entry=self.well.id)
        for words in (
            "The well is dry.</textarea>",
            "Now: <bdi>known to all</bdi>",
            'name="names"',
        ):
            self.assertIn(words, page)
        page = self.changes("entry", 200, entry=self.key.id)
        for words in ("Now: <bdi>for Ann, Mara</bdi>", f'name="who" value="{self.ann}"'):
            self.assertIn(words, page)
        self.assertNotIn(self.own, page)

    def test_it_says_something_else_and_what_rested_on_it_is_gone(self):
        self.noted("Water is dear.", tags=["synthesis"], evidence=[self.well.id])
        address = f"/ai/npc/{self.mara.id}/edit/"
        lines = self.logged(address, entry=self.well.id, words="The well is full.")
        self.assertIn(
            f"evennia_ai: Char(#{self.char1.id}) wrote anew entry 1 of Mara(#{self.mara.id}).",
            lines,
        )
        said = f"Mara (#{self.mara.id}) has changed entry 1, and forgotten what it was: 1 entry."
        self.assertIn(said, self.seen)
        contents = [one.content for one in journal.entries(self.mara)]
        self.assertEqual(contents, ["The well is full.", "The key lies under the stone."])

    def test_what_another_tab_has_written_meanwhile_stands_and_that_is_said(self):
        was = re.search(r'name="was" value="(\w+)"', self.changes("entry", 200, entry=1))[1]
        said = self.changes("edit", entry=1, was=was, words="The well is full.")
        self.assertIn("has changed entry 1", said)
        page = self.changes("edit", entry=1, was=was, words="The well is deep.")
        self.assertIn("Somebody has changed it meanwhile. Nothing was done.", page)
        self.assertEqual(journal.get_entry(self.mara, 1).content, "The well is full.")

    def test_of_two_who_write_at_once_one_stands_and_the_other_is_told(self):
        found = journal.get_entry(self.mara, 1)
        mind = scripts.find(self.mara)
        waits = Deferred()
        with mock.patch.object(scheduling, "yield_to_reactor", lambda: waits):
            second = forgetting.change(self.mara, mind, 1, {"content": "It is deep."})
        self.assertIn("has changed entry 1", self.changes("edit", entry=1, words="It is full."))
        waits.callback(None)
        scheduling.drain()
        self.failureResultOf(second, ValueError)
        self.assertEqual(found.content, "The well is dry.")
        self.assertEqual(journal.get_entry(self.mara, 1).content, "It is full.")

    def test_those_who_are_named_may_know_it_and_nobody_else(self):
        self.assertIn("has changed entry 1", self.changes("narrow", entry=1, names="ann"))
        known = journal.get_entry(self.mara, 1).audience
        self.assertEqual(known, sorted([self.ann, self.own]))
        self.changes("narrow", entry=1)
        self.assertEqual(journal.get_entry(self.mara, 1).audience, [])

    def test_who_may_not_know_it_cannot_be_posted(self):
        page = self.changes("narrow", entry=self.key.id, who=["mallory", self.ann])
        self.assertIn("for nobody else already. Nothing was done.", page)
        kept = journal.get_entry(self.mara, self.key.id)
        self.assertEqual(kept.audience, sorted([self.ann, self.own]))

    def test_what_cannot_be_is_said(self):
        for what, values, said in (
            ("edit", {"words": "The well is dry."}, "Entry 1 says that already."),
            ("edit", {"words": " "}, "An entry says something."),
            ("narrow", {"names": " ,"}, "Name who may know it, or say nobody."),
            ("narrow", {"names": "Ann, <b>"}, "It knows nobody of the name &lt;b&gt;."),
        ):
            with self.subTest(what, **values):
                page = self.changes(what, entry=1, **values)
                self.assertIn(f"{said} Nothing was done.", page)
        kept = journal.get_entry(self.mara, 1)
        self.assertEqual((kept.content, kept.audience), ("The well is dry.", "public"))

    def test_what_is_no_entry_or_not_theirs_is_not_found(self):
        for what in ("entry", "edit", "narrow"):
            for entry in ("", "x", "99"):
                self.changes(what, 404, entry=entry, words="x", names="nobody")
        self.as_builder()
        for what in ("entry", "edit", "narrow"):
            self.changes(what, 404, entry=1, words="x", names="nobody")
        self.assertEqual(journal.get_entry(self.mara, 1).content, "The well is dry.")
