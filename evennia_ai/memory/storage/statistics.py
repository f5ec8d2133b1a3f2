"""Statistics for SQLite, so that it finds the Attributes of one object without reading those of all.

Other databases keep their own.
"""

from __future__ import annotations

from django.db import DatabaseError, connection
from evennia.accounts.models import AccountDB
from evennia.objects.models import ObjectDB
from evennia.scripts.models import ScriptDB
from evennia.typeclasses.attributes import Attribute
from evennia.utils import logger

# Rows of an index that are looked at, however large the game is.
ROWS = 400


def refresh() -> None:
    """Let SQLite count the Attributes and whose they are; what it found stays in the database."""
    if connection.vendor != "sqlite":
        return
    owners = (ObjectDB, ScriptDB, AccountDB)
    tables = [Attribute._meta.db_table]
    tables += [one.db_attributes.through._meta.db_table for one in owners]
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit = {ROWS}")
            for table in tables:
                cursor.execute(f"ANALYZE {connection.ops.quote_name(table)}")
    except DatabaseError as error:
        logger.log_warn(f"evennia_ai: SQLite did not count its Attributes: {error}")
