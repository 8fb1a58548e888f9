"""The command ``lcm-lab``: parses, calls the library, prints.

Results go to stdout, all else to stderr. Every command imports what it needs when it runs, so that
``--help`` answers at once; it lists the commands in the order of these imports.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper

from lcm_lab.agent.app import app

from lcm_lab.agent.commands import (  # isort: skip  # in the order of --help
    measuring,
    diffing,
    finding,
    lcm,
    expanding,
    sessions,
    episodic,
    serve,
    making,
    storing,
)

__all__ = [
    "app",
    "diffing",
    "episodic",
    "expanding",
    "finding",
    "lcm",
    "main",
    "making",
    "measuring",
    "serve",
    "sessions",
    "storing",
]


def main() -> int:
    """Run the command; what ``lcm-lab`` and ``python -m lcm_lab`` call."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that lacks a character shows a question mark; it is no reason to stop.
            stream.reconfigure(errors="replace")
    app(prog_name="lcm-lab")
    return 0
