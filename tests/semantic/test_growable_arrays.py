"""Tests of arrays that grow."""

import unittest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evennia_ai.semantic.stores.growable_arrays import FIRST_ROOM, Column, products


class ColumnTests(unittest.TestCase):
    def test_values_come_out_as_they_went_in(self):
        column = Column("int64")
        column.extend([3, 1])
        column.extend([])
        column.extend([2])
        self.assertEqual((column.values.tolist(), len(column)), ([3, 1, 2], 3))

    def test_rows_have_a_width(self):
        column = Column("float32", width=2)
        self.assertEqual(column.values.shape, (0, 2))
        column.extend([[0.5, 1.0]])
        self.assertEqual(column.values.tolist(), [[0.5, 1.0]])

    def test_what_was_given_stays_as_it_was(self):
        column = Column("int32")
        column.extend(range(FIRST_ROOM))
        before = column.values
        column.extend([99] * (2 * FIRST_ROOM))
        self.assertEqual(before.tolist(), list(range(FIRST_ROOM)))
        self.assertEqual(column.values.tolist()[FIRST_ROOM:], [99] * (2 * FIRST_ROOM))

    def test_room_is_made_ahead_so_that_few_values_are_copied(self):
        column, sizes = Column("int64"), set()
        for number in range(10_000):
            column.extend([number])
            sizes.add(column.nbytes)
        self.assertLessEqual(len(sizes), 11)
        self.assertEqual(column.values[-1], 9999)

    @given(st.lists(st.lists(st.integers(-5, 5), max_size=40), max_size=8))
    def test_it_is_a_list_of_all_that_came_in(self, parts):
        column = Column("int64")
        for part in parts:
            column.extend(part)
        self.assertEqual(column.values.tolist(), [value for part in parts for value in part])


class ProductTests(unittest.TestCase):
    def test_each_row_is_multiplied_with_the_vector(self):
        rows = np.array([[1.0, 2.0], [0.0, -1.0]], dtype=np.float32)
        self.assertEqual(products(rows, [3.0, 4.0]).tolist(), [11.0, -4.0])
        self.assertEqual(products(rows, [[3.0, 4.0]]).dtype, np.float32)

    def test_no_row_has_no_product(self):
        self.assertEqual(products(np.zeros((0, 3), dtype=np.float32), [1, 2, 3]).tolist(), [])
