"""Measure what a search policy finds, and what it costs, on a conversation history.

A *ranker* turns topics into a run over a corpus; `evaluate` turns any number of rankers into one
table; a report shows it.

**Data.** `read` takes transcripts as they came and gives `Transcripts`: each `Message` with every
`Part`, and what each `Session` says of itself. `load` takes a name that ships with the library, or
a path, and gives a `Collection`: a `Corpus` with questions and judgements. `generate` makes one
from a seed. A `Store` keeps histories and their index in one file, `open_lcm` reads the
`LcmDatabase` of lossless-claw, and `audit` says whether either is sound.

A history without questions gets some: `mine` finds them in it, by `KnownItem`, `Reuse`,
`Adjacency`, `RecallLog` and `NoAnswer`; `HandMade` takes yours from a table, and `label` is ten
minutes of pointing at answers, blind, as a `Labelling`.

>>> import lcm_lab as lcm
>>> corpus = lcm.Corpus(["We chose Postgres.", "Lunch at noon?", "Postgres it is, then."])

**Policies** are expressions, and values: they compare, hash, pickle and print as written.

>>> policy = lcm.BM25() % 100 + 0.3 * lcm.TfIdf() >> lcm.Recency("30D") % 10
>>> policy
BM25() % 100 + 0.3 * TfIdf() >> Recency('30D') % 10

``a >> b`` lets b act on what a found, ``a + b`` fuses, ``0.3 * a`` weighs, ``a % 10`` cuts.

- Words: `BM25`, `TfIdf`, `QueryLikelihood`, `CharGrams`, seen through an `Analyzer` (`Grams`,
  `Split`), by a long text's `BestPassage`.
- Meaning: `Dense`, with `LSA`, `WordLlama`, `MiniLM` or an `Encoder` of yours.
- Exactly: `FTS5`, `Phrase`, `Regex`, `Substring`.
- Around: `Neighbours`, `SessionPrior`, `ByRole`, `BySpeaker`, `FirstPerson`, `Questions`,
  `AboveMean`, `Feedback`, `Proximity`. The default that they make together: `Recommended`.
- By age: `Recency`, `Decay`, `Newest`, `TiesByTime`. By role or importance: `Prior`.
- Without repeats: `MMR`, `Dedupe`. Without weak hits: `AtLeast`.
- By rank or by list: `RRF`, `Fuse`, `Fallback`, `Append`.
- The systems under study: `LosslessClaw`, `SessionsSearch`, `OpenClawMemory`, `EpisodicMemory`
  and `NaiveBM25`, of which the parts are `Saturated`, `Mix` and `Strict`.

`Scorer`, `Contextual`, `Modifier` and `Reranker` are for writing a `Ranker` of your own; `value`
makes it a value, `vary` stands where a value would and spans a grid, `Named` gives a callable an
identity.

**Searching.** A fitted policy answers a question with a table, and many at once with a `Run`.

>>> search = (lcm.BM25() % 2).fit(corpus)
>>> search("which database, Postgres?")["docno"].tolist()
['m3', 'm1']

**Compaction.** A `Dag` is a conversation with every `Summary` that was made over it, and the
frontier that a model sees. `compact` shortens the frontier by a strategy, and nothing is lost.

>>> dag = lcm.compact(lcm.Dag.of(corpus), lcm.Window(8))
>>> dag.outcome.after, [message.id for message in dag.leaves(dag.frontier)]
(6, ['m1', 'm2', 'm3'])

- Strategies: `Window`, `HeadTail`, `RandomLines`, `Rolling`, `Mask`, `Leaves` ``>>`` `Condense`,
  `Clusters`, `Lossless`, `NewSession`; a `Compactor` of your own.
- Summarisers: `Lead`, `Centroid`, `TextRank`, `LexRank`, `Coverage`, or any callable; around one
  `Anchors`, `Escalating`, `Cached`, `Timed`.
- `assemble` makes a `Prompt` of a frontier under a budget, and `recall` adds what was last said of
  a name that the question uses and nothing in view mentions. `Memory` makes compaction and ranking
  one policy, in which `InView`, `Expand` and `Ancestors` walk the Dag.

**Agent tools** over a store, with any policy behind them: `LcmTools` (read with a `QuoteReader`),
`SessionTools` (other agents as `AgentToAgent` allows) and `EpisodicTools`; `serve` speaks MCP, and
`escalation` measures at which step an agent finds what it needs.

**Models**, where one is wanted: ``lcm.llm`` asks any endpoint that speaks OpenAI's protocol, as
summariser, as reader or as encoder, within a bound on what may be spent.

**Measuring.** `evaluate` gives an `Evaluation`, one tidy table; its ``compare`` sets the others
against one of them, with intervals, as a `Comparison`, which `forest` draws; `all_pairs` sets all
against all (max-T) and gives `AllPairs`, with the groups that cannot be told apart; `diff` says
what changed between two saved ones, beyond noise, as a `Diff`. `latency` times searches as they
would be asked, for `Latencies`, and `scaling` what they cost by size, for a `Scaling`.
`ranking_report` writes one as a page, and `speed_report` a benchmark; `tune` picks from a family,
and `learn` weighs the steps of a policy as a `Learned` one, both by folds over conversations.
`hindsight` scores as of the moment of asking beside nothing hidden. `validate` asks whether a
synthetic collection ranks policies as a real one does, and gives a `Validation` for
`validation_report`. `replay` plays a conversation through a strategy and gives a `Replay`, what
was kept and what an `Arm` gets back, for `compaction_report`.
``lcm.measures`` holds what can be measured, ``lcm.testing`` the contract that a ranker of yours can
be held to, ``lcm.errors`` what is raised. ``lcm.scale`` spreads a corpus over Dask workers, whole
conversations each, and answers exactly as over one.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

#: Where each public name lives. Nothing is imported before it is asked for, so that a program that
#: needs one of them does not wait for the others; `__init__.pyi` tells type checkers the same.
_HOMES = {
    "agent.episodic.tools": ["EpisodicTools"],
    "agent.lcm.escalation.measure": ["escalation"],
    "agent.lcm.reader": ["QuoteReader"],
    "agent.lcm.tools": ["LcmTools"],
    "agent.mcp.server": ["serve"],
    "agent.sessions.tools": ["SessionTools"],
    "agent.sessions.visibility": ["AgentToAgent"],
    "collection": ["Collection"],
    "compaction.anchors": ["Anchors"],
    "compaction.assemble": ["assemble"],
    "compaction.base": ["Compactor", "compact"],
    "compaction.clusters": ["Clusters"],
    "compaction.escalating": ["Escalating"],
    "compaction.extracts": ["Centroid", "Coverage", "LexRank", "TextRank"],
    "compaction.guarded": ["Cached", "Timed"],
    "compaction.levels": ["Condense", "Leaves"],
    "compaction.lossless": ["Lossless"],
    "compaction.mask": ["Mask"],
    "compaction.memory": ["Memory"],
    "compaction.prompt": ["Prompt"],
    "compaction.recall": ["recall"],
    "compaction.session": ["NewSession"],
    "compaction.strategies": ["HeadTail", "RandomLines", "Rolling", "Window"],
    "compaction.summarise": ["Lead"],
    "corpus": ["Corpus"],
    "dag": ["Dag", "Summary"],
    "errors": ["errors"],
    "evaluation.choosing.learn": ["learn"],
    "evaluation.choosing.tune": ["tune"],
    "evaluation.comparing.all_pairs": ["AllPairs", "all_pairs"],
    "evaluation.comparing.compare": ["Comparison"],
    "evaluation.comparing.diff": ["Diff", "diff"],
    "evaluation.harness": ["evaluate"],
    "evaluation.hindsight": ["hindsight"],
    "evaluation.replay.arms": ["Arm"],
    "evaluation.replay.result": ["Replay"],
    "evaluation.replay.run": ["replay"],
    "evaluation.result": ["Evaluation"],
    "evaluation.timing.curve": ["Scaling"],
    "evaluation.timing.latencies": ["Latencies"],
    "evaluation.timing.latency": ["latency"],
    "evaluation.timing.scaling": ["scaling"],
    "evaluation.validating.validate": ["validate"],
    "evaluation.validating.validation": ["Validation"],
    "llm": ["llm"],
    "measures": ["measures"],
    "messages": ["Message", "Part", "Session"],
    "ranking.base": ["Ranker"],
    "ranking.context.around": ["ByRole", "Neighbours", "SessionPrior"],
    "ranking.context.feedback": ["Feedback"],
    "ranking.context.priors": ["AboveMean", "Questions"],
    "ranking.context.proximity": ["Proximity"],
    "ranking.context.speakers": ["BySpeaker", "FirstPerson"],
    "ranking.contextual": ["Contextual"],
    "ranking.dense.embedder": ["Encoder"],
    "ranking.dense.encoders": ["MiniLM", "WordLlama"],
    "ranking.dense.lsa": ["LSA"],
    "ranking.dense.scorer": ["Dense"],
    "ranking.exact.fts": ["FTS5"],
    "ranking.exact.phrase": ["Phrase"],
    "ranking.exact.whole": ["Regex", "Substring"],
    "ranking.graph": ["Ancestors", "Expand", "InView"],
    "ranking.lexical.grams": ["CharGrams", "Grams"],
    "ranking.lexical.passage": ["BestPassage"],
    "ranking.lexical.split": ["Split"],
    "ranking.lexical.words": ["BM25", "QueryLikelihood", "TfIdf"],
    "ranking.modifier": ["Modifier", "Reranker"],
    "ranking.named.openclaw": ["Mix", "Saturated", "Strict"],
    "ranking.named.recommended": ["Recommended"],
    "ranking.named.reference": [
        "EpisodicMemory",
        "LosslessClaw",
        "NaiveBM25",
        "OpenClawMemory",
        "SessionsSearch",
    ],
    "ranking.scorer": ["Scorer"],
    "ranking.steps.decay": ["Decay"],
    "ranking.steps.diverse": ["Dedupe", "MMR"],
    "ranking.steps.fuse": ["Fuse", "RRF"],
    "ranking.steps.learned": ["Learned"],
    "ranking.steps.least": ["AtLeast"],
    "ranking.steps.order": ["Newest", "TiesByTime"],
    "ranking.steps.prior": ["Prior"],
    "ranking.steps.recency": ["Recency"],
    "ranking.steps.turns": ["Append", "Fallback"],
    "reporting.compaction": ["compaction_report"],
    "reporting.forest": ["forest"],
    "reporting.report": ["ranking_report"],
    "reporting.speed": ["speed_report"],
    "run": ["Run"],
    "scale": ["scale"],
    "store.audit": ["audit"],
    "store.lcm.database": ["LcmDatabase", "open_lcm"],
    "store.loading": ["load"],
    "store.store": ["Store"],
    "synth.generate": ["generate"],
    "testing": ["testing"],
    "text": ["Analyzer"],
    "transcripts.base": ["Transcripts"],
    "transcripts.probes.adjacent": ["Adjacency"],
    "transcripts.probes.handmade": ["HandMade"],
    "transcripts.probes.known": ["KnownItem"],
    "transcripts.probes.labelling": ["Labelling", "label"],
    "transcripts.probes.mine": ["mine"],
    "transcripts.probes.recalled": ["RecallLog"],
    "transcripts.probes.reused": ["Reuse"],
    "transcripts.probes.unanswered": ["NoAnswer"],
    "transcripts.read": ["read"],
    "values": ["Named", "value", "vary"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lcm_lab' has no attribute {name!r}")
    home = importlib.import_module(f"{__name__}.{_HOME[name]}")
    found = home if _HOME[name] == name else getattr(home, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
