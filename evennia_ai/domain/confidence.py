"""Words by which somebody asks that a thing be told to nobody, in each language of the offline words."""

from __future__ import annotations

import re

# Seconds after which "tell nobody" no longer means what was said before it.
SECONDS = 120
# Words of a line that tells nothing else, so that it means what was said before it.
BARE_WORDS = 12

PATTERNS = {
    "en": r"""
        tell(?:ing)?\s(?:(?:it|this|that)\s)?(?:to\s)?(?:nobody|no[ -]?one|not\sa\ssoul)
        |(?:don't|dont|do\snot|never|must(?:\snot|n't)|should(?:\snot|n't)|may\snot|can(?:not|\snot|'t)
            |not\sto|please\snot|without)\s(?:ever\s)?
            (?:tell|mention|repeat|breathe|speak|say|share|whisper|let\son|pass)(?:ing)?\b.{0,40}?
            \b(?:any\s?(?:one|body)|a\ssoul|others|another\ssoul)
        |(?:don't|dont|do\snot|never)\s(?:ever\s)?(?:tell|repeat|share)\s(?:this|that|it)
        |(?:don't|dont|do\snot|never)\smention\s(?:this|that|it\sto)
        |(?:keep|hold)\s(?:(?:it|this|that|what\si\s[^.!?]{1,30}?)\s)?
            (?:an?\s|as\sa\s|in\s|my\s|our\s|the\s)?(?:secrets?|confidence|quiet|private
            |to\syourself|between\sus)
        |between\s(?:you\sand\sme|ourselves|the\stwo\sof\sus|us)
        |(?:it|this|that|which)(?:'s|\sis|\smust\sbe|\smust\sstay|\sshall\sstay|\sstays|\sremains)\s
            (?:a\s|our\s|my\s)?(?:secret|confidential|between\sus)
        |in\s(?:strict\s|the\sstrictest\s|strictest\s)?confidence
        |(?:not\sa|no)\sword\s(?:of\s(?:it|this|that)\s)?to\s\w+
        |(?:swear|sworn|promise)\s(?:you\s)?(?:to\s)?(?:secrecy|silence)
        |mum's\sthe\sword
        |(?:nobody|no[ -]?one)\s(?:else\s)?(?:must|may|should|shall|can)\s(?:ever\s)?
            (?:know|hear|learn|find\sout)
    """,
    "sv": r"""
        (?:berätta|säg|nämn|avslöja|yppa|sprid|skvallra)\s(?:(?:det|detta|det\shär)\s)?
            (?:inte|aldrig|inget|ingenting|ej)\s(?:(?:det|detta|det\shär|något)\s)?(?:till|för|åt|om)\b
        |(?:berätta|säg|nämn)\s(?:(?:det|detta|det\shär)\s)?(?:till|för|åt)\singen
        |(?:berätta|säg)\s(?:inget|ingenting)\s*(?:[.!]|\Z)
        |(?:inte|aldrig)\s(?:berätta|säga|nämna|avslöja|föra)\b.{0,40}?\b(?:någon|andra|vidare)
        |(?:håll|behåll)\s(?:(?:det|detta|det\shär)\s)?
            (?:hemligt|tyst|för\sdig\ssjälv|mellan\soss)
        |(?:det|detta|det\shär|som)\s(?:är|måste\svara|måste\sförbli|stannar|förblir)\s
            (?:en\s|vår\s|min\s)?(?:hemlighet|hemligt|mellan\soss)
        |oss\semellan|mellan\s(?:dig\soch\smig|oss)
        |i\s(?:största\s|all\s)?förtroende
        |(?:inte\sett|inget)\sord\s(?:om\s(?:det|detta)\s)?till\s\w+
        |ingen\s(?:annan\s)?(?:får|ska|skall)\s(?:någonsin\s)?(?:få\s)?(?:veta|höra)
        |tig\s(?:om|med)\s(?:det|detta)
    """,
}

_ASKED = tuple(re.compile(rf"\b(?:{pattern})", re.I | re.X) for pattern in PATTERNS.values())


def is_asked(text: str) -> bool:
    """Return whether somebody asks in these words that what they tell be told to nobody."""
    line = " ".join(text.replace("’", "'").split())
    return any(asked.search(line) for asked in _ASKED)


def is_bare(text: str) -> bool:
    """Return whether such words tell hardly anything else: they mean what was said before, too."""
    return len(text.split()) <= BARE_WORDS
