"""Subcommand that is LCM's deep recall: ``expand``."""

from __future__ import annotations

from typing import Annotated

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.commands.lcm import Compat, Only
from lcm_lab.agent.options import Held, Json

__all__ = ["expand"]


@app.command(short_help="Answer a question from under summaries, as lcm_expand_query does.")
def expand(
    prompt: Annotated[str, typer.Argument(help="The question to answer.")],
    *,
    on: Held,
    query: Annotated[
        str | None, typer.Option("--query", help="What to find it by; the question, if not given.")
    ] = None,
    summary: Annotated[
        list[str], typer.Option("--summary", metavar="ID", help="Only under these. Repeatable.")
    ] = [],  # noqa: B006  # typer copies it
    conversation: Only = None,
    tokens: Annotated[int, typer.Option(help="What may be read, in all.")] = 4_000,
    length: Annotated[int, typer.Option(help="The longest answer, in tokens.")] = 2_000,
    timeout: Annotated[
        int, typer.Option(metavar="MS", help="Until an answer is there, 30,000 for handing over.")
    ] = 150_000,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="EXPR", help="How passages are ranked.")
    ] = None,
    reference: Compat = False,
    json: Json = False,
) -> None:
    """Read what lies under summaries and answer from it, as an agent does with lcm_expand_query.

    The answer is quoted from the history, word for word; no model is asked. Without --conversation
    the three most promising conversations are read. Exit code 1: there is no answer.


    
    Examples:
      lcm-lab expand 'which retry backoff did we settle on, and why?' --on memory.db
      lcm-lab expand 'what were the exact changes?' --summary sum_abc123def456 --on memory.db
    """
    from lcm_lab.agent.lcm.commands import expanded

    asked = {
        "prompt": prompt,
        "query": query if query is not None or summary else prompt,
        "summaryIds": summary or None,
        "maxTokens": length,
        "timeoutMs": timeout,
        "conversationId": conversation,
        "allConversations": conversation is None,
    }
    told, answered = expanded(on, asked, policy, most=tokens, reference=reference, json=json)
    print(told, flush=True)
    if not answered:
        raise SystemExit(1)
