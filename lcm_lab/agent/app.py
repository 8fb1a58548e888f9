"""The command ``lcm-lab`` without its subcommands, which `commands` adds."""

from __future__ import annotations

from typing import Annotated

import typer

from lcm_lab.agent.group import Plain

__all__ = ["app"]

app = typer.Typer(
    name="lcm-lab",
    cls=Plain,
    help="Measure what a search policy finds, and what it costs, on a conversation history.\n\n"
    "Start with:  lcm-lab report",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:  # typer calls it so
    from lcm_lab import __version__

    if asked:
        print(f"lcm-lab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    del version  # printed by its callback
