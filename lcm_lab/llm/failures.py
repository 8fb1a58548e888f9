"""What a model behind an endpoint may fail with."""

from __future__ import annotations

from dataclasses import dataclass

from lcm_lab.errors import LcmError

__all__ = ["NoReply", "Trouble"]


class NoReply(LcmError, ConnectionError):
    """An endpoint that gave no answer that can be used, after as many tries as it may have.

    Examples
    --------
    >>> issubclass(NoReply, lcm.errors.LcmError)
    True
    """


@dataclass
class Trouble(Exception):  # never leaves the package
    """Why one try gave nothing.

    Attributes
    ----------
    why : str
        Without the key, and without secrets.
    again : bool
        Whether the same request may do better.
    billed : bool
        Whether the endpoint may ask money for it: then it is counted as if it did.
    wait : float or None
        Seconds that the endpoint asks to wait.
    """

    why: str
    again: bool = True
    billed: bool = True
    wait: float | None = None
