"""What the database is asked to do, in a word for each statement."""

import re
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

_MANY = re.compile(r"(\d+) times: (\w+)")
# A test is in a transaction of its own.
_OF_A_PIECE = {"SAVEPOINT": "BEGIN", "RELEASE": "COMMIT"}


@contextmanager
def statements():
    """Collect the statements of a block: "SELECT", "UPDATE", "UPDATE 3" where it is one for three."""
    asked = []
    with CaptureQueriesContext(connection) as queries:
        yield asked
    asked += [_word(query["sql"]) for query in queries.captured_queries]


def _word(sql):
    many = _MANY.match(sql)
    if many:
        return f"{many[2]} {many[1]}"
    word = sql.split(" ", 1)[0]
    return _OF_A_PIECE.get(word, word)
