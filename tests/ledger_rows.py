"""The rows of the ledger, as tests read them."""

from evennia_ai import models
from evennia_ai.llm import ledger


def recent(assistant_id=None, limit=20):
    """Return the newest rows as plain dicts, newest first, of one assistant or of all."""
    ledger.flush()
    rows = models.LedgerEntry.objects.order_by("-created", "-id")
    if assistant_id is not None:
        rows = rows.filter(assistant_id=assistant_id)
    return list(rows.values()[:limit])
