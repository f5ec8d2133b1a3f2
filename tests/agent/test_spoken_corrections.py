"""Somebody puts right in talk what they said before; afterwards nobody hears the old one."""

from evennia_ai.core import languages
from evennia_ai.memory import identity, journal, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.sleep import people_noticed
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, words


class PuttingRightTests(MindTestCase):
    def entries(self):
        return [entry.content for entry in journal.entries(self.mara)]

    def test_what_they_said_becomes_what_they_say_now_wherever_it_is_kept(self):
        self.do(self.char1, "say Mara, my mother lives in Oakhaven.", wait=2)
        entity_profiles.add_entity_observation(
            self.mara,
            self.char1,
            "Says: my mother lives in Oakhaven.",
            audience="public",
            told_by=self.first,
        )
        self.do(self.char1, "say Mara, sorry, she lives in Elmstead, not Oakhaven.", wait=2)
        self.assertEqual(self.entries(), ["Mara, my mother lives in Elmstead."])
        known = entity_profiles.find_profile(self.mara, self.char1)
        self.assertEqual(
            [one.content for one in known.observations], ["Says: my mother lives in Elmstead."]
        )
        lines = [line.text for line in working_memory.lines_with(self.mara, self.first)]
        self.assertNotIn("Oakhaven", f"{lines}")
        self.do(self.char2, "say Mara, where does Char's mother live?", wait=2)
        self.assertIn(
            "my mother lives in Elmstead", words(self.bob)[-1].lower().replace("elm", "Elm")
        )

    def test_what_was_concluded_from_what_was_wrong_is_no_longer_concluded(self):
        self.do(self.char1, "say Mara, the Heron comes with forty sick.", wait=2)
        text = (
            "[SYNTHESIS] Reflection on: What comes?\n- Forty sick men fill the town (because of entry 1)"
            "\n- Char brings news (because of entry 1)"
        )
        given = {"tags": ["synthesis"], "source_type": "inference", "evidence": [1]}
        journal.add_entry(self.mara, text, **given)
        line = "say Mara, I was wrong about the Heron: she comes with fourteen sick, not forty."
        self.do(self.char1, line, wait=2)
        concluded = journal.get_entry(self.mara, 2).content
        self.assertNotIn("Forty", concluded)
        self.assertIn("Char brings news", concluded)

    def test_who_says_the_same_again_has_put_nothing_right(self):
        said = languages.load("en").phrases["corrected"]
        for _ in range(2):
            self.do(self.char1, "say Good evening, Mara!", wait=2)
            answer = words(self.ann)[-1]
            self.assertFalse([one for one in said if one.format(name="Char") in answer], answer)

    def test_a_bare_word_puts_right_what_was_said_last_and_nothing_before_it(self):
        self.do(self.char1, "say Mara, I will be back on Monday.", wait=2)
        self.do(self.char1, "say Mara, sorry, I meant Tuesday.", wait=2)
        self.assertEqual(self.entries(), ["Mara, I will be back on Tuesday."])
        self.do(self.char1, "say Mara, is the inn open on Sunday?", wait=2)
        self.do(self.char1, "say Mara, sorry, I meant Friday.", wait=2)
        self.assertEqual(self.entries()[0], "Mara, I will be back on Tuesday.")

    def test_an_answer_to_what_somebody_asked_puts_nothing_else_right(self):
        told = "We lost half of the char to a fungus. It was a horrible month."
        answer = "No, it was the water pump. It ran too warm."
        self.do(self.char1, f"say {told}", wait=2)
        self.do(self.char2, "say Was anybody blamed?", wait=2)
        self.do(self.char1, f"say {answer}", wait=2)
        self.assertEqual(self.entries(), [told, answer])

    def test_an_answer_puts_right_what_it_was_asked_about(self):
        self.do(self.char1, "say My brother lives in Oakhaven.", wait=2)
        self.do(self.char2, "say In Oakhaven?", wait=2)
        self.do(self.char1, "say No, he lives in Elmstead.", wait=2)
        self.assertEqual(self.entries(), ["My brother lives in Elmstead."])

    def test_what_mara_asks_meanwhile_keeps_nobody_from_putting_right_what_they_said(self):
        minds.script_llm("Will you bring the hens then?", repeat=True)
        self.do(self.char1, "say Mara, I will be back on Monday.", wait=3)
        self.do(self.char1, "say Mara, sorry, I meant Tuesday.", wait=3)
        self.do(self.char1, "say Mara, my mother lives in Oakhaven.", wait=3)
        self.do(self.char1, "say Mara, sorry, she lives in Elmstead.", wait=3)
        self.assertEqual(
            self.entries(),
            ["Mara, I will be back on Tuesday.", "Mara, my mother lives in Elmstead."],
        )

    def test_what_is_promised_is_put_right_as_well(self):
        self.do(self.char1, "say Mara, I'll bring you six hens on Friday.", wait=2)
        self.do(self.char1, "say Mara, wait, make that eight.", wait=2)
        self.do(self.char1, "say mara, i'll bring you two eggs on Friday", wait=2)
        self.do(self.char1, "say mara, wait, make that three", wait=2)
        kept = working_memory.get_conversation_context(self.mara, self.first)
        self.assertEqual(
            [one.action.lower() for one in kept.expected],
            ["i'll bring you eight hens on friday.", "i'll bring you three eggs on friday"],
        )

    def test_a_correction_may_be_one_of_several_sentences_and_the_others_stand_with_it(self):
        self.do(self.char1, "say Mara, my sister Mina sells candles there.", wait=2)
        line = (
            "say Actually my sister Mina sells honey, not candles, Mara. She gave it up last year."
        )
        self.do(self.char1, line, wait=2)
        self.assertEqual(
            self.entries(), ["Mara, my sister Mina sells honey there. She gave it up last year."]
        )

    def test_what_is_right_and_for_nobody_else_stays_out_of_what_all_may_know(self):
        self.do(self.char1, "say Mara, my sister Mina sells candles there.", wait=2)
        line = "say Actually my sister Mina sells honey, not candles, Mara. Tell nobody she gave it up."
        self.do(self.char1, line, wait=2)
        own = sorted([self.first, identity.identity_of(self.mara)])
        self.assertEqual(
            [(one.content, one.tags, one.audience) for one in journal.entries(self.mara)],
            [
                ("Mara, my sister Mina sells candles there.", ["say"], "public"),
                (
                    "Actually my sister Mina sells honey, not candles, Mara. Tell nobody she gave it up.",
                    ["say", "secret"],
                    own,
                ),
            ],
        )
        public = [
            one.text for one in working_memory.all_lines(self.mara) if one.audience == "public"
        ]
        self.assertNotIn("honey", f"{public}")

    def test_what_is_put_right_over_and_over_does_not_grow(self):
        self.do(self.char1, "say Mara, my sister Mina sells candles there.", wait=2)
        for new, old in (("honey", "candles"), ("candles", "honey")) * 3:
            line = f"say Actually my sister Mina sells {new}, not {old}, Mara. She gave it up last year."
            self.do(self.char1, line, wait=2)
        [first, *others] = self.entries()
        self.assertEqual(
            first, "Mara, my sister Mina sells candles there. She gave it up last year."
        )

    def test_what_tells_nothing_beside_it_is_not_kept(self):
        self.do(self.char1, "say Mara, my sister Mina sells candles there.", wait=2)
        line = "say Oh, dear! Actually my sister Mina sells honey, not candles, Mara."
        self.do(self.char1, line, wait=2)
        self.assertEqual(self.entries(), ["Mara, my sister Mina sells honey there."])

    def test_what_is_said_aloud_beside_it_stays_known_to_all(self):
        self.do(self.char1, "whisper Mara = My sister Mina sells candles there.", wait=2)
        line = (
            "say Actually my sister Mina sells honey, not candles, Mara. She gave it up last year."
        )
        self.do(self.char1, line, wait=2)
        self.assertEqual(
            [(one.content, one.audience == "public") for one in journal.entries(self.mara)],
            [("My sister Mina sells honey there.", False), (line.removeprefix("say "), True)],
        )

    def test_what_changed_was_right_when_it_was_said_and_stays_beside_what_is_so_now(self):
        self.do(self.char1, "say Mara, I live in Rope Lane now.", wait=2)
        self.clock.advance(90000)
        moved = "I live in the mill house now, not in Rope Lane any more."
        self.do(self.char1, f"say Mara, {moved}", wait=2)
        self.assertEqual(self.entries(), ["Mara, I live in Rope Lane now.", f"Mara, {moved}"])
        self.do(self.char2, "say Mara, where does Char live?", wait=2)
        self.assertIn(moved, words(self.bob)[-1])

    def test_the_name_may_stand_within_it(self):
        self.do(self.char1, "say Mara, we sail on Thursday for Porto.", wait=2)
        self.do(self.char1, "say I was wrong, Mara: we sail on Saturday, not on Thursday.", wait=2)
        self.assertEqual(self.entries(), ["Mara, we sail on Saturday for Porto."])

    def comes_to_mind(self, question):
        mind = minds.script_llm("Aye.")
        self.do(self.char2, f"say Mara, {question}", wait=2)
        told = mind.requests[0].messages[-1]["content"]
        return told[told.index("comes to mind") :]

    def test_what_was_a_lie_comes_to_mind_no_more(self):
        self.do(self.char1, "say Mara, I am Lord Corvin, an envoy of the Duke.", wait=2)
        self.do(self.char1, "say Mara, the Duke himself wants silk.", wait=2)
        self.configure(CONVERSATION_LINES=0)
        people_noticed.note_from_journal(self.mara)
        known = entity_profiles.find_profile(self.mara, self.char1)
        self.assertEqual(
            [one.content for one in known.observations],
            ["Says: Mara, I am Lord Corvin, an envoy of the Duke."],
        )
        self.do(
            self.char1, "say It is true, Mara. I am no lord. I am Corvin Pell, and I lied.", wait=2
        )
        known = entity_profiles.find_profile(self.mara, self.char1)
        self.assertEqual(known.observations, [])
        told = self.comes_to_mind("is he a lord and an envoy of the Duke?")
        self.assertNotIn("I am Lord Corvin", told)
        self.assertIn("I am no lord", told)
        self.assertIn("wants silk", told)
        self.assertIn("Mara, I am Lord Corvin, an envoy of the Duke.", self.entries())

    def test_who_is_sorry_for_a_lie_does_not_take_back_what_they_owned_up_to(self):
        self.do(self.char1, "say Mara, I am the surveyor of the baron.", wait=2)
        self.do(self.char1, "say I lied to you, Mara: I am no surveyor. I sell maps.", wait=2)
        self.do(self.char1, "say Mara, I am sorry that I lied.", wait=2)
        tagged = [one.content for one in journal.entries(self.mara) if "taken back" in one.tags]
        self.assertEqual(tagged, ["Mara, I am the surveyor of the baron."])

    def test_who_owns_up_to_a_lie_is_doubted_in_what_else_they_said_of_themselves_just_before(self):
        self.do(self.char1, "say Mara, I have forty knights at my table.", wait=2)
        self.clock.advance(7200)
        self.do(self.char1, "say Mara, I own three mills by the river.", wait=2)
        self.do(self.char1, "say Mara, my father is ill in Oakhaven.", wait=2)
        self.do(self.char1, "say Mara, the bridge at Norwell is closed.", wait=2)
        self.do(self.char1, "say Mara, I am the envoy of the Duke.", wait=2)
        self.do(self.char1, "say I am no envoy, Mara, I lied. I sell maps.", wait=2)
        doubted = [one.content for one in journal.entries(self.mara) if one.source_trust < 0.5]
        self.assertEqual(
            doubted,
            ["Mara, I own three mills by the river.", "Mara, my father is ill in Oakhaven."],
        )
        working_memory.remove_conversation(self.mara, self.first)
        self.assertIn("a rumour", self.comes_to_mind("who owns the three mills?"))

    def test_only_who_said_it_takes_it_back(self):
        self.configure(CONVERSATION_LINES=0)
        self.do(self.char1, "say Mara, I am Lord Corvin, an envoy of the Duke.", wait=2)
        self.do(self.char2, "say Mara, I am no lord, and I lied.", wait=2)
        self.assertIn("I am Lord Corvin", self.comes_to_mind("is he a lord and an envoy?"))

    def test_words_of_others_stay_as_they_are(self):
        self.do(self.char2, "say Mara, my mother lives in Oakhaven.", wait=2)
        self.do(self.char1, "say Mara, sorry, she lives in Elmstead, not Oakhaven.", wait=2)
        self.assertIn("Mara, my mother lives in Oakhaven.", self.entries())

    def test_what_is_whispered_changes_nothing_that_all_may_know(self):
        self.do(self.char1, "say Mara, my mother lives in Oakhaven.", wait=2)
        self.do(self.char1, "whisper Mara = sorry, she lives in Elmstead, not Oakhaven.", wait=2)
        self.assertIn("Mara, my mother lives in Oakhaven.", self.entries())


