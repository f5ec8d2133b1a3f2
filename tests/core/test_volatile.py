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


@volatile.once
def listed(*names):
    """Return a new list of some names."""
    return [*names]


def _opened(name="journal"):
    return name


closed = []
opened = volatile.once_from_settings(_opened, end=closed.append)
moods = volatile.of_assistants(str)
plain = volatile.keep(Plain)
held = volatile.keep(Held)


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

    def test_one_module_forgets_alone(self):
        volatile.forget(plain)
        self.assertEqual((plain, held), (Plain(), Held(["file"])))

    def test_a_function_is_called_once_for_the_same_arguments(self):
        first = listed("mara")
        self.assertIs(listed("mara"), first)
        self.assertEqual(listed("ann"), ["ann"])
        volatile.forget_all()
        self.assertIsNot(listed("mara"), first)

    def test_what_is_put_stands_for_what_would_be_made(self):
        listed.put(["bob"], "mara")
        self.assertEqual(listed("mara"), ["bob"])

    def test_what_was_made_from_settings_is_ended_when_they_change_and_the_rest_stays(self):
        opened(name="journal")
        first = listed()
        volatile.forget_all(from_settings=True)
        self.assertEqual((closed, plain), (["journal"], Plain({"mara": 1}, closing=True)))
        self.assertIs(listed(), first)

    def test_who_is_active_no_more_takes_along_what_was_kept_of_them(self):
        moods.update({1: "glad", 2: "sad"})
        volatile.forget_assistant(1)
        self.assertEqual(moods, {2: "sad"})
        volatile.forget_all()
        self.assertEqual(moods, {})

    def test_the_next_round_begins_with_containers_of_its_own(self):
        volatile.forget_all()
        plain.seen["ann"] = 1
        volatile.forget_all()
        self.assertEqual(plain.seen, {})
