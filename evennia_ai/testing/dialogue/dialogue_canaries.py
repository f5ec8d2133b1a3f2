"""Words that may reach nobody who was not told them: watched in what people hear and in prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evennia_ai.core.records import Audience
from evennia_ai.domain import audience as audiences
from evennia_ai.testing.dialogue.dialogue_checks import mentions


class Canaries:
    """Who was told which of some words; `people` are the identities by name."""

    def __init__(self, words: Iterable[str], people: Mapping[str, str]) -> None:
        self._people = dict(people)
        self._told: dict[str, set[str]] = {word: set() for word in words}

    def watch(self, word: str) -> None:
        """Watch another word, which nobody was told yet."""
        self._told.setdefault(word, set())

    def know(self, name: str, identity: str) -> None:
        """Watch what another person may hear."""
        self._people[name] = identity

    def let_go(self, name: str) -> None:
        """Watch somebody no more who is gone."""
        self._people.pop(name, None)

    def tell(self, text: str, names: Iterable[str]) -> None:
        """Note that these people have said a text, or heard it from another than the NPC."""
        for word in self._in(text):
            self._told[word].update(names)

    def heard(self, name: str, text: str) -> list[str]:
        """Return what is wrong with a text that reached somebody."""
        return [
            f"canary: {name} heard {word!r}, and was not told it."
            for word in self._in(text)
            if name not in self._told[word]
        ]

    def prompted(self, text: str, known: Audience) -> list[str]:
        """Return what is wrong with a prompt whose answer all may hear who are in `known`."""
        found = []
        for word in self._in(text):
            names = [
                name
                for name, identity in self._people.items()
                if name not in self._told[word] and audiences.may_know(known, [identity])
            ]
            if names:
                listed = ", ".join(names)
                found.append(
                    f"canary: {word!r} stood in a prompt as something that {listed} may know."
                )
        return found

    def _in(self, text: str) -> list[str]:
        return [word for word in self._told if mentions(text, word)]
