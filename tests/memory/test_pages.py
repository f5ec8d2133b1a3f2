"""Tests of what is kept as text: its version, and the lines of it that cannot be read."""

import msgspec
from evennia.objects.models import ObjectDB
from evennia.typeclasses.attributes import Attribute
from evennia.utils import logger

from evennia_ai.exceptions import NewerData
from evennia_ai.memory import kinds, repository
from evennia_ai.memory.kinds import BACKLOG, COUNTERS, PERSONA, SET_ASIDE, Kind
from evennia_ai.memory.storage import own_attributes, pages
from tests.memory.test_repository import LINES, SLIPS, StoredTestCase


class Coin(msgspec.Struct, frozen=True):
    """What a game may keep of a purse."""

    metal: str
    worth: int = 1


PURSE = Kind("purse", kinds.BODY, list[Coin])
LUCKY = Kind("lucky_coin", kinds.BODY, Coin)


class TextTests(StoredTestCase):
    def test_a_text_begins_with_the_version(self):
        for kind, value, text in (
            (PERSONA, {"language": "Åländska"}, '1\n{"language":"Åländska"}\n'),
            (PERSONA, {}, "1\n{}\n"),
            (LINES, [{"text": "a\nb"}, {}], '1\n{"text":"a\\nb"}\n{}\n'),
            (LINES, [], "1\n"),
            (BACKLOG, 3, "1\n3\n"),
            (kinds.UNFINISHED, True, "1\ntrue\n"),
            (kinds.NAMES, {"ann": "Ann"}, '1\n{"ann":"Ann"}\n'),
            (PURSE, [Coin("gold", 5)], '1\n{"metal":"gold","worth":5}\n'),
            (LUCKY, Coin("tin"), '1\n{"metal":"tin","worth":1}\n'),
        ):
            with self.subTest(kind=kind.name, value=value):
                self.assertEqual(pages.written(kind, value), text)
                self.assertEqual(pages.read(kind, text), (value, []))
                self.assertFalse(pages.is_newer(text))

    def test_a_text_of_a_later_version_is_known_by_its_first_line(self):
        for text, expected in (("1\n{}\n", False), ("2\n{}\n", True), ("10\n", True)):
            self.assertIs(pages.is_newer(text), expected)
        for text in ("0\n{}\n", "{}\n", '{"a":2}', "", "x\n2\n"):
            self.assertFalse(pages.is_newer(text), text)

    def test_a_line_that_does_not_fit_is_named_and_the_rest_is_read(self):
        text = '1\n{"metal":"gold"}\n{"metal":5}\n{"worth":5}\n[]\n{"metal":"t\n{"metal":"tin"}\n'
        bad = ['{"metal":5}', '{"worth":5}', "[]", '{"metal":"t']
        self.assertEqual(pages.read(PURSE, text), ([Coin("gold"), Coin("tin")], bad))

    def test_what_an_earlier_version_did_not_know_has_its_default(self):
        self.assertEqual(pages.read(LUCKY, '1\n{"metal":"gold"}\n').value, Coin("gold", 1))

    def test_a_record_that_does_not_fit_is_none(self):
        for line in ("[]", '"ann"', "{", "null"):
            with self.subTest(line=line):
                self.assertEqual(pages.read(SLIPS, f"1\n{line}\n"), (None, [line]))

    def test_without_the_line_of_the_version_nothing_is_lost(self):
        self.assertEqual(
            pages.read(LINES, '{"text":"a"}\n{"text":"b'), ([{"text": "a"}], ['{"text":"b'])
        )
        self.assertEqual(pages.read(PERSONA, "rubbish"), (None, ["rubbish"]))

    def test_plain_data_is_shaped_or_a_value_error_says_where_it_is_wrong(self):
        coins = [Coin("gold", 5), Coin("tin")]
        self.assertEqual(pages.shaped(PURSE, pages.plain(coins)), coins)
        for kind, value, told in (
            (PURSE, [{"metal": "gold"}, {"metal": 5}], "Expected `str`, got `int`"),
            (LUCKY, {}, "missing required field `metal`"),
            (BACKLOG, "3", "Expected `int`, got `str`"),
            (PERSONA, [], "Expected `object`, got `array`"),
        ):
            with self.subTest(kind=kind.name), self.assertRaises(ValueError) as caught:
                pages.shaped(kind, value)
            self.assertIn(told, str(caught.exception))


