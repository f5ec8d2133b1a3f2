"""A dialogue file is read whole, or all that is wrong with it is told, each with its line."""

import unittest

from evennia_ai.testing.dialogue import dialogue_file
from evennia_ai.testing.dialogue.dialogue_file import DialogueError
from evennia_ai.testing.dialogue.dialogue_plan import Expected, Person, Room, Step

WHOLE = """\
npc: Mara
minds: tape
tape: mara.jsonl
room: {name: The Inn, desc: "Low beams.", private: true}
people:
  Ann: {}
  Bob:
    desc: A pedlar.
    is_here: false
canaries: ["silver key", hearthstone]
injections: standard
dialogue:
  - Ann: "Who brews the ale here?"
    must_mention: [tam, mill]
    must_not_mention: ferry
    calls_tool: recall_memories
    costs_less_than: {tokens: 4000, calls: 3, money: 0.01, seconds: 30}
  - Ann whispers: "Psst."
    must_mention: {all: [a], any_of: [b, c]}
    is_whispered: true
    calls_no_tool: true
  - Ann tells: "Far."
    calls_no_tool: [give]
  - Ann emotes: "nods."
    is_silent: true
  - Bob arrives: true
  - Bob gives: a mug
  - Bob says: "Hm."
  - Bob leaves: true
  - after: 2 hours
  - sleep: true
"""

HEAD = "npc: Mara\npeople: {Ann: {}}\ndialogue:\n"


def read(text, name="mara.yaml"):
    return dialogue_file.read(text.encode(), name=name)


class ReadTests(unittest.TestCase):
    def test_a_whole_file(self):
        found = read(WHOLE)
        self.assertEqual((found.name, found.npc, found.source), ("mara.yaml", "Mara", ""))
        self.assertEqual((found.minds, found.tape), ("tape", "mara.jsonl"))
        self.assertEqual(found.room, Room("The Inn", "Low beams.", True))
        self.assertEqual(found.people, (Person("Ann"), Person("Bob", "A pedlar.", False)))
        self.assertEqual(found.canaries, ("silver key", "hearthstone"))
        self.assertEqual(found.injections, "standard")

    def test_its_steps(self):
        costs = {"tokens": 4000, "calls": 3, "money": 0.01, "seconds": 30}
        self.assertEqual(
            read(WHOLE).steps,
            (
                Step(
                    13,
                    "say",
                    "Ann",
                    "Who brews the ale here?",
                    expected=Expected(
                        mention_all=("tam", "mill"),
                        mention_none=("ferry",),
                        tools=("recall_memories",),
                        costs=costs,
                    ),
                ),
                Step(
                    18,
                    "whisper",
                    "Ann",
                    "Psst.",
                    expected=Expected(
                        mention_all=("a",),
                        mention_any=("b", "c"),
                        is_whispered=True,
                        no_tools=(),
                    ),
                ),
                Step(22, "tell", "Ann", "Far.", expected=Expected(no_tools=("give",))),
                Step(24, "emote", "Ann", "nods.", expected=Expected(is_silent=True)),
                Step(26, "arrive", "Bob"),
                Step(27, "give", "Bob", "a mug"),
                Step(28, "say", "Bob", "Hm."),
                Step(29, "leave", "Bob"),
                Step(30, "after", seconds=7200.0),
                Step(31, "sleep"),
            ),
        )

    def test_a_seed_may_stand_in_the_file(self):
        found = read("seed: {name: Mara, lore: [Tam brews.]}\ninjections: standard")
        self.assertEqual((found.source, found.source_name), ("seed", ""))
        self.assertEqual(found.seed, {"name": "Mara", "lore": ["Tam brews."]})

    def test_what_should_hold_at_the_end(self):
        found = read(f"{HEAD}  - Ann: Hi.\nat_end: {{must_mention: owl, remembers: [a, b]}}")
        self.assertEqual(found.at_end, Expected(mention_all=("owl",)))
        self.assertEqual((found.remembers, found.remembers_nothing_of), (("a", "b"), ()))

    def test_settings_are_taken_as_they_are(self):
        found = read(f"settings: {{MAX_STEPS: 2, OCCASIONS: {{room: 1}}}}\n{HEAD}  - Ann: Hi.")
        self.assertEqual(found.settings, {"MAX_STEPS": 2, "OCCASIONS": {"room": 1}})

    def test_what_is_said_meanwhile(self):
        one, two = read(f"{HEAD}  - Ann: Hi.\n  - Ann: Ho.\n    meanwhile: true").steps
        self.assertEqual((one.meanwhile, two.meanwhile), (False, True))
        with self.assertRaises(DialogueError) as caught:
            read(f"{HEAD}  - Ann: Hi.\n    is_silent: true\n  - Ann: Ho.\n    meanwhile: true")
        self.assertEqual(
            str(caught.exception),
            "mara.yaml, line 4: it is not waited for: what comes of it belongs to the next.",
        )

    def test_times_in_words(self):
        for words, seconds in (
            ("90 seconds", 90.0),
            ("1 minute", 60.0),
            ("an hour", 3600.0),
            ("a day", 86_400.0),
            ("1.5 hours", 5400.0),
            ("30 Days", 2_592_000.0),
        ):
            with self.subTest(words):
                self.assertEqual(read(f"{HEAD}  - after: {words}").steps[0].seconds, seconds)

    def test_a_tape_that_is_named_is_wanted(self):
        self.assertEqual(read(f"tape: a.jsonl\n{HEAD}  - Ann: Hello.").minds, "tape")

    def test_each_source_may_stand_alone(self):
        for source in ("prototype", "seed"):
            with self.subTest(source):
                found = read(f"{source}: x\ninjections: standard")
                self.assertEqual((found.source, found.source_name), (source, "x"))


