"""docs/prompts.md is what models are asked: who changes a prompt sees it there, as a diff."""

import io
import tempfile
from contextlib import nullcontext
from pathlib import Path

from django.core.management import CommandError, call_command

from evennia_ai import scheduling
from evennia_ai.domain.model_text import request_text
from evennia_ai.llm import base
from evennia_ai.management.commands import ai_prompts
from evennia_ai.semantic import memory_thread
from evennia_ai.testing import AITestCase, prompt_page
from tests.house.rules import ROOT

PAGE = ROOT / "docs/prompts.md"
WRITE = "evennia ai_prompts --settings test_settings --write docs/prompts.md"
# Asked of a model by the game's own MAY_SAY alone.
NEVER_ASKED = {"moderate"}


class PromptsPageTests(AITestCase):
    def setUp(self):
        super().setUp()
        # It is one already.
        self.patch(ai_prompts, "throwaway_database", nullcontext)
        self.maxDiff = None

    def tearDown(self):
        # The scene has had a clock of its own.
        scheduling.set_clock(self.clock)
        memory_thread.set_worker(memory_thread.InlineWorker())
        super().tearDown()

    def test_the_page_is_what_models_are_asked(self):
        written = PAGE.read_text("utf-8").splitlines()
        self.assertEqual(written, prompt_page.page().splitlines(), f"now type: {WRITE}")

    def test_each_job_is_on_it_and_known_by_its_request(self):
        asked = prompt_page.played()
        self.assertEqual({job for _, job, _ in prompt_page.PARTS}, set(base.JOBS) - NEVER_ASKED)
        for request in asked:
            body = prompt_page.body_of(request)
            self.assertEqual(request_text.job_of(body), request.job)

    def test_the_command_writes_and_compares(self):
        self.patch(prompt_page, "page", lambda: "# Prompts\n")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "prompts.md"
            with self.assertRaises(CommandError) as caught:
                call_command("ai_prompts", check=file)
            self.assertEqual(
                str(caught.exception), f"{file} is not up to date; `make docs` writes it."
            )
            call_command("ai_prompts", write=file)
            call_command("ai_prompts", check=file)
            self.assertEqual(file.read_text("utf-8"), "# Prompts\n")
        out = io.StringIO()
        call_command("ai_prompts", stdout=out)
        self.assertEqual(out.getvalue(), "# Prompts\n")
