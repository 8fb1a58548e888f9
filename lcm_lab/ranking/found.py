"""The hits of one question: a DataFrame that a notebook shows with what matched, and why."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from lcm_lab.markup import line, page, rows
from lcm_lab.redact import redact
from lcm_lab.shown import counted, cut, one_line
from lcm_lab.text import Analyzer

if TYPE_CHECKING:
    from lcm_lab.ranking.searcher import Searcher

__all__ = ["Found", "highlighted"]

#: Hits that are shown, characters of each, and how many of them before the first match.
HITS, SHOWN, BEFORE = 20, 320, 80
#: How a column of `explain` begins that holds ranks.
RANK = "rank in "
WORD = re.compile(r"\w+")
_ANALYZER = Analyzer()
#: Scripts without blanks between words: there the parts of a word are looked for.
DENSE = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Found(pd.DataFrame):
    """The hits of a question, best first; what is made from it is a plain DataFrame.

    Examples
    --------
    >>> search = (lcm.BM25() % 2).fit(lcm.Corpus(["use WAL", "drop the table"]))
    >>> "<mark>table</mark>" in search("which table?")._repr_html_()
    True
    """

    _metadata = ["_asked"]  # noqa: RUF012  # as pandas wants it

    @classmethod
    def of(
        cls, hits: pd.DataFrame, searcher: Searcher, question: str, filters: dict[str, Any]
    ) -> Found:
        """Remember who found the hits, and by which question."""
        found = cls(hits)
        object.__setattr__(found, "_asked", (searcher, question, filters))
        return found

    def __reduce__(self) -> Any:
        """Travel as a plain DataFrame: an index is no part of what was found."""
        return pd.DataFrame, (pd.DataFrame(self),)

    def _repr_html_(self) -> str:
        asked = getattr(self, "_asked", None)
        if asked is None:
            return str(self.to_html(border=0))
        searcher, question, filters = asked
        return _page(self, searcher, question, filters)


def highlighted(text: str, question: str, limit: int = SHOWN) -> str:
    """Give the part of a text that matches a question first, as HTML, its words marked.

    Parameters
    ----------
    text, question : str
    limit : int
        Characters of the text at most; secrets are left out before it is cut.

    Examples
    --------
    >>> highlighted("We <choose> Postgres.", "choosing postgres?")
    'We &lt;<mark>choose</mark>&gt; <mark>Postgres</mark>.'
    """
    shown = one_line(redact(text).text)
    spans = _spans(shown, frozenset(_ANALYZER.query(question)))
    start = max(0, spans[0][0] - BEFORE) if spans and len(shown) > limit else 0
    start = shown.rfind(" ", 0, start) + 1 if start else 0
    stop = start + len(cut(shown[start:], limit))
    made, at = ["… " if start else ""], start
    for first, last in spans:
        if at <= first and last <= stop:
            made += [escape(shown[at:first]), f"<mark>{escape(shown[first:last])}</mark>"]
            at = last
    return "".join([*made, escape(shown[at:stop]), " …" if stop < len(shown) else ""])


def _spans(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Find the words of a text that a question asks for; of scripts without blanks, parts."""
    found: list[tuple[int, int]] = []
    for word in WORD.finditer(text):
        if wanted.isdisjoint(_terms(word[0])):
            continue
        if not DENSE.search(word[0]):
            found.append(word.span())
            continue
        start = word.start()
        marks = sorted(
            (m.start(), m.end()) for t in wanted for m in re.finditer(re.escape(t), word[0])
        )
        found += [(start + a, start + b) for a, b in _joined(marks)]
    return found


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap or touch."""
    made: list[tuple[int, int]] = []
    for first, last in spans:
        if made and first <= made[-1][1]:
            made[-1] = (made[-1][0], max(last, made[-1][1]))
        else:
            made.append((first, last))
    return made


@lru_cache(maxsize=1 << 14)
def _terms(word: str) -> frozenset[str]:
    return frozenset(_ANALYZER.terms(word))


def _page(found: Found, searcher: Searcher, question: str, filters: dict[str, Any]) -> str:
    """Show hits with what matched and what each step gave."""
    caption = f"{counted(len(found), 'hit')} for <b>{line(question, SHOWN)}</b>"
    if not len(found):
        return page(f"<p>{caption}</p>")
    steps = searcher.explain(question, **filters).drop(columns=["rank", "score", "text"])
    given = steps.drop_duplicates("docno").set_index("docno")
    shown = pd.DataFrame(found).head(HITS)
    body = [
        (str(hit["rank"]), f"{hit['score']:.3f}", _told(hit, question, given))
        for hit in shown.to_dict("records")
    ]
    rest = len(found) - len(shown)
    more = f"<p class='dim'>and {counted(rest, 'more hit')}</p>" if rest else ""
    return page(rows(["rank", "score", "hit"], body, caption=caption, numbers="##"), more)


def _told(hit: dict[Any, Any], question: str, given: pd.DataFrame) -> str:
    """Show a hit: what it says, where it stands, and what each step gave it."""
    steps = _steps(given.loc[hit["docno"]]) if hit["docno"] in given.index else ""
    said = highlighted(hit["text"], question)
    return f"{said}<div class='dim'>{_where(hit)}</div><div class='dim'>{steps}</div>"


def _where(hit: dict[Any, Any]) -> str:
    when = hit["time"]
    known = isinstance(when, pd.Timestamp) and not pd.isna(when)
    said = [hit["docno"], hit["conversation"], f"{when:%Y-%m-%d %H:%M}" if known else ""]
    return " · ".join(line(one, 80) for one in said if one)


def _steps(given: pd.Series[Any]) -> str:
    """List what each step gave a hit, and the rank at which it brought it."""
    known = {str(name): float(value) for name, value in given.items() if not pd.isna(value)}
    ranks = {name[len(RANK) :]: value for name, value in known.items() if name.startswith(RANK)}
    said = []
    for name in dict.fromkeys(name.removeprefix(RANK) for name in known):
        value = f" <b>{known[name]:.3f}</b>" if name in known else ""
        rank = f" (rank {ranks[name]:.0f})" if name in ranks else ""
        said.append(f"<code>{line(name, 60)}</code>{value}{rank}")
    return " · ".join(said)
