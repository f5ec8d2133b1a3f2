"""Inside the Server: loses the connection to the database in the middle of a start, where it was told to.

Named in AT_SERVER_STARTSTOP_MODULE once for each place at which that may be, so nothing is imported early.
"""

# Under which it stands in Evennia's ServerConfig at which of the places it is lost, from 1 on.
KEY = "test_lose_database_at"
_state = {"place": 0}


def lose_at(place):
    """Lose it at a place of the next start."""
    from evennia.server.models import ServerConfig

    ServerConfig.objects.conf(KEY, place)


def at_server_start():
    """Let Postgres end the connection of the reactor's thread, if this is the place."""
    import contextlib

    from django.db import OperationalError, connection
    from evennia.server.models import ServerConfig

    _state["place"] += 1
    if "lost_at" not in _state:
        _state["lost_at"] = ServerConfig.objects.conf(KEY)
        ServerConfig.objects.conf(KEY, delete=True)
    if _state["place"] == _state["lost_at"]:
        with contextlib.suppress(OperationalError), connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
