"""The command ``lcm-lab``: parses, calls the library, prints.

Results go to stdout, all else to stderr. Every command imports what it needs when it runs, so that
``--help`` answers at once.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated, Literal

import typer

from lcm_lab.agent.group import Plain, say
from lcm_lab.agent.options import DEFAULT, Cut, Json, Measures, Policies, Source, Sources

__all__ = ["app", "main"]

TIERS: dict[str, Literal[1, 6, 23]] = {"1": 1, "6": 6, "23": 23}

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


@app.command(short_help="Write a ranking report on a collection or on your own history.")
def report(
    *,
    on: Sources = [DEFAULT],  # noqa: B006  # typer copies it
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Folder to write. By default reports/ranking."),
    ] = None,
    policy: Policies = [],  # noqa: B006
    measure: Measures = [],  # noqa: B006
    unit: Cut = "turn",
) -> None:
    """Rank systems on a collection and write a report that opens in a browser.

    Transcripts have no questions of their own, so theirs are mined: a later message repeats an
    identifier, a path or an error line of an earlier one, and that earlier one is to be found.

    
    Examples:
      lcm-lab report
      lcm-lab report --on locomo10.json --unit session
      lcm-lab report --on '~/.claude/projects' --policy 'BM25() % 100' --policy 'TfIdf() % 100'
    """
    from lcm_lab.agent.measured import Plan, written

    for page in written(on, out, Plan(policy, measure, unit)):
        print(page)


@app.command(short_help="Print the table of a ranking evaluation.")
def evaluate(
    *,
    on: Sources = [DEFAULT],  # noqa: B006
    policy: Policies = [],  # noqa: B006
    measure: Measures = [],  # noqa: B006
    unit: Cut = "turn",
    json: Json = False,
) -> None:
    """Rank systems on a collection and print the table: mean, 95 % interval, n.

    
    Example:
      lcm-lab evaluate --policy 'BM25() % 10' --policy 'TfIdf() % 10' --measure nDCG@10
    """
    from lcm_lab.agent import show
    from lcm_lab.agent.measured import Plan, evaluated

    results = [evaluated(source, Plan(policy, measure, unit)) for source in on]
    if json:
        found = [show.result_facts(result) for result in results]
        print(show.as_json(found if len(found) > 1 else found[0]))
    else:
        print("\n\n".join(map(show.result, results)))


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
    """Search a history and print the best hits. Filters apply before the cut.

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


@app.command(short_help="Time the engine beside others, side by side.")
def bench(
    what: Annotated[Literal["ranking"], typer.Argument(help="What is timed: ranking.")],
    *,
    size: Annotated[int, typer.Option(min=100, help="How many made-up messages.")] = 100_000,
    questions: Annotated[int, typer.Option(min=1, help="How many questions of each kind.")] = 400,
    seed: Annotated[int, typer.Option(help="Another seed, other messages.")] = 0,
    json: Json = False,
) -> None:
    """Time BM25 beside bm25s, tantivy and SQLite FTS5, where the extra "bench" is installed.

    
    Example:
      lcm-lab bench ranking --size 1000000
    """
    from lcm_lab.agent.speed import timed

    del what
    print(timed(size, questions, seed, json=json))


def main() -> int:
    """Run the command; what ``lcm-lab`` and ``python -m lcm_lab`` call."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that lacks a character shows a question mark; it is no reason to stop.
            stream.reconfigure(errors="replace")
    app(prog_name="lcm-lab")
    return 0
