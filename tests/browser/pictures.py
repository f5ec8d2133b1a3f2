"""Makes the pictures of docs/web.md: `make pictures`, in a village where something has happened."""

import base64
import re
import shutil
import sys

from tests.browser import chromium, village
from tests.scenarios.game import ROOT, SUPERUSER, Game
from tests.scenarios.stage import Stage

FOLDER = ROOT / "docs" / "pictures"
SIZE = (1280, 860)
QUALITY = 82
# Who talks in the evening of the pictures, and what they say.
TALK = (
    ("Rolf", "yard", "The Yard"),
    ("Rolf", "say Hedda, when does the ferry cross?", "Hedda says"),
    ("Rolf", "say Jorun, what does a horseshoe cost?", "Jorun says"),
    ("Ann", "kitchen", "The Kitchen"),
    ("Ann", "say Tam, how long does the dark ale need?", "Tam says"),
    ("Ann", "common room", "The Common Room"),
    ("Ann", "say Sister Ilse, why is the bell tower closed?", "Sister Ilse says"),
    ("Rolf", "tavern", "The Common Room"),
    ("Rolf", "say Bertil, what do you know of the north road?", "Bertil says"),
    ("Rolf", "say Mara, who was robbed on the river road?", "Mara says"),
    ("Keeper", "@assistant/stop Tam", "Tam"),
    ("Keeper", "@aimemory/sleep Jorun = deep", "Jorun"),
)


class Village(Game):
    """The demo game with the people of `village`."""

    def __init__(self):
        super().__init__(
            AT_INITIAL_SETUP_HOOK_MODULE="village",
            EVENNIA_AI={"FAVORABILITY": {"call": 0.6, "day": 1.0}},
        )

    def prepare(self):
        """Copy them, too."""
        shutil.copy(ROOT / "tests" / "browser" / "village.py", self.directory)
        super().prepare()


def main(folder=FOLDER):
    """Make all pictures; return the exit status."""
    if chromium.missing():
        print(f"There is no {chromium.missing()}.")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with Village() as game, chromium.opened() as browser:
        stage = Stage(game.port, write=lambda line: None)
        people = {name: stage.enter(name, village.PASSWORD, staff=True) for name in ("Ann", "Rolf")}
        people[SUPERUSER[0]] = stage.enter(*SUPERUSER, staff=True)
        for name, line, answer in TALK:
            people[name].sends(line)
            people[name].sees(answer)
        base = f"http://127.0.0.1:{game.settings['WEBSERVER_PORTS'][0][0]}"
        tab = chromium.Tab(browser, base)
        tab.logs_in(*SUPERUSER)
        tab.opens("/ai/?name=Mara")
        number = re.search(r"/npc/(\d+)/", tab.page.content())[1]
        for name, address in (
            ("town", "/ai/"),
            ("memories", f"/ai/npc/{number}/memories/"),
        ):
            tab.looks_in(SIZE)
            tab.opens(address)
            _keep(tab, folder / f"{name}.webp")
            # To be looked at, and not in the documents.
            for suffix, size in (("", SIZE), ("-phone", chromium.PHONE)):
                tab.looks_in(size)
                tab.picture(f"village-{name}{suffix}")
        stage.leave()
        tab.close()
    return 0


def _keep(tab, path):
    """Keep what the window shows, as WebP."""
    asked = {"format": "webp", "quality": QUALITY}
    taken = tab.context.new_cdp_session(tab.page).send("Page.captureScreenshot", asked)
    path.write_bytes(base64.b64decode(taken["data"]))
    print(f"{path.name}: {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    sys.exit(main())