class EarsTests(MindTestCase):
    def public(self):
        kept = [*journal.entries(self.mara), *working_memory.all_lines(self.mara)]
        texts = (getattr(one, "text", "") or getattr(one, "content", "") for one in kept)
        pairs = zip(kept, texts, strict=True)
        return [text for one, text in pairs if one.audience == "public"]

    def test_who_puts_right_aloud_what_they_whispered_tells_nobody_the_rest_of_it(self):
        whisper = "My sister lives in the old mill with the stolen silver."
        self.do(self.char1, f"whisper Mara = {whisper}", wait=2)
        aloud = "Mara, she lives in Elmstead, not in the old mill."
        self.do(self.char1, f"say {aloud}", wait=2)
        right = "My sister lives in Elmstead with the stolen silver."
        self.assertEqual(
            [(one.content, one.audience == "public") for one in journal.entries(self.mara)],
            [(right, False), (aloud, True)],
        )
        self.assertNotIn("with the stolen", f"{self.public()}")
        self.do(self.char2, "say Mara, where is the stolen silver?", wait=2)
        self.do(self.char2, "say Mara, what did Char tell you?", wait=2)
        self.assertNotIn("with the stolen", f"{self.bob}")

    def test_what_is_put_right_in_a_whisper_stands_in_nothing_that_was_said_aloud(self):
        aloud = "My mother lives in Oakhaven."
        self.do(self.char1, f"say {aloud}", wait=2)
        self.do(self.char1, f"whisper Mara = {aloud}", wait=2)
        line = "whisper Mara = Sorry, she lives in Elmstead, not in Oakhaven."
        self.do(self.char1, line, wait=2)
        told = [(one.content, one.audience == "public") for one in journal.entries(self.mara)]
        self.assertIn(("My mother lives in Elmstead.", False), told)
        self.assertNotIn("Elmstead", f"{self.public()}")
        self.assertIn(aloud, self.public())
