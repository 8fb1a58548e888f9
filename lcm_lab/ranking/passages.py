"""Long messages in passages: a message is as near to a question as its nearest passage."""

from __future__ import annotations

import re

__all__ = ["passages"]

#: What counts as a word: two characters of a script without spaces, or a stretch without white
#: space, of which sixteen characters are as many tokens as several words.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = re.compile(f"[{_UNSPACED}]{{1,2}}|[^\\s{_UNSPACED}]{{1,16}}")


def passages(text: str, words: int | None) -> list[str]:
    """Cut a text into passages of so many words; the text itself when it has no more.

    Examples
    --------
    >>> passages("one two three four five", 2)
    ['one two', 'three four', 'five']
    """
    if words is None or len(text) <= words:
        return [text]
    ends = [match.span() for match in _WORD.finditer(text)]
    if len(ends) <= words:
        return [text]
    cuts = range(0, len(ends), words)
    return [text[ends[i][0] : ends[min(i + words, len(ends)) - 1][1]] for i in cuts]
