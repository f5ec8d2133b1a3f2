"""Tables beside the Attributes: the ledger of model calls, daily spending, and reports.

Assistants and players stand here as plain numbers. A ForeignKey would make Django write
migrations into Evennia's own package, and a row must outlive the object that it speaks of.
"""

from __future__ import annotations

from django.db import models


class LedgerEntry(models.Model):
    """One attempt at one call of a model; never changed, deleted when it is old."""

    created = models.DateTimeField(db_index=True)
    # The key of the settings under which the model was asked, what for, and who answered.
    alias = models.CharField(max_length=64)
    job = models.CharField(max_length=32)
    model = models.CharField(max_length=200, blank=True)
    assistant_id = models.BigIntegerField(default=0)
    assistant_key = models.CharField(max_length=255, blank=True)
    player_id = models.BigIntegerField(default=0)
    turn_id = models.CharField(max_length=64, blank=True)
    # None where there was no answer; of the prompt's, those cached are the ones the server had read before.
    prompt_tokens = models.BigIntegerField(null=True)
    completion_tokens = models.BigIntegerField(null=True)
    cached_tokens = models.BigIntegerField(default=0)
    # In millionths.
    money = models.BigIntegerField(default=0)
    latency_ms = models.BigIntegerField(default=0)
    # "ok", or the name of the error.
    outcome = models.CharField(max_length=64)
    error = models.CharField(max_length=300, blank=True)
    # Empty unless LEDGER_PROMPTS is on: they contain what players said.
    prompt = models.TextField(blank=True)
    answer = models.TextField(blank=True)

    class Meta:
        indexes = [models.Index(fields=["assistant_id", "created"], name="ai_ledger_assistant")]
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"{self.created:%Y-%m-%d %H:%M:%S} {self.alias}/{self.job} {self.outcome}"


class Budget(models.Model):
    """What one scope (server, assistant or player) has spent on one day, reservations included."""

    # "server", "assistant:<key or id>" or "player:<id>".
    scope = models.CharField(max_length=255)
    # In UTC.
    day = models.DateField()
    tokens = models.BigIntegerField(default=0)
    # In millionths.
    money = models.BigIntegerField(default=0)
    # Percent of the cap that staff have been told of today.
    warned = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "day"], name="ai_budget_scope_day")]

    def __str__(self) -> str:
        return f"{self.scope} {self.day}: {self.tokens} tokens"


class DailyCost(models.Model):
    """What one assistant's models cost on one day for one job, summed up from the ledger."""

    # In UTC.
    day = models.DateField()
    assistant_id = models.BigIntegerField(default=0)
    job = models.CharField(max_length=32)
    calls = models.BigIntegerField(default=0)
    failures = models.BigIntegerField(default=0)
    prompt_tokens = models.BigIntegerField(default=0)
    completion_tokens = models.BigIntegerField(default=0)
    # In millionths.
    money = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["day", "assistant_id", "job"], name="ai_cost_day_assistant_job"
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.job} of #{self.assistant_id}: {self.calls} calls"


class Report(models.Model):
    """What a player reported of an NPC, for staff; whose words are in it may be forgotten."""

    created = models.DateTimeField()
    npc_id = models.BigIntegerField(db_index=True)
    npc_name = models.CharField(max_length=255)
    # Who reported it, and what they wrote; 0 and empty once they are forgotten.
    account_id = models.BigIntegerField(default=0)
    reporter = models.CharField(max_length=255, blank=True)
    note = models.TextField(blank=True)
    # What the reporter heard the NPC say, and why it said that.
    said = models.TextField(blank=True)
    trace = models.TextField(blank=True)
    # By which it is found again: the moment of the last line, and the identities of all concerned.
    moment = models.CharField(max_length=64)
    reporter_identity = models.CharField(max_length=255, blank=True)
    concerned = models.JSONField(default=list)
    dealt = models.DateTimeField(null=True)
    dealt_by = models.CharField(max_length=255, blank=True)

    def __str__(self) -> str:
        return f"{self.id}: {self.npc_name}, {self.created:%Y-%m-%d %H:%M}"


class Job(models.Model):
    """One piece of work for a worker, found again by its key, and what came of it."""

    # What it is a hash of is asked for once: of the same key there is one row, and one answer.
    key = models.CharField(max_length=64, unique=True)
    # Of procrastinate, whose job carries what is asked; None where it was done here.
    number = models.BigIntegerField(null=True)
    kind = models.CharField(max_length=32)
    assistant_id = models.BigIntegerField(default=0, db_index=True)
    created = models.DateTimeField()
    finished = models.DateTimeField(null=True, db_index=True)
    # JSON; "" while there is none.
    answer = models.TextField(blank=True)
    # The run of the server that took the answer: another may take it once more, as that one may have died of it.
    taken_by = models.CharField(max_length=32, blank=True)

    def __str__(self) -> str:
        return f"{self.created:%Y-%m-%d %H:%M:%S} {self.kind} of #{self.assistant_id}"
