"""What ``report --kind compaction`` does: replay strategies side by side, and write the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcm_lab.agent.group import say
from lcm_lab.agent.source import again, opened, portable, writable

if TYPE_CHECKING:
    from lcm_lab.collection import Collection
    from lcm_lab.compaction.base import Compactor
    from lcm_lab.evaluation.replay.result import Replay

__all__ = ["HOME", "ON", "compacted", "of_ranking", "strategies"]

#: The collection of the report that is asked for without a word, and where that goes.
ON, HOME = "synth-agent-s", "reports/compaction"
#: Shares of the tokens, and in how many parts a conversation comes.
BUDGETS, CYCLES = (0.01, 0.05, 0.2, 0.5), 2
#: The same without a budget, where freed tokens are what is measured.
LONG = 6


@dataclass(frozen=True)
class Trial:
    """A strategy and a summariser, and how they are replayed."""

    strategy: Compactor
    summarise: Any = None
    own: bool = False


def strategies() -> dict[str, Trial]:
    """Give the strategies of the report by name."""
    from lcm_lab.compaction.anchors import Anchors
    from lcm_lab.compaction.levels import Condense, Leaves
    from lcm_lab.compaction.lossless import Lossless
    from lcm_lab.compaction.strategies import RandomLines, Rolling

    leaves = Leaves(8_000, fresh=16, target=800)
    return {
        "random lines": Trial(RandomLines()),
        "rolling": Trial(Rolling()),
        "rolling + index": Trial(Rolling(), Anchors()),
        "lossless": Trial(Lossless()),
        "lossless, no footer": Trial(Lossless(footer=False)),
        "lossless + index": Trial(Lossless(), Anchors()),
        "leaves": Trial(leaves, own=True),
        "leaves, condensed": Trial(leaves >> Condense(4), own=True),
    }


def compacted(sources: Sequence[str], out: str | None, sessions: int) -> Path:
    """Replay every strategy, write the report, and give the path of its page.

    Parameters
    ----------
    sources : sequence of str
        A collection with an answer to its questions, or transcripts with real compactions.
    out : str, optional
    sessions : int
        How many sessions of each conversation of a collection are taken, from the first; 0 for all.
    """
    from lcm_lab.collection import Collection
    from lcm_lab.errors import BadParameter
    from lcm_lab.reporting.compaction import compaction_report

    folder = writable(out or HOME)
    if len(sources) != 1:
        raise BadParameter(f"A compaction report is of one source. Got {len(sources)}.")
    found = opened(sources[0])
    bench = begun(found, sessions) if isinstance(found, Collection) and sessions else found
    options = [("--kind", "compaction"), ("--on", portable(sources[0]))]
    options += [("--sessions", str(sessions))] if sessions != 1 else []
    options += [("--out", portable(out))] if out else []
    report = compaction_report(_replayed(bench), again("report", options))
    page = report.save(folder)
    say(report.headline)
    return page


def of_ranking(
    policies: Sequence[str],
    measures: Sequence[str],
    unit: str,
    topics: Sequence[str] = (),
    questions: Sequence[str] = (),
) -> None:
    """Refuse options that say something about ranking alone.

    Raises
    ------
    BadParameter
        When one is given.
    """
    from lcm_lab.errors import BadParameter

    given = {
        **{"--policy": policies, "--measure": measures, "--unit": unit != "turn"},
        **{"--topics": topics, "--questions": questions},
    }
    wrong = [name for name, said in given.items() if said]
    if wrong:
        raise BadParameter(
            f"{' and '.join(wrong)} are of a ranking report; a compaction report has its own "
            "strategies. In Python: compaction_report({name: replay(bench, strategy)})."
        )


def begun(bench: Collection, sessions: int) -> Collection:
    """Keep the first sessions of each conversation, and the topics that they answer whole."""
    from lcm_lab.collection import Collection
    from lcm_lab.corpus import Corpus

    frame = bench.corpus.frame()
    order = frame.groupby("conversation", sort=False)["session"].transform(
        lambda column: column.ne(column.shift()).cumsum()
    )
    corpus = Corpus(frame[order <= sessions].drop(columns="tokens"))
    kept = corpus.row_of(bench.qrels["docno"].tolist()) >= 0
    counts = bench.qrels["relevance"] >= bench.relevant_from
    lost = set(bench.qrels["qid"][counts & ~kept])
    asked = set(bench.qrels["qid"][counts & kept]) - lost
    topics = bench.topics[bench.topics["qid"].isin(asked)]
    qrels = bench.qrels[kept & bench.qrels["qid"].isin(asked)]
    return Collection(bench.name, corpus, topics, qrels, bench.relevant_from, bench.card)


def _replayed(bench: Any) -> dict[str, Replay]:
    """Replay every strategy, in two processes: what is worked out once is once in each."""
    from joblib import Parallel, cpu_count, delayed

    trials, workers = strategies(), min(2, cpu_count())
    parts = [dict([*trials.items()][at::workers]) for at in range(workers)]
    done = Parallel(n_jobs=workers)(delayed(_part)(bench, part) for part in parts)
    found = {name: one for part in done for name, one in part.items()}
    return {name: found[name] for name in trials}


def _part(bench: Any, trials: Mapping[str, Trial]) -> dict[str, Replay]:
    from lcm_lab.collection import Collection
    from lcm_lab.evaluation.replay.arms import Arm
    from lcm_lab.evaluation.replay.run import replay

    found = {}
    for name, trial in trials.items():
        given = (bench, trial.strategy, trial.summarise)
        if not isinstance(bench, Collection):
            found[name] = replay(*given)
        elif trial.own:
            found[name] = replay(*given, budgets=[None], cycles=LONG, arms=[Arm()])
        else:
            found[name] = replay(*given, budgets=BUDGETS, cycles=CYCLES)
    return found
