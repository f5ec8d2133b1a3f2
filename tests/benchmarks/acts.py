"""What people do with a line, read by examples and by expressions alone: `python -m tests.benchmarks.acts`.

The examples of each language are read by the other four fifths of them, in five parts. `read` is the share of those
that do something and are read so, by the least margin before and after the NPC thinks of what it knows; `misread`
that of those which are read as something else, and `no_act_misread` that of those which do nothing but are read as
something. `together` is what is read by the expressions, else by examples. One JSON line. The examples were written by four hands, and hands that wrote some of them wrote the rest.
"""

import sys
import tempfile
from pathlib import Path

from tests.benchmarks import lived
from tests.benchmarks.link import run

PARTS = 5


def measure(code):
    """Return the figures of a language."""
    from evennia_ai.domain import speech_acts

    rows = list(speech_acts.rows(code))
    read = []
    for part in range(PARTS):
        known = (row for at, row in enumerate(rows) if at % PARTS != part)
        examples = speech_acts.Examples(known, code=code)
        read += [(act, line, examples.read(line)) for act, line in rows[part::PARTS]]
    acts = sum(act != speech_acts.OTHER for act, _ in rows)
    figures = {
        "examples": len(rows),
        "acts": acts,
        "expressions": share(_by_expressions, rows, acts),
    }
    for name, least in (("sure", speech_acts.SURE), ("likely", speech_acts.LIKELY)):
        found = [(act, got.name) for act, _, got in read if got.margin >= least]
        of_acts = [pair for pair in found if pair[0] != speech_acts.OTHER]
        figures[name] = {
            "read": round(sum(one == got for one, got in of_acts) / acts, 3),
            "misread": round(sum(one != got for one, got in of_acts) / acts, 3),
            "no_act_misread": round((len(found) - len(of_acts)) / (len(rows) - acts), 3),
        }
    likely = {
        line for act, line, got in read if got.name == act and got.margin >= speech_acts.LIKELY
    }
    figures["together"] = share(
        lambda act, line: _by_expressions(act, line) or line in likely, rows, acts
    )
    return figures


def share(is_read, rows, acts):
    """Return the share of what does something that is read so."""
    return round(sum(is_read(act, line) for act, line in rows) / acts, 3)


def _by_expressions(act, line):
    from evennia_ai.domain import speech_acts
    from evennia_ai.domain.offline import utterances

    said = utterances.classify(line)
    return speech_acts.SORTS.get(act) == (said.kind, said.topic)


def measured():
    """Return the figures of each language that has examples."""
    with tempfile.TemporaryDirectory() as folder:
        lived.start_evennia(Path(folder), sections={})
        return {"benchmark": "acts", **{code: measure(code) for code in ("en", "sv")}}


if __name__ == "__main__":
    sys.exit(run(measured))
