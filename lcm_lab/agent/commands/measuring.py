"""Subcommands that measure: ``report``, ``evaluate``, ``bench``, ``validate``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lcm_lab.agent.app import app
from lcm_lab.agent.options import DEFAULT, Cut, Json, Measures, Policies, Sources

__all__ = ["bench", "evaluate", "report", "validate"]

Mined = Annotated[
    list[str],
    typer.Option(
        "--topics",
        metavar="KIND",
        help="Mine only these of a history: known-item, reuse, adjacency, recall-log, no-answer. "
        "Repeatable.",
    ),
]
Tables = Annotated[
    list[str],
    typer.Option(
        "--questions",
        metavar="CSV",
        help="Ask the questions of a table instead: question, and message (an id) or quote.",
    ),
]


@app.command(short_help="Write a report on a collection or on your own history.")
def report(
    *,
    kind: Annotated[
        Literal["ranking", "compaction"],
        typer.Option(help="What is measured: search policies, or compaction strategies."),
    ] = "ranking",
    on: Sources = [],  # noqa: B006  # typer copies it
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Folder to write. By default reports/KIND."),
    ] = None,
    policy: Policies = [],  # noqa: B006
    measure: Measures = [],  # noqa: B006
    unit: Cut = "turn",
    sessions: Annotated[
        int,
        typer.Option(
            min=0,
            help="Compaction: how many sessions of each conversation, from the first; 0 for all.",
        ),
    ] = 1,
    topics: Mined = [],  # noqa: B006
    questions: Tables = [],  # noqa: B006
) -> None:
    """Measure systems on a collection, or on your own history, and write a report.

    A history has no questions of its own, so its are mined: known items that a later message
    repeats, what was looked up again, what came right after a message, what the agent asked its
    memory, and questions that nothing here answers. What came later is hidden from each. A store
    and an lcm.db are only read. Your own questions come from a CSV: --questions.
    A compaction report replays strategies: what each keeps of the facts that a collection asks for,
    or, of transcripts, of the identifiers that an agent used again after its context was compacted.
    Without --on, it is of synth-agent-s, and a ranking report of synth-chat-s.
    Where a system failed as a whole, the report is written and the exit code is 1.

    
    Examples:
      lcm-lab report
      lcm-lab report --kind compaction
      lcm-lab report --on locomo10.json --unit session
      lcm-lab report --on memory.db --topics reuse --topics known-item
      lcm-lab report --on '~/.claude/projects' --policy 'BM25() % 100' --policy 'TfIdf() % 100'
    """
    if kind == "compaction":
        from lcm_lab.agent.compacting import ON, compacted, of_ranking

        of_ranking(policy, measure, unit, topics, questions)
        print(compacted(on or [ON], out, sessions))
        return
    from lcm_lab.agent.measured import Plan, written

    lost: list[str] = []
    plan = Plan(policy, measure, unit, topics, questions)
    for page, failed in written(on or [DEFAULT], out, plan):
        print(page)
        lost += failed
    if lost:
        raise SystemExit(1)


@app.command(short_help="Print the table of a ranking evaluation.")
def evaluate(
    *,
    on: Sources = [DEFAULT],  # noqa: B006
    policy: Policies = [],  # noqa: B006
    measure: Measures = [],  # noqa: B006
    unit: Cut = "turn",
    topics: Mined = [],  # noqa: B006
    questions: Tables = [],  # noqa: B006
    json: Json = False,
) -> None:
    """Rank systems on a collection, or on your own history, and print the table with intervals.

    Where a system failed as a whole, the table is printed and the exit code is 1.

    
    Example:
      lcm-lab evaluate --policy 'BM25() % 10' --policy 'TfIdf() % 10' --measure nDCG@10
    """
    from lcm_lab.agent import show
    from lcm_lab.agent.measured import Plan, evaluated, without_value

    plan = Plan(policy, measure, unit, topics, questions)
    results = [evaluated(source, plan) for source in on]
    if json:
        found = [show.result_facts(result) for result in results]
        print(show.as_json(found if len(found) > 1 else found[0]))
    else:
        print("\n\n".join(map(show.result, results)))
    lost = [name for result in results for name in without_value(result)]
    if lost:
        raise SystemExit(1)


@app.command(short_help="Time the engine beside others, side by side.")
def bench(
    what: Annotated[
        Literal["ranking", "dense", "pipeline", "large", "store", "tools", "all"],
        typer.Argument(help="What is timed: a part of the library, as told above, or all."),
    ],
    *,
    size: Annotated[int, typer.Option(min=100, help="How many made-up messages.")] = 100_000,
    questions: Annotated[int, typer.Option(min=1, help="How many questions of each kind.")] = 400,
    seed: Annotated[int, typer.Option(help="Another seed, other messages.")] = 0,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Folder to write. By default reports/speed."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="PARQUET", help="Print ratios to another run's data.parquet."
        ),
    ] = None,
    curve: Annotated[
        bool,
        typer.Option("--curve", help="Time ranking at 1 %, 10 % and the whole of the size."),
    ] = False,
    json: Json = False,
) -> None:
    """Time BM25 beside bm25s, tantivy and SQLite FTS5, where the extra "bench" is installed.

    The table is printed, and written as a report that opens in a browser. Of a store are printed
    how fast it is filled, its size, and what an append and a search take, its index included; of
    the tools what lcm_grep takes, beside the SQL of lossless-claw on the same database. Dense times
    vectors beside FAISS, pipeline what stands around scorers, sweeps and the import, and large
    short messages in a mapped file, with the memory that takes. All times everything, dense and
    pipeline with 100,000 messages at most and large with five times the size, into one report.

    
    Examples:
      lcm-lab bench ranking --size 1000000
      lcm-lab bench store --size 1000000
      lcm-lab bench tools --size 1000000
    """
    from lcm_lab.agent.speed import bench_of

    given = {"against": against, "curve": curve}
    print(bench_of(what, size, questions, seed, json=json, out=out, **given))


@app.command(short_help="Compare a synthetic collection with its real counterpart.")
def validate(
    synthetic: Annotated[
        str, typer.Argument(help="The synthetic collection: a name that ships, or its folder.")
    ] = DEFAULT,
    *,
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="PATH",
            help="A real set: files of LoCoMo, LongMemEval or BEAM, agent transcripts (compared "
            "by what was said next), or a saved collection. Repeatable.",
        ),
    ],
    policy: Annotated[
        list[str],
        typer.Option("--policy", metavar="EXPR", help="A system to rank with. At least five."),
    ] = [],  # noqa: B006
    unit: Annotated[
        Literal["turn", "exchange", "session"] | None,
        typer.Option(help="What both are cut into; unset, as the real set is."),
    ] = None,
    view: Annotated[
        Literal["whole", "evidence", "pool"],
        typer.Option(
            help="What of the synthetic history is searched: all, what answers something, or that "
            "of all users together, as in LongMemEval's pool."
        ),
    ] = "whole",
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder to write. By default reports/validation."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare how a synthetic collection and a real one rank the same systems.

    Without --policy a panel of 22 systems is ranked. The gates are printed, passed or failed, and
    written as a report that opens in a browser.

    
    Example:
      lcm-lab validate synth-chat-s --against locomo10.json
    """
    from lcm_lab.agent.validating import validated

    print(validated(synthetic, against, policy, unit, out, view=view, json=json))
