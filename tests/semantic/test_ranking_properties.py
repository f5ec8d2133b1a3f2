"""A filter on metadata, whatever stands there and is asked for."""

import unittest

from hypothesis import given
from hypothesis import strategies as some

from evennia_ai.semantic.stores import postgres_sql


class FacetTests(unittest.TestCase):
    VALUES = some.none() | some.booleans() | some.integers(-9, 9) | some.text(max_size=3)
    METADATA = some.dictionaries(
        some.sampled_from("abc"), VALUES | some.lists(VALUES, max_size=3), max_size=3
    )

    @given(METADATA, some.sampled_from("abc"), VALUES | some.lists(VALUES, max_size=3))
    def test_a_filter_finds_just_what_is_equal_or_a_member(self, metadata, key, wanted):
        """None is no value: what is not there cannot be asked for."""
        [codes] = postgres_sql.filter_codes({key: wanted})
        given_ = metadata.get(key, ())
        members = given_ if isinstance(given_, (list, tuple)) else [given_]
        choices = wanted if isinstance(wanted, list) else [wanted]
        fits = any(one is not None and one in choices for one in members)
        self.assertEqual(bool(set(codes) & set(postgres_sql.codes(metadata))), fits)
