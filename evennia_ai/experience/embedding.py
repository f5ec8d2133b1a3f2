"""Which embedder experience uses: that of long-term memory, or words counted where it is missing."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from evennia_ai import conf
from evennia_ai.experience.warning import warn
from evennia_ai.semantic.stored import DEFAULT_EMBEDDER

FALLBACK = "evennia_ai.semantic.embedders.adler32.Adler32Embedder"


def of_settings(*, silent: bool = False) -> Any:
    """Return the embedder that the settings give to long-term memory.

    One whose model or package is not on this machine is replaced by one that needs neither; what it
    filled is embedded anew as soon as the other is there.
    """
    options = (conf.get("SEMANTIC").get("default") or {}).get("OPTIONS", {})
    path = options.get("embedder", DEFAULT_EMBEDDER)
    try:
        return conf.load(path)(**options.get("embedder_options", {}))
    except ImproperlyConfigured as error:
        if not silent:
            warn(f"experience is found by words in common only: {error}")
        return conf.load(FALLBACK)()
