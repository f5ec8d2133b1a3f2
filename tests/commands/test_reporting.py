"""`report` and `@aiadmin/reports`: what players let staff see of an NPC, and who forgets what of it."""

from unittest import mock

from evennia.comms.models import ChannelDB
from evennia.utils import logger
from evennia.utils.ansi import strip_ansi
from evennia.utils.create import create_channel, create_object

from evennia_ai.agent import say_as
from evennia_ai.agent.revising import forgetting
from evennia_ai.commands.players import reporting
from evennia_ai.core import volatile
from evennia_ai.memory import identity
from evennia_ai.memory.people import accounts, reports
from evennia_ai.models import Report
from evennia_ai.testing import minds
from evennia_ai.typeclasses import scripts
from evennia_ai.typeclasses.characters import AssistantCharacter
from tests.agent.cases import MindTestCase

INSULT = "You are a toad, Char."
THANKS = 'Staff will look at "You are a toad, Char.". Thank you.'
NOTHING = "You have heard Mara say nothing lately."


class ReportTestCase(MindTestCase):
    """Char and Char2 are beside Mara; Char is a developer, Char2 a player."""

    def types(self, line, *, by=None):
        """Return what whoever types a line reads at once, without markup."""
        heard = self.bob if by is self.char2 else self.ann
        heard.clear()
        (by or self.char1).execute_cmd(line)
        return "\n".join(strip_ansi(text) for _, text in heard)

    def insult(self, *, how="say Mara, what am I?", by=None, words=INSULT):
        """Let Mara say something bad."""
        mind = minds.script_llm(words)
        self.do(by or self.char1, how)
        return mind

    def only(self):
        """Return the one report that there is."""
        [report] = Report.objects.all()
        return report


class PlayerTests(ReportTestCase):
    def test_what_it_said_last_goes_to_staff_with_why(self):
        self.insult()
        self.assertEqual(self.types("report mara = She |rinsults|n me."), THANKS)
        report = self.only()
        self.assertEqual(
            (report.npc_id, report.npc_name, report.account_id, report.reporter),
            (self.mara.id, "Mara", self.account.id, "Char"),
        )
        self.assertEqual(report.said, f"say: {INSULT}")
        self.assertEqual(report.note, "She |rinsults|n me.")
        self.assertIn("heard      Char, say: Mara, what am I?", strip_ansi(report.trace))

    def test_guests_have_one_limit_together_and_forget_nothing_of_each_other(self):
        for account in (self.account, self.account2):
            account.permissions.clear()
            account.permissions.add("Guest")
        self.insult()
        self.types("report Mara = First.")
        self.types("report Mara = Second.", by=self.char2)
        self.assertEqual({one.account_id for one in Report.objects.all()}, {accounts.GUESTS})
        self.patch(reports, "OF_ONE", 2)
        self.insult(words="You are a newt.", how="say Mara, what is Char2?")
        full = "Staff have yet to look at what you reported before."
        self.assertEqual(self.types("report Mara", by=self.char2), full)
        done = forgetting.ask(self.char2, self.mara)
        self.wait(3)
        self.assertEqual(self.successResultOf(done), "")
        kept = {(one.reporter, one.note) for one in Report.objects.all()}
        self.assertEqual(kept, {("Char", "First."), ("", "")})

    def test_a_line_without_the_words_goes_to_the_channel_and_the_log_of_staff(self):
        described = {"key": "MudInfo", "desc": "", "locks": ""}
        channel = create_channel("MudInfo")
        self.addCleanup(channel.delete)
        told = []
        channel.msg = told.append
        logged = []
        self.patch(logger, "log_sec", logged.append)
        self.insult()
        with (
            self.settings(CHANNEL_MUDINFO=described),
            mock.patch.object(ChannelDB.objects, "get_channel", lambda key: channel),
        ):
            self.types("report mara = a note")
        line = (
            f"Char(#{self.char1.id}) reports what Mara(#{self.mara.id}) said: "
            f"@aiadmin/reports {self.only().id}"
        )
        self.assertEqual(told, [line])
        made = f"made report {self.only().id} of Mara(#{self.mara.id})"
        self.assertEqual(logged, [f"evennia_ai: Char(#{self.char1.id}) {made}."])

    def test_who_stood_by_reports_what_they_heard(self):
        self.insult()
        self.assertEqual(self.types("report mara", by=self.char2), THANKS)
        self.assertEqual(self.only().reporter, "Char2")

    def test_what_was_whispered_to_somebody_else_cannot_be_reported(self):
        self.insult(how="whisper Mara = What am I?")
        self.assertEqual(self.types("report mara", by=self.char2), NOTHING)
        self.assertEqual(Report.objects.count(), 0)
        self.assertEqual(self.types("report mara"), THANKS)

    def test_the_last_that_one_heard_counts_and_not_what_came_after_it(self):
        self.insult()
        self.insult(how="whisper Mara = And now?", words="The crown lies under the oak.")
        self.assertEqual(self.types("report mara", by=self.char2), THANKS)
        self.assertNotIn("oak", f"{self.only().said} {self.only().trace}")

    def test_who_came_later_has_heard_nothing(self):
        self.char2.location = self.room2
        self.insult()
        self.char2.location = self.room1
        self.assertEqual(self.types("report mara", by=self.char2), NOTHING)

    def test_words_that_staff_gave_it_and_commands_that_it_ran_count_too(self):
        self.successResultOf(say_as.speak_for(self.mara, INSULT, payer=0))
        self.assertEqual(self.types("report mara"), THANKS)
        self.assertEqual(self.only().trace, "")

    def test_it_may_be_gone_or_off_by_then(self):
        self.insult()
        self.mara.location = self.room2
        scripts.find(self.mara).disable()
        self.assertEqual(self.types("report mara"), THANKS)

    def test_after_a_restart_what_it_said_to_one_is_still_known(self):
        self.insult()
        volatile.forget_all()
        self.assertEqual(self.types("report mara"), THANKS)
        self.assertEqual((self.only().said, self.only().trace), (f"say: {INSULT}", ""))

    def test_of_whom_one_heard_nothing_there_is_nothing_to_report(self):
        self.assertEqual(self.types("report mara"), NOTHING)
        self.assertEqual(self.types("report Obj"), "Obj has no mind that could hear you.")
        self.assertEqual(self.types("report nobody"), "There is no 'nobody' here who would listen.")
        self.assertEqual(self.types("report"), "Usage: report <npc> [= what is wrong with it]")

    def test_twice_is_once_and_a_note_may_come_later(self):
        self.insult()
        self.types("report mara")
        again = "You have reported that already; staff will look at it."
        self.assertEqual(self.types("report mara = Rude."), again)
        self.assertEqual(self.types("report mara"), again)
        self.assertEqual(self.only().note, "Rude.")

    def test_a_note_is_cut_to_one_line_and_nothing_in_it_is_carried_out(self):
        self.insult()
        self.types(f"report mara = $You() \x1b[31m{'x' * 3000}")
        self.assertLessEqual(len(self.only().note), reporting.NOTE_LENGTH)
        shown = self.types(f"@aiadmin/reports {self.only().id}")
        self.assertIn('note  "$You()…"', shown)

    def test_a_player_has_so_many_waiting(self):
        self.patch(reports, "OF_ONE", 1)
        self.insult()
        self.types("report mara")
        self.insult(words="You are a frog, Char.")
        full = "Staff have yet to look at what you reported before."
        self.assertEqual(self.types("report mara"), full)
        self.assertEqual(self.types("report mara", by=self.char2).partition(".")[0][:5], "Staff")
        reports.deal_with(Report.objects.get(reporter="Char"), by="Keeper")
        self.assertNotEqual(self.types("report mara"), full)

    def test_the_tools_of_one_turn_are_one_report(self):
        self.configure(ALLOWED_COMMANDS=["pose"])
        minds.script_llm("*spits.*")
        self.do(self.char1, "say Mara, what am I?")
        self.types("report mara")
        self.assertEqual(self.only().said, "pose: spits.")

    def test_what_stands_in_no_database_is_left_out(self):
        self.insult()
        self.types("report mara = a \ud800 b \x00 c")
        self.assertEqual(self.only().note, "a b c")


