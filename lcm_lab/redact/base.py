"""Taking secrets out of a text, and out of texts that were one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from lcm_lab.redact.named import assigned
from lcm_lab.redact.shapes import shaped
from lcm_lab.redact.span import MARK, Span
from lcm_lab.shown import STYLING

__all__ = ["Redacted", "redact", "redact_together"]


class Redacted(NamedTuple):
    """A text without its secrets.

    Attributes
    ----------
    text : str
        With ``[redacted:kind]`` where a secret stood.
    found : Counter of str
        How many secrets of each kind.
    """

    text: str
    found: Counter[str]


def redact(text: str) -> Redacted:
    """Replace every secret in a text by its kind. Cut a text only afterwards.

    Secrets that touch or overlap are replaced together. What was redacted stays as it is.

    Examples
    --------
    >>> redact("export DB_PASSWORD=hunter2-FAKE")
    Redacted(text='export DB_PASSWORD=[redacted:password]', found=Counter({'password': 1}))
    """
    found: Counter[str] = Counter()
    # A secret glued to another is seen once the first is gone, as `sk-...` after `ghp_...` is.
    while spans := _merged([*shaped(seen := _uncoloured(text)), *assigned(seen)]):
        found.update(span.kind for span in spans)
        text = _without(text, spans)
    return Redacted(text, found)


def redact_together(texts: Sequence[str]) -> list[Redacted]:
    """Redact the pieces of one message, also of a secret that begins in one and ends in another.

    Such a secret is known by its form alone: a name in one piece says nothing of the next one.

    Examples
    --------
    >>> [one.text for one in redact_together(["the key: AKIAABCDEF", "GHIJ234567 is it"])]
    ['the key: [redacted:aws-key]', '[redacted:aws-key] is it']
    """
    if len(texts) < 2:
        return [redact(text) for text in texts]
    ends = list(accumulate(map(len, texts)))
    whole = _uncoloured("".join(texts))
    over = [span for span in _merged(list(shaped(whole))) if _is_parted(span, ends)]
    made = []
    for text, end in zip(texts, ends, strict=True):
        start = end - len(text)
        here = [
            Span(max(span.start, start) - start, min(span.end, end) - start, span.kind)
            for span in over
            if span.start < end and start < span.end
        ]
        plain = redact(_without(text, here))
        made.append(Redacted(plain.text, plain.found + Counter(span.kind for span in here)))
    return made


def _uncoloured(text: str) -> str:
    """Give a text of the same length without colours: the ``m`` of one would be glued to a key."""
    if "\x1b" not in text:
        return text
    return STYLING.sub(lambda colour: " " * len(colour[0]), text)


def _is_parted(span: Span, ends: Sequence[int]) -> bool:
    return any(span.start < end < span.end for end in ends)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _without(text: str, spans: Sequence[Span]) -> str:
    return "".join(_pieces(text, spans))


def _pieces(text: str, spans: Sequence[Span]) -> Iterator[str]:
    done = 0
    for span in spans:
        yield text[done : span.start]
        yield f"{MARK}{span.kind}]"
        done = span.end
    yield text[done:]
