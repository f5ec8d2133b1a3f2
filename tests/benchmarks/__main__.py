"""All benchmarks, one after the other: `python -m tests.benchmarks`, one line of JSON for each."""

import sys

from tests.benchmarks import bedtime, crash, idle, noise, stall
from tests.benchmarks.link import run

sys.exit(max(run(benchmark.measure) for benchmark in (noise, stall, idle, bedtime, crash)))
