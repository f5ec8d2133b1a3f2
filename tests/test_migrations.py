"""The migrations make the tables of the models, so that tests may make them from the models."""

import unittest
from io import StringIO

from django.core.management import call_command

from evennia_ai.models import Budget

OURS = "evennia_ai"


def makemigrations():
    """Return what `makemigrations` says of our models."""
    said = StringIO()
    call_command("makemigrations", OURS, dry_run=True, stdout=said)
    return said.getvalue().strip()


class MigrationTests(unittest.TestCase):
    def test_no_model_has_changed_since_the_last_one(self):
        self.assertEqual(makemigrations(), f"No changes detected in app '{OURS}'")

    def test_a_change_would_be_seen(self):
        field = Budget._meta.get_field("warned")
        self.addCleanup(setattr, field, "null", field.null)
        field.null = True
        self.assertIn("Alter field warned on budget", makemigrations())
