"""Tests of what is told on, to whom, and how far it is believed then."""

import unittest

from evennia_ai.domain.memories import gossip
from evennia_ai.domain.memories.gossip import Hearsay
from tests.domain import entries

ANN, BOB, MARA = "uuid-of-ann", "uuid-of-bob", "uuid-of-mara"
REGARDS = ("stranger", "acquaintance", "friend", "ally")


def told(level, regard, **fields):
    """Return whether Bob is told what Ann whispered to Mara."""
    given = {"audience": [ANN, MARA], "listener": BOB, "tellers": [ANN], **fields}
    return gossip.may_share(level, regard=regard, **given)


class LevelTests(unittest.TestCase):
    def test_there_are_three(self):
        self.assertEqual(gossip.LEVELS, ("never", "friends", "freely"))

    def test_builders_may_write_them_carelessly(self):
        self.assertEqual(gossip.level(" Freely "), "freely")

    def test_what_is_none_of_them_tells_nothing_on(self):
        for chosen in (None, "", "always", True, 1):
            with self.subTest(chosen=chosen):
                self.assertEqual(gossip.level(chosen), "never")


class RuleTests(unittest.TestCase):
    def regards_told(self, level, **fields):
        return [regard for regard in REGARDS if told(level, regard, **fields)]

    def test_by_each_level_and_relationship(self):
        self.assertEqual(self.regards_told("never"), [])
        self.assertEqual(self.regards_told("friends"), ["friend", "ally"])
        self.assertEqual(
            self.regards_told("freely"), ["stranger", "acquaintance", "friend", "ally"]
        )

    def test_what_the_other_may_know_anyway_is_told_at_each_level(self):
        for audience in ("public", [ANN, BOB, MARA]):
            for level in gossip.LEVELS:
                with self.subTest(audience=audience, level=level):
                    self.assertEqual(self.regards_told(level, audience=audience), list(REGARDS))

    def test_nobody_is_told_what_they_told(self):
        for audience in ("public", [BOB, MARA]):
            for tellers in ([BOB], [ANN, BOB]):
                with self.subTest(audience=audience, tellers=tellers):
                    fields = {"audience": audience, "tellers": tellers}
                    self.assertEqual(self.regards_told("freely", **fields), [])

    def test_a_secret_is_told_freely_only(self):
        self.assertEqual(self.regards_told("friends", secret=True), [])
        self.assertEqual(self.regards_told("freely", secret=True), list(REGARDS))

    def test_a_secret_that_was_said_aloud_is_still_one(self):
        for level in ("never", "friends"):
            self.assertEqual(self.regards_told(level, secret=True, audience="public"), [])

    def test_whoever_was_let_into_a_secret_may_hear_it_again(self):
        for level in gossip.LEVELS:
            found = self.regards_told(level, secret=True, audience=[ANN, BOB, MARA])
            self.assertEqual(found, list(REGARDS))

    def test_whoever_has_no_identity_is_told_nothing(self):
        self.assertEqual(self.regards_told("freely", listener=""), [])
        self.assertEqual(self.regards_told("never", listener="", audience="public"), [])

    def test_a_tag_makes_a_secret(self):
        for tags, secret in (
            (["say", "secret"], True),
            ([" Secret "], True),
            (["secretive"], False),
            ([], False),
        ):
            with self.subTest(tags=tags):
                self.assertIs(gossip.is_secret(tags), secret)


class HearsayTests(unittest.TestCase):
    def test_what_was_heard_at_first_hand_is_believed_as_it_is(self):
        self.assertEqual(gossip.believed(0.9, None), 0.9)

    def test_each_teller_halves_it(self):
        first = gossip.believed(0.9, Hearsay("x", 0.9))
        second = gossip.believed(0.9, Hearsay("x", first))
        self.assertEqual((first, second), (0.45, 0.225))

    def test_overheard_gossip_is_not_believed_more_than_what_is_overheard(self):
        self.assertEqual(gossip.believed(0.3, Hearsay("x", 0.9)), 0.3)

    def test_a_chain_grows_by_whoever_told_it_last(self):
        ann = {"identity": ANN, "name": "Ann"}
        chain = gossip.lengthened([], identity=ANN, name="Ann")
        self.assertEqual(chain, [ann])
        self.assertEqual(
            gossip.lengthened(chain, identity=MARA, name="Mara"),
            [ann, {"identity": MARA, "name": "Mara"}],
        )
        self.assertEqual(gossip.lengthened(chain, identity="", name=""), [ann])


class SharedTests(unittest.TestCase):
    BOB_WAS_TOLD = {"with": BOB, "name": "Bob", "timestamp": "2030-01-01T12:00:00.000Z"}

    def shared(self, entry, identity=BOB, name="Bob"):
        return gossip.shared_with(
            entry, identity=identity, name=name, timestamp="2030-01-01T12:00:00.000Z"
        )

    def test_whoever_was_told_may_know_it_from_now_on(self):
        entry = entries.entry(audience=[MARA, ANN])
        self.assertEqual(
            self.shared(entry), {"audience": [ANN, BOB, MARA], "shared": [self.BOB_WAS_TOLD]}
        )
        self.assertEqual(entry, entries.entry(audience=[MARA, ANN]))

    def test_what_is_public_stays_public(self):
        changes = self.shared(entries.entry())
        self.assertEqual(changes, {"audience": "public", "shared": [self.BOB_WAS_TOLD]})

    def test_telling_somebody_twice_is_noted_once(self):
        earlier = {"with": BOB, "name": "A stranger", "timestamp": "2029-01-01T12:00:00.000Z"}
        changes = self.shared(entries.entry(shared=[earlier]))
        self.assertEqual(changes["shared"], [self.BOB_WAS_TOLD])

    def test_a_gossip_does_not_remember_everybody(self):
        others = [{**self.BOB_WAS_TOLD, "with": f"uuid-{number}"} for number in range(50)]
        kept = self.shared(entries.entry(shared=others))["shared"]
        self.assertEqual((len(kept), kept[0]["with"], kept[-1]["with"]), (50, "uuid-1", BOB))
