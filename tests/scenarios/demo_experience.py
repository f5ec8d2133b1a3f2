"""The experience of the demo's guard: what he did and what came of it is kept, rated, shown and forgotten."""


def experience(scene):
    """What came of the guard's answers is kept; people rate it, staff read it, and it can be emptied."""
    answered(scene.ann, "Bertil, I'll smash your face!")
    answered(scene.ann, "Get lost, Bertil!")
    scene.stage.pump(2.0)
    scene.ann.does("rate Bertil = 1 far too soft")
    scene.ann.sees(r"^You rate what Bertil did as 1 out of 10\.")
    scene.keeper.does("@assistant/experience Bertil")
    scene.keeper.sees("What it tries when:")
    scene.keeper.does("@aimemory/forget Bertil = experience")
    scene.keeper.sees(r"\[y/N\]")
    scene.keeper.does("y")
    scene.keeper.sees("has forgotten what it has learned by doing: [1-9]")
    scene.keeper.does("@assistant/experience Bertil")
    scene.keeper.sees("has decided nothing yet")


def answered(player, words):
    """Let the guard be spoken to, and wait for his answer."""
    player.does(f"say {words}")
    # What he said to others before that is not meant.
    player.sees("^You say, ")
    player.sees("^Bertil says, ")
