"""Subcommands that are OpenClaw's session tools: ``sessions search``, ``sessions history``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import Held, Json, Zone

__all__ = ["history", "search", "sessions"]

sessions = typer.Typer(
    name="sessions",
    help="Search past sessions, and read them, as an agent does.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(sessions, short_help="Search and read past sessions, as an agent does.")

Caller = Annotated[
    str, typer.Option("--as", metavar="KEY", help="The key of the session that asks.")
]
Visible = Annotated[
    Literal["self", "tree", "agent", "all"], typer.Option(help="What that session may see.")
]
Compat = Annotated[
    bool, typer.Option("--reference", help="Answer as OpenClaw does, faults included.")
]


@sessions.command(short_help="Search what was said, as sessions_search does.")
def search(
    query: Annotated[str, typer.Argument(help='Words, or "phrases in quotes".')],
    *,
    on: Held,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="Only this session.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many hits, at most: 1 to 25.")] = 10,
    mode: Annotated[
        Literal["exact", "substring", "semantic"], typer.Option(help="What a hit is.")
    ] = "exact",
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="EXPR", help="How hits are ranked.")
    ] = None,
    caller: Caller = "agent:main:main",
    visibility: Visible = "all",
    zone: Zone = "UTC",
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Search what users and assistants said in past sessions.

    
    Examples:
      lcm-lab sessions search 'retry backoff' --on memory.db
      lcm-lab sessions search 数据库 --mode substring --on memory.db
    """
    from lcm_lab.agent.sessions.commands import Opened, searched

    opened = Opened(on, caller, visibility, zone, reference)
    asked = {"query": query, "sessionKey": key, "limit": limit, "mode": mode}
    print(searched(opened, asked, policy, json=json))


@sessions.command(short_help="Read a session, as sessions_history does.")
def history(
    key: Annotated[str, typer.Argument(help="Of the session, or a session id.")],
    *,
    on: Held,
    limit: Annotated[int, typer.Option(help="How many messages, at most: 1 to 1000.")] = 200,
    offset: Annotated[
        int | None, typer.Option(help="How many of the newest messages to pass over.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("--message", metavar="ID", help="Read around this message.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="The session id of the message.")
    ] = None,
    tools: Annotated[
        bool, typer.Option("--tools", help="Show tool calls, results and reasoning too.")
    ] = False,
    caller: Caller = "agent:main:main",
    visibility: Visible = "all",
    zone: Zone = "UTC",
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Read the newest messages of a session, or those around one message.

    
    Examples:
      lcm-lab sessions history agent:main:main --limit 20 --on memory.db
      lcm-lab sessions history agent:main:main --message m17 --on memory.db
    """
    from lcm_lab.agent.sessions.commands import Opened, read

    opened = Opened(on, caller, visibility, zone, reference)
    asked = {
        "sessionKey": key,
        "limit": limit,
        "offset": offset,
        "messageId": message,
        "sessionId": session,
        "includeTools": tools,
    }
    print(read(opened, asked, json=json))
