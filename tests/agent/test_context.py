"""What the model is shown: each section, as text and as data, within the budget."""

from datetime import timedelta

from evennia.objects.objects import DefaultExit, DefaultObject
from evennia.utils.create import create_object
from twisted.internet.defer import Deferred

from evennia_ai import scheduling
from evennia_ai.agent import answer, sections
from evennia_ai.agent.turn import Turn
from evennia_ai.core import records
from evennia_ai.core.talk import Line
from evennia_ai.domain.memories.remembered import Remembered
from evennia_ai.exceptions import LLMUnavailable
from evennia_ai.llm import base
from evennia_ai.llm.offline import OfflineMind
from evennia_ai.memory import identity, persona, working_memory
from evennia_ai.memory.people import entity_profiles
from evennia_ai.memory.state import sleep_state
from evennia_ai.testing import minds
from tests.agent.cases import MindTestCase, call, words


def short_days():
    """A clock of the game by which a day takes 40 minutes."""
    day, seconds = divmod(scheduling.clock().seconds(), 2400)
    return int(day), seconds, 2400.0


short_days.day_takes = 2400.0


class ContextTests(MindTestCase):
    lore = (
        "The ale is brewed by old Tam.",
        "The cellar was bricked up after the flood.",
    )

    def setUp(self):
        super().setUp()
        self.patch(answer, "SIMILARITY", 2)

    def ask(self, line, character=None):
        """Let somebody say something; return the one request that follows."""
        mind = minds.script_llm("Well, well.")
        self.do(character or self.char1, f"say {line}")
        [request] = mind.requests
        return request

    def test_system_and_user_each_have_their_part(self):
        persona.save_persona(
            self.mara,
            {"description": "keeps the inn", "notes": "hates cats", "language": "Swedish"},
        )
        request = self.ask("Mara, who brews the ale?")
        system, user = (message["content"] for message in request.messages)
        for part in ("You are Mara", "keeps the inn", "hates cats", "Speak Swedish."):
            self.assertIn(part, system)
        self.assertIn("The ale is brewed by old Tam.", system)
        # What its builder wrote stands there as a whole, as long as it is little.
        self.assertIn("cellar", system)
        self.assertEqual(user, "Char: Mara, who brews the ale?")
        self.assertNotIn("who brews the ale", system)

    def test_the_same_is_there_as_data_for_a_mind_that_reads_no_prompt(self):
        context = self.ask("Mara, who brews the ale?").context
        self.assertEqual(context["npc"]["name"], "Mara")
        self.assertEqual(
            context["speaker"],
            {"name": "Char", "identity": self.first, "state": "stranger"},
        )
        [memory] = context["memories"]
        self.assertEqual(
            (memory["text"], memory["by"], memory["kind"]),
            ("The ale is brewed by old Tam.", "", "lore"),
        )
        self.assertEqual(context["event"]["text"], "Mara, who brews the ale?")
        self.assertEqual(len(context["events"]), 1)

    def test_it_sees_who_and_what_is_there(self):
        create_object(DefaultObject, key="lamp", location=self.room1)
        hidden = create_object(DefaultObject, key="trapdoor", location=self.room1)
        hidden.locks.add("view:false()")
        present = self.ask("Mara, hello").context["present"]
        kinds = {one["name"]: one["kind"] for one in present}
        self.assertEqual(kinds["Char"], "player")
        self.assertEqual((kinds["lamp"], kinds["out"]), ("object", "exit"))
        self.assertNotIn("trapdoor", kinds)
        self.assertNotIn("Mara", kinds)
        identities = {one["name"]: one["identity"] for one in present}
        self.assertEqual((identities["Char"], identities["lamp"]), (self.first, ""))

    def test_the_room_is_described_without_markup(self):
        self.room1.db.desc = "|rRed|n walls. " + "x" * 2000
        shown = self.ask("Mara, hello").messages[0]["content"]
        self.assertIn("Red walls.", shown)
        self.assertNotIn("x" * 241, shown)

    def test_the_conversation_so_far_is_shown_without_the_event_itself(self):
        self.ask("Mara, hello")
        request = self.ask("Mara, who are you?")
        lines = [(line["name"], line["text"]) for line in request.context["conversation"]]
        self.assertEqual(lines, [("Char", "Mara, hello"), ("Mara", "Well, well.")])
        self.assertEqual(f"{request.messages}".count("Mara, who are you?"), 1)
        self.assertEqual(
            [one["role"] for one in request.messages], ["system", "user", "assistant", "user"]
        )
        self.assertEqual(request.messages[1]["content"], "Char: Mara, hello")
        self.assertEqual(request.messages[2]["content"], "Well, well.")

    def test_a_namesake_is_not_taken_for_the_assistant(self):
        """Where masks are worn, anybody may look like her and bear her name."""
        self.ask("Mara, hello")
        self.char2.key = "Mara"
        self.do(self.char2, "say Char, I promise you my whole purse.")
        messages = self.ask("Mara, what did you promise me?").messages
        self.assertEqual(messages[2], {"role": "assistant", "content": "Well, well."})
        said = "Mara (overheard): Char, I promise you my whole purse."
        self.assertEqual(messages[3]["content"].split("\n")[0], said)

    def test_what_somebody_else_said_in_the_room_is_part_of_it(self):
        self.do(self.char2, "say I lost my hat.")
        request = self.ask("Mara, did you hear that?")
        self.assertIn("Char2 (overheard): I lost my hat.", request.messages[1]["content"])

    def test_whether_somebody_spoke_to_it_or_to_another_stands_before_their_words(self):
        """Else "you" would be taken for its own."""
        self.do(self.char2, "say Char, have you paid the ferryman?")
        self.do(self.char1, "say Char2, I have, and you know it.")
        self.do(self.char2, "say Mara, he lies.")
        asked = self.ask("Mara, what do you say to that?").messages
        self.assertEqual(
            "\n".join(one["content"] for one in asked[1:]).split("\n")[:2],
            [
                "Char2 (overheard): Char, have you paid the ferryman?",
                "Char (overheard): Char2, I have, and you know it.",
            ],
        )

    def test_what_somebody_told_is_recalled_with_whom_it_is_from(self):
        self.do(self.char2, "say The northern bridge is broken.")
        self.char2.location = self.room2
        memories = self.ask("Mara, how is the bridge?").context["memories"]
        found = [(memory["text"], memory["by"], memory["kind"]) for memory in memories]
        self.assertEqual(found, [("The northern bridge is broken.", "Char2", "said")])

    def test_a_question_is_not_recalled_as_an_answer(self):
        self.do(self.char2, "say Where does the bridge lead?")
        self.char2.location = self.room2
        self.assertEqual(self.ask("Mara, how is the bridge?").context["memories"], [])

    def test_its_own_words_are_not_recalled_as_what_it_knows(self):
        mind = minds.script_llm("The bridge is made of cheese.")
        self.do(self.char1, "say Mara, tell me a tale")
        self.assertEqual(len(mind.requests), 1)
        self.assertEqual(self.ask("Mara, what of the bridge?").context["memories"], [])

    def test_a_second_meeting_is_not_a_first(self):
        first = self.ask("Mara, hello").messages[0]["content"]
        self.assertIn("You have not spoken with Char before.", first)
        minds.forget_all()
        again = self.ask("Mara, hello again").messages
        self.assertNotIn("not spoken with", f"{again}")

    def test_a_request_is_the_last_one_and_what_is_new(self):
        first = self.ask("Mara, hello").messages
        second = self.ask("Mara, who are you?").messages
        answer = {"role": "assistant", "content": "Well, well."}
        new = {"role": "user", "content": "Char: Mara, who are you?"}
        self.assertEqual(second, [*first, answer, new])
        new = {"role": "user", "content": "Char: Mara, how old are you?"}
        self.assertEqual(self.ask("Mara, how old are you?").messages, [*second, answer, new])

    def test_what_stands_in_the_conversation_is_not_told_again(self):
        self.ask("Mara, the northern bridge is broken.")
        request = self.ask("Mara, how is the northern bridge?")
        self.assertEqual(f"{request.messages}".count("bridge is broken"), 1)
        self.assertEqual(request.messages[-1]["content"], "Char: Mara, how is the northern bridge?")

    def test_what_has_no_room_in_the_conversation_comes_to_mind(self):
        minds.script_llm("Aye.", repeat=True)
        self.do(self.char1, "say Mara, the northern bridge is broken.", wait=2)
        for number in range(8):
            self.do(self.char1, f"say Mara, story number {number}: {'word ' * 40}", wait=2)
        shown = self.ask("Mara, how is the northern bridge?").messages
        self.assertEqual(f"{shown}".count("bridge is broken"), 1)
        self.assertIn("(You remember: Char told you just now: ", shown[-1]["content"])

    def test_what_it_said_without_a_model_is_no_example_of_its_speech(self):
        base.install("default", OfflineMind())
        self.do(self.char1, "say Mara, what is a quasar?", wait=2)
        minds.script_llm(LLMUnavailable("down"))
        self.do(self.char1, "say Mara, are you there?", wait=40)
        messages = self.ask("Mara, hello").messages
        self.assertEqual([one["role"] for one in messages], ["system", "user"])
        self.assertIn("Char: Mara, what is a quasar?", messages[1]["content"])

    def test_that_hours_have_passed_is_told(self):
        self.ask("Mara, hello")
        self.wait(9 * 3600)
        self.assertIn("(18 hours later.)", f"{self.ask('Mara, hello again').messages}")

    def test_who_has_slept_since_is_told_so_once(self):
        self.ask("Mara, hello")
        now = scheduling.now()
        sleep_state.begin(self.script_of_mara, now=now, wake_at=now, depth="deep", reason="night")
        self.wait(60)
        sleep_state.end(self.script_of_mara, now=scheduling.now(), cooldown_until=now)
        self.assertIn("(You have slept since.)", f"{self.ask('Mara, hello again').messages}")
        self.wait(5)
        again = f"{self.ask('Mara, did you dream?').messages}"
        self.assertEqual(again.count("(You have slept since.)"), 1)

    def test_by_a_clock_whose_days_are_short_hours_pass_in_minutes(self):
        self.configure(GAME_CLOCK="tests.agent.test_context.short_days")
        self.ask("Mara, hello")
        self.wait(900)
        self.assertIn("(9 hours later.)", f"{self.ask('Mara, hello again').messages}")

    def test_what_it_did_by_a_tool_stands_in_the_talk(self):
        self.obj1.location = self.mara
        minds.script_llm([call("give", item="Obj", target="Char")], "There you are.")
        self.do(self.char1, "say Mara, may I have that?", wait=2)
        minds.script_llm([call("follow", target="Char")], "Lead on.")
        self.do(self.char1, "say Mara, come with me.", wait=2)
        answers = [one["content"] for one in self.ask("Mara, thanks").messages[1:-1:2]]
        self.assertEqual(len(answers), 2)
        shown = [
            one["content"] for one in self.ask("Mara, well").messages if one["role"] == "assistant"
        ]
        self.assertEqual(shown[0], "*gives Obj to Char*\nThere you are.")
        self.assertEqual(shown[1], "*follows Char*\nLead on.")

    def test_it_knows_what_it_has_with_it_and_what_time_it_is(self):
        self.obj1.location = self.mara
        shown = self.ask("Mara, hello").messages[0]["content"]
        self.assertRegex(shown, r"\nIt is \w+\. Here: Char, Char2\.")
        self.assertIn(" You carry Obj.", shown)

    def test_what_changes_as_the_talk_goes_on_is_told_in_it(self):
        first = self.ask("Mara, hello").messages
        self.obj1.location = self.mara
        second = self.ask("Mara, hello again").messages
        self.assertEqual(second[:2], first)
        self.assertIn("(Things here: Obj2. You carry Obj.)\n", second[-1]["content"])

    def test_in_a_whisper_it_is_told_who_hears_it(self):
        mind = minds.script_llm("Aye.")
        self.do(self.char1, "whisper Mara = Psst.", wait=2)
        shown = mind.requests[0].messages[-1]["content"]
        self.assertTrue(shown.endswith("\nChar (whispers to you alone): Psst."))

    def test_a_confidence_is_there_for_whoever_gave_it_and_for_nobody_else(self):
        mind = minds.script_llm("Aye.", repeat=True)
        self.do(self.char1, "whisper Mara = I hid the silver key under the oak.", wait=2)
        for number in range(25):
            self.do(self.char1, f"say Mara, story {number}.", wait=2)
        self.do(self.char1, "whisper Mara = Can I count on you?", wait=2)
        shown = mind.requests[-1].messages[-1]["content"]
        self.assertIn("Char (whispers): I hid the silver key under the oak.\n", shown)
        self.do(self.char1, "whisper Mara = Where did I hide the silver key?", wait=2)
        self.assertEqual(mind.requests[-1].messages[-1]["content"].count("under the oak"), 1)
        self.do(self.char2, "whisper Mara = Can I count on you?", wait=2)
        self.assertNotIn("oak", f"{mind.requests[-1].messages}")

    def test_what_it_means_to_do_is_there_for_whoever_alone_hears_it(self):
        """Also where the answer becomes a whisper only by what comes to mind."""
        mind = minds.script_llm("Aye.", repeat=True)
        self.do(self.char1, "whisper Mara = I hid the silver key under the oak.", wait=2)
        alone = [self.first, identity.identity_of(self.mara)]
        working_memory.add_pending_action(
            self.mara, self.char1, "Bring Char the key.", 5, audience=alone
        )
        self.do(self.char1, "say Mara, where is the silver key?", wait=2)
        self.assertIn("Bring Char the key.", mind.requests[-1].messages[-1]["content"])
        self.do(self.char1, "say Mara, how is the weather?", wait=2)
        self.assertNotIn("Bring Char the key.", f"{mind.requests[-1].messages}")

    def test_a_copy_is_told_once_and_what_two_people_told_twice(self):
        event = records.new_event("say", "Does it rain?", event_id="1", now=scheduling.now())
        turn = Turn(self.script_of_mara, [event])
        told = {"text": "It rains.", "kind": "said", "timestamp": "", "audience": "public"}
        turn.recalled = [Remembered(by=by, **told) for by in ("Ann", "Ann", "", "Bob")]
        self.assertEqual(
            [note.text for note in sections.memory_notes(turn, [])],
            ["You remember: Ann told you: It rains.", "You remember: Bob told you: It rains."],
        )
        rain = self.line("It rains.")
        self.assertEqual(sections.memory_notes(turn, [rain]), [])
        # Part of a summary that stands in the prompt tells nothing new, but who says the same does.
        summary = [self.line("We talked of hail. It rains.", kind="summary", name="Cid")]
        self.assertEqual(len(sections.memory_notes(turn, summary)), 2)
        turn.recalled = [Remembered(by="", **told)]
        self.assertEqual(sections.memory_notes(turn, summary), [])

    def line(self, text, *, kind="say", name="Ann", timestamp=""):
        """Return a line of conversation that is of no event."""
        return Line(
            said_by="",
            audience="public",
            role="user",
            text=text,
            name=name,
            kind=kind,
            timestamp=timestamp,
            event_id="",
        )

    def test_what_a_summary_tells_of_somebodys_words_comes_to_mind_no_more(self):
        """But what they said since then does, though it has the same words: it may put it right."""
        turn = Turn(
            self.script_of_mara,
            [records.new_event("say", "Is it so?", event_id="1", now=scheduling.now())],
        )
        before, at, since = (
            records.format_time(scheduling.now() - timedelta(hours=hours)) for hours in (3, 2, 1)
        )
        summary = self.line(
            "Ann said that Pike is her dog and Mo her cat.", kind="summary", timestamp=at
        )
        said = "Mara, my dog is Pike, my cat is Mo."
        for by, when, is_told in (
            ("Ann", before, False),
            ("Ann", since, True),
            ("Bob", before, True),
        ):
            turn.recalled = [
                Remembered(text=said, by=by, kind="said", timestamp=when, audience="public")
            ]
            with self.subTest(by=by, when=when):
                self.assertEqual(bool(sections.memory_notes(turn, [summary])), is_told)
        turn.recalled = [
            Remembered(
                text="My dog is Pike, and he bites.",
                by="Ann",
                kind="said",
                timestamp=before,
                audience="public",
            )
        ]
        self.assertIn("he bites", sections.memory_notes(turn, [summary])[0].text)

    def test_what_stands_in_the_profile_comes_to_mind_no_more(self):
        self.ask("Mara, I am from Elmstead.")
        for number in range(20):
            self.do(self.char1, f"say Char2, song number {number} is a fine song.", wait=0.1)
        asked = "Mara, do you know Elmstead?"
        minds.forget_all()
        self.assertIn("told you just now: Mara, I am from Elmstead.", f"{self.ask(asked).messages}")
        minds.forget_all()
        entity_profiles.add_entity_observation(
            self.mara, self.char1, "Says: I am from Elmstead.", audience="public"
        )
        shown = f"{self.ask(asked).messages}"
        self.assertIn("(You know of Char: I am from Elmstead.)", shown)
        self.assertNotIn("told you", shown)

    def test_what_was_told_since_stands_after_what_was_concluded(self):
        turn = Turn(
            self.script_of_mara,
            [records.new_event("say", "Is it so?", event_id="1", now=scheduling.now())],
        )
        days = [records.format_time(scheduling.now() - timedelta(days=days)) for days in (1, 9)]
        turn.recalled = [
            Remembered(text="I paid.", by="Tam", kind="said", timestamp=days[0], audience="public"),
            Remembered(text="Tam owes.", kind="insight", timestamp=days[1], audience="public"),
        ]
        self.assertEqual(
            sections.memory_notes(turn, [])[0].text, "You concluded 3 weeks ago: Tam owes."
        )

    def test_a_small_budget_cuts_memories_and_old_talk_and_never_the_event(self):
        for number in range(8):
            self.do(self.char1, f"say Story number {number}: {'word ' * 60}", wait=0.5)
        self.configure(CONTEXT_TOKENS=250)
        messages = self.ask("Mara, who brews the ale?").messages
        user = messages[1]["content"]
        self.assertIn("who brews the ale?", user)
        self.assertNotIn("Story number 0", user)
        self.assertIn("You are Mara", messages[0]["content"])

    def test_a_game_adds_a_section_in_its_place(self):
        self.configure(
            CONTEXT_SECTIONS=[
                "tests.agent.test_context.weather",
                ...,
                "tests.agent.test_context.nothing",
            ]
        )
        request = self.ask("Mara, hello")
        self.assertIn("(It rains on Mara.)\n", request.messages[1]["content"])

    def test_a_section_may_take_its_time(self):
        self.configure(CONTEXT_SECTIONS=["tests.agent.test_context.slow", ...])
        slow_sections.append(Deferred())
        mind = minds.script_llm("Hello.")
        self.do(self.char1, "say Mara, hello", wait=3)
        self.assertEqual(mind.requests, [])
        slow_sections.pop().callback("A sign was given.")
        self.wait()
        self.assertIn("(A sign was given.)", mind.requests[0].messages[1]["content"])
        self.assertEqual(words(self.ann)[-1], 'Mara says, "Hello."')


