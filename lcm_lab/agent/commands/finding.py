"""Subcommands that look into a history: ``search``, ``read``."""

from __future__ import annotations

from typing import Annotated

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import DEFAULT, Json, Source

__all__ = ["read", "search"]


@app.command(short_help="Search a history.")
def search(
    question: Annotated[str, typer.Argument(help="What to look for, in your own words.")],
    *,
    on: Source = DEFAULT,
    policy: Annotated[
        str, typer.Option("--policy", metavar="EXPR", help="How to rank.")
    ] = "BM25() % 10",
    conversation: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="From this ISO date or instant on.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="TIME", help="Before this ISO date or instant.")
    ] = None,
    role: Annotated[str | None, typer.Option(help="user, assistant, system or tool.")] = None,
    kind: Annotated[str | None, typer.Option(help="text, tool_call, tool_result, ...")] = None,
    where: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMN=VALUE", help="Any other column, e.g. speaker=Ada. Repeatable."
        ),
    ] = [],  # noqa: B006
    k: Annotated[int, typer.Option("--k", help="How many hits, at most.")] = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show what made each score.")] = False,
    json: Json = False,
) -> None:
    """Search a history and print the best hits. Filters apply before the cut; times are UTC.

    
    Examples:
      lcm-lab search 'which database did we pick?' --on '~/.claude/projects' --before 2026-03-01
      lcm-lab search 'summer holiday' --policy "BM25() >> Recency('30D') % 10" --explain
    """
    from lcm_lab.agent.find import Question, answered

    filters = {
        "conversation": conversation,
        "session": session,
        "since": since,
        "before": before,
        "role": role,
        "kind": kind,
    }
    asked = Question(question, on, policy, filters, tuple(where), k)
    print(answered(asked, explain=explain, json=json))


@app.command(short_help="Show what is in transcripts, and what was skipped and why.")
def read(
    path: Annotated[str, typer.Argument(help="A transcript, a folder, or a quoted glob.")],
    json: Json = False,
) -> None:
    """Show what is in transcripts: sessions, messages, time span, and what was skipped and why.

    
    Example:
      lcm-lab read '~/.claude/projects'
    """
    from lcm_lab.agent.contents import contents

    print(contents(path, json=json))
