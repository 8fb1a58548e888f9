"""Ids as an agent pastes them: bare, or the header of a reference that stood in its context."""

from __future__ import annotations

import re

from lcm_lab.errors import BadParameter

__all__ = ["described_id"]

_BARE = re.compile(r"(?:sum|file)_[a-z0-9_-]*")
_HEADER = re.compile(r"\[LCM (?:Tool Output|File|Raw Payload): ((?:sum|file)_[a-z0-9_-]+) \|")
_ANY = re.compile(r"\b(?:sum|file)_[a-z0-9_-]+", re.IGNORECASE)
_SHAPED = re.compile(r"(?:sum|file)_\S*", re.IGNORECASE)
WAY = "Write the bare id that lcm_grep gave: id='sum_abc123def456' or id='file_789abc012345'."


def described_id(text: str) -> str:
    """Read the id of a summary or a file.

    Parameters
    ----------
    text : str
        The id alone, or a text that begins with one reference header, whose id counts.

    Returns
    -------
    str

    Raises
    ------
    BadParameter
        For no id, several, one in other case or with nothing behind its prefix, and one inside
        other text.

    Examples
    --------
    >>> described_id(" sum_ab12 ")
    'sum_ab12'
    >>> described_id("[LCM File: file_a1 | notes.txt | text/plain | 9 bytes]")
    'file_a1'
    """
    given = text.strip()
    header = _HEADER.match(given)
    if header is not None:
        return _whole(header[1])
    if _BARE.fullmatch(given):
        return _whole(given)
    found = _ANY.findall(given)
    if len(found) > 1:
        raise BadParameter(f"id names several: {', '.join(found[:5])}. Describe one at a time.")
    if _SHAPED.fullmatch(given):
        raise BadParameter(f"{given!r:.80} is malformed: an id has a-z, 0-9, - and _ alone. {WAY}")
    if found:
        raise BadParameter(f"{given!r:.80} is an id inside other text. {WAY}")
    raise BadParameter(f"{given!r:.80} is not the id of a summary or a file. {WAY}")


def _whole(name: str) -> str:
    if not name.partition("_")[2].strip("0"):
        raise BadParameter(f"{name!r} has nothing behind its prefix, or zeros alone. {WAY}")
    return name