class FindTests(MindTestCase):
    """What a name that the model uses may mean."""

    def find(self, name):
        """Return what Mara is told when she looks closely at something of that name."""
        self.patch(answer, "SIMILARITY", 2)
        mind = minds.script_llm(call("look", target=name), "I see.")
        self.do(self.char1, "say Mara, look")
        return mind.requests[1].messages[-1]["content"]

    def test_it_finds_by_name_alias_and_part_of_a_name(self):
        self.obj1.key = "brass lamp"
        self.obj1.aliases.add("lantern")
        for name in ("brass lamp", "Lantern", "LAMP"):
            with self.subTest(name):
                self.assertTrue(self.find(name).startswith('"brass lamp'))

    def test_it_finds_exits_and_what_it_carries(self):
        create_object(DefaultObject, key="key", location=self.mara)
        self.assertIn('"key', self.find("key"))
        create_object(DefaultExit, key="gate", location=self.room1, destination=self.room2)
        self.assertIn('"gate', self.find("gate"))

    def test_what_is_not_there_names_what_is(self):
        result = self.find("dragon")
        self.assertTrue(result.startswith('Error: You see nothing called "dragon". You see: '))
        self.assertIn("Char", result)

    def test_two_that_differ_are_asked_back(self):
        self.obj1.key, self.obj2.key = "red lamp", "blue lamp"
        self.assertEqual(
            self.find("lamp"), 'Error: Several fit "lamp". You see: "blue lamp", "red lamp".'
        )

    def test_of_two_that_are_alike_one_is_as_good_as_the_other(self):
        self.obj1.key, self.obj2.key = "ale", "ale"
        self.assertTrue(self.find("ale").startswith('"ale'))

    def test_what_it_cannot_see_it_does_not_find(self):
        self.obj1.key = "trapdoor"
        self.obj1.locks.add("view:false()")
        result = self.find("trapdoor")
        self.assertTrue(result.startswith('Error: You see nothing called "trapdoor". You see: '))
        self.assertNotIn("trapdoor", result.partition("You see: ")[2])


slow_sections = []


def weather(turn):
    """A section of a game."""
    return f"It rains on {turn.name}."


def nothing(turn):
    """A section that has nothing to say."""
    return


def slow(turn):
    """A section that has to ask somebody."""
    return slow_sections[0] if slow_sections else None
