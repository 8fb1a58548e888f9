"""Content-addressed ids: what is the same has the same id, on every machine and in every run."""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["digest", "message_id"]


def digest(*parts: str | bytes | int | None, size: int = 16) -> str:
    """Give a hexadecimal digest of a sequence of parts.

    Parts are framed by kind and length, so ``("a", "bc")`` and ``("ab", "c")`` differ, and so do
    None, ``""`` and ``b""``. Lone surrogates are hashed as they are.

    Parameters
    ----------
    *parts : str, bytes, int or None
    size : int
        Bytes of the digest, 1 to 64; the result has twice as many characters.

    Examples
    --------
    >>> digest("a", "bc") == digest("ab", "c")
    False
    >>> len(digest("a"))
    32
    """
    state = blake2b(digest_size=size)
    for part in parts:
        kind, content = _content(part)
        state.update(kind + len(content).to_bytes(8, "big"))
        state.update(content)
    return state.hexdigest()


def message_id(conversation: str, role: str, text: str, time: int | None, nth: int = 0) -> str:
    """Give the id of a message: the same message imported twice is one message.

    Parameters
    ----------
    conversation, role, text : str
    time : int or None
        Microseconds since 1970, UTC; None where unknown.
    nth : int
        Which of several messages that agree in all of the above, from 0: "ok" said twice is two.

    Returns
    -------
    str
        ``msg_`` and 16 hexadecimal characters.
    """
    return f"msg_{digest('message', conversation, role, text, time, nth, size=8)}"


def _content(part: str | bytes | int | None) -> tuple[bytes, bytes]:
    if isinstance(part, str):
        return b"s", part.encode("utf-8", "surrogatepass")
    if isinstance(part, bytes):
        return b"b", part
    return (b"n", b"") if part is None else (b"i", str(part).encode())
