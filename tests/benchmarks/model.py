"""NPCs with a real model, spoken to by players: `python -m tests.benchmarks.model --base-url URL --model NAME`.

Players type the lines of FILE by telnet in a real game, whose settings are the defaults but for the model's address; each waits until the last
was answered, or nothing was said or asked for QUIET seconds. A proxy on loopback notes what was really sent and came back. After each
line `plain` is asked the same, its rival: one system message with persona, lore, the last facts told and the last lines heard, its own answers
among them. Where a server keeps one prompt, each would push out the other's, so `--plain-url` names a second one.

`lines` leave out moves. `new_tokens` and `model_seconds` are of all calls of a turn, `prompt_tokens` of its longest; calls for one token at
most warm a server up and are told apart. `seconds` are from a line typed to its answer heard, `first_seconds` of the first; `timeouts` are turns
with a call that failed or was given up, `excuses` those that ended with one, and in `silent` ones nothing came. OUT holds `replies.jsonl`, a line each, and `requests.jsonl`, the bodies.
"""

import argparse
import json
import os
import re
import shutil
import signal
import statistics
import sys
import time
from contextlib import suppress
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path

import yaml

from evennia_ai.core import languages
from tests.benchmarks.link import MeasuredGame, progress, run
from tests.benchmarks.model_proxy import Proxy
from tests.benchmarks.stall import percentile
from tests.scenarios.game import ROOT
from tests.scenarios.stage import Stage

LINES = ROOT / "tests" / "data" / "model" / "lines.yaml"
MOVES, PASSWORD = ("north", "south"), "river-and-lantern-9"
# Seconds of silence after which no answer comes, after one, and once an NPC showed that it thinks; and for one turn in all.
QUIET, SETTLED, THINKING, BOUND = 8.0, 1.5, 45.0, 240.0
MEMORIES, TALK, PLAIN_TOKENS = 6, 8, 80
SAID = re.compile(r"^(?:say |whisper [^=]+= ?|['\"])", re.I)
SPOKEN = re.compile(r'(?:says|whispers|mutters|asks)[^"]{0,30}"(.*?)"?$', re.S)
BROKEN = {
    "a call": re.compile(r'^\s*[{\[]|"(?:name|arguments|tool|parameters)"|tool_call|\w\(\w+="'),
    "a label": re.compile(r"\b(?:approach|reason): |\(To \w", re.I),
    "markup": re.compile(r"```|</?\w+>|\*\*|^#+ |\|[a-z/]\b|<\|", re.M),
}
EXCUSES = {*languages.EXCUSES["fallback_lines"], *languages.EXCUSES["budget_lines"]}
ROLES = ("user", "assistant", "system", "player", "npc")


def how_broken(reply, said, names, rules=()):
    """Return in what way a reply is nothing that somebody says, "" if it is.

    `said` is the player's line, `names` are of all who are there, `rules` the lines of the prompt that are no facts.
    """
    label = rf"\W{{0,2}}(?:{'|'.join(map(re.escape, (*names, *ROLES)))})\W{{0,2}}"
    kinds = {**BROKEN, "a role": re.compile(rf"^{label} ?(?:\(\w+\))? ?(?:says\b|:)", re.I | re.M)}
    if found := [kind for kind, pattern in kinds.items() if pattern.search(reply)]:
        return found[0]
    ours, theirs = _words(reply), _words(said)
    alike = SequenceMatcher(None, ours, theirs).ratio()
    if len(theirs) >= 3 and (alike >= 0.85 or " ".join(theirs) in " ".join(ours)):
        return "an echo"
    copied = (len(rule) >= 8 and " ".join(rule) in " ".join(ours) for rule in map(_words, rules))
    return "the prompt" if any(copied) else ""


class ModelGame(MeasuredGame):
    """A game that nobody needs once it was measured: it is killed, so that it ends at once."""

    def stop(self):
        while pids := self._programs():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)


