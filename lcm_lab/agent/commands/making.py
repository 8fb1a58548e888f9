"""Subcommands about synthetic collections: ``generate``, ``datasets``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.group import say
from lcm_lab.agent.options import Json

__all__ = ["datasets", "generate"]

TIERS: dict[str, Literal[1, 6, 23]] = {"1": 1, "6": 6, "23": 23}


@app.command(short_help="Generate a synthetic collection.")
def generate(
    profile: Annotated[Literal["chat"], typer.Argument(help="What kind of history: chat.")],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder to write.")],
    size: Annotated[Literal["S", "M", "L"], typer.Option(help="How large.")] = "S",
    seed: Annotated[int, typer.Option(help="Another seed, another history.")] = 0,
    tier: Annotated[
        Literal["1", "6", "23"],
        typer.Option(help="How strong the distractors are: 6 as in chats between friends."),
    ] = "6",
    templates: Annotated[
        Literal["A", "B"], typer.Option(help="Wording: A to develop with, B to test with.")
    ] = "A",
) -> None:
    """Generate a synthetic collection: a history, questions, and what answers them.

    
    Example:
      lcm-lab generate chat --seed 7 --out my-chat
    """
    from lcm_lab.agent.source import writable
    from lcm_lab.synth.generate import build, write

    folder = writable(out)
    built = build(profile, size=size, seed=seed, tier=TIERS[tier], templates=templates)
    say(repr(built.collection))
    print(write(folder, built))


@app.command(short_help="List the collections that ship.")
def datasets(json: Json = False) -> None:
    """List the collections that ship with lcm-lab.

    
    Example:
      lcm-lab datasets
    """
    from lcm_lab.agent.contents import shipped_collections

    print(shipped_collections(json=json))
