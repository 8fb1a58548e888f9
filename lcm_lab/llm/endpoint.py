"""Where models answer, and within which bounds they are asked."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from dataclasses import field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from lcm_lab.errors import BadParameter
from lcm_lab.redact import redact
from lcm_lab.values import value

__all__ = ["Endpoint", "secret"]

#: What an environment variable that holds a key is called; what is none may be the key itself.
NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
#: A key that can stand in a header.
HEADER = re.compile(r"[!-~]+")
#: What is put behind an address.
ROUTES = ("/chat/completions", "/embeddings")
#: Longer than any wait that is one.
DAY = 86_400


def bound(default: Any) -> Any:
    """Mark a field that bounds how it is asked, and is no part of what is answered."""
    return field(default=default, compare=False)


@value
class Endpoint:
    """An address that speaks OpenAI's protocol, and the bounds within which it is asked.

    OpenAI, llama.cpp, Ollama, vLLM and many more do. The bounds decide nothing about an answer, so
    two endpoints are equal that differ in these alone, and share their accounts.

    Parameters
    ----------
    base_url : str
        Up to and without ``/chat/completions``, such as ``http://127.0.0.1:11434/v1``. Redirects
        are not followed.
    key : str, optional
        The *name* of the environment variable that holds the key, read at each request and kept
        nowhere. None sends no key.
    prices : tuple of (model, in, out)
        Money for a million tokens read, and written.
    budget : float, optional
        Money that this process may spend here. A call that could go beyond it is not made.
    tokens : int, optional
        Tokens, read and written, that this process may spend here.
    timeout : float
        Seconds for a try.
    tries : int
        How often a request is sent, at most: again after 408, 409, 425, 429, 5xx, a lost
        connection, a time-out, and an answer that cannot be used.
    pause : float
        Seconds before the second try; doubled before each further one, 8 at most.
    patience : float
        The longest wait that an endpoint may ask for (Retry-After), in seconds.
    at_once : int
        Requests of this process at a time.
    folder : str, optional
        Where answers are kept, so that no question is paid for twice; made when it is not there.

    Notes
    -----
    Before a call its cost is taken to be the most that it can be: the tokens that may be written,
    and a token for each byte sent; once replies have told how many bytes their tokens had, the
    least of that, and a quarter more. What may have been billed without a word of usage (a
    time-out, a reply cut off) is counted so too. Every process counts for itself: ``n_jobs=2`` may
    spend twice.

    Examples
    --------
    >>> Endpoint("http://127.0.0.1:11434/v1/")
    Endpoint('http://127.0.0.1:11434/v1')
    """

    base_url: str
    key: str | None = None
    prices: tuple[tuple[str, float, float], ...] = bound(())
    budget: float | None = bound(None)
    tokens: int | None = bound(None)
    timeout: float = bound(120.0)
    tries: int = bound(4)
    pause: float = bound(0.5)
    patience: float = bound(60.0)
    at_once: int = bound(4)
    folder: str | None = bound(None)

    def check(self) -> None:
        """Refuse an address that is none or holds a secret, a key in place of its name, bounds."""
        object.__setattr__(self, "base_url", _address(self.base_url))
        _key_name(self.key)
        _prices(self.prices)
        for name in ("tries", "at_once"):
            _number(name, getattr(self, name), least=1, whole=True)
        _number("timeout", self.timeout, above=0)
        for name in ("pause", "patience"):
            _number(name, getattr(self, name), least=0)
        if self.budget is not None:
            _number("budget", self.budget, least=0)
        if self.tokens is not None:
            _number("tokens", self.tokens, least=0, whole=True)
        folder: Any = self.folder
        if folder is not None and (not isinstance(folder, str) or not folder):
            raise BadParameter(f"folder must be a path, as text, or None. Got {folder!r:.80}.")

    @property
    def local(self) -> bool:
        """Whether it is on this machine, where no proxy stands between."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def price(self, model: str) -> tuple[float, float] | None:
        """Give what a million tokens cost, read and written; None where that is not known."""
        return next(((read, wrote) for name, read, wrote in self.prices if name == model), None)


def secret(endpoint: Endpoint) -> str | None:
    """Read the key of an endpoint from the environment; None where it needs none.

    Raises
    ------
    BadParameter
        Where the environment does not hold it, or what it holds cannot be sent.
    """
    if endpoint.key is None:
        return None
    found = os.environ.get(endpoint.key, "").strip()
    if not found:
        raise BadParameter(
            f"The environment has no {endpoint.key}, which key= names. Set it, or leave key= out "
            "where no key is wanted."
        )
    if HEADER.fullmatch(found) is None:
        raise BadParameter(f"{endpoint.key} holds something that is no key: it has blanks or more.")
    return found


def _address(given: Any) -> str:
    if not isinstance(given, str) or redact(given).text != given:
        raise BadParameter(
            "base_url must be an address without a secret in it; key= names the environment "
            "variable that holds the key."
        )
    wrong = f"base_url must be an address such as 'http://127.0.0.1:11434/v1'. Got {given!r:.80}."
    try:
        parts = urlsplit(given)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise BadParameter(wrong) from None
    if parts.scheme not in ("http", "https") or not named or re.search(r"\s", given):
        raise BadParameter(wrong)
    if parts.username is not None or parts.query or parts.fragment:
        raise BadParameter(
            "base_url must have neither a user nor a query: they may hold a secret. key= names the "
            "environment variable that holds the key."
        )
    address = given.rstrip("/")
    route = next((one for one in ROUTES if address.endswith(one)), None)
    if route is not None:
        raise BadParameter(
            f"base_url ends before {route}: write {address.removesuffix(route)!r}. "
            f"Got {given!r:.80}."
        )
    return address


def _key_name(given: Any) -> None:
    """Refuse what may be a key, without repeating it."""
    if given is None:
        return
    if not isinstance(given, str) or not NAME.fullmatch(given) or redact(given).text != given:
        raise BadParameter(
            "key is the name of the environment variable that holds the key, in capitals, such as "
            "'OPENAI_API_KEY'; never the key itself."
        )


def _prices(given: Any) -> None:
    for one in given if isinstance(given, Iterable) else [given]:
        if not isinstance(one, tuple) or len(one) != 3 or not isinstance(one[0], str):
            raise BadParameter(
                "prices are money for a million tokens, read and written: "
                f"prices=(('model', 0.15, 0.6),). Got {one!r:.80}."
            )
        for number in one[1:]:
            _number(f"the price of {one[0]!r}", number, least=0)


def _number(
    name: str, given: Any, *, least: float = 0, above: float | None = None, whole: bool = False
) -> None:
    kinds = int if whole else int | float
    real = isinstance(given, kinds) and not isinstance(given, bool) and math.isfinite(given)
    if not real or given < least or (above is not None and given <= above) or given > 1e15:
        what = "whole number" if whole else "number"
        rule = f"above {above:g}" if above is not None else f"{least:g} or more"
        raise BadParameter(f"{name} must be a {what}, {rule}. Got {given!r:.80}.")
    if name in ("timeout", "pause", "patience") and given > DAY:
        raise BadParameter(f"{name} must be {DAY:,} seconds or less. Got {given!r}.")
