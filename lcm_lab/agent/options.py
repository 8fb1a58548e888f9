"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

__all__ = ["DEFAULT", "Cut", "Held", "Json", "Measures", "Policies", "Source", "Sources", "Zone"]

DEFAULT = "synth-chat-s"
Unit = Literal["turn", "exchange", "session"]

ON = (
    "A collection that ships (see: lcm-lab datasets) or a path: a saved collection, a LoCoMo file, "
    "a transcript, a folder or a quoted glob of transcripts, a store, the lcm.db of lossless-claw."
)
Sources = Annotated[list[str], typer.Option("--on", metavar="PATH|NAME", help=ON + " Repeatable.")]
Source = Annotated[str, typer.Option("--on", metavar="PATH|NAME", help=ON)]
Policies = Annotated[
    list[str],
    typer.Option(
        "--policy",
        metavar="EXPR",
        help='A system to rank with, such as "BM25() % 10" or "ours=BM25() >> Recency(\'30D\')". '
        "Repeatable; without it, a ladder of the built-in ones.",
    ),
]
Measures = Annotated[
    list[str],
    typer.Option("--measure", metavar="M", help="A measure, such as nDCG@10. Repeatable."),
]
Cut = Annotated[Unit, typer.Option("--unit", help="What is ranked and judged.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Held = Annotated[
    str,
    typer.Option("--on", metavar="STORE", help="A store, or the lcm.db of lossless-claw."),
]
Zone = Annotated[str, typer.Option(help="Time zone that times are shown in.")]
