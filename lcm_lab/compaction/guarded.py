"""Summarisers around another: kept on disk, bounded in time."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lcm_lab import private, whole
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.ids import digest
from lcm_lab.values import spelled, value

__all__ = ["Cached", "Timed", "callable_or_refused"]

#: What a kept summary was made by; another way of calling a summariser gets files of its own.
LAYOUT = "texts and a limit in tokens, 2"
AGAIN = "Delete it to have it anew."


def callable_or_refused(who: object, given: Any) -> None:
    """Refuse what is no summariser.

    Raises
    ------
    BadParameter
        For a class, or what cannot be called.
    """
    if isinstance(given, type) or not callable(given):
        raise BadParameter(
            f"{type(who).__name__} takes a summariser, a callable (texts, tokens) -> str such as "
            f"Lead(). Got {given!r:.80}."
        )


@value
class Cached:
    """Keep what a summariser wrote, so that the same call is made once.

    Parameters
    ----------
    summariser : callable ``(texts, tokens) -> str``
        A value, or `Named`: its name and all its parameters are its identity. Change the name when
        the model behind it changes.
    folder : str
        Where; made when it is not there. One file a call, under a digest of the texts, the limit
        and the identity, which the file repeats. Several processes may use one folder.

    Examples
    --------
    >>> import tempfile
    >>> from lcm_lab.compaction.summarise import Lead
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Cached(Lead(), folder)(["Use WAL. It is faster."], 4)
    'Use WAL.'
    """

    summariser: Any
    folder: str

    def check(self) -> None:
        """Refuse what is no summariser, or one without an identity."""
        callable_or_refused(self, self.summariser)
        spelled(self.summariser)
        given: Any = self.folder
        if not isinstance(given, str) or not given:
            raise BadParameter(f"folder must be a path, as text. Got {given!r:.80}.")

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give what is kept of this call, or call, and keep it; an empty answer is not kept.

        Raises
        ------
        BadInput
            When a kept file is damaged: says which, to be deleted.
        """
        who = spelled(self.summariser)
        path = Path(self.folder) / f"{digest(LAYOUT, who, tokens, *texts)}.json"
        if path.exists():
            return _read(path)
        text = self.summariser(texts, tokens)
        if isinstance(text, str) and text.strip():
            told = {"summariser": who, "tokens": tokens, "text": text}
            _write(path, told | {"sum": digest(path.stem, text)})
        return text  # type: ignore[no-any-return]  # what it gave, whatever that is


@value
class Timed:
    """Give up on a summariser that takes too long.

    Parameters
    ----------
    summariser : callable ``(texts, tokens) -> str``
    seconds : float, above 0

    Notes
    -----
    The call runs in a thread of its own, which cannot be ended: one that hangs stays behind until
    the process ends, and does not keep it from ending.

    Examples
    --------
    >>> from lcm_lab.compaction.summarise import Lead
    >>> Timed(Lead(), seconds=30)(["Use WAL. It is faster."], 4)
    'Use WAL.'
    """

    summariser: Any
    seconds: float = 60

    def check(self) -> None:
        """Refuse what is no summariser, and no time."""
        callable_or_refused(self, self.summariser)
        given: Any = self.seconds
        real = isinstance(given, int | float) and not isinstance(given, bool)
        if not real or not 0 < given < threading.TIMEOUT_MAX:
            raise BadParameter(f"seconds must be a number above 0. Got {given!r:.80}.")

    def __call__(self, texts: Sequence[str], tokens: int) -> str:
        """Give what the summariser gives, if it does so in time.

        Raises
        ------
        TimeoutError
            When it does not. What it raises itself is raised here.
        """
        done: list[Any] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                done.append(self.summariser(texts, tokens))
            except BaseException as error:  # it is raised where it was asked for
                failed.append(error)

        thread = threading.Thread(target=work, daemon=True, name="summariser")
        thread.start()
        thread.join(self.seconds)
        if failed:
            raise failed[0]
        if not done:
            raise TimeoutError(f"no summary within {self.seconds:g} s")
        return done[0]  # type: ignore[no-any-return]


def _read(path: Path) -> str:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        text, check = kept["text"], kept["sum"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(
            f"{path.name} holds no summary ({error}). Delete it to have it anew."
        ) from None
    if not isinstance(text, str) or digest(path.stem, text) != check:
        raise BadInput(f"{path.name} was changed after it was written. Delete it to have it anew.")
    return text


def _write(path: Path, kept: dict[str, Any]) -> None:
    private.folder(path.parent)
    with whole.file(path) as part:
        private.file(part)
        part.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
