"""Subcommands about what is stored: ``import`` and ``check``."""

from __future__ import annotations

from typing import Annotated

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import Json

__all__ = ["check", "import_"]


@app.command("import", short_help="Import transcripts into a store.")
def import_(
    path: Annotated[
        list[str], typer.Argument(help="Transcripts, folders, or quoted globs of them.")
    ],
    *,
    into: Annotated[
        str, typer.Option("--into", metavar="STORE", help="The store; made if it is not there.")
    ],
    json: Json = False,
) -> None:
    """Import transcripts into a store, and say what was new, and what was skipped and why.

    What is there already is passed over, so the same command keeps a store up to date; one that was
    stopped goes on where it was.

    
    Example:
      lcm-lab import '~/.claude/projects' --into memory.db
    """
    import time

    from lcm_lab.agent.importing import imported

    print(imported(path, into, json=json, now=time.time_ns() // 1000))


@app.command(short_help="Audit a store, a lossless-claw database or a collection.")
def check(
    path: Annotated[
        str, typer.Argument(help="A store, the lcm.db of lossless-claw, or a collection.")
    ],
    json: Json = False,
) -> None:
    """Check a store, a lossless-claw database or a collection against every rule there is for it.

    Nothing is changed. Exit code 0: clean; 1: a rule is broken; 2: nothing that can be checked.

    
    Example:
      lcm-lab check ~/.openclaw/lcm.db
    """
    from lcm_lab.agent.checking import checked

    told, violations = checked(path, json=json)
    print(told, flush=True)
    if violations:
        raise SystemExit(1)
