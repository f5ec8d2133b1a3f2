"""The scripts that Evennia's ticker calls for us: one for each interval at which minds are ticked."""

from __future__ import annotations

from typing import Any

from evennia.scripts.scripts import DefaultScript

from evennia_ai import tick


class Pulse(DefaultScript):
    """Ticks the assistants of one interval; how many seconds it is stands at the end of its key.

    Evennia keeps of a ticker which object it calls, and the name of the method. Should this package
    be gone, the script becomes a default one, whose `at_repeat` does nothing.
    """

    def at_script_creation(self) -> None:
        """Have no timer of its own."""
        self.desc = "Lets Evennia's ticker wake the NPCs with a mind"
        self.persistent = True

    def at_repeat(self, **kwargs: Any) -> None:
        """Start the ticks of the interval; return at once."""
        if rate := self._rate:
            tick.pulse(rate)

    def at_script_delete(self) -> bool:
        """Be replaced, should the interval still be in use."""
        tick.lose(self._rate)
        return True

    @property
    def _rate(self) -> int:
        end = self.key.rpartition("_")[2]
        return int(end) if end.isdecimal() else 0
