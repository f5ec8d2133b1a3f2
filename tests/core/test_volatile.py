"""What a restart forgets: the state of each module, ended before it is dropped."""

import unittest
from dataclasses import dataclass, field

from evennia_ai.core import volatile


@dataclass
class Plain:
    """State that is only dropped."""

    seen: dict = field(default_factory=dict)
    closing: bool = False


@dataclass
class Held:
    """State with something to end."""

    opened: list = field(default_factory=list)

    def end(self):
        """Note what is closed."""
        closed.extend(self.opened)


closed = []
plain = volatile.keep(Plain)
held = volatile.keep(Held, from_settings=True)


class VolatileTests(unittest.TestCase):
    def setUp(self):
        closed.clear()
        plain.seen["mara"], plain.closing = 1, True
        held.opened.append("file")
        self.addCleanup(volatile.forget_all)

    def test_all_of_it_is_as_at_the_start_again(self):
        volatile.forget_all()
        self.assertEqual((plain, held), (Plain(), Held()))

    def test_what_was_held_is_ended_once(self):
        volatile.forget_all()
        volatile.forget_all()
        self.assertEqual(closed, ["file"])

    def test_changed_settings_drop_only_what_was_made_from_them(self):
        volatile.forget_all(from_settings=True)
        self.assertEqual((plain, held), (Plain({"mara": 1}, closing=True), Held()))

    def test_one_module_forgets_alone(self):
        volatile.forget(plain)
        self.assertEqual((plain, held), (Plain(), Held(["file"])))

    def test_the_next_round_begins_with_containers_of_its_own(self):
        volatile.forget_all()
        plain.seen["ann"] = 1
        volatile.forget_all()
        self.assertEqual(plain.seen, {})
