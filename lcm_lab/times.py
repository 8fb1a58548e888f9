"""Instants in, a declared zone out; spans of time with their unit.

Inside, a time is microseconds since 1970 in UTC. The zone and the locale of the process are never
asked. ``since`` is inclusive and ``before`` is not, so a day is since its date, before the next.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from lcm_lab.errors import BadInput, BadParameter, nearest
from lcm_lab.instants import FORMS, ISO, MONTHS, instant, is_naive

__all__ = ["bound", "date_words", "days", "duration", "instant", "is_naive", "show", "show_all"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_TIME = int(np.iinfo(np.int64).min)

_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-z]+)", re.ASCII)
_MICROSECONDS = {
    **dict.fromkeys(("W", "w", "week", "weeks"), 604_800_000_000),
    **dict.fromkeys(("D", "d", "day", "days"), 86_400_000_000),
    **dict.fromkeys(("h", "H", "hour", "hours"), 3_600_000_000),
    **dict.fromkeys(("min", "minute", "minutes"), 60_000_000),
    **dict.fromkeys(("s", "second", "seconds"), 1_000_000),
    "ms": 1_000,
}


def bound(value: Any) -> int | None:
    """Read what a user gave as since, before or asked_at: an ISO date or instant, or nothing.

    Returns
    -------
    int or None
        Microseconds since 1970, UTC; a date is its first moment. None for None and missing values.

    Raises
    ------
    BadParameter
        For any other text ("yesterday", "2026-02-30", ""), and for implausible numbers.

    Examples
    --------
    >>> bound("2026-03-11") - bound("2026-03-10T23:59:59.999Z")
    1000
    """
    if isinstance(value, str) and not ISO.fullmatch(value.strip()):
        raise BadParameter(f"{value!r:.80} is not a date or an instant. {FORMS}")
    try:
        return instant(value)
    except BadInput as error:
        raise BadParameter(str(error)) from None


def duration(value: Any, name: str = "duration") -> int:
    """Read a positive span of time.

    Parameters
    ----------
    value : str, timedelta, Timedelta or timedelta64
        Text is a number and a unit (W, D, h, min, s, ms or its English word), or several: "1D 12h".
    name : str
        The parameter, for the error.

    Returns
    -------
    int
        Microseconds, at least 1.

    Raises
    ------
    BadParameter
        For spans that are not positive, and for numbers without a unit.

    Examples
    --------
    >>> duration("12h")
    43200000000
    """
    span = _span(value)
    if not 1 <= span < 2**62:
        raise BadParameter(
            f"{name} must be a positive duration such as '7D' or '12h'. Got {value!r:.80}."
        )
    return round(span)


def show(us: int | None, zone: str = "UTC") -> str:
    """Write an instant as ISO 8601 with its offset; unknown is "".

    Raises
    ------
    BadParameter
        For a zone that does not exist.

    Examples
    --------
    >>> noon = instant("2026-08-03T04:00Z")
    >>> show(noon), show(noon, "America/Los_Angeles")
    ('2026-08-03T04:00:00Z', '2026-08-02T21:00:00-07:00')
    """
    place = _zone(zone)
    if us is None or us == _NO_TIME:
        return ""
    local = (_EPOCH + timedelta(microseconds=int(us))).astimezone(place)
    return local.isoformat().replace("+00:00", "Z")


def show_all(column: Any, zone: str = "UTC") -> list[str]:
    """Write each instant of a column (int64 microseconds or Arrow timestamps) as `show` does."""
    return [show(us, zone) for us in _microseconds(column).tolist()]


def days(column: Any, zone: str = "UTC") -> npt.NDArray[np.datetime64]:
    """Give the calendar day of each instant in a zone.

    Parameters
    ----------
    column : ndarray of int64 microseconds, or Arrow timestamps, shape (n,)

    Returns
    -------
    ndarray of shape (n,), datetime64[D]
        NaT where the time is unknown.
    """
    place, times = _zone(zone), _microseconds(column).view("M8[us]")
    if zone != "UTC":
        local = pd.DatetimeIndex(times, tz="UTC").tz_convert(place).tz_localize(None)
        times = local.to_numpy()
    return np.asarray(times, "M8[D]")


def date_words(column: Any) -> pa.StringArray:
    """Write the day of each instant as people ask for it, "8 May 2023", in UTC.

    Parameters
    ----------
    column : ndarray of int64 microseconds, or Arrow timestamps, shape (n,)

    Returns
    -------
    pyarrow string array of length n
        "" where the time is unknown.
    """
    distinct, places = np.unique(days(column), return_inverse=True)
    return pa.array([_words(day) for day in distinct], pa.string()).take(pa.array(places))


def _span(value: Any) -> float:
    """Give microseconds; not a number for what is no span."""
    if isinstance(value, str):
        found = _SPAN.findall(value)
        whole = "".join(number + unit for number, unit in found) == value.replace(" ", "")
        spans = [float(number) * _MICROSECONDS.get(unit, np.nan) for number, unit in found]
        return sum(spans) if whole else np.nan
    if isinstance(value, timedelta | np.timedelta64):
        return float(np.timedelta64(value, "us") / np.timedelta64(1, "us"))
    return np.nan


def _microseconds(column: Any) -> npt.NDArray[np.int64]:
    if isinstance(column, pa.Array | pa.ChunkedArray):
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
        column = column.fill_null(_NO_TIME).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(column, np.int64)


def _words(day: np.datetime64) -> str:
    if np.isnat(day):
        return ""
    year, month, number = str(day).rsplit("-", 2)
    return f"{int(number)} {MONTHS[int(month) - 1]} {int(year)}"


@cache
def _zone(name: str) -> ZoneInfo:
    if name not in available_timezones():
        close = nearest(name, available_timezones())
        raise BadParameter(f"No time zone {name!r}.{close} Write a name such as 'UTC'.")
    return ZoneInfo(name)