class RoomTests(ReportTestCase):
    """How many are kept in all."""

    def add(self, account_id, *, dealt=False):
        report = reports.add(
            reports.Reported(
                npc_id=self.mara.id,
                npc_name="Mara",
                account_id=account_id,
                reporter="",
                reporter_identity="",
                moment=str(Report.objects.count()),
                said="say: x",
            )
        )
        if dealt:
            reports.deal_with(report, by="Keeper")
        return report.id

    def kept(self):
        return set(Report.objects.values_list("id", flat=True))

    def test_what_was_dealt_with_goes_first(self):
        self.patch(reports, "IN_ALL", 2)
        first, _ = self.add(1), self.add(2, dealt=True)
        third = self.add(3)
        self.assertEqual(self.kept(), {first, third})

    def test_then_the_oldest_of_whoever_made_most(self):
        self.patch(reports, "IN_ALL", 3)
        lone, *many = [self.add(account) for account in (1, 2, 2)]
        last = self.add(3)
        self.assertEqual(self.kept(), {lone, many[1], last})


class StaffTests(ReportTestCase):
    def test_the_list_shows_what_waits(self):
        self.assertEqual(self.types("@aiadmin/reports"), "No report waits.")
        self.insult()
        self.types("report mara = Rude.")
        shown = self.types("@aiadmin/reports")
        self.assertRegex(
            shown, rf"{self.only().id} .*Mara\(#{self.mara.id}\) +Char +say: You are a"
        )
        self.assertIn("Rude.", shown)

    def test_one_is_shown_in_full_and_put_away(self):
        self.insult()
        self.types("report mara = Rude.")
        number = self.only().id
        shown = self.types(f"@aiadmin/reports {number}")
        for part in (
            f"Report {number}",
            "from  Char",
            f"said  say: {INSULT}",
            '"Rude."',
            "heard   ",
        ):
            self.assertIn(part, shown)
        self.assertEqual(
            self.types(f"@aiadmin/reports {number} = done"), f"Report {number} is dealt with."
        )
        self.assertEqual(self.types("@aiadmin/reports"), "No report waits.")
        self.assertIn("Rude.", self.types("@aiadmin/reports done"))
        self.assertEqual(
            self.types(f"@aiadmin/reports {number} = done"),
            f"Char has dealt with report {number} already.",
        )

    def test_what_is_wrong_is_said(self):
        self.assertEqual(self.types("@aiadmin/reports x"), "There is no report 'x'.")
        self.assertEqual(
            self.types("@aiadmin/reports 99999999999999999999"),
            "There is no report '99999999999999999999'.",
        )
        self.assertEqual(self.types("@aiadmin/reports done"), "No report was dealt with.")
        self.insult()
        self.types("report mara")
        self.assertEqual(
            self.types(f"@aiadmin/reports {self.only().id} = x"),
            "Usage: @aiadmin/reports [<number> [= done]/done]",
        )

    def test_a_builder_sees_none_even_of_an_npc_that_they_control(self):
        self.insult()
        self.types("report mara = Rude.")
        self.account2.permissions.add("Builder")
        self.mara.locks.add(f"control:id({self.char2.id})")
        shown = self.types("@aiadmin/reports", by=self.char2)
        self.assertNotIn("toad", shown)
        self.assertIn("Command '@aiadmin/reports' is not available", shown)

    def test_an_admin_sees_them(self):
        self.insult()
        self.types("report mara = Rude.")
        self.account2.permissions.add("Admin")
        self.assertIn("Rude.", self.types(f"@aiadmin/reports {self.only().id}", by=self.char2))


