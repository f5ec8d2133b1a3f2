"""The expressions by which an utterance is told; those of its sorts are rows in the file of a language."""

from __future__ import annotations

import re

from evennia_ai.core import languages

# A call for somebody's ear, by what they are: "oi boatman, …".
CALL = languages.Pattern("utterances.call")

GREETING = languages.Pattern("utterances.greeting")

# Marks of text that is written for a model and not for somebody in a room.
FOR_A_MODEL = re.compile(
    r"<\|?/?(?:im_start|im_end|system|assistant|user|tool_call|function|think)\b"
    r"|\[/?INST\]|<<SYS>>|```"
    r"|^[ \t]*(?:[#*`\[]+[ \t]*)?(?:system|assistant|developer)(?:\s*(?:prompt|message))?"
    r"\s*(?:[\]*]+\s*)?:"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:instructions?|prompts?|guidelines)\b"
    r"|\b(?:glöm|ignorera|strunta i)\b.{0,30}\b(?:instruktion(?:er|erna)?|regler(?:na)?)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\byour (?:prompt|instructions|guidelines)\b"
    r"|\b(?:language model|jailbreak|chatgpt|openai|språkmodell)\b|\bas an ai\b"
    r"|\byou are now (?:an?|in|the)\b|\bpretend (?:to be|you are)\b"
    r"|[\"']?\b(?:tool_calls?|function_call|arguments|role)[\"']?\s*[:=]",
    re.I | re.M,
)

# How a question begins, where none of the rows matches.
QUESTION = languages.Pattern("utterances.question")

# "What a quiet place!" is no question.
EXCLAIMS = languages.Pattern("utterances.exclaims")

# "Would you know …" asks, and is no request.
KNOWS = languages.Pattern("utterances.knows")

FILLER = languages.Pattern("utterances.filler")

POLITE = languages.Pattern("utterances.polite")

ASKS = languages.Pattern("utterances.asks")
POLITE_END = languages.Pattern("utterances.polite_end")
