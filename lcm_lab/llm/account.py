"""What was spent at each endpoint, and what a further call could cost, before it is made."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pandas as pd

from lcm_lab.errors import BadParameter, OverBudget
from lcm_lab.llm.endpoint import Endpoint
from lcm_lab.markup import line, page, rows
from lcm_lab.shown import counted

__all__ = ["Account", "Charge", "Ledger", "Usage", "ledger"]

#: What a model's template adds to a prompt, in tokens, at most.
TEMPLATE = 32
#: A reply's bytes a token may be a quarter more than the next one's.
MARGIN = 0.8
#: What no usage can be.
MOST = 10**9

COLUMNS = [
    "endpoint", "model", "kind", "calls", "kept", "again", "failed", "read", "written", "guessed",
    "money",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written, as an endpoint says, or guessed."""

    read: int
    written: int
    guessed: bool = False

    @property
    def credible(self) -> bool:
        """Whether both are numbers of tokens."""
        given: tuple[object, ...] = (self.read, self.written)
        return all(type(one) is int and 0 <= one <= MOST for one in given)


@dataclass(eq=False)
class Charge:
    """A call that is being made: what it can cost, and what it did once that is known.

    Attributes
    ----------
    model, kind : str
    size : int
        Bytes that are sent to be read.
    most : int
        Tokens that may be written.
    usage : Usage or None
        As told; None counts as the most that it can be.
    free : bool
        Whether it costs nothing: refused, or never sent.
    """

    model: str
    kind: str
    size: int
    most: int
    usage: Usage | None = None
    free: bool = False
    bound: Usage = Usage(0, 0)


@dataclass
class _Row:
    calls: int = 0
    kept: int = 0
    again: int = 0
    failed: int = 0
    read: int = 0
    written: int = 0
    guessed: int = 0
    money: float = 0.0


@dataclass(eq=False)
class Account:
    """What one process has spent at one endpoint; threads share it."""

    base_url: str
    rows: dict[tuple[str, str], _Row] = field(default_factory=dict)
    open: list[Charge] = field(default_factory=list)
    #: The fewest bytes that a token had, by model.
    bytes: dict[str, float] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def row(self, model: str, kind: str) -> _Row:
        """Give the row of a model and what it was asked for."""
        return self.rows.setdefault((model, kind), _Row())

    def count(self, model: str, kind: str, what: str) -> None:
        """Count one more of what a row counts: kept, again or failed."""
        with self.changed:
            row = self.row(model, kind)
            setattr(row, what, getattr(row, what) + 1)

    @contextmanager
    def charged(self, endpoint: Endpoint, charge: Charge) -> Iterator[Charge]:
        """Make sure that a call keeps within the bounds, let it be made, and book what it cost.

        Where calls in flight decide whether it does, it waits for them.

        Raises
        ------
        OverBudget
            Where it could go beyond a bound; nothing is sent.
        BadParameter
            Where money is bounded, and the model has no price.
        """
        with self.changed:
            charge.bound = self._most(charge)
            while why := self._over(endpoint, charge):
                if not self.open:
                    raise OverBudget(why)
                self.changed.wait()
            self.open.append(charge)
        try:
            yield charge
        finally:
            with self.changed:
                self.open.remove(charge)
                self._book(endpoint, charge)
                self.changed.notify_all()

    def _most(self, charge: Charge) -> Usage:
        known = self.bytes.get(charge.model)
        read = math.ceil(charge.size / (1 if known is None else MARGIN * known))
        return Usage(read + TEMPLATE, charge.most, guessed=True)

    def _over(self, endpoint: Endpoint, charge: Charge) -> str:
        """Say which bound a call could break, "" for none."""
        pending = [one.bound for one in (*self.open, charge)]
        if endpoint.tokens is not None:
            spent = sum(row.read + row.written for row in self.rows.values())
            most = sum(one.read + one.written for one in pending)
            if spent + most > endpoint.tokens:
                limit = f"tokens={endpoint.tokens}"
                return _refusal(counted(most, "token"), f"{spent:,}", limit, endpoint)
        if endpoint.budget is not None:
            _priced(endpoint, charge.model)
            paid = sum(row.money for row in self.rows.values())
            open_ = ((one.model, one.bound) for one in (*self.open, charge))
            dear = sum(_money(endpoint, model, bound) for model, bound in open_)
            if paid + dear > endpoint.budget:
                limit = f"budget={endpoint.budget}"
                return _refusal(f"{dear:.6g}", f"{paid:.6g}", limit, endpoint)
        return ""

    def _book(self, endpoint: Endpoint, charge: Charge) -> None:
        row = self.row(charge.model, charge.kind)
        row.calls += 1
        if charge.free:
            return
        told = charge.usage
        cost = told if told is not None and told.credible else charge.bound
        row.read += cost.read
        row.written += cost.written
        row.guessed += cost.guessed
        row.money += _money(endpoint, charge.model, cost)
        if not cost.guessed and cost.read:
            found = charge.size / cost.read
            self.bytes[charge.model] = min(found, self.bytes.get(charge.model, found))


