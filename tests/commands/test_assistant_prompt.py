"""`@assistant/why <npc> = prompt`: what the model was asked, as it was sent, for whoever may read all of it."""

from evennia_ai.agent import trace
from evennia_ai.commands import base
from evennia_ai.commands.shown import turns
from evennia_ai.memory.state import npc_settings
from evennia_ai.testing import minds
from tests.agent.cases import call
from tests.commands.test_assistant_why import WhyTestCase


class PromptTests(WhyTestCase):
    def shown(self, text="@assistant/why Mara = prompt", *, by=None):
        """Return the whole text that is paged."""
        paged = []
        self.patch(base, "EvMore", lambda caller, text, **kwargs: paged.append(f"{text}"))
        said = self.types(text, by=by)
        return paged[0] if paged else said

    def keeper(self):
        """Return char2, as a builder who controls Mara and nothing else."""
        self.npc.locks.add(f"control:id({self.char2.id})")
        return self.as_staff("Builder")

    def test_it_is_what_the_model_was_sent(self):
        mind = minds.script_llm(call("look", target=""), "At noon.")
        self.does("say Mara, when does the {dear} |rferry cross?")
        title, text = self.shown().split("\n\n", 1)
        self.assertEqual(title, f"|cMara(#{self.npc.id})|n, the last turn, request 2 of 2")
        asked = mind.requests[1]
        text = text.replace("||", "|").replace("{{", "{").replace("}}", "}")
        for message in asked.messages:
            self.assertIn(message["content"], text)
        self.assertIn('uses look {"target": ""}\n\n=== tool: look gave\n', text)
        self.assertNotIn("At noon.", text.partition("=== tool: look")[2])
        for tool in asked.tools:
            self.assertIn(f"{tool['name']}: {tool['description']}\n  {{", text)

    def test_an_earlier_turn_is_asked_for_by_its_number(self):
        minds.script_llm("One.", "Two.")
        self.does("say Mara, is it one?")
        self.does("say Mara, is it two?")
        text = self.shown("@assistant/why Mara = 2 prompt")
        self.assertIn(", turn 2 from the last, its request", text)
        self.assertIn("is it one?", text)
        self.assertNotIn("is it two?", text)
        self.assertIn("is it two?", self.shown("@assistant/why = prompt"))
        self.assertEqual(
            self.shown("@assistant/why Mara = 3 prompt"),
            f"Only 2 turns are kept of Mara(#{self.npc.id}).",
        )
        self.assertEqual(
            self.shown("@assistant/why Mara = x prompt"),
            "Usage: @assistant/why [<npc>] [= <which, from the last> [prompt]]",
        )

    def test_a_model_without_tools_was_sent_none(self):
        minds.script_llm("At noon.").profile = "plain"
        self.does("say Mara, when does the ferry cross?")
        self.assertNotIn("=== tools", self.shown())

    def test_the_offline_mind_read_none_of_it(self):
        self.does("say Mara, when does the ferry cross?")
        title = self.shown().split("\n\n")[0]
        self.assertTrue(title.endswith(f"its request\n{turns.UNREAD}"), title)

    def test_a_turn_without_a_request_has_none_to_show(self):
        self.does("say Mara, when does the ferry cross?")
        [turn] = trace.turns(self.npc.id)
        turn.record.request = None
        self.assertEqual(
            self.shown(),
            f"Mara(#{self.npc.id}) was asked nothing in that turn: no prompt was written.",
        )

    def test_who_does_not_control_the_npc_reads_none(self):
        self.does("say Mara, when does the ferry cross?")
        self.assertTrue(
            self.shown(by=self.as_staff("Builder")).startswith(
                "You may not change the mind of Mara"
            )
        )

    def test_what_was_learned_with_somebody_elses_npc_is_for_admins(self):
        other = minds.make_assistant("Tom", location=self.room1)
        keeper = self.keeper()
        self.does("say Mara, when does the ferry cross?")
        for npc in (self.npc, other):
            npc_settings.grant(npc, experience_scope="watch")
        self.assertEqual(
            self.shown(by=keeper),
            f"What Mara(#{self.npc.id}) was asked may hold experience of Tom(#{other.id}), who is not "
            "yours to change: an admin may read it.",
        )
        self.assertIn("=== system", self.shown())
        npc_settings.grant(other, experience_scope="inn")
        self.assertIn("=== system", self.shown(by=keeper))
        npc_settings.grant(other, experience_scope="watch")
        other.locks.add(f"control:id({self.char2.id})")
        self.assertIn("=== system", self.shown(by=keeper))
