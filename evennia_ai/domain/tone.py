"""How somebody takes what was said or done: from -1 (against it) to 1 (glad of it), by rules.

English and Swedish. What is neither is 0, and so is what nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from evennia_ai.domain import reply, utterances

# Characters of one line that are looked at.
MAX_LENGTH = 600

_HOSTILE = re.compile(
    r"\b(?:get lost|go away|get out(?: of my (?:sight|way|face))?|leave me alone|shut (?:up|your)"
    r"|piss off|sod off|back off|to hell with|go to hell|drop dead|how dare you|you(?:'ll| will) "
    r"(?:regret|pay for|be sorry)|i(?:'ll| will) (?:remember this|have your|get you)"
    r"|never (?:speak|talk|come near|darken)"
    r"|dra åt|stick härifrån|försvinn|håll (?:käften|tyst)|lämna mig|det ska du få ångra)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:no deal|forget it|(?:that(?:'s| is)|you(?:'re| are)) (?:no|not much) (?:help|use)"
    r"|(?:that|it) (?:does not|doesn't|did not|didn't) help|thanks for nothing|nonsense|rubbish"
    r"|i (?:do not|don't) (?:believe|trust) (?:you|that|a word)|not good enough|you(?:'re| are) "
    r"(?:wrong|mistaken)|glöm det|det hjälper inte|tack för ingenting|struntprat|du har fel)\b",
    re.I,
)
_GLAD = re.compile(
    r"\b(?:you(?:'re| are| were) (?:(?:quite|so|absolutely|probably) )?right(?! (?:here|there|now|about nothing))|fair enough"
    r"|(?:it(?:'s| is) a )?deal(?=\s*(?:[.!,]|then|\Z))|agreed|good (?:idea|advice|point)"
    r"|i(?:'ll| will) (?:behave|calm down|be (?:good|quiet|calm)|sit down|go in peace)"
    r"|i(?:'m| am) calm|no offen[cs]e|meant no harm|no harm meant|let(?:'s| us) (?:drink|shake|make"
    r" peace)|that (?:helps|helped|is (?:kind|good) of you)|much better|what a relief"
    r"|du har rätt|överens|avgjort|bra idé|jag ska lugna mig|det var inte meningen)\b",
    re.I,
)
# What a sort of utterance says by itself.
_KINDS = {
    "thanks": 0.6,
    "sorry": 0.6,
    "praise": 0.8,
    "insult": -1.0,
    "quiet": -0.5,
    "well": 0.2,
    "laugh": 0.2,
    "yes": 0.3,
    "no": -0.3,
}
_FOR_GLAD, _FOR_AGAINST = 0.6, -0.5


def of_words(text: str, *, names: Iterable[str] = ()) -> float:
    """Return how glad (1) or angry (-1) a line sounds to whom these `names` belong.

    Anger outweighs what else is said in the same breath: "sorry, but get lost" is no apology.
    """
    line = reply.printable(text, max_length=MAX_LENGTH).replace("’", "'")
    if _HOSTILE.search(line):
        return -1.0
    said = utterances.classify(line, names=names)
    felt = _KINDS.get(said.topic, _KINDS.get(said.kind, 0.0))
    if felt == -1.0:
        return felt
    if _AGAINST.search(line):
        return _FOR_AGAINST
    return max(felt, _FOR_GLAD) if _GLAD.search(line) else felt
