"""Under which names minds kept what they keep in the first version, in ordinary Attributes.

They are not the product's names of today, and do not change with them.
"""

# On minds and on bodies.
CATEGORIES = """entity_backlog entity_names entity_profiles evennia_ai journal memory_links
    working_memory""".split()
# Without a category: on a body, and on a mind.
ON_A_BODY = """ai_lore ai_persona allowed_commands experience_scope gossip journal
    journal_of_the_game talkative""".split()
ON_A_MIND = """activity_counter assistant_key compact_enabled compact_model compact_preserve_window
    compact_prompt counters enabled followed_channels following goals guests last_compaction
    last_transition memory_links_progress operating_mode pending_events projects recent_decisions
    reflection_state reminders schedule_suspended_by_tool sleep_cooldown_until sleep_degraded
    sleep_depth sleep_failed_ticks sleep_is_nap sleep_phase sleep_reason sleep_requested
    sleep_schedule sleep_stalled_ticks sleep_started_at sleep_ticks sleep_tokens sleep_wake_at
    sleep_work_done tick_rate""".split()
# Of those, what builders write with Evennia's own commands: it may stay where it is.
STAYING = """ai_lore ai_persona allowed_commands compact_enabled compact_model
    compact_preserve_window compact_prompt enabled experience_scope gossip sleep_schedule talkative
    tick_rate""".split()
# Of an identity, which players have as well: (category, key).
IDENTITY = ("evennia_ai", "identity")
# The category of the Tags of minds that are on.
PULSE = "evennia_ai_pulse"

# How the types of Attributes and Tags begin that are to be ours alone.
OUR_TYPE = "evennia_ai"
