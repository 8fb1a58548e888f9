"""Measure what a search policy finds, and what it costs, on a conversation history.

A *ranker* turns topics into a run over a corpus; `evaluate` turns any number of rankers into one
table; a report shows it.

**Data.** `read` takes transcripts as they came and gives `Transcripts`. `load` takes a name that
ships with the library, or a path, and gives a `Collection`: a `Corpus` with questions and
judgements. `generate` makes one from a seed.

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

**Measuring.** `evaluate` gives an `Evaluation`, one tidy table; `ranking_report` writes it as a
page, and `speed_report` a benchmark; `tune` picks from a family, and `learn` weighs the steps of a
policy as a `Learned` one, both by folds over conversations. ``lcm.measures`` holds what can be
measured, ``lcm.testing`` the contract that a ranker of yours can be held to, ``lcm.errors`` what is
raised.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lcm_lab import errors as errors
    from lcm_lab import measures as measures
    from lcm_lab import testing as testing
    from lcm_lab.collection import Collection as Collection
    from lcm_lab.corpus import Corpus as Corpus
    from lcm_lab.evaluation.harness import evaluate as evaluate
    from lcm_lab.evaluation.learn import learn as learn
    from lcm_lab.evaluation.result import Evaluation as Evaluation
    from lcm_lab.evaluation.tune import tune as tune
    from lcm_lab.ranking.base import Ranker as Ranker
    from lcm_lab.ranking.context.around import ByRole as ByRole
    from lcm_lab.ranking.context.around import Neighbours as Neighbours
    from lcm_lab.ranking.context.around import SessionPrior as SessionPrior
    from lcm_lab.ranking.context.feedback import Feedback as Feedback
    from lcm_lab.ranking.context.priors import AboveMean as AboveMean
    from lcm_lab.ranking.context.priors import Questions as Questions
    from lcm_lab.ranking.context.proximity import Proximity as Proximity
    from lcm_lab.ranking.context.speakers import BySpeaker as BySpeaker
    from lcm_lab.ranking.context.speakers import FirstPerson as FirstPerson
    from lcm_lab.ranking.contextual import Contextual as Contextual
    from lcm_lab.ranking.dense.embedder import Encoder as Encoder
    from lcm_lab.ranking.dense.encoders import MiniLM as MiniLM
    from lcm_lab.ranking.dense.encoders import WordLlama as WordLlama
    from lcm_lab.ranking.dense.lsa import LSA as LSA
    from lcm_lab.ranking.dense.scorer import Dense as Dense
    from lcm_lab.ranking.exact.fts import FTS5 as FTS5
    from lcm_lab.ranking.exact.phrase import Phrase as Phrase
    from lcm_lab.ranking.exact.whole import Regex as Regex
    from lcm_lab.ranking.exact.whole import Substring as Substring
    from lcm_lab.ranking.lexical.grams import CharGrams as CharGrams
    from lcm_lab.ranking.lexical.grams import Grams as Grams
    from lcm_lab.ranking.lexical.passage import BestPassage as BestPassage
    from lcm_lab.ranking.lexical.split import Split as Split
    from lcm_lab.ranking.lexical.words import BM25 as BM25
    from lcm_lab.ranking.lexical.words import QueryLikelihood as QueryLikelihood
    from lcm_lab.ranking.lexical.words import TfIdf as TfIdf
    from lcm_lab.ranking.modifier import Modifier as Modifier
    from lcm_lab.ranking.modifier import Reranker as Reranker
    from lcm_lab.ranking.named.openclaw import Mix as Mix
    from lcm_lab.ranking.named.openclaw import Saturated as Saturated
    from lcm_lab.ranking.named.openclaw import Strict as Strict
    from lcm_lab.ranking.named.recommended import Recommended as Recommended
    from lcm_lab.ranking.named.reference import EpisodicMemory as EpisodicMemory
    from lcm_lab.ranking.named.reference import LosslessClaw as LosslessClaw
    from lcm_lab.ranking.named.reference import NaiveBM25 as NaiveBM25
    from lcm_lab.ranking.named.reference import OpenClawMemory as OpenClawMemory
    from lcm_lab.ranking.named.reference import SessionsSearch as SessionsSearch
    from lcm_lab.ranking.scorer import Scorer as Scorer
    from lcm_lab.ranking.steps.decay import Decay as Decay
    from lcm_lab.ranking.steps.diverse import MMR as MMR
    from lcm_lab.ranking.steps.diverse import Dedupe as Dedupe
    from lcm_lab.ranking.steps.fuse import RRF as RRF
    from lcm_lab.ranking.steps.fuse import Fuse as Fuse
    from lcm_lab.ranking.steps.learned import Learned as Learned
    from lcm_lab.ranking.steps.least import AtLeast as AtLeast
    from lcm_lab.ranking.steps.order import Newest as Newest
    from lcm_lab.ranking.steps.order import TiesByTime as TiesByTime
    from lcm_lab.ranking.steps.prior import Prior as Prior
    from lcm_lab.ranking.steps.recency import Recency as Recency
    from lcm_lab.ranking.steps.turns import Append as Append
    from lcm_lab.ranking.steps.turns import Fallback as Fallback
    from lcm_lab.reporting.report import ranking_report as ranking_report
    from lcm_lab.reporting.speed import speed_report as speed_report
    from lcm_lab.run import Run as Run
    from lcm_lab.synth.generate import generate as generate
    from lcm_lab.text import Analyzer as Analyzer
    from lcm_lab.transcripts.base import Transcripts as Transcripts
    from lcm_lab.transcripts.load import load as load
    from lcm_lab.transcripts.read import read as read
    from lcm_lab.values import Named as Named
    from lcm_lab.values import value as value
    from lcm_lab.values import vary as vary


__version__ = "0.1.0"

#: Where each public name lives. Nothing is imported before it is asked for, so that a program that
#: needs one of them does not wait for the others; the imports above tell type checkers the same.
_HOMES = {
    "collection": ["Collection"],
    "corpus": ["Corpus"],
    "errors": ["errors"],
    "evaluation.harness": ["evaluate"],
    "evaluation.learn": ["learn"],
    "evaluation.result": ["Evaluation"],
    "evaluation.tune": ["tune"],
    "measures": ["measures"],
    "ranking.base": ["Ranker"],
    "ranking.context.around": ["ByRole", "Neighbours", "SessionPrior"],
    "ranking.contextual": ["Contextual"],
    "ranking.steps.decay": ["Decay"],
    "ranking.dense.scorer": ["Dense"],
    "ranking.steps.diverse": ["MMR", "Dedupe"],
    "ranking.steps.least": ["AtLeast"],
    "ranking.dense.embedder": ["Encoder"],
    "ranking.dense.encoders": ["MiniLM", "WordLlama"],
    "ranking.exact.whole": ["Regex", "Substring"],
    "ranking.context.feedback": ["Feedback"],
    "ranking.exact.fts": ["FTS5"],
    "ranking.steps.fuse": ["RRF", "Fuse"],
    "ranking.lexical.grams": ["CharGrams", "Grams"],
    "ranking.lexical.passage": ["BestPassage"],
    "ranking.lexical.words": ["BM25", "QueryLikelihood", "TfIdf"],
    "ranking.dense.lsa": ["LSA"],
    "ranking.modifier": ["Modifier", "Reranker"],
    "ranking.named.openclaw": ["Mix", "Saturated", "Strict"],
    "ranking.steps.learned": ["Learned"],
    "ranking.steps.order": ["Newest", "TiesByTime"],
    "ranking.exact.phrase": ["Phrase"],
    "ranking.context.priors": ["Questions", "AboveMean"],
    "ranking.context.proximity": ["Proximity"],
    "ranking.named.recommended": ["Recommended"],
    "ranking.named.reference": [
        "EpisodicMemory",
        "LosslessClaw",
        "NaiveBM25",
        "OpenClawMemory",
        "SessionsSearch",
    ],
    "ranking.steps.prior": ["Prior"],
    "ranking.steps.recency": ["Recency"],
    "ranking.scorer": ["Scorer"],
    "ranking.context.speakers": ["BySpeaker", "FirstPerson"],
    "ranking.lexical.split": ["Split"],
    "ranking.steps.turns": ["Append", "Fallback"],
    "reporting.report": ["ranking_report"],
    "reporting.speed": ["speed_report"],
    "run": ["Run"],
    "synth.generate": ["generate"],
    "testing": ["testing"],
    "text": ["Analyzer"],
    "transcripts.base": ["Transcripts"],
    "transcripts.load": ["load"],
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
