"""The panel: systems of different families by which two collections are compared.

It was fixed before any synthetic collection was compared with a real one, after the 22 lexical
systems by which the real sets were compared with each other. Random order and age alone are not in
it: that they lose everywhere would raise any agreement.
"""

from __future__ import annotations

from lcm_lab.ranking.base import Ranker
from lcm_lab.ranking.context.feedback import Feedback
from lcm_lab.ranking.dense.scorer import Dense
from lcm_lab.ranking.lexical.grams import CharGrams
from lcm_lab.ranking.lexical.words import BM25, QueryLikelihood, TfIdf
from lcm_lab.ranking.named.reference import NaiveBM25
from lcm_lab.ranking.steps.fuse import RRF
from lcm_lab.text import Analyzer

__all__ = ["FAMILIES", "panel"]

#: Deep enough for rank fusion; nothing is measured below rank ten.
POOL, CUT = 100, 10
TEXT = ("text",)

FAMILIES: dict[str, dict[str, Ranker]] = {
    "BM25": {
        "bm25": BM25(),
        "bm25 b=0": BM25(b=0.0),
        "bm25 b=0.4": BM25(b=0.4),
        "bm25 b=1": BM25(b=1.0),
        "bm25 k1=0.6": BM25(k1=0.6),
        "bm25 of the text alone": BM25(fields=TEXT),
        "bm25 without stems": BM25(analyzer=Analyzer(language=None)),
        "naive bm25": NaiveBM25(),
    },
    "shared words": {"rare words shared": BM25(k1=0.0)},
    "TF-IDF": {
        "tf-idf": TfIdf(),
        "tf-idf of counts": TfIdf(sublinear=False),
        "tf-idf of the text alone": TfIdf(fields=TEXT),
    },
    "likelihood": {
        "dirichlet 100": QueryLikelihood(),
        "dirichlet 1000": QueryLikelihood(mu=1000.0),
    },
    "characters": {"characters 3-5": CharGrams(), "characters 4": CharGrams(4, 4)},
    "vectors": {"lsa": Dense()},
    "feedback": {"bm25 with feedback": Feedback(BM25())},
    "fusion": {
        "bm25 + tf-idf": BM25() + TfIdf(),
        "bm25 + characters": BM25() + CharGrams(),
        "bm25 + lsa": BM25() + 0.5 * Dense(),
        "rrf of three": RRF(BM25() % POOL, TfIdf() % POOL, CharGrams() % POOL),
    },
}


def panel() -> dict[str, Ranker]:
    """Give the systems by name, each cut at ten hits.

    Examples
    --------
    >>> len(panel())
    22
    >>> panel()["tf-idf"]
    TfIdf() % 10
    """
    return {name: system % CUT for family in FAMILIES.values() for name, system in family.items()}
