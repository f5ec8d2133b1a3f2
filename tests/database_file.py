"""Makes Evennia usable in this process on a database in a file, as the server has it."""

import os


def start_evennia(database, *, migrate=True):
    """Set Evennia up on the SQLite file `database`, with the server's own pragmas."""
    os.environ.update(TEST_DB_PATH=str(database), DJANGO_SETTINGS_MODULE="server.conf.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    import evennia

    evennia._init()
    if migrate:
        call_command("migrate", verbosity=0)
    if connection.vendor == "sqlite":
        for pragma in settings.SQLITE3_PRAGMAS:
            connection.cursor().execute(pragma)
