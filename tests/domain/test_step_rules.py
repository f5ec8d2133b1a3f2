"""Steps of a goal: done by what the world shows, tried again, given up, turned back."""

import unittest
from datetime import datetime, timedelta, timezone

from evennia_ai.core.records import Step, format_time
from evennia_ai.domain.choices import step_rules
from evennia_ai.domain.choices.step_rules import Move

NOW = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)
LETTER, ANN, BERTIL = ("letter-id", 5), ("ann-id", 6), ("bertil-id", 7)


def errand(*, is_here=True, back_to=0):
    return step_rules.errand(
        thing=LETTER, sender=ANN, receiver=BERTIL, back_to=back_to, is_here=is_here, now=NOW
    )


class MoveTests(unittest.TestCase):
    def move(self, step, *, later=timedelta(), **seen):
        seen.setdefault("is_done", False)
        return step_rules.move(step, now=NOW + later, **seen)

    def test_what_the_world_shows_as_done_is_done_however_it_came_about(self):
        tried = Step(act="give", tries=99, retry_at=format_time(NOW + MINUTE))
        self.assertIs(self.move(tried, is_done=True, hopeless="it was gone"), Move.DONE)

    def test_a_step_is_tried_again_after_twice_as_long_and_given_up_after_eight_tries(self):
        step, waited = Step(act="give"), []
        moment = NOW
        while step_rules.move(step, now=moment, is_done=False) is Move.TRY:
            step = step_rules.failed(step, now=moment)
            self.assertIs(step_rules.move(step, now=moment, is_done=False), self.after(step))
            after = datetime.fromisoformat(step.retry_at)
            waited.append((after - moment) // MINUTE)
            moment = after
        self.assertEqual(waited, [1, 2, 4, 8, 16, 30, 30, 30])
        self.assertIs(step_rules.move(step, now=moment, is_done=False), Move.GIVE_UP)

    def after(self, step):
        return Move.GIVE_UP if step.tries >= step_rules.TRIES else Move.WAIT

    def test_what_is_not_given_up_for_good_is_tried_for_ever(self):
        step = Step(act="give")
        for _ in range(50):
            step = step_rules.failed(step, now=NOW, for_good=False)
        self.assertIs(self.move(step, later=30 * MINUTE), Move.TRY)

    def test_what_is_hopeless_is_given_up_at_once(self):
        self.assertIs(self.move(Step(act="give"), hopeless=step_rules.NOBODY), Move.GIVE_UP)

    def test_who_never_hands_it_over_is_waited_for_for_five_minutes(self):
        get = errand(is_here=False)[0]
        self.assertIs(self.move(get, later=4 * MINUTE), Move.TRY)
        self.assertIs(self.move(get, later=5 * MINUTE), Move.GIVE_UP)


class ErrandTests(unittest.TestCase):
    def acts(self, plan):
        return [step.act for step in plan]

    def test_it_is_got_brought_and_reported(self):
        self.assertEqual(self.acts(errand()), ["give", "tell"])
        self.assertEqual(self.acts(errand(is_here=False)), ["get", "give", "tell"])
        self.assertEqual(self.acts(errand(back_to=3)), ["give", "go", "tell"])

    def test_what_could_not_be_brought_goes_back_to_who_gave_it_with_the_reason(self):
        plan = step_rules.turned_back(
            errand(back_to=3), step_rules.NOT_FOUND, has_thing=True, now=NOW
        )
        self.assertEqual(self.acts(plan), ["go", "give"])
        self.assertEqual((plan[1].person, plan[1].thing), ("ann-id", "letter-id"))
        self.assertEqual(plan[1].words, "not_found")
        self.assertTrue(step_rules.is_return(plan[1]))

    def test_what_nobody_fetches_in_thirty_days_stays_where_it_is(self):
        [back] = step_rules.turned_back(errand(), step_rules.NOT_FOUND, has_thing=True, now=NOW)
        for days, expected in ((29, Move.TRY), (30, Move.GIVE_UP)):
            later = NOW + timedelta(days=days)
            self.assertIs(step_rules.move(back, now=later, is_done=False), expected)
        self.assertEqual(step_rules.turned_back([back], "", has_thing=True, now=NOW), [])

    def test_of_what_is_gone_only_the_report_is_left(self):
        plan = step_rules.turned_back(errand(), step_rules.GONE, has_thing=False, now=NOW)
        self.assertEqual([(step.act, step.words) for step in plan], [("tell", "gone")])

    def test_what_was_never_handed_over_and_a_report_to_nobody_leave_nothing(self):
        never = errand(is_here=False)
        self.assertEqual(step_rules.turned_back(never, "", has_thing=False, now=NOW), [])
        self.assertEqual(step_rules.turned_back(errand()[1:], "", has_thing=False, now=NOW), [])

    def test_who_finds_no_way_back_goes_on_with_what_comes_then(self):
        plan = errand(back_to=3)[1:]
        self.assertEqual(
            self.acts(step_rules.turned_back(plan, "", has_thing=False, now=NOW)), ["tell"]
        )