class MistakeTests(unittest.TestCase):
    # What stands in the file below the head, and what is said of it.
    STEPS = (
        ("  - An: Hello.", "line 4: there is no key 'An'; did you mean Ann?"),
        (
            "  - Ann whispes: Hi.",
            "line 4: there is no key 'Ann whispes'; did you mean Ann whispers?",
        ),
        (
            "  - Ann: Hi.\n    must_menton: [a]",
            "line 5: there is no key 'must_menton'; did you mean must_mention?",
        ),
        ("  - Hello.", 'line 3: step 1 has keys, as in - Ann: "Good evening."'),
        ("  - {}", 'line 3: step 1 has keys, as in - Ann: "Good evening."'),
        ("  - Ann: 5", "line 4: Ann is text, not 5."),
        ("  - Ann: ''", "line 4: Ann is text, not ''."),
        (
            "  - Ann arrives: yes please",
            "line 4: Ann arrives is true, or is left out; it is 'yes please'.",
        ),
        ("  - sleep: 2", "line 4: sleep is true, or is left out; it is 2."),
        ("  - after: a while", "line 4: after is a time such as 2 hours, not 'a while'."),
        ("  - after: 31 days", "line 4: 30 days at most pass in one step."),
        (
            "  - Ann: Hi.\n    Ann whispers: Ho.",
            "line 4: one thing happens in a step, and here it is Ann and Ann whispers.",
        ),
        ("  - is_silent: true", "line 4: nothing happens in this step: who speaks?"),
        ("  - Ann: Hi.\n    is_silent: 1", "line 5: is_silent is true or false, not 1."),
        ("  - Ann: Hi.\n    must_mention: []", "line 5: must_mention is a list of words, not []."),
        (
            "  - Ann: Hi.\n    must_mention: ['…']",
            "line 5: must_mention is a list of words, not ['…'].",
        ),
        (
            "  - Ann: Hi.\n    must_mention: {any: [a]}",
            "line 5: there is no key 'any'; did you mean any_of?",
        ),
        ("  - Ann: Hi.\n    calls_tool: 3", "line 5: calls_tool is a list of words, not 3."),
        (
            "  - Ann: Hi.\n    costs_less_than: 3",
            "line 5: costs_less_than has keys: tokens, calls, money, seconds.",
        ),
        (
            "  - Ann: Hi.\n    costs_less_than: {cals: 3}",
            "line 5: there is no key 'cals'; did you mean calls?",
        ),
        (
            "  - Ann: Hi.\n    costs_less_than: {calls: 0}",
            "line 5: calls is a number above 0, not 0.",
        ),
        (
            "  - Ann: Hi.\n    must_mention: [a]\n    is_silent: true",
            "line 6: it cannot be silent and say something.",
        ),
    )
    FILES = (
        (
            "npc: a\ninjections: standard\nsettings: {MAX_STEP: 2}",
            "line 3: there is no key 'MAX_STEP'; did you mean MAX_STEPS?",
        ),
        (
            "npc: a\ninjections: standard\nsettings: 5",
            "line 3: settings are keys of EVENNIA_AI.",
        ),
        (
            "npc: a\ninjections: standard\nat_end: [owl]",
            "line 3: at_end has keys: must_mention, must_not_mention, calls_tool, calls_no_tool, "
            "costs_less_than, is_whispered, is_silent, remembers, remembers_nothing_of.",
        ),
        (
            "npc: a\ninjections: standard\nat_end: {remember: owl}",
            "line 3: there is no key 'remember'; did you mean remembers?",
        ),
        ("- a list", "line 1: a dialogue begins with a key such as npc or dialogue."),
        ("npc: Mara", "line 1: there is nothing to play: it needs dialogue, a list of steps."),
        (
            "injections: standard",
            "line 1: it needs npc, or one of prototype, seed, mind: who is tested?",
        ),
        ("npc: 5\ninjections: standard", "line 1: npc is text, not 5."),
        ("seed: a\nmind: b\ninjections: standard", "line 2: it is seed or mind, not both."),
        ("mind: a\ninjections: standard", "line 1: a mind needs npc: the name of whoever has it."),
        ("npc: a\ninjections: mine", "line 2: injections is standard, not 'mine'."),
        (
            "npc: a\nminds: onlin\ninjections: standard",
            "line 2: minds is offline or model or tape, not 'onlin'.",
        ),
        (
            "npc: a\nminds: offline\ntape: b\ninjections: standard",
            "line 3: there is no tape where minds is offline.",
        ),
        ("npc: a\nroom: red\ninjections: standard", "line 2: room has keys: name, desc, private."),
        (
            "npc: a\npeople: [Ann]\ninjections: standard",
            "line 2: people are names with keys: Ann: {}.",
        ),
        (
            "npc: a\npeople: {Ann: x}\ninjections: standard",
            "line 2: Ann has keys: desc, is_here; {} for none.",
        ),
        (
            "npc: a\npeople: {yes: {}}\ninjections: standard",
            "line 2: True is no name; in quotation marks it may be one.",
        ),
        (
            "npc: a\npeople: {sleep: {}}\ninjections: standard",
            "line 2: nobody can be called sleep here: it is a key of a step.",
        ),
        ("npc: a\ndialogue: {}", "line 2: dialogue is a list of steps, 1000 at most."),
        (
            "npc: a\ncanaries: 5\ninjections: standard",
            "line 2: canaries is a list of words, not 5.",
        ),
    )

    def problems(self, text):
        with self.assertRaises(DialogueError) as caught:
            read(text)
        return str(caught.exception).splitlines()

    def test_each_mistake_of_a_step_is_one_sentence(self):
        for steps, sentence in self.STEPS:
            with self.subTest(steps):
                self.assertIn(f"mara.yaml, {sentence}", self.problems(f"{HEAD}{steps}"))

    def test_each_mistake_of_the_file_is_one_sentence(self):
        for text, sentence in self.FILES:
            with self.subTest(text):
                self.assertIn(f"mara.yaml, {sentence}", self.problems(text))

    def test_all_are_told_at_once_in_the_order_of_the_lines(self):
        text = f"nps: x\n{HEAD}  - An: Hi.\n  - after: then"
        self.assertEqual(
            self.problems(text),
            [
                "mara.yaml, line 1: there is no key 'nps'; did you mean npc?",
                "mara.yaml, line 5: there is no key 'An'; did you mean Ann?",
                "mara.yaml, line 6: after is a time such as 2 hours, not 'then'.",
            ],
        )

    def test_what_is_no_yaml_is_told_with_its_line(self):
        self.assertEqual(
            self.problems("npc: a\nnpc: b"), ["mara.yaml: line 2: 'npc' stands here twice."]
        )

    def test_there_is_an_end_to_people_and_steps(self):
        people = "\n".join(f"  P{number}: {{}}" for number in range(21))
        self.assertIn(
            "mara.yaml, line 2: there are 20 people at most.",
            self.problems(f"npc: a\npeople:\n{people}\ninjections: standard"),
        )
        steps = "  - Ann: Hi.\n" * 1001
        self.assertIn(
            "mara.yaml, line 3: dialogue is a list of steps, 1000 at most.",
            self.problems(f"{HEAD}{steps}"),
        )