class Turn:
    """What became of a line: the calls for it, the seconds to the answer or None, and what was said."""

    def __init__(self, calls, seconds, reply):
        self.seconds, self.reply, self.broken = seconds and round(seconds, 3), reply, ""
        self.warm_ups = [call for call in calls if (call.body.get("max_tokens") or 2) <= 1]
        self.calls = [call for call in calls if call not in self.warm_ups]
        tokens = [call.tokens() for call in self.calls]
        self.prompt, self.new = max(tokens, default=(0, 0))[0], sum(new for _, new in tokens)
        # One that was cut, or that no other came after; what a server refuses is learnt from.
        status = [call.status for call in self.calls]
        self.is_late = 0 in status or status[-1:] not in ([], [200])
        self.is_answered = bool(reply) and reply not in EXCUSES and not self.is_late


class Plain:
    """The rival; what it heard and was told are pairs: for whom alone, "" for everybody, and the line."""

    def __init__(self, proxy, model):
        self.turns, self._heard, self._told = [], [], []
        self._proxy, self._model = proxy, model

    def take(self, npc, who, command, names):
        """Answer a line; return the turn."""
        name, is_whisper = npc["name"], command.lower().startswith("whisper ")
        words = SAID.sub("", command)
        said = f"{who}{' (whispers)' if is_whisper else ''}: {words}"
        said = said if words != command else f"({who}: {command})"
        persona, lore = _facts(npc)
        lines = [f"You are {name}, in The Common Room.", *persona, f"What {name} knows:"]
        lines += [f"- {fact}" for fact in lore]
        talk = self._known(self._heard, who)[-TALK:]
        told = [fact for fact in self._known(self._told, who) if fact not in talk][-MEMORIES:]
        lines += ["Remembered:", *(f"- {fact}" for fact in told)] if told else []
        lines += ["The talk so far:", *talk]
        ask = f"Answer {who} in one or two sentences as {name}. If {name} does not know, say so."
        content = {"system": "\n".join([*lines, ask]), "user": said}
        messages = [{"role": role, "content": text} for role, text in content.items()]
        body = {"model": self._model, "messages": messages, "max_tokens": PLAIN_TOKENS}
        call = self._proxy.ask(body)
        reply = " ".join((call.answer["choices"][0]["message"].get("content") or "").split())
        reply = reply.removeprefix(f"{name}: ")
        whose = who if is_whisper else ""
        self._heard += [(whose, said), (whose, f"{name}: {reply}")]
        self._told += [(whose, said)] if "?" not in command else []
        self.turns.append(turn := Turn([call], call.ended - call.began, reply))
        turn.broken = reply and how_broken(reply, words, names, (lines[0], ask))
        return turn

    def see(self, who, command):
        """Note that somebody leaves or comes."""
        self._heard.append(("", f"({who} {'leaves' if command == MOVES[0] else 'arrives'}.)"))

    def _known(self, lines, who):
        return [line for whose, line in lines if whose in ("", who)]


