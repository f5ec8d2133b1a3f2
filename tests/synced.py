"""What is noted is in long-term memory at once, as if sleep had kept it already."""

from unittest import mock

from evennia_ai.memory import identity, journal
from evennia_ai.semantic import journal_sync
from evennia_ai.semantic.base import get_memory


def synced():
    """Return what copies each entry as it is noted, while it is started."""
    note = journal.add_entry

    def add_entry(character, *args, **fields):
        entry = note(character, *args, **fields)
        memory = get_memory()
        if memory.enabled:
            journal_sync.add_entry(memory, entry, assistant_key=identity.identity_of(character))
        return entry

    return mock.patch.object(journal, "add_entry", add_entry)


def sync(case):
    """Let a test note so until it ends."""
    patch = synced()
    patch.start()
    case.addCleanup(patch.stop)
