"""Words, their stems and the languages that they are of."""

import unittest
from collections import Counter

from django.apps import apps
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from evennia_ai.core import words


class LanguageTestCase(unittest.TestCase):
    def speak(self, code):
        """Let the game be of a language."""
        self.addCleanup(words.Game.speaks, words.Game.language)
        words.Game.speaks(code)


class WordTests(unittest.TestCase):
    def test_words_of_a_text(self):
        for text, expected in (
            ("", []),
            ("☃ -- _ !", []),
            ("The DOGS' 2 bones.", ["the", "dogs", "2", "bones"]),
            ("I'm Bob’s.", ["i'm", "bob's"]),
            ("l'auberge d'Ann", ["l'auberge", "d'ann"]),
            ("Cafe\u0301 STRASSE straße", ["café", "strasse", "strasse"]),
            ("ﬁsh Ｋｅｙ", ["fish", "key"]),
            ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ):
            with self.subTest(text):
                self.assertEqual(words.words(text), expected)

    def test_scripts_without_spaces_are_cut_into_pairs(self):
        for text, expected in (
            ("金杯", ["金杯"]),
            ("银钥匙藏在哪里？", ["银钥", "钥匙", "匙藏"]),
            ("鍵を隠した。", ["鍵", "隠"]),
            ("ねこがいる", ["ねこ", "こが", "がい", "いる"]),
            ("ドアを開けた", ["ドア", "開"]),
            ("ﾄﾞｱ", ["ドア"]),
            ("열쇠를 찾다", ["열쇠", "쇠를", "찾다"]),
            ("NPC村長", ["npc", "村長"]),
        ):
            with self.subTest(text):
                self.assertEqual(words.words(text), expected)

    def test_what_an_apostrophe_ties_to_a_word_is_no_part_of_it(self):
        for word, expected in (
            ("bob's", "bob"),
            ("l'auberge", "auberge"),
            ("qu'il", "il"),
            ("dell'oro", "oro"),
            ("don't", "don't"),
            ("o'brien", "o'brien"),
            ("key", "key"),
        ):
            with self.subTest(word):
                self.assertEqual(words.bare(word), expected)

    def test_function_words_fall_out_in_their_own_language_alone(self):
        for text, language, expected in (
            ("Bob's key is in the inn.", "en", ["bob", "key", "inn"]),
            ("Die Gabel ist weg.", "de", ["gabel"]),
            ("They die.", "en", ["die"]),
            ("L'épée qu'il a", "fr", ["épée"]),
            ("var är nyckeln", "sv", ["nyckeln"]),
            ("3 a b", "en", ["3"]),
            ("剣と盾", "ja", ["剣", "盾"]),
        ):
            with self.subTest(text):
                self.assertEqual(words.telling(words.words(text), language), expected)

    @given(st.text(max_size=200))
    def test_any_text_has_words(self, text):
        for word in words.words(text):
            self.assertTrue(word.strip())
            self.assertTrue(words.bare(word))
            for language in ("en", "fi", "sv", "xx"):
                words.stem(words.bare(word), language)


class StemTests(LanguageTestCase):
    def test_forms_of_a_word_have_one_stem(self):
        for language, forms in (
            ("en", "goblin goblins"),
            ("en", "thief thieves"),
            ("en", "steal steals stealing stole stolen"),
            ("sv", "kvarn kvarnen kvarnar kvarnarna"),
            ("sv", "nyckel nyckeln nycklar nycklarna"),
            ("sv", "vinter vintern vintrar"),
            ("sv", "tunnel tunneln tunnlar"),
            ("sv", "stuga stugan stugor stugorna"),
            ("sv", "rum rummet rummen"),
            ("sv", "vatten vattnet"),
            ("sv", "fönster fönstret fönstren"),
            ("sv", "doktor doktorn doktorer"),
            ("sv", "soldat soldaten soldater"),
            ("sv", "bror brodern bröder"),
            ("sv", "sko skon skor"),
            ("sv", "sjuk sjukt sjuka"),
            ("sv", "vacker vackert vackra"),
            ("sv", "lära lär lärde lärt"),
            ("sv", "köpa köper köpte köpt"),
            ("sv", "gräva gräver grävde grävt"),
            ("sv", "supa super söp supit"),
            ("de", "wolf wölfe wölfen"),
            ("de", "brücke brücken"),
            ("es", "ladrón ladrones"),
            ("fr", "cheval chevaux"),
            ("fi", "tytär tyttäret"),
            ("fi", "miekka miekan miekkoja"),
            ("fi", "hevosen hevosia hevosensa"),
        ):
            with self.subTest(forms):
                self.assertEqual(len({words.stem(form, language) for form in forms.split()}), 1)

    def test_other_words_keep_other_stems(self):
        for language, one, other in (
            ("en", "glass", "glad"),
            ("sv", "barn", "bara"),
            ("sv", "far", "fart"),
            ("sv", "mak", "makt"),
            ("sv", "frukt", "frukost"),
            ("sv", "gå", "gård"),
            ("fi", "kala", "katu"),
        ):
            with self.subTest(one):
                self.assertNotEqual(words.stem(one, language), words.stem(other, language))

    def test_without_a_language_it_is_the_games(self):
        self.assertEqual(words.stem("kvarnarna"), "kvarnarna")
        self.speak("sv-SE")
        self.assertEqual(words.stem("kvarnarna"), "kvarn")

    def test_a_language_without_rules_keeps_its_words(self):
        self.assertEqual(words.stem("goblins", "xx"), "goblins")
        self.assertEqual(words.stem("钥匙", "en"), "钥匙")


class LanguageTests(LanguageTestCase):
    @override_settings(LANGUAGE_CODE="fi-FI")
    def test_the_settings_tell_the_language_of_the_game(self):
        self.speak("en")
        apps.get_app_config("evennia_ai").ready()
        self.assertEqual(words.Game.language, "fi")

    def language(self, text, **options):
        return words.language_of(words.words(text), **options)

    def test_another_language_is_the_usual_one_where_it_has_over_twice_the_signs_and_two_more(self):
        for english, swedish, expected in (
            (0, 2, ""),
            (0, 3, "sv"),
            (1, 4, ""),
            (1, 5, "sv"),
            (4, 10, ""),
            (4, 11, "sv"),
        ):
            with self.subTest(english=english, swedish=swedish):
                counts = Counter(en=english, sv=swedish)
                self.assertEqual(words.usual_language(counts), expected)

    def test_function_words_tell_the_language(self):
        for text, expected in (
            ("Where is the key?", "en"),
            ("Var är nyckeln?", "sv"),
            ("Wo ist der Schlüssel?", "de"),
            ("¿Dónde está la llave?", "es"),
            ("Où est la clé ?", "fr"),
            ("Missä se avain sitten on?", "fi"),
            ("Gdzie jest ten klucz?", "pl"),
        ):
            with self.subTest(text):
                self.assertEqual(self.language(text), expected)

    def test_a_word_or_two_that_mean_something_elsewhere_tell_nothing(self):
        for text in ("son", "A sea.", "die", "War!", "The brewer sold 13 barrels of dark ale."):
            with self.subTest(text):
                self.assertEqual(self.language(text), "en")

    def test_where_nothing_tells_it_is_the_default_or_the_games(self):
        self.assertEqual(self.language("hevosia?"), "en")
        self.assertEqual(self.language("hevosia?", default="fi"), "fi")
        self.assertEqual(self.language("Kuka on ritari?", default="fi"), "fi")
        self.speak("no")
        self.assertEqual(self.language("hevosia?"), "nb")
