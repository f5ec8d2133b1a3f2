"""Makes Evennia usable in this process on a database in a file, as the server has it."""

import os


def start_evennia(database, *, new=True):
    """Set Evennia up on the SQLite file `database`, with the server's own pragmas."""
    os.environ.update(TEST_DB_PATH=str(database), DJANGO_SETTINGS_MODULE="server.conf.settings")
    import django
    from django.conf import settings
    from django.db import connection

    django.setup()
    import evennia

    evennia._init()
    if new:
        make_tables()
    if connection.vendor == "sqlite":
        for pragma in settings.SQLITE3_PRAGMAS:
            connection.cursor().execute(pragma)


def make_tables():
    """Make all tables from the models, as the runner of the tests does: a hundred migrations take far longer."""
    from django.apps import apps
    from django.core.management import call_command
    from django.test import override_settings

    with override_settings(MIGRATION_MODULES={app.label: None for app in apps.get_app_configs()}):
        call_command("migrate", run_syncdb=True, verbosity=0)
