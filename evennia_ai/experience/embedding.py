"""The embedder of experience: its own, or counted words where that is missing.

Not that of long-term memory: what knows of meaning finds "drunk" and "sober" alike, and the place as
important as the one word for somebody's mood. With it experience hardly helps (docs/evaluation.md).
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai import conf
from evennia_ai.experience.warning import warn

FALLBACK = "evennia_ai.semantic.embedders.adler32.Adler32Embedder"


def of_settings(*, silent: bool = False) -> Any:
    """Return the embedder that the settings give to experience.

    One whose model or package is not on this machine is replaced by one that needs neither; what it
    filled is embedded anew as soon as the other is there.
    """
    options = conf.get("EXPERIENCE")
    try:
        return conf.load(options["EMBEDDER"])(**options["EMBEDDER_OPTIONS"])
    except ImproperlyConfigured as error:
        if not silent:
            warn(f"experience is found by words in common only: {error}")
        return conf.load(FALLBACK)()
