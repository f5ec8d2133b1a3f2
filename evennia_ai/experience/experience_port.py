"""A replay buffer of decisions: what was done in a situation, and what came of it.

This class blocks; `base.get_experience` gives the same beside the reactor. A new situation finds the
most similar decisions that went well, and `build_few_shot_prompt` shows them before the mind decides.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings

from evennia_ai import conf, scheduling
from evennia_ai.core.decisions import Decision, Example, Lessons, Trajectory
from evennia_ai.core.records import GAME, Audience, Source, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import experience_told, replay
from evennia_ai.domain.choices.experience_told import Told
from evennia_ai.experience import from_settings
from evennia_ai.experience.decision_records import known_to, may_be_shown, plain, shaped
from evennia_ai.experience.decision_store import MISSING, ExperienceStore
from evennia_ai.experience.row_cache import Rows
from evennia_ai.experience.tables import ExperienceFile

FILE_NAME = "evennia_ai_experience.db3"
# What is given of a decision that was found, beside its route.
SHOWN = (
    "id conflict_title words action_type target_domain reward reasoning metrics_snapshot episode_id"
    " personality_type timestamp audience"
).split()


class ExperienceMemory(ExperienceStore):
    """What one assistant, or a group that shares a `scope`, learned by doing.

    Args:
        path: the file; None is that of the settings. One that cannot be opened is replaced by memory
            that ends with the process, and a warning.
        scope: whose experience; many scopes live in one file.
        embedder: an object with `name`, `dimensions`, `embed`; None is that of the settings.
        silent: give no warning.
        hydrate_from: a glob of files that fill an empty scope; None is that of the settings.
        stress_direction: metrics of which a high value is bad, by full name or last part.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        scope: str = "default",
        embedder: Any = None,
        silent: bool = False,
        hydrate_from: str | None = None,
        stress_direction: Iterable[str] = replay.INVERTED_METRICS,
    ) -> None:
        wanted = conf.get("EXPERIENCE")
        self.file = ExperienceFile(
            path or wanted["PATH"] or Path(settings.GAME_DIR) / "server" / FILE_NAME,
            embedder or from_settings.embedder(silent=silent),
            silent=silent,
            limit=wanted["DECISIONS"],
        )
        self.stress_direction = frozenset(stress_direction)
        self._hydrate_from = str(hydrate_from or wanted["HYDRATE"] or "")
        self._enter(scope)

    def scoped(self, scope: str) -> ExperienceMemory:
        """Return the experience of another scope in the same file."""
        other = copy(self)
        other._enter(scope)
        return other

    def _enter(self, scope: str) -> None:
        self.scope = scope
        # Until it is known whose experience it is.
        self._waits_for_roles = bool(self._hydrate_from) and not self._count("decisions")
        if self._waits_for_roles:
            self._add(*from_settings.decisions(self._hydrate_from), verb=MISSING)

    def hydrate(self, roles: str) -> int:
        """Add what the game brings along for roles that are named in these words; return how many decisions.

        Only an experience that was empty when it was opened is filled, once.
        """
        if not (self._waits_for_roles and roles):
            return 0
        self._waits_for_roles = False
        found = from_settings.decisions(self._hydrate_from, roles=roles)
        self._add(*found, verb=MISSING)
        return len(found)

    # Decisions.

    def store_decision(
        self,
        conflict_title: str,
        action_type: str,
        target_domain: str,
        reward: float | None,
        metrics_snapshot: Mapping[str, Any],
        reasoning: str,
        *,
        decision_id: str = "",
        trajectory: Any = None,
        route_outcome: str | None = None,
        episode_id: str | None = None,
        personality_type: str | None = None,
        source_id: str = "",
        audience: Audience = "public",
        sources: Iterable[Source] = (),
        stress_direction: Iterable[str] | None = None,
        words: str = "",
        background: str = "",
    ) -> str:
        """Keep what was done in a situation; return the id of the decision.

        It is found by its title and by the `words` that were said to the assistant. `background` is what
        of both would be there whatever happened, as for `lessons`.
        `source_id` is the identity of whoever was dealt with, with whom it is forgotten, as with
        each of the `sources`.

        A reward that is not known yet is None: the decision is no example before `set_reward`.
        `stress_direction` goes with the snapshot.
        """
        found_by = replay.found_by(conflict_title, words, personality_type)
        hope = self._hope(action_type, found_by, background, personality_type, audience)
        decision = {
            "id": decision_id or str(uuid.uuid4()),
            "audience": audience,
            "source_id": source_id,
            "sources": msgspec.to_builtins([*sources] or [Source(GAME, source_id, audience)]),
            "conflict_title": conflict_title,
            "words": words,
            "action_type": action_type,
            "hope": round(hope, 3),
            "target_domain": target_domain,
            "reward": reward,
            "reasoning": reasoning,
            "metrics_snapshot": replay.plain_metrics(metrics_snapshot),
            "stress_direction": sorted(self._inverted(stress_direction)),
            "trajectory": trajectory,
            "route_outcome": route_outcome or "",
            "episode_id": episode_id or "",
            "personality_type": personality_type or replay.UNKNOWN_PERSONALITY,
            "timestamp": format_time(scheduling.now()),
        }
        kept = shaped(Decision, decision)
        self._add(kept)
        return kept.id

    def _hope(
        self, action: str, query: str, background: str, personality: str | None, audience: Audience
    ) -> float:
        """Return how well it is expected to go by what its audience may know: it will speak for or against that."""
        return self._weigh(
            Decision,
            query,
            Rows.hope,
            hearers=None if audience == audiences.PUBLIC else audience,
            background=background,
            action=action,
            personality=personality,
        )

    def set_reward(self, decision_id: str, reward: float) -> bool:
        """Say how a decision went; False if there is no such decision."""
        return self._change(decision_id, reward=float(reward))

    def retrieve_similar(
        self,
        conflict_title: str,
        current_metrics: Mapping[str, Any],
        n: int = 3,
        *,
        personality_type: str | None = None,
        hearers: Iterable[str] | None = None,
        stress_direction: Iterable[str] | None = None,
        words: str = "",
    ) -> list[dict[str, object]]:
        """Return the most similar decisions that went well and that all `hearers` may know.

        Without `hearers` only what is public. Decisions of the same personality come first.
        """
        query = replay.situation_query(
            replay.found_by(conflict_title, words, personality_type),
            current_metrics,
            stress_direction=self._inverted(stress_direction),
        )
        hits = self._nearest(
            Decision,
            query,
            n=n,
            hearers=hearers,
            floor=replay.REWARD_FLOOR,
            personality=personality_type,
        )
        return [_similar(*hit, current_metrics) for hit in hits]

    def lessons(
        self,
        conflict_title: str,
        n: int = 3,
        *,
        personality_type: str | None = None,
        hearers: Iterable[str] | None = None,
        words: str = "",
        background: str = "",
        roles: str = "",
    ) -> Lessons:
        """Return what all outcomes in like situations teach: precedents and setbacks, at most `n` of each.

        Precedents went well; those of the action that is expected to go best come first. Setbacks went wrong, of
        actions that are expected to, the worst first. Nothing is found in situations that are hardly alike: `background` is what
        of title and words would be there whatever happened (who it is, where, when), and makes none alike before
        outcomes have shown that it matters. With `roles`, what the game brings along for them is known.
        """
        self.hydrate(roles)
        listening = None if hearers is None else list(hearers)
        hits = self._nearest(
            Decision,
            replay.found_by(conflict_title, words, personality_type),
            Rows.lessons,
            background=background,
            n=n,
            hearers=listening,
            personality=personality_type,
        )
        found = [self._with_feedback(*hit, listening) for hit in hits]
        return Lessons(
            [one for one in found if replay.went_well(one)],
            [one for one in found if not replay.went_well(one)],
        )

    def build_few_shot_prompt(
        self, conflict_title: str, current_metrics: Mapping[str, Any], *, n: int = 3, **asked: Any
    ) -> str:
        """Return similar decisions and what people said of them, as part of a prompt; `asked` is that of `lessons`."""
        return replay.few_shot(self.lessons(conflict_title, n, **asked).precedents)

    # Trajectories.

    def store_trajectory(
        self,
        task_id: str,
        route_taken: str,
        total_reward: float,
        trajectory_summary: Mapping[str, Any],
        *,
        audience: Audience = "public",
        sources: Iterable[Source] = (),
    ) -> str:
        """Keep how a whole task went; return the id. It is forgotten with each of its `sources`; without any it is the game's.

        The summary holds `milestones_hit` (a list) and `steps`, and what else is plain data.
        """
        trajectory = {
            "id": str(uuid.uuid4()),
            "audience": audience,
            "sources": msgspec.to_builtins([*sources] or [Source(GAME, "", audience)]),
            "task_id": task_id,
            "route_taken": route_taken,
            "reward": total_reward,
            "summary": dict(trajectory_summary),
            "timestamp": format_time(scheduling.now()),
        }
        kept = shaped(Trajectory, trajectory)
        self._add(kept)
        return kept.id

    def retrieve_similar_trajectories(
        self,
        task_domain: str,
        current_world: Mapping[str, Any],
        n: int = 3,
        *,
        hearers: Iterable[str] | None = None,
        stress_direction: Iterable[str] | None = None,
    ) -> list[dict[str, object]]:
        """Return how like tasks went, as far as all `hearers` may know it."""
        query = replay.world_query(
            task_domain, current_world, stress_direction=self._inverted(stress_direction)
        )
        hits = self._nearest(Trajectory, query, n=n, hearers=hearers)
        return [
            {**plain(one), "audience": one.audience, "similarity_score": round(cosine, 4)}
            for one, cosine in hits
        ]

    # All of it.

    def retrieve_feedback(self, episode_id: str) -> dict[str, object] | None:
        """Return the verdict on an episode, whoever may know it, or None."""
        said = self._feedback_on(episode_id)
        return None if said is None else msgspec.to_builtins(said)

    def get_stats(self) -> replay.Stats:
        """Return how many decisions there are, how they went on average, and of which types."""
        rewards: dict[str, list[float | None]] = {}
        for action, reward in self._ask(
            "SELECT action, reward FROM decisions WHERE scope = ? ORDER BY n"
        ):
            rewards.setdefault(action, []).append(reward)
        return replay.stats(rewards)

    def told(self) -> Told:
        """Return all of it as staff see it: what is tried when, how that goes, and over time."""
        return experience_told.of_all(
            filter(None, self._all(Decision).values()), filter(None, self._feedback().values())
        )

    def _inverted(self, given: Iterable[str] | None) -> frozenset[str]:
        return self.stress_direction if given is None else frozenset(given)

    def _with_feedback(
        self, decision: Decision, likeness: float, hearers: list[str] | None
    ) -> Example:
        found = Example(decision=decision, audience=decision.audience, likeness=likeness)
        said = self._feedback_on(decision.episode_id)
        if said is None:
            return found
        known = known_to(said, self._audiences_of(said.episode_id))
        bound = audiences.intersection([known, decision.audience])
        if not may_be_shown(bound, hearers):
            return found
        return msgspec.structs.replace(found, audience=bound, feedback=said)


def _similar(one: Decision, likeness: float, current: Mapping[str, Any]) -> dict[str, object]:
    return {
        **{name: getattr(one, name) for name in SHOWN},
        "route_taken": one.route_outcome,
        "similarity_score": round(likeness, 4),
        "metrics_diff": replay.metrics_difference(one.metrics_snapshot, current),
    }
