"""Subcommand ``diff``: what changed between two saved evaluations, with an exit code for CI."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import Json

__all__ = ["diff"]


@app.command(short_help="Say what changed between two saved reports, beyond noise.")
def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="Folder of a ranking report.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Folder of a later one.")],
    *,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Exit with 1 if any system got worse on the first measure by more than this "
            "beyond noise, has lost topics, or is gone. Without it the exit code is 0 whatever "
            "changed.",
        ),
    ] = None,
    by: Annotated[
        Literal["conversation", "topic"],
        typer.Option(help="What is drawn again as a whole."),
    ] = "conversation",
    across: Annotated[
        bool,
        typer.Option("--across", help="Compare although the collections differ, by qid alone."),
    ] = False,
    json: Json = False,
) -> None:
    """Compare two evaluations of the same questions, system by system and topic by topic.

    Systems are matched by name, and what is written otherwise is said. A change is called better or
    worse where its p, adjusted for all systems (Holm), is at most .05. Folders that cannot be read
    or compared end with exit code 2.

    
    Example:
      lcm-lab report --out before
      lcm-lab report --out after
      lcm-lab diff before after --threshold 0.01
    """
    from lcm_lab.agent import changes
    from lcm_lab.agent.show import as_json
    from lcm_lab.evaluation.comparing.diff import diff as compared

    found = compared(before, after, by=by, across=across)
    fallen = None if threshold is None else found.fallen(threshold)
    print(as_json(changes.facts(found, fallen)) if json else changes.told(found, fallen))
    if fallen is not None and (len(fallen) or found.gone):
        raise SystemExit(1)
