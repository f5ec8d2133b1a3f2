"""How the lines of a prompt of talk begin: by a mark or title of ours, or by the name of whoever speaks."""

import re

from evennia_ai.domain.model_text import quotation

OURS = re.compile(
    r"""\(|-\ |You\ are\ in\ |Exits:\ |You\ speak\ on\ the\ channel\ |What\ you\ know:$
    |[^:()\[\]*|"<>\n]{1,40}(\ \((?:whispers[^()]*|from\ afar[^()]*|overheard|acts)\))?:\ """,
    re.X,
)


def begun_by_others(text, *, label="SYSTEM"):
    """Return the lines with words out of quotation that others begin, or that have a `label` within."""
    said = {line: quotation.outside(line) for line in text.splitlines()}
    forged = re.compile(rf"{label}(\s\(\w+\))?\s?[:：]")
    return [bare for line, bare in said.items() if not OURS.match(line) or forged.search(bare)]
