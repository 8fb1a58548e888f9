"""Subcommands that are episodic-memory's tools: ``episodic search``, ``episodic read``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import Held, Json

__all__ = ["episodic", "read", "search"]

episodic = typer.Typer(
    name="episodic",
    help="Recall earlier conversations, and read them, as an agent does.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(episodic, short_help="Recall and read earlier conversations, as an agent does.")

Root = Annotated[
    list[str],
    typer.Option("--root", metavar="FOLDER", help="Transcripts that may be opened. Repeatable."),
]
Compat = Annotated[
    bool, typer.Option("--reference", help="As episodic-memory does over --root, faults included.")
]


@episodic.command(short_help="Recall exchanges by meaning, by text, or by both, as search does.")
def search(
    query: Annotated[
        list[str], typer.Argument(help="What to look for; several: what must all be there.")
    ],
    *,
    on: Held,
    mode: Annotated[
        Literal["vector", "text", "both"], typer.Option(help="What a hit is.")
    ] = "both",
    limit: Annotated[int, typer.Option(help="How many hits, at most: 1 to 50.")] = 10,
    after: Annotated[
        str | None, typer.Option(metavar="DAY", help="From this UTC day on, YYYY-MM-DD.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="DAY", help="Before this UTC day, YYYY-MM-DD.")
    ] = None,
    project: Annotated[str | None, typer.Option(metavar="NAME", help="Only this project.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")] = None,
    branch: Annotated[str | None, typer.Option(metavar="NAME", help="Only this branch.")] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="EXPR", help="How mode both ranks.")
    ] = None,
    root: Root = [],  # noqa: B006  # typer copies it
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Recall exchanges of earlier conversations; several queries must all occur in one.

    
    Examples:
      lcm-lab episodic search 'why did CI check out a merge commit' --on memory.db
      lcm-lab episodic search 'rebase' 'unused dependencies' --on memory.db --after 2026-01-01
    """
    from lcm_lab.agent.episodic.commands import searched

    asked = {
        "query": query[0] if len(query) == 1 else query,
        "mode": mode,
        "limit": limit,
        "after": after,
        "before": before,
        "project": project,
        "session_id": session,
        "git_branch": branch,
        "response_format": "json" if json else "markdown",
    }
    print(searched(on, asked, policy, root, reference=reference))


@episodic.command(short_help="Read an earlier conversation, or lines of it, as read does.")
def read(
    path: Annotated[str, typer.Argument(help="The transcript, as search names it.")],
    *,
    on: Held,
    lines: Annotated[
        str | None, typer.Option(metavar="FIRST[-LAST]", help="Only these lines.")
    ] = None,
    root: Root = [],  # noqa: B006  # typer copies it
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Read a transcript as markdown: who said what on which line, tools and their results.

    What lies under no --root is read from the store, as far as it has it.

    
    Example:
      lcm-lab episodic read session.jsonl --on memory.db --lines 100-120
    """
    from lcm_lab.agent.episodic.commands import opened

    print(opened(on, path, lines, root, reference=reference, json=json))
