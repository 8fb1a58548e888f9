"""Subcommands about synthetic collections: ``generate``, ``datasets``."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.group import say
from lcm_lab.agent.options import Json

__all__ = ["datasets", "generate"]

TIERS: dict[str, Literal[1, 6, 23]] = {"1": 1, "6": 6, "23": 23}


@app.command(short_help="Generate a synthetic collection.")
def generate(
    profile: Annotated[
        Literal["chat", "assistant", "agent"],
        typer.Argument(help="What kind of history: chat, assistant or agent."),
    ],
    *,
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder to write.")],
    size: Annotated[
        Literal["S", "M", "L"], typer.Option(help="How large; L takes a while, in little memory.")
    ] = "S",
    seed: Annotated[int, typer.Option(help="Another seed, another history.")] = 0,
    tier: Annotated[
        Literal["1", "6", "23"],
        typer.Option(help="How strong the distractors are: 6 as in chats between friends."),
    ] = "6",
    templates: Annotated[
        Literal["A", "B"], typer.Option(help="Wording: A to develop with, B to test with.")
    ] = "A",
    lang: Annotated[
        str | None, typer.Option(help="Languages: mix, en, zh, ja, ko, as far as the profile has.")
    ] = None,
    noise: Annotated[
        float | None, typer.Option(help="Share of words that people mistype, 0 to 0.3.")
    ] = None,
) -> None:
    """Generate a synthetic collection: a history, questions, and what answers them.

    Written one conversation at a time; interrupted, it leaves nothing under the folder's name.

    
    Examples:
      lcm-lab generate chat --seed 7 --out my-chat
      lcm-lab generate agent --size L --out huge
    """
    from lcm_lab.agent.source import writable
    from lcm_lab.synth.generate import size_of, stream

    folder = writable(out)
    chosen: dict[str, Any] = {"size": size, "seed": seed, "tier": TIERS[tier]}
    chosen |= {"templates": templates, "lang": lang, "noise": noise}
    total = size_of(profile, **chosen)
    with typer.progressbar(length=total, label=f"synth-{profile}", file=sys.stderr) as bar:
        stream(folder, profile, progress=lambda _: bar.update(1), **chosen)
    say(f"{total} conversations")
    print(folder)


@app.command(short_help="List the collections that ship.")
def datasets(json: Json = False) -> None:
    """List the collections that ship with lcm-lab.

    
    Example:
      lcm-lab datasets
    """
    from lcm_lab.agent.contents import shipped_collections

    print(shipped_collections(json=json))
