"""A release as `make release` builds it: the archives are sound, hold what they should, and have notes."""

import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from django.test import tag

from evennia_ai import __version__
from tests.scenarios.built_game import SOURCES, run_quietly
from tests.scenarios.game import LEAVE_OUT, ROOT

NOBODY = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")


def release(source):
    """Run what `make release` runs, in a copy of the sources."""
    command = ["bash", ".ci/release"]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


class ReleaseTests(unittest.TestCase):
    @tag("scenario")
    def test_it_is_built_checked_installed_and_says_what_is_left_to_a_person(self):
        source = Path(tempfile.mkdtemp(prefix="evennia-ai-release-"))
        self.addCleanup(shutil.rmtree, source, ignore_errors=True)
        for name in (*SOURCES, ".ci", ".gitignore", "MANIFEST.in"):
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / name, ignore=LEAVE_OUT)
            elif (ROOT / name).exists():
                shutil.copy(ROOT / name, source)
        for command in (
            ("init", "--quiet"),
            ("add", "."),
            (*NOBODY, "commit", "--quiet", "-m", "x"),
        ):
            run_quietly(["git", *command], cwd=source)
        done = release(source)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"dist/ holds version {__version__}, and it is sound.", done.stdout)
        built = sorted(path.name for path in (source / "dist").iterdir())
        self.assertEqual(
            built,
            [f"evennia_ai-{__version__}-py3-none-any.whl", f"evennia_ai-{__version__}.tar.gz"],
        )
        with tarfile.open(source / "dist" / built[1]) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "evennia_ai/languages/en.yaml"):
            self.assertIn(name, names)
        (source / "README.md").write_text("Not committed.", encoding="utf-8")
        refused = release(source)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("commit them first", refused.stderr)

    def test_the_changes_have_a_section_for_this_version(self):
        changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
        self.assertIn(__version__, re.findall(r"^## \[(.+?)\]", changes, re.M))
