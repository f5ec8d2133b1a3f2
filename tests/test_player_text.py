"""What players write has no authority: it begins no line of talk, and stands between quotation marks elsewhere."""

from evennia_ai.tools import registry
from tests.house import rules
from tests.injection_guards import switched_off
from tests.player_text import (
    BUILDERS,
    NIGHT,
    TALK,
    TOOLS,
    UNWRITTEN,
    PlayerTextTestCase,
    builders,
    marks,
    names,
    standing_free,
    texts,
    use,
    written,
)


def free_in(requests, job):
    """Return what stands free in the requests of a job, by role, and all that they show."""
    free, shown = {}, set()
    for request in requests:
        if request.job == job:
            for role, text in texts(request):
                shown |= marks(text)
                if found := standing_free(text, is_talk=job in TALK, is_night=job in NIGHT):
                    free.setdefault(role, set()).update(found)
    return free, shown


def tearDownModule():  # noqa: N802
    """Let the trees of all modules go."""
    rules.parsed.cache_clear()


class JobTests(PlayerTextTestCase):
    """Each request that asks a mind to do a job."""


def _add(case, job):
    def test(self):
        free, shown = free_in(BUILDERS[job].ask(self), job[1])
        self.assertEqual(free, {})
        self.assertEqual(BUILDERS[job].shows - shown, set())

    test.__name__ = f"test_{'_'.join(job).replace('.', '_')}"
    setattr(case, test.__name__, test)


for _job in BUILDERS:
    _add(JobTests, _job)


class ToolTests(PlayerTextTestCase):
    """What each tool tells, whatever it is asked."""

    def filled(self, arguments):
        known = {**names(self), "$written": written("argument")}

        def fill(value):
            if isinstance(value, list):
                return [fill(one) for one in value]
            if not isinstance(value, str):
                return value
            return known.get(value, value.replace("$written", known["$written"]))

        return {key: fill(value) for key, value in arguments.items()}

    def test_what_each_tells_is_quoted(self):
        here = self.room1
        for tool, asked in TOOLS.items():
            for arguments, expected in asked:
                with self.subTest(tool, arguments=arguments):
                    shown = use(self, tool, **self.filled(arguments))
                    self.assertEqual(standing_free(shown), set(), shown)
                    self.assertEqual(expected - marks(shown), set(), shown)
                    self.mara.location, self.gift.location = here, self.mara

    def test_what_is_not_as_it_should_be_is_quoted(self):
        for tool in TOOLS:
            for wrong in self.wrong(tool):
                with self.subTest(tool, arguments=wrong):
                    shown = use(self, tool, **wrong)
                    self.assertEqual(standing_free(shown), set(), shown)
                    self.mara.location, self.gift.location = self.room1, self.mara

    def wrong(self, tool):
        """Yield arguments that are not as they should be, each of which a player has written."""
        yield {written("argument"): 1}
        right = self.filled(TOOLS[tool][0][0])
        for name in registry.get(tool).schema()["parameters"]["properties"]:
            for value in (written("argument"), [written("argument")], {written("argument"): 1}):
                yield {**right, name: value}


class WalkTests(PlayerTextTestCase):
    """The walk misses nothing, and can fail."""

    def test_each_module_that_asks_a_mind_has_a_case(self):
        found = builders(rules.read_modules("evennia_ai"))
        self.assertEqual(found, set(BUILDERS) | UNWRITTEN)

    def test_each_tool_has_a_case(self):
        self.assertEqual(set(registry.all_tools()), set(TOOLS))

    def test_where_quotations_can_be_ended_it_finds_all_that_stands_free(self):
        with switched_off("foreign text is quoted"):
            asked = {ask: ask(self) for ask in dict.fromkeys(one.ask for one in BUILDERS.values())}
            jobs = {job: free_in(asked[case.ask], job[1])[0] for job, case in BUILDERS.items()}
            self.mara.location = self.room1
            tools = {tool for tool in TOOLS if standing_free(use(self, tool, **{written("x"): 1}))}
        self.assertEqual({job for job, free in jobs.items() if not free}, set())
        self.assertEqual(tools, set(TOOLS))
