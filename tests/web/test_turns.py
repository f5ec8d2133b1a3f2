"""The page of an NPC's turns tells what `@assistant/why` tells, to the same people."""

import re
from unittest.mock import patch

from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from tests.web.cases import PageTestCase
from tests.web.watched import Watched


class TurnsTests(PageTestCase):
    def setUp(self):
        super().setUp()
        self.address = f"/ai/npc/{self.mara.id}/turns/"

    def asks(self, words, *answers):
        minds.script_llm(*answers)
        self.char1.execute_cmd(words)
        minds.pass_time(self.clock, 2)

    def test_it_tells_what_was_heard_and_said_and_why(self):
        self.assertIn("has not answered anybody", self.page(self.address))
        self.asks("say Mara, the well is dry.", "Then fetch some ale, Char.")
        self.asks("whisper Mara = Who knows of the well?", "Only you, Char.")
        page = self.page(self.address)
        for words in (
            "<bdi>Char</bdi>: “<bdi>Mara, the well is dry.</bdi>” <small>say, answered because: named",
            "“<bdi>Then fetch some ale, Char.</bdi>” <small>say, to <bdi>Char</bdi>",
            "“<bdi>Only you, Char.</bdi>” <small>whisper, to <bdi>Char</bdi>",
            "<bdi>Char, Mara</bdi> may know all that went into the answer",
            "<dt>Memories</dt>",
            "none was asked, and this costs nothing",
        ):
            self.assertIn(words, page)
        self.assertLess(page.index("Only you"), page.index("fetch some ale"))

    def test_what_its_model_was_asked_is_read_word_for_word(self):
        self.asks("say Mara, the well is <b>dry</b>.", "Then fetch some ale, Char.")
        [turn] = re.findall(r'name="turn" value="([^"]+)"', self.page(self.address))
        address = f"/ai/npc/{self.mara.id}/prompt/"
        page = self.posts(address, 200, turn=turn)
        self.assertIn("the well is &lt;b&gt;dry&lt;/b&gt;.", page)
        self.posts(address, 404, turn="x")
        with patch.object(npc_settings, "experience_scope", lambda npc: "guards"):
            other = self.npc("Abel", "false()")
            page = self.posts(address, 200, turn=turn)
        self.assertIn(f"may hold experience of Abel (#{other.id})", page)
        self.assertNotIn("dry", page)
        self.as_builder()
        self.assertNotIn("dry", self.posts(address, 404, turn=turn))

    def test_what_it_ignored_is_told_too(self):
        other = self.npc("Abel", "all()")
        self.asks("say Abel, the well is dry.", "Well, well.")
        self.assertIn("the well is dry", self.page(f"/ai/npc/{other.id}/turns/"))
        self.assertIn("ago; let pass: somebody else named", self.page(self.address))

    def test_it_is_stopped_where_one_sees_what_it_says(self):
        address = f"/ai/npc/{self.mara.id}/"
        page = self.posts(f"{address}stop/", back="yes")
        self.assertIn("is off now", page)
        self.assertIn("heard and said last", page)
        self.assertIn('<span class="state off">off</span>', page)
        self.assertIn(f'action="{address}start/"', page)

    def test_nobody_else_may(self):
        self.asks("whisper Mara = I hid the key.", "I saw nothing.")
        self.as_builder()
        self.assertNotIn("key", self.page(self.address, status=404))
        self.account2.permissions.clear()
        self.assertNotIn("key", self.page(self.address, status=403))
        self.account2.permissions.add("Builder")
        self.mara.locks.add(f"control:id({self.char2.id})")
        self.assertIn("I hid the key.", self.page(self.address))
        self.account2.attributes.add("_quell", True)
        self.page(self.address, status=403)

    def test_hostile_words_are_text(self):
        self.asks("say Mara, <script>alert('x')</script> \u202eevil", "<img src=x> ||lcsay x")
        page = self.page(self.address)
        self.assertIn("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;", page)
        self.check_own_script_alone(page)
        self.assertNotIn("<img", page)

    def test_all_of_the_game_comes_over_the_bridge(self):
        self.asks("say Mara, the well is dry.", "Then fetch some ale, Char.")
        watched = Watched(self)
        with watched.watching():
            self.assertIn("fetch some ale", self.page(self.address))
        self.assertEqual(watched.touched, [])


class SayTests(PageTestCase):
    def setUp(self):
        super().setUp()
        self.address = f"/ai/npc/{self.mara.id}/say/"

    def says(self, words, status=302):
        return self.posts(self.address, status, words=words)

    def test_words_of_staff_are_said_as_by_the_command(self):
        said = []
        self.char2.msg = lambda text=None, **how: said.append(str(text))
        lines = self.logged(self.address, words="Supper is ready!")
        by, number = f"evennia_ai: Char(#{self.char1.id})", self.mara.id
        logged = f"{by} gave words of their own ('Supper is ready!') to Mara(#{number})."
        self.assertIn(logged, lines)
        self.assertIn(f"You let Mara (#{number}) say it.", self.seen)
        self.assertTrue(any("Supper is ready!" in one for one in said), said)

    def test_why_it_says_nothing_is_told(self):
        self.assertIn("says nothing: the words are empty.", self.says("  "))
        self.mara.location = None
        self.assertIn("says nothing: it is nowhere.", self.says("Hello."))

    def test_nobody_else_speaks_for_it(self):
        self.as_builder()
        self.says("I am a fool.", 404)
        self.account2.permissions.clear()
        self.says("I am a fool.", 403)
        self.assertEqual(self.web.get(f"{self.address}?words=x").status_code, 405)


class ExperienceTests(PageTestCase):
    """The page of what an NPC learned tells what `@assistant/experience` tells."""

    def setUp(self):
        super().setUp()
        self.address = f"/ai/npc/{self.mara.id}/experience/"

    def learns(self):
        minds.script_llm("Sit.", "Well.")
        for words in ("say Mara, you <i>fool</i>!", "say Thank you, Mara."):
            self.char1.execute_cmd(words)
            minds.pass_time(self.clock, 2)

    def test_it_tells_what_was_tried_when_how_it_went_and_over_time(self):
        self.assertIn("nothing yet that it could learn from", self.page(self.address))
        self.learns()
        page = self.page(self.address)
        for words in (
            "2 decisions; on average they went well",
            "<dd>100% of 1 decision went well</dd>",
            '<td data-label="It does" class="words wide"><bdi>say</bdi></td>'
            '<td data-label="Times" class="number">1</td>'
            '<td data-label="It goes">well</td>',
            "<dt>Heard</dt><dd><bdi>Mara, you &lt;i&gt;fool&lt;/i&gt;!</bdi></dd>",
            "<dt>Why</dt><dd><bdi>I said &quot;Sit.&quot;</bdi></dd>",
        ):
            with self.subTest(words):
                self.assertIn(words, page)
        self.assertNotIn("<script", page)

    def test_nobody_else_may(self):
        self.learns()
        self.as_builder()
        self.assertNotIn("loud", self.page(self.address, status=404))
        self.account2.permissions.clear()
        self.assertNotIn("loud", self.page(self.address, status=403))