class Play:
    """The players of a scene at their lines, in a game behind a proxy."""

    def __init__(self, game, proxy, scene):
        self._stage = Stage(game.port, write=lambda _: None)
        self._players = {name: self._stage.enter(name, PASSWORD) for name in scene["players"]}
        self._npcs, self._proxy = {one["name"]: one for one in scene["npcs"]}, proxy
        self.names = [*self._npcs, *self._players]
        self._shown = re.compile(rf"^(?:{'|'.join(map(re.escape, self._npcs))})\b")
        # With whom each speaks.
        self._partners = dict.fromkeys(self._players, scene["npcs"][0])

    def partner(self, who, command):
        """Return the NPC that a line is for: who is named in it, else whom its speaker named last."""
        named = [one for name, one in self._npcs.items() if name.lower() in command.lower()]
        self._partners[who] = (named or [self._partners[who]])[0]
        return self._partners[who]

    def type(self, who, command):
        """Type a line, unless it is "", and wait for what comes of it; return the turn."""
        for player in self._players.values():
            player.catches_up()
            player.forget()
        began, heard, first = time.monotonic(), [], len(self._proxy.calls)
        if command:
            self._players[who].sends(command)
        last, quiet = began, QUIET
        while time.monotonic() < min(last + quiet, began + BOUND):
            self._stage.pump(0.1)
            heard += self._news()
            calls = self._proxy.calls[first:]
            ended = [call.ended or time.monotonic() for call in calls]
            last = max([last, *ended, *(when for when, _, _ in heard)])
            # What is shown before the model has answered, or while its client is loaded, is no answer.
            done = min(ended, default=0)
            answers = [one for one in heard if (one[0] >= done if done else '"' in one[2])]
            quiet = SETTLED if answers else THINKING if heard else QUIET
        answers = answers or heard
        answers = [one for one in answers if one[1] == who] or answers[:1]
        spoken = [found[1] for _, _, line in answers if (found := SPOKEN.search(line))]
        reply = "\n".join(spoken or [line for _, _, line in answers])
        return Turn(calls, answers[0][0] - began if answers else None, reply)

    def _news(self):
        """Return (when, who saw it, line) of what NPCs did; a line goes on until its quotes are closed."""
        news = []
        for player in self._players.values():
            lines, player.seen[:] = list(player.seen), []
            for number, line in enumerate(lines):
                if self._shown.match(line):
                    rest = lines[number + 1 :]
                    while '"' in line and not line.endswith('"') and rest:
                        line = f"{line}\n{rest.pop(0)}"
                    news.append((time.monotonic(), player.name, line))
        return news


def measure(options):
    """Play the lines of a file; return all figures."""
    scene, out = read(options.lines, alone=options.alone, limit=options.limit), Path(options.out)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with Proxy(options.base_url) as proxy, Proxy(options.plain_url or options.base_url) as beside:
        backend = {"model": options.model, "base_url": proxy.base_url}
        minds = {"BACKEND": "evennia_ai.llm.openai.OpenAIBackend", "OPTIONS": backend}
        mind = {"LLM": {"default": minds}}
        mind |= {"TURN_DEADLINE": options.deadline} if options.deadline else {}
        with ModelGame(EVENNIA_AI=mind, CREATION_THROTTLE_LIMIT=None) as game:
            game.call("inside_model.build", npcs=scene["npcs"])
            play, plain = Play(game, proxy, scene), Plain(beside, options.model)
            game.call("inside_model.hand_out", holds=scene["holds"])
            turns, moves = [], [play.type(scene["players"][0], "")]
            for line in scene["lines"]:
                turn, rival = _take(play, plain, line["who"], line["command"])
                (turns if rival else moves).append(turn)
                _note(out, line, turn, rival)
    ours, theirs = figures(turns), figures(plain.turns)
    times = [one["seconds"]["p50"] for one in (ours, theirs)]
    ratio = round(times[0] / times[1], 2) if all(times) else None
    warm = [call.tokens()[1] for turn in turns + moves for call in turn.warm_ups]
    ours |= {"moves": len(moves) - 1, "warm_ups": {"calls": len(warm), "new_tokens": sum(warm)}}
    theirs |= {"server": "own" if options.plain_url else "same", "ratio": ratio}
    return {"benchmark": "model", "model": options.model, **ours, "plain": theirs}


def read(path, *, alone=False, limit=None):
    """Return the scene of a file; `alone` the first player with the first NPC, who types all lines that name no other NPC and no player."""
    scene = yaml.safe_load(Path(path).read_text("utf-8"))
    scene["holds"] = scene.get("holds") or {}
    if alone:
        absent = [*scene["players"], *(one["name"] for one in scene["npcs"][1:])]
        others = re.compile(rf"^(?:{'|'.join(MOVES)})$|\b(?:{'|'.join(absent)})\b", re.I)
        [who], things = scene["players"][:1], sum(scene["holds"].values(), [])
        kept = [{**one, "who": who} for one in scene["lines"] if not others.search(one["command"])]
        scene.update(npcs=scene["npcs"][:1], players=[who], holds={who: things}, lines=kept)
    return {**scene, "lines": scene["lines"][:limit]}


