"""What was timed as people read it: a headline, a table, and what must be known beside it."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pandas as pd

from lcm_lab.markup import line, notes, page, rows

__all__ = ["Printed"]


class Printed(ABC):
    """A result that prints as a table; its first two columns are words, the others numbers."""

    notes: tuple[str, ...]

    @abstractmethod
    def _headline(self) -> str:
        """Say what was timed."""

    @abstractmethod
    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Give the names of the columns, and the lines."""

    def __repr__(self) -> str:
        head, body = self._table()
        table = pd.DataFrame(body, columns=head).to_string(index=False) if body else "(no figures)"
        return "\n".join([self._headline(), "", table, "", *self.notes]).rstrip()

    def _repr_html_(self) -> str:
        head, body = self._table()
        cells = [[line(cell, 200) for cell in row] for row in body]
        numbers = "  " + "#" * (len(head) - 2)
        table = rows(head, cells, caption=line(self._headline()), numbers=numbers)
        return page(table, notes(self.notes))
