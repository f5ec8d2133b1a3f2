"""`@assistant/persona <npc>/model`: with which model one NPC answers, of those that the admin allows."""

from evennia_ai.agent import answer
from evennia_ai.checks import model_checks
from evennia_ai.llm import base
from evennia_ai.memory import persona
from evennia_ai.sleep import sleep_llm
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words

OFFLINE = {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}


class ModelTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.char1.permissions.add("Developer")
        self.allow("fine")

    def allow(self, *aliases):
        """Let the admin have three models, of which builders may choose these for an NPC."""
        names = ("default", "fine", "dear")
        models = dict.fromkeys(names, OFFLINE)
        self.configure(LLM=models, NPC_MODELS=list(aliases))
        self.patch(answer, "SIMILARITY", 2)
        self.models = {}
        for alias in names:
            self.models[alias] = minds.script_llm(f"By {alias}.", repeat=True)
            base.install(alias, self.models[alias])
        base.install("default", self.models["default"])

    def types(self, line):
        self.ann.clear()
        self.do(self.char1, line)
        return "".join(text for _, text in self.ann)

    def answered_by(self):
        self.bob.clear()
        self.do(self.char2, "say Mara, how are you today?", wait=3)
        return words(self.bob)[-1]

    def test_it_answers_with_what_its_builder_chose(self):
        self.assertIn('By default."', self.answered_by())
        self.types("@assistant/persona Mara/model = fine")
        self.assertIn('By fine."', self.answered_by())

    def test_what_the_admin_does_not_list_nobody_chooses(self):
        said = self.types("@assistant/persona Mara/model = dear")
        self.assertIn("'dear' is no model that an NPC may have; there is fine. Nothing was", said)
        self.assertIn('By default."', self.answered_by())
        self.assertEqual(self.models["dear"].requests, [])

    def test_whatever_is_written_on_an_npc_counts_only_while_the_admin_allows_it(self):
        """An exported mind, an Attribute of a prototype or an older list may bring any."""
        persona.save_persona(self.mara, {"model": "dear"})
        self.assertIn('By default."', self.answered_by())
        persona.save_persona(self.mara, {"model": "fine"})
        self.assertIn('By fine."', self.answered_by())
        self.allow()
        self.assertIn('By default."', self.answered_by())

    def test_its_nights_have_the_models_of_their_jobs(self):
        persona.save_persona(self.mara, {"model": "fine"})
        self.assertIs(base.get_llm("score"), self.models["default"])

    def test_nor_does_a_summary_have_a_model_that_the_admin_gave_another_job(self):
        self.configure(LLM={"default": OFFLINE, "insights": OFFLINE, "summarise": OFFLINE})
        self.assertEqual(base.aliases_for_one(), ["default", "summarise"])

    def test_nor_does_a_summary_have_a_model_that_the_admin_does_not_list(self):
        said = self.types("@assistant/set Mara/compact_model = dear")
        self.assertIn("compact_model is a key of the setting LLM: default, fine.", said)
        for alias, name in (("dear", "default"), ("fine", "fine")):
            llm = sleep_llm.mind_for(self.script_of_mara.id, "summarise", alias=alias)
            self.assertIs(llm.inner, self.models[name])

    def test_a_key_that_llm_does_not_have_is_named(self):
        given = {"LLM": {"default": OFFLINE}, "NPC_MODELS": ["fine"]}
        self.assertEqual(
            [problem.sentence for problem in model_checks.check_models(given)],
            ['EVENNIA_AI["NPC_MODELS"] lists \'fine\', which EVENNIA_AI["LLM"] does not have.'],
        )
        given["LLM"]["fine"] = OFFLINE
        self.assertEqual(list(model_checks.check_models(given)), [])


class ConditionTests(MindTestCase):
    lore = ("The vault is under the mill.",)

    def setUp(self):
        super().setUp()
        self.char1.permissions.add("Developer")

    def types(self, line):
        self.ann.clear()
        self.do(self.char1, line)
        return "".join(text for _, text in self.ann)

    def fact(self):
        [fact] = persona.load_lore(self.mara)
        return fact.only_if, fact.audience

    def test_a_fact_is_told_to_those_alone_who_pass_a_lock(self):
        told = self.types("@assistant/lore/audience Mara/1 = if tag(initiate)")
        self.assertIn("is told if tag(initiate) now.", told)
        self.assertEqual(self.fact(), ("tag(initiate)", []))

    def test_a_lock_that_is_none_is_named_and_nothing_is_written(self):
        told = self.types("@assistant/lore/audience Mara/1 = if initiate(1)")
        self.assertIn("is no lock string", told)
        self.assertEqual(self.fact(), ("", "public"))

    def test_without_it_the_fact_is_for_those_that_are_named(self):
        self.types("@assistant/lore/audience Mara/1 = if tag(initiate)")
        self.types("@assistant/lore/audience Mara/1 = nobody")
        self.assertEqual(self.fact(), ("", []))


class HostileTests(MindTestCase):
    def setUp(self):
        super().setUp()
        self.char1.permissions.add("Developer")
        self.mind = minds.script_llm("Hm.", repeat=True)

    def types(self, line):
        self.ann.clear()
        self.do(self.char1, line)
        return "".join(text for _, text in self.ann)

    def test_she_dislikes_whom_her_builder_says_until_that_is_left_open(self):
        """C-40: hostility has a hand."""
        self.assertIn("disposed", self.types("@aimemory/profile Mara = Char2 hostile"))
        self.do(self.char2, "say Mara, how are you today?", wait=3)
        told = f"{self.mind.requests[-1].messages}"
        self.assertIn("You dislike them, and do them no favours.", told)
        self.types("@aimemory/profile Mara = Char2 open")
        self.do(self.char2, "say Mara, is it late already?", wait=3)
        told = self.mind.requests[-1].messages[-1]["content"]
        self.assertNotIn("You dislike", told)

    def test_of_who_does_not_want_to_be_remembered_nothing_is_kept(self):
        self.account2.permissions.clear()
        self.account2.permissions.add("Guest")
        told = self.types("@aimemory/profile Mara = Char2 hostile")
        self.assertIn("nothing is kept. Nothing was done.", told)
