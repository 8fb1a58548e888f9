"""Laws that hold for any input, each tried in a process of its own, bounded in time and memory.

A module ``fuzz_*.py`` beside this one holds laws; `test_fuzz.py` runs them. The inputs are the same
every time. ``LCM_LAB_FUZZ=10`` tries ten times as many, ``LCM_LAB_FUZZ_SEED=7`` tries others.
"""

import faulthandler
import importlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, settings

from lcm_lab.errors import LcmError

ROOT = Path(__file__).resolve().parents[2]
TIMES, SEED = "LCM_LAB_FUZZ", "LCM_LAB_FUZZ_SEED"

#: One input that takes so many seconds of the processor, or stands still for so long, is a hang.
WORK, PATIENCE = 120, 900
#: Bytes that a law may take beyond what it starts with.
MORE = 2 << 30
#: No error says more than this, whatever it was given.
LONGEST_ERROR = 4_000

LAWS = {}
#: What was done: executions, how many of them were refused, and what a law adds.
done = Counter()


@dataclass(frozen=True)
class Law:
    """What is to hold of every input that a strategy draws, and on how many it is tried."""

    check: Callable[[Any], None]
    inputs: Any
    examples: int


def law(inputs, examples):
    """Make a function of one input a law."""

    def put(check):
        LAWS[check.__name__] = Law(check, inputs, examples)
        return check

    return put


def tried(call, *given, refusals=(LcmError,), **named):
    """Do one thing; give what it gives, None where it was refused with an error of ours."""
    done["executions"] += 1
    try:
        return call(*given, **named)
    except refusals as error:
        done["refused"] += 1
        assert len(str(error)) <= LONGEST_ERROR, f"an error of {len(str(error)):,} characters"
        return None


def bounded(module, name):
    """Try a law in a process of its own; give its figures.

    Raises
    ------
    AssertionError
        With what the process told, if the law did not hold or the process did not end well.
    """
    words = [sys.executable, "-c", "from tests.harden.fuzzing import run; run()", module, name]
    with tempfile.TemporaryDirectory() as folder:
        how = {"cwd": ROOT, "env": os.environ | {"TMPDIR": folder}, "check": False}
        ended = subprocess.run(words, capture_output=True, text=True, **how)
    told = ended.stderr[-8_000:]
    assert ended.returncode == 0, f"{module}.{name} ended with {ended.returncode}\n{told}"
    return json.loads(ended.stdout.splitlines()[-1])


def run():
    """Try the law that the command line names, and print its figures."""
    module, name = sys.argv[1:]
    importlib.import_module(f"tests.harden.{module}")
    one = LAWS[name]
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", hypothesis.errors.HypothesisWarning)
    try:
        _tester(one)()
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    faulthandler.cancel_dump_traceback_later()
    sys.stdout.write(f"\n{json.dumps(done)}\n")


def _tester(one):
    seed = os.environ.get(SEED)
    chosen = settings(
        max_examples=max(1, round(one.examples * float(os.environ.get(TIMES, "1")))),
        derandomize=seed is None,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    bounds = []
    faulthandler.register(signal.SIGXCPU, chain=True)

    def check(given):
        if not bounds:
            bounds.append(_bound())
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        until = math.ceil(time.process_time()) + WORK
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
        one.check(given)

    made = chosen(hypothesis.given(one.inputs)(check))
    return made if seed is None else hypothesis.seed(int(seed))(made)


def _bound():
    """Bound what this process may take to what it has and some more."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MORE
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    return most
