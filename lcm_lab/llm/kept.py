"""Answers kept on disk, so that nothing is asked and paid for twice."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from lcm_lab import private, whole
from lcm_lab.ids import digest

__all__ = ["Kept"]

#: What a kept answer is found by; another layout gets files of its own.
LAYOUT = "a request and its answer, 1"


class Kept:
    """A folder of answers, one file each, found by all that decides them.

    Parameters
    ----------
    folder : str
        Made when it is not there. Several processes may use one.
    base_url, route : str
    body : dict
        The request: the model, the whole prompt and every parameter. It is not written down, but
        for its digest, since a prompt may be large and private. The key is no part of it.
    """

    def __init__(self, folder: str, base_url: str, route: str, body: dict[str, Any]) -> None:
        asked = json.dumps(body, sort_keys=True, ensure_ascii=True)
        self.name = digest(LAYOUT, base_url, route, asked)
        self.path = Path(folder) / f"{self.name}.json"

    def get(self) -> dict[str, Any] | None:
        """Give the answer; None where there is none, or none that is whole."""
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, RecursionError):
            kept = None
        answer = kept.get("answer") if isinstance(kept, dict) else None
        if isinstance(answer, dict) and kept.get("sum") == self._sum(answer):
            return answer
        warnings.warn(
            f"{self.path.name} is damaged, and is asked for anew.", RuntimeWarning, stacklevel=4
        )
        return None

    def put(self, answer: dict[str, Any]) -> None:
        """Keep an answer: all of it or nothing, so that another process sees it whole.

        A folder that cannot be written to is reported; the answer was paid for, and is given.
        """
        kept = {"answer": answer, "sum": self._sum(answer)}
        try:
            private.folder(self.path.parent)
            with whole.file(self.path) as part:
                private.file(part)
                part.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            why = error.strerror or type(error).__name__
            warnings.warn(f"An answer is not kept: {why}.", RuntimeWarning, stacklevel=4)

    def _sum(self, answer: dict[str, Any]) -> str:
        return digest(self.name, json.dumps(answer, sort_keys=True, ensure_ascii=True))
