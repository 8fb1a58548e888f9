"""Rankers of words: BM25 and TF-IDF over the inverted index."""

from __future__ import annotations

from dataclasses import field

import numpy as np
import numpy.typing as npt

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadParameter
from lcm_lab.ranking import checks
from lcm_lab.ranking.lexical.postings import postings
from lcm_lab.ranking.lexical.weighted import Lexical, Weights
from lcm_lab.text import Analysis, Analyzer
from lcm_lab.values import value
from lcm_lab.words import FRAMING

__all__ = ["BM25", "QueryLikelihood", "TfIdf"]

Floats = npt.NDArray[np.float64]

#: The least that a number above 0 may be.
TINY = float(np.finfo(float).tiny)

#: What a word adds to a text at least, for a scorer whose formula gives 0 or less: as SQLite's idf.
LEAST = 1e-6

#: What of a row is indexed: the day in words, who speaks, and what is said.
FIELDS = ("date", "speaker", "text")


@value
class BM25(Lexical):
    """Robertson's BM25 over words: rare words weigh more, repeats and long texts count less.

    Parameters
    ----------
    k1 : float, at least 0
        How fast a repeated word saturates.
    b : float in [0, 1]
        How strongly a text's length is held against it.
    fields : tuple of str
        What of a row is indexed: columns of the corpus, and ``date``, the day in words.
    analyzer : Analyzer
        How text becomes terms.
    average : float or None
        Words of a text that is neither long nor short; None, the mean of the corpus. A fixed number
        serves a corpus of short turns and one of long answers with the same ``b``.
    rarity : float, above 0
        The power that idf is raised to: above 1, rare words weigh still more.
    framing : float in [0, 1]
        How much words count that say how something is asked, rather than what
        (`lcm_lab.words.FRAMING`: "how many", "remind", "conversation").
    repeats : bool
        Whether a word that the question repeats counts each time.

    Notes
    -----
    The weight of term t in document d is ``idf(t) tf / (tf + k1 (1 - b + b len(d) / average))``
    [1]_ with Lucene's idf, ``log(1 + (N - df + 0.5) / (df + 0.5))``, which is above 0 always.
    Lengths count no stop words. Statistics are those of the corpus that was fitted, whatever
    filters a topic has. Quotes mean nothing: what must stand together is found by `Phrase`.

    References
    ----------
    .. [1] Robertson and Zaragoza (2009), The Probabilistic Relevance Framework, section 3.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = (lcm.BM25() % 10).fit(lcm.Corpus(["bread and butter", "rain in bergen"]))
    >>> search("is there rain?")[["docno", "rank"]].values.tolist()
    [['m2', 1]]
    """

    k1: float = 1.2
    b: float = 0.75
    fields: tuple[str, ...] = FIELDS
    analyzer: Analysis = field(default_factory=Analyzer)
    average: float | None = None
    rarity: float = 1.0
    framing: float = 1.0
    repeats: bool = True

    def check(self) -> None:
        """Refuse parameters out of range."""
        checks.number("k1", self.k1)
        checks.number("b", self.b, 0, 1)
        checks.texts("fields", self.fields, FIELDS)
        checks.analysis(self.analyzer)
        if self.average is not None:
            checks.number("average", self.average, TINY)
        checks.number("rarity", self.rarity, TINY)
        checks.number("framing", self.framing, 0, 1)
        if not isinstance(self.repeats, bool):
            raise BadParameter(f"repeats must be True or False. Got {self.repeats!r}.")

    def index(self, corpus: Corpus) -> Weights:
        """Build posting lists of saturated, length-normalised frequencies."""
        lists = postings(corpus, self.analyzer, self.fields)
        tf = lists.values
        saturated = tf / (tf + self.pivot(corpus).astype(np.float32)[lists.rows])
        return Weights(lists.valued(saturated), self.worth(corpus))

    def weights(self, index: Weights, query: str) -> dict[int, float]:
        """Give the weight of each term of a question, by term number, rising."""
        asked = super().weights(index, query)
        return asked if self.repeats else {term: float(index.worth[term]) for term in asked}

    def pivot(self, corpus: Corpus) -> Floats:
        """Give the frequency at which a word in each text is worth half; shape (n_docs,)."""
        lists = postings(corpus, self.analyzer, self.fields)
        average = self.average or lists.average
        return np.asarray(self.k1 * (1 - self.b + self.b * lists.lengths / average))

    def worth(self, corpus: Corpus) -> Floats:
        """Give what each term is worth in a question; shape (n_terms,)."""
        return np.asarray(corpus.memo(("worth", self), lambda: self._worth(corpus)))

    def _worth(self, corpus: Corpus) -> Floats:
        lists = postings(corpus, self.analyzer, self.fields)
        worth = np.log1p((lists.documents - lists.held + 0.5) / (lists.held + 0.5))
        worth = worth if self.rarity == 1 else worth**self.rarity
        if self.framing != 1:
            framing = {term for word in sorted(FRAMING) for term in self.analyzer.query(word)}
            worth[[lists.terms[term] for term in framing if term in lists.terms]] *= self.framing
        return worth