class Ledger:
    """What this process asked of endpoints, and what that cost; prints as a table.

    A row is a model and what it was asked for: ``calls`` sent, answers ``kept`` from before, calls
    made ``again``, questions that ``failed``, tokens ``read`` and ``written``, how many calls of
    these are ``guessed`` (nothing was told, so the most that it can be), and ``money``, 0 where no
    price was given.

    Examples
    --------
    >>> list(Ledger().frame())[:4]
    ['endpoint', 'model', 'kind', 'calls']
    """

    def __init__(self) -> None:
        self._accounts: dict[Endpoint, Account] = {}
        self._lock = threading.Lock()

    def account(self, endpoint: Endpoint) -> Account:
        """Give the account of an endpoint."""
        with self._lock:
            return self._accounts.setdefault(endpoint, Account(endpoint.base_url))

    def frame(self) -> pd.DataFrame:
        """Give the table; a row a model and kind of question."""
        with self._lock:
            accounts = list(self._accounts.values())
        rows = [
            (one.base_url, *key, *(getattr(row, name) for name in COLUMNS[3:]))
            for one in accounts
            for key, row in [*one.rows.items()]
        ]
        return pd.DataFrame(rows, columns=COLUMNS)

    def clear(self) -> None:
        """Begin anew: nothing was spent."""
        with self._lock:
            self._accounts.clear()

    def __repr__(self) -> str:
        frame = self.frame()
        return frame.to_string(index=False) if len(frame) else "Ledger: nothing was asked yet"

    def _repr_html_(self) -> str:
        frame = self.frame()
        if not len(frame):
            return page(f"<p>{self!r}</p>")
        body = [[line(one) for one in row] for row in frame.itertuples(index=False)]
        return page(rows(COLUMNS, body, numbers=f"   {'#' * 8}"))


#: The ledger of this process.
ledger = Ledger()


def _priced(endpoint: Endpoint, model: str) -> None:
    if endpoint.price(model) is None:
        there = ", ".join(repr(name) for name, *_ in endpoint.prices) or "no model"
        raise BadParameter(
            f"budget={endpoint.budget} bounds money, and prices has {there}, not {model!r}. Write "
            f"prices=(({model!r}, 0.15, 0.6),): money for a million tokens read, and written."
        )


def _money(endpoint: Endpoint, model: str, usage: Usage) -> float:
    read, written = endpoint.price(model) or (0.0, 0.0)
    return (read * usage.read + written * usage.written) / 1e6


def _refusal(most: str, spent: str, limit: str, endpoint: Endpoint) -> str:
    return (
        f"This call was not made: it could take {most}, and {spent} of {limit} is spent at "
        f"{endpoint.base_url}. Raise the limit; lcm.llm.ledger shows what was spent."
    )