class WrittenByOthers(StoredTestCase):
    def setUp(self):
        super().setUp()
        self.log = []
        self.patch(logger, "log_err", self.log.append)

    def write(self, kind, text, key="", obj=None):
        """Let the database have a text that we have not written as it is."""
        obj = obj or self.char1
        repository.save(obj, kind, kind.empty() if kind is not LUCKY else Coin("tin"), key)
        found = obj.db_attributes.filter(db_attrtype="evennia_ai", db_category=kind.name)
        found.filter(db_key=kind.key(key)).update(db_strvalue=text)
        self.anew(obj)


class SetAsideTests(WrittenByOthers):
    def test_the_rest_of_a_list_is_used_and_the_bad_lines_are_kept_aside(self):
        self.write(PURSE, '1\n{"metal":"gold"}\n{"metal":5}\n{"metal":"t\n{"metal":"tin"}\n')
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, PURSE), [Coin("gold"), Coin("tin")])
            self.anew()
        self.assertEqual(
            repository.load_all(self.char1, SET_ASIDE),
            {"purse/purse": ['{"metal":5}', '{"metal":"t']},
        )
        who = f"Char(#{self.char1.id})"
        self.assertEqual(
            self.log,
            [
                f"evennia_ai: 2 line(s) of purse/purse of {who} cannot be read; they were set "
                "aside, and the rest is used."
            ],
        )

    def test_a_single_record_is_kept_aside_whole_and_can_be_written_anew(self):
        for kind, key, text in (
            (SLIPS, "ann", '["not a profile"]'),
            (PERSONA, "", '{"background":"A co'),
            (BACKLOG, "ann", '"many"'),
            (LUCKY, "", '{"worth":5}'),
        ):
            with self.subTest(kind=kind.name):
                self.write(kind, f"1\n{text}\n", key)
                for _ in range(2):
                    self.assertIsNone(repository.load(self.char1, kind, key))
                    self.anew()
                name = f"{kind.name}/{key or kind.name}"
                self.assertEqual(repository.load(self.char1, SET_ASIDE, name), [text])
                self.assertEqual(repository.keys(self.char1, kind), [])
                value = {LUCKY: Coin("gold"), BACKLOG: 1}.get(kind, {})
                repository.save(self.char1, kind, value, key)
                self.assertEqual(repository.load(self.char1, kind, key), value)
        self.assertEqual(len(self.log), 4)

    def test_what_is_set_aside_later_joins_what_is_there(self):
        for line in ('"first"', '"second"'):
            self.write(LINES, f"1\n{line}\n")
            self.assertEqual(repository.load(self.char1, LINES), [])
        aside = repository.load(self.char1, SET_ASIDE, "lines/lines")
        self.assertEqual(aside, ['"first"', '"second"'])

    def test_reading_all_of_a_kind_sets_aside_as_well(self):
        self.write(SLIPS, "1\n[]\n", "ann")
        repository.save(self.char1, SLIPS, {"name": "Bob"}, "bob")
        self.assertEqual(repository.load_all(self.char1, SLIPS), {"bob": {"name": "Bob"}})
        self.assertEqual(repository.load(self.char1, SET_ASIDE, "slips/ann"), ["[]"])
        self.assertEqual(len(self.log), 1)

    def test_reading_what_all_have_loses_nothing(self):
        self.write(LINES, '1\n{"text":"a"}\n"bad"\n')
        found = repository.load_of_all(ObjectDB, LINES)
        self.assertEqual(found, {self.char1.id: [{"text": "a"}]})
        repository.load(self.char1, LINES)
        self.assertEqual(repository.load(self.char1, SET_ASIDE, "lines/lines"), ['"bad"'])

    def test_what_a_mind_has_set_aside_lies_on_the_mind(self):
        self.write(COUNTERS, '1\n{"turns":"many"}\n', obj=self.script)
        self.assertIsNone(repository.load(self.script, COUNTERS))
        aside = repository.load(self.script, kinds.SET_ASIDE_OF_MIND, "counters/counters")
        self.assertEqual(aside, ['{"turns":"many"}'])

    def test_an_edit_begins_with_the_rest(self):
        self.write(LINES, '1\n{"text":"a"}\n"bad"\n')
        with repository.edit(self.char1, LINES, default=list) as facts:
            facts.append({"text": "b"})
        self.assertEqual(repository.load(self.char1, LINES), [{"text": "a"}, {"text": "b"}])
        self.assertEqual(repository.load(self.char1, SET_ASIDE, "lines/lines"), ['"bad"'])

    def test_what_stands_without_a_version_is_not_lost(self):
        self.write(PERSONA, "rubbish")
        self.assertIsNone(repository.load(self.char1, PERSONA))
        self.assertEqual(repository.load(self.char1, SET_ASIDE, "persona/persona"), ["rubbish"])

    def test_what_fails_together_is_not_set_aside_and_is_the_next_time(self):
        self.write(LINES, '1\n"bad"\n')
        with self.assertRaises(ZeroDivisionError), repository.together(self.char1):
            repository.load(self.char1, LINES)
            raise ZeroDivisionError
        self.assertEqual(self.stored(LINES), ['1\n"bad"\n'])
        self.assertEqual(repository.load(self.char1, LINES), [])
        self.assertEqual(repository.load(self.char1, SET_ASIDE, "lines/lines"), ['"bad"'])


