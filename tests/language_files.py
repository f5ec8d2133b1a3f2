"""A file of a language of the game's own, for as long as a test needs it."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

from evennia_ai.core import languages


@contextmanager
def language_file(code, text):
    """Let a language be read with a file of the game's own that says `text`; yield where it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{code}.yaml"
        path.write_text(text, "utf-8")
        languages.use({code: path})
        try:
            yield path
        finally:
            languages.use({})