class ForgettingTests(ReportTestCase):
    def forget(self, character):
        target = forgetting.person(self.mara, character)
        done = forgetting.forget(self.mara, self.script_of_mara, target)
        self.wait()
        return self.successResultOf(done)

    def test_who_reported_it_is_forgotten_and_what_the_npc_said_stays(self):
        self.insult(words="You are a toad.")
        self.types("report mara = Mine is the brass bell.", by=self.char2)
        self.assertEqual(self.forget(self.char2)["reports"], 1)
        report = self.only()
        self.assertEqual(
            (report.account_id, report.reporter, report.reporter_identity, report.note),
            (0, "", "", ""),
        )
        self.assertEqual((report.said, report.trace), ("say: You are a toad.", ""))
        self.assertNotIn(self.second, report.concerned)
        shown = self.types(f"@aiadmin/reports {report.id}")
        self.assertIn("from  (forgotten)", shown)

    def test_words_of_others_go_from_what_somebody_reported(self):
        self.insult(how="say Mara, my brass bell rings?", words="Your brass bell rings.")
        self.types("report mara = Odd.", by=self.char2)
        self.assertIn("brass", self.only().trace)
        self.forget(self.char1)
        report = self.only()
        self.assertNotIn("brass", f"{report.said}{report.trace}")
        self.assertEqual((report.reporter, report.note), ("Char2", "Odd."))

    def test_who_has_nothing_to_do_with_it_changes_nothing(self):
        self.insult(words="You are a toad.")
        self.types("report mara = Odd.")
        cid = create_object(AssistantCharacter, key="Cid", location=self.room2)
        before = Report.objects.values().get()
        self.forget(cid)
        self.assertEqual(Report.objects.values().get(), before)

    def test_everywhere_reaches_npcs_that_remember_nothing_or_are_gone(self):
        accounts.opt_out(self.char2)
        self.insult(by=self.char2, words="You are a toad.")
        self.types("report mara = Mine is the brass bell.", by=self.char2)
        identity.forget_everything(self.mara)
        done = forgetting.ask(self.char2)
        self.wait(3)
        self.successResultOf(done)
        self.assertEqual((self.only().note, self.only().reporter), ("", ""))

    def test_of_an_npc_that_is_gone_all_goes_that_concerns_them(self):
        self.insult(words="You are a toad.")
        self.types("report mara = Mine is the brass bell.", by=self.char2)
        self.mara.delete()
        self.wait()
        self.assertEqual(self.only().trace, "")
        done = forgetting.ask(self.char2)
        self.wait(3)
        self.successResultOf(done)
        report = self.only()
        self.assertEqual((report.note, report.said, report.reporter), ("", "", ""))

    def test_a_builder_who_clears_or_deletes_an_npc_does_not_clear_what_was_reported_of_it(self):
        self.insult()
        self.types("report mara = Rude.", by=self.char2)
        done = forgetting.forget_everything(self.mara, self.script_of_mara)
        self.wait()
        self.successResultOf(done)
        self.assertEqual((self.only().note, self.only().said), ("Rude.", f"say: {INSULT}"))
        self.assertEqual(self.only().trace, "")
        # Whose words it said nobody can tell any more; whoever asked it may be meant.
        self.forget(self.char1)
        self.assertEqual((self.only().note, self.only().said), ("Rude.", ""))

    def test_what_was_said_to_who_is_forgotten_is_reported_by_nobody_any_more(self):
        self.insult(words="You are a toad.")
        self.forget(self.char1)
        self.types("report mara", by=self.char2)
        self.assertEqual(list(Report.objects.all()), [])
