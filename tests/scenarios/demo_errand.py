"""The errand of the demo: the innkeeper carries a letter to the yard, comes back, and tells how it went."""

from tests.scenarios.demo_day import TICK, empties

LISTED = "things: letter; to: Bertil; a_day: 1"


def errand(scene):
    """Ann sends Bertil a letter by Mara, who refuses what is not on her list, and reports."""
    scene.keeper.does(f"@assistant/persona Mara/errands = {LISTED}")
    scene.keeper.sees("You write the errands of Mara")
    for thing in ("letter", "dagger"):
        scene.keeper.does(f"@create/drop {thing}")
        scene.keeper.sees(f"(?i){thing}")
        scene.ann.does(f"get {thing}")
        scene.ann.sees("^You pick up")
    scene.keeper.does("@tel Bertil = The Yard")
    scene.keeper.sees("(?i)teleport")
    scene.stage.pump(TICK)
    scene.ann.does("say Mara, take this dagger to Bertil.")
    scene.ann.sees("^Mara says, .*(?i:I don't carry)")
    scene.ann.does("say Mara, take this letter to Bertil.")
    scene.ann.sees("^Mara says, ")
    scene.keeper.does("@tel Bob = The Yard")
    scene.keeper.sees("(?i)teleport|already")
    scene.ann.does("give letter to Mara")
    scene.ann.sees("^You give")
    scene.bob.sees("^Mara arrives to The Yard", seconds=6 * TICK)
    scene.stage.note("Bob, who is there, may not know who sends what: so she whispers")
    scene.bob.never_saw("sends you this")
    scene.ann.sees("^Mara arrives to The Common Room", seconds=6 * TICK)
    scene.ann.sees("^Mara (says|whispers).*Bertil has what you sent", seconds=2 * TICK)
    scene.keeper.does("@assistant/errands Mara")
    scene.keeper.sees("Mara.* carries letter to Bertil")
    scene.keeper.does("@tel Bertil = The Common Room")
    scene.keeper.sees("(?i)teleport")
    scene.bob.does("tavern")
    scene.bob.sees("^The Common Room")
    scene.ann.does("drop dagger")
    scene.ann.sees("^You drop")
    empties(scene, "errands")