@value
class QueryLikelihood(Lexical):
    """How likely a text is to bring forth the question, with Dirichlet smoothing.

    Parameters
    ----------
    mu : float, above 0
        Words of the corpus at large that each text is mixed with; the more, the less a text's own
        length counts. A small fixed number serves short and long texts alike.
    fields : tuple of str
        What of a row is indexed: columns of the corpus, and ``date``, the day in words.
    analyzer : Analyzer
        How text becomes terms.

    Notes
    -----
    A term adds ``log(1 + tf / (mu p)) + log(mu / (len + mu))``, with p its share of all words, or
    a millionth where that is less: Lucene's ``LMDirichletSimilarity``, which leaves out the length
    of texts for terms that they do not hold [1]_. There a text of score 0 is still a hit.

    References
    ----------
    .. [1] Zhai and Lafferty (2004), A study of smoothing methods for language models, TOIS 22(2).

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = lcm.QueryLikelihood().fit(lcm.Corpus(["bread and butter", "rain in bergen"]))
    >>> search("is there rain?")["docno"].tolist()
    ['m2']
    """

    mu: float = 100.0
    fields: tuple[str, ...] = FIELDS
    analyzer: Analysis = field(default_factory=Analyzer)

    def check(self) -> None:
        """Refuse parameters out of range."""
        checks.number("mu", self.mu, TINY)
        checks.texts("fields", self.fields, FIELDS)
        checks.analysis(self.analyzer)

    def index(self, corpus: Corpus) -> Weights:
        """Build posting lists of log-likelihood ratios."""
        lists = postings(corpus, self.analyzer, self.fields)
        of = np.repeat(np.arange(len(lists.terms)), lists.frequency)
        seen = lists.occurrences
        share = seen / max(seen[~lists.stop].sum(), 1)
        gain = np.log1p(lists.values / (self.mu * share[of]))
        loss = np.log(self.mu / (lists.lengths + self.mu))
        added = np.maximum(gain + loss[lists.rows], LEAST)
        return Weights(lists.valued(added), np.ones(len(lists.terms)))


@value
class TfIdf(Lexical):
    """Cosine between TF-IDF vectors of question and document.

    Parameters
    ----------
    sublinear : bool
        Take 1 + log(tf) in the place of tf.
    fields : tuple of str
        What of a row is indexed: columns of the corpus, and ``date``, the day in words.
    analyzer : Analyzer
        How text becomes terms.

    Notes
    -----
    The weights of scikit-learn's ``TfidfVectorizer``: idf is ``log((1 + N) / (1 + df)) + 1`` and
    vectors have length 1, so a score lies in [0, 1]. Stop words are no part of a document's length.

    Examples
    --------
    >>> import lcm_lab as lcm
    >>> search = (lcm.TfIdf() % 10).fit(lcm.Corpus(["bread and butter", "rain in bergen"]))
    >>> search("bread")[["docno", "score"]].round(3).values.tolist()
    [['m1', 0.707]]
    """

    sublinear: bool = True
    fields: tuple[str, ...] = FIELDS
    analyzer: Analysis = field(default_factory=Analyzer)

    def check(self) -> None:
        """Refuse parameters out of range."""
        if not isinstance(self.sublinear, bool):
            raise BadParameter(f"sublinear must be True or False. Got {self.sublinear!r}.")
        checks.texts("fields", self.fields, FIELDS)
        checks.analysis(self.analyzer)

    def index(self, corpus: Corpus) -> Weights:
        """Build posting lists of weights divided by the length of the document's vector."""
        lists = postings(corpus, self.analyzer, self.fields)
        worth = np.log((1 + lists.documents) / (1 + lists.held)) + 1
        raw = self._damp(lists.values.astype(np.float64)) * np.repeat(worth, lists.frequency)
        counted = np.where(np.repeat(lists.stop, lists.frequency), 0.0, raw)
        norm = np.sqrt(np.bincount(lists.rows, counted**2, minlength=lists.size))
        whole = np.sqrt(np.bincount(lists.rows, raw**2, minlength=lists.size))
        norm = np.where(norm > 0, norm, np.where(whole > 0, whole, 1.0))
        return Weights(lists.valued(raw / norm[lists.rows]), worth)

    def weights(self, index: Weights, query: str) -> dict[int, float]:
        """Give the question's vector, of length 1, by term number."""
        asked = index.postings.asked(query)
        times = self._damp(np.array(list(asked.values()), np.float64))
        raw = times * index.worth[list(asked)] if asked else times
        length = float(np.sqrt((raw**2).sum())) or 1.0
        return dict(zip(asked, (raw / length).tolist(), strict=True))

    def _damp(self, tf: Floats) -> Floats:
        return 1 + np.log(tf) if self.sublinear else tf
