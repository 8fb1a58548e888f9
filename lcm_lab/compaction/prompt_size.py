"""The size of a prompt as it is sent, and the cut that keeps it within a limit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lcm_lab.compaction.pairing import Compat, Turn
from lcm_lab.compaction.reference import estimate_tokens
from lcm_lab.text import clean, count_tokens

__all__ = ["Clamped", "clamp", "serialised_tokens", "sizes_of_turns"]

#: What stands for media in a count of text, and what a model is charged for it instead.
PLACEHOLDER, MEDIA = "[media are counted apart]", 1_600
#: Strings from this length on may be media.
LONG = 4_096
DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*[;,]")
BASE64 = re.compile(r"[A-Za-z0-9+/=_\s-]+")
HOLDS_MEDIA = frozenset(
    {"data", "image", "imageData", "image_data", "base64", "bytes", "source"}
)  # names under which hosts put it


def serialised_tokens(wire: Mapping[str, Any], compat: Compat = None) -> int:
    """Count the tokens of a message as it is sent: as JSON, with all its ids and names.

    Inline media count 1,600 each, whatever their length. With ``compat="reference"`` tokens are
    estimated as lossless-claw does.

    Examples
    --------
    >>> serialised_tokens({"role": "user", "content": "x"}, compat="reference")
    8
    """
    return sizes_of_turns([Turn(wire)], compat)[0]


def sizes_of_turns(turns: Sequence[Turn], compat: Compat = None) -> list[int]:
    """Count the serialised tokens of each turn."""
    media = [[0] for _ in turns]
    light = [_light(turn.wire, "", held) for turn, held in zip(turns, media, strict=True)]
    texts = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in light]
    if compat is not None:
        counted = [estimate_tokens(text) for text in texts]
    else:
        counted = count_tokens(pa.array(map(clean, texts), pa.large_string())).tolist()
    return [size + MEDIA * held[0] for size, held in zip(counted, media, strict=True)]


def _light(item: Any, key: str, media: list[int]) -> Any:
    if isinstance(item, Mapping):
        return {name: _light(value, str(name), media) for name, value in item.items()}
    if isinstance(item, list | tuple):
        return [_light(one, key, media) for one in item]
    if isinstance(item, str) and len(item) >= LONG and _is_media(item, key):
        media[0] += 1
        return PLACEHOLDER
    return item


def _is_media(text: str, key: str) -> bool:
    if DATA_URL.match(text):
        return True
    start = text[:512]
    coded = BASE64.fullmatch(start) is not None
    return (
        key in HOLDS_MEDIA
        and coded
        and bool(re.search(r"\d", start) and re.search(r"[A-Za-z]", start))
    )


@dataclass(frozen=True, slots=True)
class Clamped:
    """What was kept of turns under a limit.

    Attributes
    ----------
    kept : tuple of int
        The places of the turns that stay, rising.
    before, tokens : int
        Serialised tokens of all turns, and of those that stay.
    over : int
        By how many tokens the limit is missed.
    """

    kept: tuple[int, ...]
    before: int
    tokens: int
    over: int

    @property
    def cut(self) -> bool:
        """Whether the turns were over the limit."""
        return self.before > self.tokens or self.over > 0


def clamp(
    turns: Sequence[Turn], budget: int, compat: Compat = None, *, open_end: bool = True
) -> Clamped:
    """Keep the newest turns whose serialised size is within a limit: one turn at least.

    A result whose call was cut off goes with it, and the newest user message comes back where no
    other is left, even over the limit: a prompt without the user's words asks for nothing.

    Parameters
    ----------
    open_end : bool, default True
        Whether the last turn may be an assistant's; without it trailing ones are cut, as long as
        something stays.
    compat : {"reference"}, optional
        Cut down to nine tenths of the limit.
    """
    sizes = sizes_of_turns(turns, compat)
    before = sum(sizes)
    kept = list(range(len(turns)))
    if before > budget:
        kept = _suffix(turns, sizes, budget if compat is None else budget * 9 // 10)
        kept = _with_user(turns, kept)
        kept = kept if open_end else _closed(turns, kept)
    tokens = sum(sizes[place] for place in kept)
    return Clamped(tuple(kept), before, tokens, max(0, tokens - budget))


def _suffix(turns: Sequence[Turn], sizes: Sequence[int], limit: int) -> list[int]:
    """Give the newest turns within a limit, from one on that is no result, at least that."""
    start, spent = len(turns), 0
    for place in range(len(turns) - 1, -1, -1):
        spent += sizes[place]
        begins = turns[place].role != "toolResult"
        if start < len(turns) and spent > limit:
            break
        start = place if begins else start
    return list(range(start if start < len(turns) else 0, len(turns)))


def _with_user(turns: Sequence[Turn], kept: list[int]) -> list[int]:
    if any(turns[place].role == "user" for place in kept):
        return kept
    newest = next((p for p in range(kept[0] - 1, -1, -1) if turns[p].role == "user"), None)
    return kept if newest is None else [newest, *kept]


def _closed(turns: Sequence[Turn], kept: list[int]) -> list[int]:
    end = len(kept)
    while end and turns[kept[end - 1]].role == "assistant":
        end -= 1
    return kept[:end] if end else kept
