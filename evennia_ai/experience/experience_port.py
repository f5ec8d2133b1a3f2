"""A replay buffer of decisions: what was done in a situation, and what came of it.

This class blocks; `base.get_experience` gives the same beside the reactor. A new situation finds the
most similar decisions that went well, and `build_few_shot_prompt` shows them before the mind decides.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evennia_ai import conf, scheduling
from evennia_ai.core.records import Audience, format_time
from evennia_ai.domain import audience as audiences
from evennia_ai.domain.choices import approaches, experience_told, replay
from evennia_ai.domain.choices.experience_told import Told
from evennia_ai.experience import from_settings
from evennia_ai.experience.decision_records import OutcomeFeedback, Record, may_be_shown
from evennia_ai.experience.decision_store import ExperienceStore
from evennia_ai.experience.row_cache import Rows

FILE_NAME = "evennia_ai_experience.db3"


class ExperienceMemory:
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
        store = ExperienceStore(
            path or wanted["PATH"] or Path(settings.GAME_DIR) / "server" / FILE_NAME,
            embedder or from_settings.embedder(silent=silent),
            silent=silent,
            limit=wanted["DECISIONS"],
        )
        self._open(store, scope, frozenset(stress_direction), hydrate_from or wanted["HYDRATE"])

    def scoped(self, scope: str) -> ExperienceMemory:
        """Return the experience of another scope in the same file."""
        other = object.__new__(type(self))
        other._open(self.store, scope, self.stress_direction, self._hydrate_from)
        return other

    def _open(
        self, store: ExperienceStore, scope: str, inverted: frozenset[str], source: str | None
    ) -> None:
        self.store, self.scope, self.stress_direction = store, scope, inverted
        self._hydrate_from = source
        # Until it is known whose experience it is.
        self._waits_for_roles = bool(source) and not store.count("decisions", scope)
        if self._waits_for_roles:
            store.add_missing("decisions", scope, from_settings.decisions(source or ""))

    def hydrate(self, roles: str) -> int:
        """Add what the game brings along for roles that are named in these words; return how many decisions.

        Only an experience that was empty when it was opened is filled, once.
        """
        if not (self._waits_for_roles and roles):
            return 0
        self._waits_for_roles = False
        found = from_settings.decisions(str(self._hydrate_from), roles=roles)
        self.store.add_missing("decisions", self.scope, found)
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
        stress_direction: Iterable[str] | None = None,
        words: str = "",
        background: str = "",
        in_own_words: bool = False,
    ) -> str:
        """Keep what was done in a situation; return the id of the decision.

        It is found by its title and by the `words` that were said to the assistant. `background` is what
        of both would be there whatever happened, as for `lessons`.
        What a model calls `in_own_words` what it did, is called as it was before where that means the same.
        `source_id` is the identity of whoever was dealt with, with whom it is forgotten.

        A reward that is not known yet is None: the decision is no example before `set_reward`.
        `stress_direction` goes with the snapshot.
        """
        action = self._called(action_type, audience) if in_own_words else action_type
        found_by = replay.found_by(conflict_title, words, personality_type)
        hope = self._hope(action, found_by, background, personality_type, audience)
        data = {
            "conflict_title": conflict_title,
            "words": words,
            "action_type": action,
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
            "source_id": source_id,
            "timestamp": format_time(scheduling.now()),
        }
        record = Record.of_decision(decision_id or str(uuid.uuid4()), data, audience)
        self.store.add("decisions", self.scope, record)
        return record.id

    def _called(self, action: str, audience: Audience) -> str:
        """Return what an action was called before by those words that the same people may know."""
        return approaches.called(action, self.store.actions(self.scope, audience))

    def _hope(
        self, action: str, query: str, background: str, personality: str | None, audience: Audience
    ) -> float:
        """Return how well it is expected to go by what its audience may know: it will speak for or against that."""
        hope: float = self.store.weigh(
            "decisions",
            self.scope,
            query,
            Rows.hope,
            hearers=None if audience == audiences.PUBLIC else audience,
            background=background,
            action=action,
            personality=personality,
        )
        return hope

    def set_reward(self, decision_id: str, reward: float) -> bool:
        """Say how a decision went; False if there is no such decision."""

        def rewarded(record: Record) -> Record:
            return Record.of_decision(record.id, {**record.data, "reward": reward}, record.audience)

        return self.store.change("decisions", self.scope, decision_id, rewarded)

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
    ) -> list[dict[str, Any]]:
        """Return the most similar decisions that went well and that all `hearers` may know.

        Without `hearers` only what is public. Decisions of the same personality come first.
        """
        query = replay.situation_query(
            replay.found_by(conflict_title, words, personality_type),
            current_metrics,
            stress_direction=self._inverted(stress_direction),
        )
        hits = self.store.nearest(
            "decisions",
            self.scope,
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
        current_metrics: Mapping[str, Any],
        n: int = 3,
        *,
        personality_type: str | None = None,
        hearers: Iterable[str] | None = None,
        words: str = "",
        background: str = "",
        roles: str = "",
    ) -> dict[str, list[dict[str, Any]]]:
        """Return what all outcomes in like situations teach: {"precedents", "setbacks"}, at most `n` of each.

        Precedents went well; those of the action that is expected to go best come first. Setbacks went wrong, of
        actions that are expected to, the worst first. Each has its `feedback` or None, for `replay.few_shot`; its
        `audience` is who may know both. Nothing is found in situations that are hardly alike: `background` is what
        of title and words would be there whatever happened (who it is, where, when), and makes none alike before
        outcomes have shown that it matters. With `roles`, what the game brings along for them is known.
        """
        self.hydrate(roles)
        listening = None if hearers is None else list(hearers)
        hits = self.store.nearest(
            "decisions",
            self.scope,
            replay.found_by(conflict_title, words, personality_type),
            Rows.lessons,
            background=background,
            n=n,
            hearers=listening,
            personality=personality_type,
        )
        found = [self._with_feedback(_similar(*hit, current_metrics), listening) for hit in hits]
        went_well = [replay.went_well(one) for one in found]
        return {
            "precedents": [one for one, well in zip(found, went_well, strict=True) if well],
            "setbacks": [one for one, well in zip(found, went_well, strict=True) if not well],
        }

    def build_few_shot_prompt(
        self, conflict_title: str, current_metrics: Mapping[str, Any], *, n: int = 3, **asked: Any
    ) -> str:
        """Return similar decisions and what people said of them, as part of a prompt; `asked` is that of `lessons`."""
        found = self.lessons(conflict_title, current_metrics, n, **asked)
        return replay.few_shot(found["precedents"])

    # Trajectories.

    def store_trajectory(
        self,
        task_id: str,
        route_taken: str,
        total_reward: float,
        trajectory_summary: Mapping[str, Any],
        *,
        audience: Audience = "public",
    ) -> str:
        """Keep how a whole task went; return the id.

        The summary holds `milestones_hit` (a list) and `steps`, and what else is plain data.
        """
        data = {
            "task_id": task_id,
            "route_taken": route_taken,
            "reward": total_reward,
            "summary": dict(trajectory_summary),
            "timestamp": format_time(scheduling.now()),
        }
        record = Record.of_trajectory(str(uuid.uuid4()), data, audience)
        self.store.add("trajectories", self.scope, record)
        return record.id

    def retrieve_similar_trajectories(
        self,
        task_domain: str,
        current_world: Mapping[str, Any],
        n: int = 3,
        *,
        hearers: Iterable[str] | None = None,
        stress_direction: Iterable[str] | None = None,
    ) -> list[dict[str, Any]]:
        """Return how like tasks went, as far as all `hearers` may know it."""
        query = replay.world_query(
            task_domain, current_world, stress_direction=self._inverted(stress_direction)
        )
        hits = self.store.nearest("trajectories", self.scope, query, n=n, hearers=hearers)
        return [
            {**record.data, "audience": record.audience, "similarity_score": round(cosine, 4)}
            for record, cosine in hits
        ]

    # What people say of it.

    def store_feedback(self, feedback: OutcomeFeedback) -> str:
        """Keep a verdict on an episode; what was said of it before goes into its history."""
        return self.store.put_feedback(self.scope, feedback.record())

    def retrieve_feedback(self, episode_id: str) -> dict[str, Any] | None:
        """Return the verdict on an episode, whoever may know it, or None."""
        return self.store.feedback(self.scope, episode_id)

    # All of it.

    def get_stats(self) -> dict[str, Any]:
        """Return how many decisions there are, how they went on average, and of which types."""
        return replay.stats(self.store.rewards(self.scope))

    def told(self) -> Told:
        """Return all of it as staff see it: what is tried when, how that goes, and over time."""
        return experience_told.of_dump(self.dump())

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        """Return all of it as plain data: {"decisions", "trajectories", "feedback"}."""
        return self.store.dump(self.scope)

    def restore(self, dumped: Mapping[str, list[dict[str, Any]]]) -> int:
        """Keep what `dump` gave, under the ids that it had; return how many decisions.

        Raises:
            ValueError, TypeError, KeyError: something in it is no record; nothing is kept then.
        """
        makers = {"decisions": Record.of_decision, "trajectories": Record.of_trajectory}
        records = {
            name: [make(one["id"], one["data"], one["audience"]) for one in dumped[name]]
            for name, make in makers.items()
        }
        for name, found in records.items():
            self.store.add_missing(name, self.scope, found)
        self.store.restore_feedback(self.scope, dumped["feedback"])
        return len(records["decisions"])

    def remove(self, is_gone: Callable[[dict[str, Any]], bool]) -> int:
        """Forget the decisions and trajectories that `is_gone` is true of; return how many."""
        return self.store.remove(self.scope, is_gone)

    def unsay(self, is_meant: Callable[[dict[str, Any]], bool]) -> int:
        """Let go of what was said in the decisions that `is_meant` is true of; return how many."""
        meant = [one for one in self.dump()["decisions"] if is_meant(one["data"])]
        for one in meant:
            self.store.change("decisions", self.scope, one["id"], _unsaid)
        return len(meant)

    def scopes(self) -> list[str]:
        """Return the scopes of which the file has something, also those of NPCs that are gone."""
        return self.store.scopes()

    def clear(self) -> int:
        """Forget everything of this scope; return how many decisions that were."""
        return self.store.clear(self.scope)

    def close(self) -> None:
        """Close the file, for all scopes in it."""
        self.store.close()

    def _inverted(self, given: Iterable[str] | None) -> frozenset[str]:
        return self.stress_direction if given is None else frozenset(given)

    def _with_feedback(self, decision: dict[str, Any], hearers: list[str] | None) -> dict[str, Any]:
        episode = decision["episode_id"]
        feedback = self.store.feedback(self.scope, episode) if episode else None
        if feedback is None:
            return {**decision, "feedback": None}
        known = self.store.audience_of(self.scope, feedback)
        bound = audiences.intersection([known, decision["audience"]])
        if not may_be_shown(bound, hearers):
            return {**decision, "feedback": None}
        return {**decision, "audience": bound, "feedback": feedback}


def _similar(record: Record, cosine: float, current: Mapping[str, Any]) -> dict[str, Any]:
    data = record.data
    return {
        "id": record.id,
        "conflict_title": data["conflict_title"],
        "words": data.get("words") or "",
        "action_type": data["action_type"],
        "target_domain": data["target_domain"],
        "reward": data["reward"],
        "reasoning": data["reasoning"],
        "similarity_score": round(cosine, 4),
        "route_taken": data["route_outcome"],
        "metrics_snapshot": data["metrics_snapshot"],
        "metrics_diff": replay.metrics_difference(data["metrics_snapshot"], current),
        "episode_id": data["episode_id"],
        "personality_type": data["personality_type"],
        "timestamp": data["timestamp"],
        "audience": record.audience,
    }


def _unsaid(record: Record) -> Record:
    return Record.of_decision(
        record.id, {**record.data, "words": "", "reasoning": ""}, record.audience
    )
