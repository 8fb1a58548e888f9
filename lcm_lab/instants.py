"""Read a time from data, whatever its form, as microseconds since 1970 in UTC.

A time without a zone is UTC, always: the zone and the locale of the process are never asked.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from lcm_lab.errors import BadInput

__all__ = ["FORMS", "ISO", "MONTHS", "dated", "instant", "is_naive"]

FORMS = "Write '2026-03-10' or '2026-03-10T14:30:00Z'."
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

#: A date, with or without a time of day, with or without a zone.
ISO = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(?:Z|z|[+-]\d\d:?\d\d(?::\d\d)?)?)?",
    re.ASCII,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Numbers are instants from 1990 up to 2100, in seconds, milli-, micro- or nanoseconds. The four
#: ranges do not overlap, so the unit is never guessed.
_FIRST, _END = 631_152_000, 4_102_444_800
_PER_SECOND = (1, 1_000, 1_000_000, 1_000_000_000)

#: The years 1 to 9999, in microseconds; beyond them nothing can be printed as a date.
_EARLIEST, _LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999

_DIGITS = re.compile(r"[+-]?\d{1,400}(?:\.\d*)?", re.ASCII)
_ZONED = re.compile(r"(?:Z|z|[+-]\d\d:?\d\d(?::\d\d)?)$", re.ASCII)

#: As benchmark files write them: "1:56 pm on 8 May, 2023", "2023/04/10 (Mon) 17:50",
#: "March-15-2024".
_SPOKEN = re.compile(r"(\d{1,2}):(\d\d) ?([AaPp])[Mm] on (\d{1,2}) ([A-Za-z]+),? (\d{4})", re.ASCII)
_SLASHED = re.compile(
    r"(\d{4})/(\d\d)/(\d\d)(?: \([A-Za-z]{3}\))?(?: (\d\d):(\d\d)(?::(\d\d))?)?", re.ASCII
)
_NAMED = re.compile(r"([A-Za-z]+)[- ](\d{1,2}),?[- ](\d{4})", re.ASCII)


def instant(value: Any) -> int | None:
    """Read a time from data, whatever its form.

    Parameters
    ----------
    value : str, int, float, datetime, date, Timestamp, datetime64 or None
        Text is ISO 8601 with or without a zone, digits, or one of the forms of the benchmark files.
        Numbers count from 1970 in seconds, milli-, micro- or nanoseconds. Without a zone it is UTC.

    Returns
    -------
    int or None
        Microseconds since 1970, UTC; None for what is missing (None, NaT, NaN, blank text).

    Raises
    ------
    BadInput
        For what is no time or of no year from 1 to 9999, and for numbers that are not between 1990
        and 2100 in any unit.

    Examples
    --------
    >>> instant("2026-01-01") == instant(1767225600) == instant("1767225600000")
    True
    """
    if isinstance(value, str):
        return _of_text(value.strip())
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, datetime | date | np.datetime64):
        return _of_object(value)
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else _of_number(float(value))
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return _of_number(int(value))
    raise BadInput(f"No time is read from {value!r:.80} ({type(value).__name__}). {FORMS}")


def dated(micros: Any) -> int:
    """Give microseconds since 1970, UTC, if they are a time that has a date.

    Raises
    ------
    BadInput
        For what is no whole number, and for times of no year from 1 to 9999.

    Examples
    --------
    >>> dated(1_767_225_600_000_000)
    1767225600000000
    """
    if not isinstance(micros, int | np.integer) or not _EARLIEST <= micros <= _LATEST:
        raise BadInput(
            f"{micros!r:.80} is no time of a year from 1 to 9999, in microseconds since 1970, UTC."
        )
    return int(micros)


def is_naive(value: Any) -> bool:
    """Tell whether a time names no zone, and so is read as UTC; readers count these.

    Examples
    --------
    >>> is_naive("2026-04-02 22:40:05"), is_naive("2026-04-02T22:40:05Z"), is_naive(1767225600)
    (True, False, False)
    """
    if isinstance(value, str):
        text = value.strip()
        return bool(text) and not _DIGITS.fullmatch(text) and not _ZONED.search(text[10:])
    if value is pd.NaT or not isinstance(value, date | np.datetime64):
        return False
    return getattr(value, "tzinfo", None) is None


def _of_text(text: str) -> int | None:
    if not text:
        return None
    if _DIGITS.fullmatch(text):
        return _of_number(float(text) if "." in text else int(text))
    try:
        if ISO.fullmatch(text):
            clock = text[10:].replace(" ", "").replace(",", ".").upper().removeprefix("T")
            return _of_object(datetime.fromisoformat(text[:10] + (clock and f"T{clock}")))
        return _of_object(_of_words(text))
    except ValueError:
        raise BadInput(f"{text!r:.80} is not a time. {FORMS}") from None


def _of_words(text: str) -> datetime:
    if spoken := _SPOKEN.fullmatch(text):
        hour, minute, half, day, month, year = spoken.groups()
        if not 1 <= int(hour) <= 12:
            raise ValueError(hour)
        afternoon = 12 * (half in "Pp")
        return datetime(
            int(year), _month(month), int(day), int(hour) % 12 + afternoon, int(minute), tzinfo=UTC
        )
    if slashed := _SLASHED.fullmatch(text):
        year, month, day, hour, minute, second = (int(part or 0) for part in slashed.groups())
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    if named := _NAMED.fullmatch(text):
        return datetime(int(named[3]), _month(named[1]), int(named[2]), tzinfo=UTC)
    raise ValueError(text)


def _month(name: str) -> int:
    full = [month.lower() for month in MONTHS]
    short = [month[:3] for month in full]
    return (full if name.lower() in full else short).index(name.lower()) + 1


def _of_object(value: Any) -> int | None:
    if isinstance(value, pd.Timestamp):
        value = value.to_datetime64()
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else dated(value.astype("M8[us]").astype(np.int64))
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return dated((aware - _EPOCH) // timedelta(microseconds=1))


def _of_number(value: float) -> int:
    for per_second in _PER_SECOND:
        if _FIRST * per_second <= value < _END * per_second:
            small = per_second <= 1_000_000
            return round(value * (1_000_000 // per_second)) if small else int(value) // 1_000
    raise BadInput(
        f"{value} is not between 1990 and 2100 in seconds, milli-, micro- or nanoseconds. {FORMS}"
    )