def _take(play, plain, who, command):
    """Type a line and ask the rival the same, who answers no moves; return both turns."""
    turn = play.type(who, command)
    if command in MOVES:
        plain.see(who, command)
        return turn, None
    npc = play.partner(who, command)
    sent = [one for call in turn.calls for one in call.body.get("messages", ())]
    heads = "\n".join(str(one["content"]) for one in sent if one["role"] == "system")
    facts = " ".join(_words(" ".join(sum(_facts(npc), []))))
    rules = [line for line in heads.split("\n") if " ".join(_words(line)[-4:]) not in facts]
    turn.broken = turn.reply and how_broken(turn.reply, SAID.sub("", command), play.names, rules)
    return turn, plain.take(npc, who, command, play.names)


def _note(out, line, turn, rival):
    row = {key: line.get(key) for key in ("who", "command", "kind")}
    row |= {"reply": turn.reply, "seconds": turn.seconds, "prompt_tokens": turn.prompt}
    row |= {"new_tokens": turn.new, "calls": len(turn.calls), "broken": turn.broken}
    row |= {f"plain_{key}": rival and getattr(rival, key) for key in ("reply", "seconds", "broken")}
    row["is_late"] = turn.is_late
    progress(json.dumps(row, ensure_ascii=False))
    sides = [("game", turn)] + ([("plain", rival)] if rival else [])
    calls = [(side, call) for side, one in sides for call in one.warm_ups + one.calls]
    sent = [{"side": side, "command": line["command"], **vars(call)} for side, call in calls]
    for name, rows in (("replies", [row]), ("requests", sent)):
        with (out / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)


def figures(turns):
    """Return the figures of turns."""
    asked = [turn for turn in turns if turn.prompt]
    prompts, new = [turn.prompt for turn in asked], [turn.new for turn in asked]
    seconds = [turn.seconds for turn in turns if turn.seconds is not None]
    calls, taken = [turn.calls for turn in turns], sum(len(turn.calls) for turn in turns)
    total = sum(call.tokens()[0] for turn in asked for call in turn.calls)
    models = [sum(call.ended - call.began for call in one) for one in calls if one]
    return {
        "lines": len(turns),
        "answered": sum(turn.is_answered for turn in turns),
        "timeouts": sum(turn.is_late for turn in turns),
        "excuses": sum(turn.reply in EXCUSES for turn in turns),
        "silent": sum(not turn.reply and not turn.is_late for turn in turns),
        "broken": sum(bool(turn.broken) for turn in turns),
        "calls_per_turn": round(taken / len(turns), 2) if turns else None,
        "prompt_tokens": {**_spread(prompts), "last": prompts[-1] if prompts else None},
        "new_tokens": {"mean": round(statistics.fmean(new), 1) if new else None, **_spread(new)},
        "cached_share": round(1 - sum(new) / total, 3) if total else None,
        "seconds": _spread(seconds),
        "first_seconds": round(seconds[0], 2) if seconds else None,
        "model_seconds": _spread(models),
    }


def _spread(values):
    middle, most = (statistics.median(values), percentile(values, 95)) if values else (None, None)
    return {"p50": middle and round(middle, 2), "p95": most and round(most, 2)}


def _facts(npc):
    """Return the lines of a persona and those of its lore."""
    persona = [npc[key] for key in ("description", "background", "manner") if npc.get(key)]
    return persona, [one if isinstance(one, str) else one["text"] for one in npc.get("lore") or ()]


def _words(text):
    return re.findall(r"\w+", text.lower())


def main(arguments):
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base-url", required=True, help="up to and with /v1")
    parser.add_argument("--model", required=True)
    parser.add_argument("--plain-url", help="a second server for the rival (default: the same)")
    parser.add_argument("--lines", default=LINES, help="the scene, a YAML file")
    parser.add_argument("--out", default=ROOT / "build" / "model", help="a folder, made anew")
    parser.add_argument("--alone", action="store_true", help="one player alone with one NPC")
    parser.add_argument("--deadline", type=float, help="TURN_DEADLINE, for a machine that is busy")
    parser.add_argument("--limit", type=int, help="so many lines")
    return run(partial(measure, parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
