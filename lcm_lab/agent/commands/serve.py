"""The subcommand that serves tools to agents: ``serve``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app

__all__ = ["serve"]


Store = Annotated[
    str,
    typer.Option("--store", metavar="STORE", help="A store, or the lcm.db of lossless-claw."),
]
Names = Annotated[
    str,
    typer.Option(metavar="NAMES", help="Which: lcm, sessions, episodic, with commas between."),
]
Roots = Annotated[
    list[str],
    typer.Option("--root", metavar="FOLDER", help="Transcripts that read may open. Repeatable."),
]
Policy = Annotated[
    str | None, typer.Option("--policy", metavar="EXPR", help="How lcm_grep and search rank words.")
]
Caller = Annotated[
    str, typer.Option("--as", metavar="KEY", help="The key of the session that asks.")
]
Visible = Annotated[
    Literal["self", "tree", "agent", "all"], typer.Option(help="What sessions that one may see.")
]
Http = Annotated[
    bool, typer.Option("--http", help="By HTTP, to this machine alone, in place of stdio.")
]
Port = Annotated[int, typer.Option(help="For --http; 0 takes a free one.")]


@app.command(short_help="Serve the tools to an agent, over MCP.")
def serve(
    *,
    store: Store = "memory.db",
    tools: Names = "lcm,sessions,episodic",
    root: Roots = [],  # noqa: B006  # typer copies it
    policy: Policy = None,
    caller: Caller = "agent:main:main",
    visibility: Visible = "all",
    http: Http = False,
    port: Port = 8765,
) -> None:
    """Serve the agent tools over MCP until the client leaves: lcm_grep, search, read and so on.

    Nothing but the protocol is written to standard output. Needs the extra mcp.

    
    Examples:
      lcm-lab serve --store memory.db --root ~/.claude/projects
      lcm-lab serve --store ~/.openclaw/lcm.db --tools lcm --http
    """
    from lcm_lab.agent.mcp.families import served

    served(
        store,
        tools,
        policy,
        port if http else None,
        caller=caller,
        visibility=visibility,
        roots=root,
    )
