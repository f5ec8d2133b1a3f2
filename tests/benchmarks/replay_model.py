"""A language model that decides in `tests.benchmarks.replay`, in place of the policy without one.

It is shown the same two texts as the policy, and asked for the name of one action. What names none
of them counts as no answer: the guess stands.
"""

import re

from tests.benchmarks import replay_policy

RULE = (
    "You are a character in a game. Choose one of the things that you can do, the one that is most "
    "likely to end well. Answer with its name and nothing else."
)
SECONDS = 60.0


def backend_of(model, base_url, api_key_env=""):
    """Return a model behind an endpoint that speaks OpenAI's Chat Completions."""
    from evennia_ai.llm import loop_thread
    from evennia_ai.llm.openai import OpenAIBackend

    loop_thread.set_runner(loop_thread.InlineRunner())
    return OpenAIBackend(model=model, base_url=base_url, api_key_env=api_key_env)


def decider(backend):
    """Return a function like `replay_policy.decide` that asks `backend`, once for the same texts.

    Its Deferreds must have fired when they are returned.
    """
    answers = {}

    def decide(situation, few_shot, chance):
        if (situation, few_shot) not in answers:
            answers[situation, few_shot] = _answer(backend, situation, few_shot)
        guess = replay_policy.decide(situation, "", chance)
        return named(answers[situation, few_shot], replay_policy.options_of(situation)) or guess

    return decide


def named(answer, options):
    """Return the one option that an answer names, or None if there is none, or more than one."""
    words = set(re.findall(r"\w+", answer.casefold()))
    found = [option for option in options if option.casefold() in words]
    return found[0] if len(found) == 1 else None


def _answer(backend, situation, few_shot):
    from evennia_ai.llm.base import Request

    messages = [
        {"role": "system", "content": RULE},
        {"role": "user", "content": f"{few_shot}\n\n{situation}".strip()},
    ]
    outcome = []
    backend.complete(Request("reply", messages, max_tokens=50, deadline=SECONDS)).addBoth(
        outcome.append
    )
    [completion] = outcome
    if hasattr(completion, "raiseException"):
        completion.raiseException()
    return completion.text
