"""News and promises of the demo: what happened goes from mouth to mouth, a confidence stays, a promise is kept."""

from tests.scenarios.demo_day import TICK
from tests.scenarios.stage import StepFailed

NEWS = "A wolf was seen at the ford below the mill."
_NOTE = (
    "py __import__('evennia_ai.api').api.add_entry(self.search('Mara'), '{text}', "
    "source_type='observation', audience='public', importance=8).content"
)


def news(scene):
    """Mara tells Bertil what happened, he tells Cid, who says whom it is from; Ann's secret stays with Mara."""
    scene.keeper.does("@assistant/create Cid = A carter who eats in the kitchen.")
    scene.keeper.sees("Cid")
    scene.keeper.does("@tel Cid = The Kitchen")
    scene.keeper.sees("(?i)teleport")
    scene.stage.pump(TICK)
    scene.keeper.does(_NOTE.format(text=NEWS))
    scene.keeper.sees("A wolf was seen")
    scene.ann.sees(f'^Mara says, "{NEWS}"', seconds=6 * TICK)
    scene.ann.saw_once(NEWS, seconds=TICK)
    scene.stage.note("Ann, who is there, hears it; Cid is in the kitchen, where nobody watches")
    scene.keeper.does("@tel Bertil = The Kitchen")
    scene.keeper.sees("(?i)teleport")
    scene.stage.pump(3 * TICK)
    scene.keeper.does("@tel Bertil = The Common Room")
    scene.keeper.sees("(?i)teleport")
    scene.keeper.does("@tel Cid = The Common Room")
    scene.keeper.sees("(?i)teleport")
    scene.bob.does("say Cid, what do you know about the wolf?")
    scene.bob.sees('^Cid says, ".*Bertil.*wolf was seen at the ford')
    for name in ("Bertil", "Cid"):
        scene.keeper.does(f"@aimemory/journal {name} = wolf")
        scene.keeper.sees("wolf was seen")
        scene.keeper.does(f"@aimemory/journal {name} = hearthstone")
        scene.keeper.sees("^None of its")
        if scene.keeper.saw("silver key"):
            raise StepFailed("somebody else knows what Ann told Mara alone")
    scene.keeper.does("@tel Cid = The Kitchen")
    scene.keeper.sees("(?i)teleport")


def promise(scene):
    """Ann promises Mara something, is told her own words, and brings it."""
    scene.keeper.does("@create/drop ledger")
    scene.keeper.sees("(?i)ledger")
    scene.ann.does("say Mara, I will bring you the ledger tomorrow.")
    scene.ann.sees("^Mara says, ")
    scene.ann.does("say Mara, what about the ledger?")
    scene.ann.sees('^Mara says, "You told me.*the ledger tomorrow')
    scene.ann.does("get ledger")
    scene.ann.sees("^You pick up")
    scene.ann.does("give ledger to Mara")
    scene.ann.sees("^You give")
    scene.ann.sees('^Mara says, ".*(For me|kind of you)')