class NewerTests(WrittenByOthers):
    """What a later version of us wrote is read, and not changed."""

    NEWER = '2\n{"text":"a","mood":"merry"}\n{"new":'

    def setUp(self):
        super().setUp()
        self.write(LINES, self.NEWER)
        repository.save(self.char1, PERSONA, {"background": "A cook."})

    def check_unchanged(self):
        for _ in range(2):
            self.assertEqual(repository.load(self.char1, LINES), [{"text": "a", "mood": "merry"}])
            self.assertEqual(repository.load(self.char1, PERSONA), {"background": "A cook."})
            self.assertEqual(repository.load_all(self.char1, SLIPS), {})
            self.anew()
        self.assertEqual(self.stored(LINES), [self.NEWER])
        self.assertEqual(repository.load_all(self.char1, SET_ASIDE), {})

    def test_it_is_read_as_well_as_we_can(self):
        self.check_unchanged()
        everything = repository.load_of_all(ObjectDB, LINES)
        self.assertEqual(everything[self.char1.id], [{"text": "a", "mood": "merry"}])
        self.assertEqual(self.log, [])

    def test_writing_it_is_refused(self):
        for facts in ([], [{"text": "a", "mood": "merry"}]):
            with self.assertRaises(NewerData) as caught:
                repository.save(self.char1, LINES, facts)
        self.assertEqual(
            str(caught.exception),
            f"Char(#{self.char1.id}): a later version of evennia_ai wrote lines/lines; it is read, "
            "and not changed.",
        )
        with (
            self.assertRaises(NewerData),
            repository.edit(self.char1, LINES, default=list) as facts,
        ):
            facts.append({"text": "b"})
        self.check_unchanged()

    def test_nothing_of_what_is_written_together_is_written_then(self):
        with self.assertRaises(NewerData), repository.together(self.char1):
            repository.save(self.char1, PERSONA, {"background": "A smith."})
            repository.save(self.char1, SLIPS, {"name": "Ann"}, "ann")
            repository.save(self.char1, LINES, [])
        self.check_unchanged()

    def test_whoever_goes_on_after_it_was_refused_has_written_none_of_the_same_values(self):
        values = {
            (PERSONA, ""): {"background": "A smith."},
            (SLIPS, "ann"): {"name": "Ann"},
            (LINES, ""): [],
        }
        with repository.together(self.char1), self.assertRaises(NewerData):
            repository.save_all(self.char1, values)
        self.check_unchanged()

    def test_it_can_be_deleted(self):
        repository.remove(self.char1, LINES)
        self.assertEqual(self.stored(LINES), [])
        self.assertEqual(
            Attribute.objects.filter(db_strvalue=self.NEWER).count(), 0, "a row was left"
        )
        own_attributes.drop_cached(self.char1)
        repository.save(self.char1, LINES, [{"text": "b"}])
        self.assertEqual(repository.load(self.char1, LINES), [{"text": "b"}])
