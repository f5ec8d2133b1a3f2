"""Tests of the folders for seeds and minds: nobody gets out of them."""

import os
import shutil
import tempfile
from pathlib import Path

from evennia_ai.memory.seeds import mind_folders
from evennia_ai.testing import AITestCase

SEEDS = mind_folders.SEEDS


class MindFoldersTests(AITestCase):
    def setUp(self):
        super().setUp()
        self.root = Path(tempfile.mkdtemp(prefix="evennia-ai-folders-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.folder = self.root / "seeds"
        self.folder.mkdir()
        self.patch(mind_folders, "FOLDERS", {"seeds": str(self.folder), "minds": "server/minds"})

    def refused(self, function, *args, **kwargs):
        with self.assertRaises(ValueError) as caught:
            function(*args, **kwargs)
        return str(caught.exception)

    def test_a_file_may_lie_in_a_folder_of_the_folder(self):
        path = mind_folders.path_of("north/the inn.yaml", folder=SEEDS)
        self.assertEqual(path, self.folder.resolve() / "north" / "the inn.yaml")

    def test_no_name_leads_out_of_the_folder(self):
        (self.root / "secret.yaml").write_text("x")
        (self.folder / "link.yaml").symlink_to(self.root / "secret.yaml")
        (self.folder / "way").symlink_to(self.root)
        for name in (
            "../secret.yaml",
            "a/../../secret.yaml",
            "/etc/passwd",
            "~/x",
            ".hidden",
            "a//b",
            "",
            ".",
            "a\x00b",
            "a\nb",
            "link.yaml",
            "way/secret.yaml",
        ):
            with self.subTest(name):
                sentence = f"{name!r} is not the name of a file in {self.folder}."
                self.assertEqual(self.refused(mind_folders.path_of, name, folder=SEEDS), sentence)

    def test_the_suffix_can_be_left_out(self):
        (self.folder / "inn.yml").write_text("x")
        found = mind_folders.find("inn", folder=SEEDS, suffixes=(".yaml", ".yml"))
        self.assertEqual(found, "inn.yml")
        sentence = f"There is no file mill in {self.folder}."
        self.assertEqual(
            self.refused(mind_folders.find, "mill", folder=SEEDS, suffixes=(".yaml",)), sentence
        )

    def test_a_file_is_read_up_to_a_limit(self):
        (self.folder / "inn.yaml").write_text("12345")
        self.assertEqual(mind_folders.read("inn.yaml", folder=SEEDS, limit=5), b"12345")
        said = self.refused(mind_folders.read, "inn.yaml", folder=SEEDS, limit=4)
        self.assertEqual(said, "inn.yaml has more than 4 bytes.")

    def test_what_is_no_file_is_not_read(self):
        os.mkfifo(self.folder / "pipe.yaml")
        (self.folder / "sub.yaml").mkdir()
        for name in ("pipe.yaml", "sub.yaml", "none.yaml"):
            said = self.refused(mind_folders.read, name, folder=SEEDS, limit=9)
            self.assertEqual(said, f"There is no file {name} in {self.folder}.")

    def test_a_file_is_written_for_the_server_alone_and_over_an_older_one(self):
        mind_folders.write("new/mara.json", b"one", folder=SEEDS)
        mind_folders.write("new/mara.json", b"two", folder=SEEDS)
        path = self.folder / "new" / "mara.json"
        self.assertEqual((path.read_bytes(), path.stat().st_mode & 0o777), (b"two", 0o600))
        self.assertEqual([one.name for one in path.parent.iterdir()], ["mara.json"])

    def test_what_cannot_be_written_is_said(self):
        (self.folder / "taken").write_text("x")
        said = self.refused(mind_folders.write, "taken/mara.json", b"x", folder=SEEDS)
        self.assertRegex(said, r"^taken/mara\.json cannot be written: .+\.$")
