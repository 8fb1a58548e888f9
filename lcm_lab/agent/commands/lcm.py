"""Subcommands that are LCM's tools: ``grep``, ``describe``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import Held, Json, Zone

__all__ = ["describe", "grep"]

Only = Annotated[
    str | None, typer.Option("--conversation", metavar="NAME", help="Only this conversation.")
]
Since = Annotated[
    str | None, typer.Option(metavar="TIME", help="From this ISO date or instant on.")
]
Before = Annotated[
    str | None, typer.Option(metavar="TIME", help="Before this ISO date or instant.")
]
Files = Annotated[
    list[str], typer.Option("--file", metavar="ID", help="Only these files. Repeatable.")
]
Compat = Annotated[
    bool, typer.Option("--reference", help="Answer as lossless-claw does, faults included.")
]


@app.command(short_help="Search a store by words or by a pattern, as lcm_grep does.")
def grep(
    pattern: Annotated[str, typer.Argument(help="A regular expression, or words (--words).")],
    *,
    on: Held,
    words: Annotated[bool, typer.Option("--words", "-w", help='Words and "phrases".')] = False,
    scope: Annotated[
        Literal["messages", "summaries", "both", "files"], typer.Option(help="Where to look.")
    ] = "both",
    file: Files = [],  # noqa: B006  # typer copies it
    conversation: Only = None,
    since: Since = None,
    before: Before = None,
    limit: Annotated[int, typer.Option(help="How many hits, at most: 1 to 200.")] = 50,
    sort: Annotated[
        Literal["recency", "relevance", "hybrid"], typer.Option(help="Order of hits for words.")
    ] = "recency",
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="EXPR", help="How words are ranked.")
    ] = None,
    zone: Zone = "UTC",
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Search messages, summaries or large files, as an agent does with lcm_grep.

    Without --conversation all conversations are searched.

    
    Examples:
      lcm-lab grep 'retry|backoff' --on memory.db
      lcm-lab grep 'why did we pick Postgres' --words --sort relevance --on ~/.openclaw/lcm.db
    """
    from lcm_lab.agent.lcm.commands import grepped

    asked = {
        "pattern": pattern,
        "mode": "full_text" if words else "regex",
        "scope": scope,
        "fileIds": file or None,
        "conversationId": conversation,
        "allConversations": conversation is None,
        "since": since,
        "before": before,
        "limit": limit,
        "sort": sort,
    }
    print(grepped(on, asked, policy, zone, reference=reference, json=json))


@app.command(short_help="Show a summary or a large file whole, as lcm_describe does.")
def describe(
    id: Annotated[str, typer.Argument(help="Of a summary, sum_..., or of a file, file_....")],
    *,
    on: Held,
    conversation: Only = None,
    tokens: Annotated[
        int | None, typer.Option(help="What the costs of reading on are held against.")
    ] = None,
    lines: Annotated[
        str | None, typer.Option(metavar="FIRST[-LAST]", help="Only these lines of a file.")
    ] = None,
    limit: Annotated[int, typer.Option(help="Bytes of a file, 1024 to 512000.")] = 32_768,
    zone: Zone = "UTC",
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Show a summary, what it was made from and what reading on costs, or a large file.

    
    Examples:
      lcm-lab describe sum_abc123def456 --on memory.db
      lcm-lab describe file_789abc012345 --lines 100-120 --on ~/.openclaw/lcm.db
    """
    from lcm_lab.agent.lcm.commands import described, lines_of

    asked = {
        "id": id,
        "conversationId": conversation,
        "allConversations": conversation is None,
        "tokenCap": tokens,
        "expandFileMaxBytes": limit,
        **lines_of(lines),
    }
    print(described(on, asked, zone, reference=reference, json=json))
