"""Times read and written. Case ids name public bug reports."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.corpus import Corpus
from lcm_lab.errors import BadInput, BadParameter
from lcm_lab.messages import Message
from lcm_lab.times import bound, date_words, days, duration, instant, is_naive, show, show_all

NEW_YEAR = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
UNKNOWN = np.iinfo(np.int64).min
FIRST, LAST = datetime.fromisoformat("0001-01-02"), datetime.fromisoformat("9999-12-30")
MOMENTS = st.datetimes(FIRST, LAST)
NAIVE = datetime.fromisoformat("2026-01-01T03:00")
ZONES = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("2026-04-02 22:40:05", "2026-04-02T22:40:05Z", id="TZ-01"),
        ("2026-04-02", "2026-04-02T00:00:00Z"),
        (" 2026-04-02T22:40Z ", "2026-04-02T22:40:00Z"),
        ("2026-04-02T22:40:05.123456789+02:00", "2026-04-02T20:40:05.123456Z"),
        ("2026-04-02 22:40:05,5 -0130", "2026-04-03T00:10:05.500000Z"),
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00Z"),
        ("12:05 am on 1 Sept, 2023", None),
        ("12:05 am on 1 sep 2023", "2023-09-01T00:05:00Z"),
        ("2023/04/10 (Mon) 17:50", "2023-04-10T17:50:00Z"),
        ("March-15-2024", "2024-03-15T00:00:00Z"),
        (date(2026, 1, 1), "2026-01-01T00:00:00Z"),
        (NAIVE, "2026-01-01T03:00:00Z"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=8))), "2025-12-31T16:00:00Z"),
        (pd.Timestamp("2026-01-01", tz="Asia/Shanghai"), "2025-12-31T16:00:00Z"),
        (pd.Timestamp("2026-01-01 00:00:00.000000999"), "2026-01-01T00:00:00Z"),
        (np.datetime64("2026-01-01T01", "h"), "2026-01-01T01:00:00Z"),
        pytest.param(1767225600, "2026-01-01T00:00:00Z", id="TZ-09"),
        pytest.param(1767225600000, "2026-01-01T00:00:00Z", id="TZ-09b"),
        pytest.param("1767225600", "2026-01-01T00:00:00Z", id="TZ-09c"),
        (1767225600000000, "2026-01-01T00:00:00Z"),
        (1767225600000000000, "2026-01-01T00:00:00Z"),
        (np.int64(1767225600), "2026-01-01T00:00:00Z"),
        (1767225600.25, "2026-01-01T00:00:00.250000Z"),
        ("1767225600.5", "2026-01-01T00:00:00.500000Z"),
    ],
)
def test_times_are_read_in_every_form(value, expected):
    if expected is None:
        with pytest.raises(BadInput, match="is not a time"):
            instant(value)
    else:
        assert show(instant(value)) == expected


@pytest.mark.parametrize(
    "value", [None, "", "  ", pd.NaT, pd.NA, float("nan"), np.datetime64("NaT", "us")]
)
def test_missing_times_are_none(value):
    assert instant(value) is None


@pytest.mark.parametrize("value", [0, -5, 99999999999999, "0", 10**40, float("inf"), -1.5])
def test_implausible_numbers_are_refused(value):
    """TZ-09."""
    with pytest.raises(BadInput, match="is not between 1990 and 2100 in seconds"):
        instant(value)
    with pytest.raises(BadParameter):
        bound(value)


@pytest.mark.parametrize("value", ["noon", "2026-02-30", "13:00 pm on 8 May, 2023", True, [], b""])
def test_what_is_no_time_is_refused(value):
    with pytest.raises(BadInput, match="Write '2026-03-10' or"):
        instant(value)


@pytest.mark.parametrize("micros", [-62_135_596_800_000_001, 253_402_300_800_000_000, "x", 1.5])
def test_a_time_without_a_date_is_refused_at_every_door(micros):
    with pytest.raises(BadInput, match="no time of a year from 1 to 9999"):
        Message("m1", "s1", "user", (), micros)
    if isinstance(micros, int):
        column = pa.array([micros], pa.timestamp("us", "UTC"))
        with pytest.raises(BadInput, match="no time of a year"):
            Corpus(pa.table({"text": ["x"], "time": column}))


def test_a_zone_carries_no_time_beyond_the_calendar():
    for text in ("9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"):
        with pytest.raises(BadInput, match="is not a time"):
            instant(text)
    assert Message("m1", "s1", "user", (), np.int64(5)).time.__class__ is int


@given(MOMENTS, ZONES)
def test_an_instant_is_the_same_however_its_zone_is_written(moment, zone):
    aware = moment.replace(tzinfo=zone)
    us = instant(aware)
    assert (
        us
        == instant(aware.isoformat())
        == (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    )
    assert instant(moment) == instant(moment.replace(tzinfo=UTC)) == instant(moment.isoformat(" "))


@given(MOMENTS)
def test_what_is_shown_is_read_back(moment):
    us = instant(moment)
    assert instant(show(us)) == us
    assert instant(show(us, "America/Los_Angeles")) == us


@given(st.integers(631_152_000, 4_102_444_799))
def test_the_unit_of_a_number_is_never_guessed(seconds):
    assert {instant(seconds * 10**power) for power in (0, 3, 6, 9)} == {seconds * 1_000_000}


@pytest.mark.parametrize(
    ("value", "naive"),
    [
        ("2026-04-02 22:40:05", True),
        ("2026-04-02", True),
        ("1:56 pm on 8 May, 2023", True),
        ("2026-04-02T22:40:05Z", False),
        ("2026-04-02T22:40:05+02:00", False),
        ("1767225600", False),
        ("", False),
        (1767225600, False),
        (NAIVE, True),
        (datetime(2026, 1, 1, tzinfo=UTC), False),
        (pd.NaT, False),
        (None, False),
    ],
)
def test_times_without_a_zone_are_known(value, naive):
    """TZ-05."""
    assert is_naive(value) is naive


def test_aware_and_naive_times_sort_together():
    """TZ-05."""
    assert sorted(map(instant, ["2026-01-01T02:00:00+01:00", "2026-01-01 00:30:00"])) == [
        NEW_YEAR + 1_800_000_000,
        NEW_YEAR + 3_600_000_000,
    ]


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC", "America/Los_Angeles"])
def test_the_zone_of_the_process_changes_nothing(zone):
    """TZ-01."""
    code = (
        "from datetime import datetime; from lcm_lab.times import *; import numpy as np\n"
        "us = instant('2026-04-02 22:40:05')\n"
        "print(us == instant(datetime(2026, 4, 2, 22, 40, 5)), bound('2026-04-02 22:40:05') == us,"
        "show(us), date_words(np.array([us])).to_pylist())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TZ": zone, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "True True 2026-04-02T22:40:05Z ['2 April 2026']\n"


@pytest.mark.parametrize(
    "value", ["2026-02-30", "2026-13-01", "yesterday", "", "2026", "1767225600", "2026-03-10T25:00"]
)
def test_bounds_of_users_are_dates_or_instants(value):
    """TZ-07."""
    with pytest.raises(BadParameter, match=f"{value!r} is not a .*Write '2026-03-10'"):
        bound(value)


def test_one_day_needs_no_fractions_of_a_second():
    """TZ-03."""
    since, before = bound("2026-03-10"), bound("2026-03-11")
    times = ["2026-03-10T00:00:00Z", "2026-03-10T23:59:59.999Z", "2026-03-11T00:00:00Z"]
    assert [since <= instant(time) < before for time in times] == [True, True, False]
    assert [bound(None), bound(pd.NaT), bound(pd.NA)] == [None, None, None]
    assert bound(pd.Timestamp("2026-03-10", tz="UTC")) == since


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("7D", 168),
        ("12h", 12),
        ("1D 12h", 36),
        ("0.5D", 12),
        ("2 weeks", 336),
        ("90 min", 1.5),
        (pd.Timedelta("3h"), 3),
        (timedelta(days=1), 24),
        (np.timedelta64(2, "D"), 48),
    ],
)
def test_spans_are_read_with_their_unit(value, hours):
    assert duration(value) == hours * 3_600_000_000


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, float("nan"), "30", "-7D", "0D", "1m", "7M", "D", "", "7D!", pd.NaT, None, 7),
        *("nanD", timedelta(0), np.timedelta64("NaT", "us")),
        *("1e5D", "9" * 30 + "D", "9" * 400 + "D"),
    ],
)
def test_spans_that_are_not_positive_or_have_no_unit_are_refused(value):
    """RK-15."""
    with pytest.raises(
        BadParameter, match=r"^half_life must be a positive duration such as '7D' or '12h'[.] Got "
    ):
        duration(value, "half_life")


def test_the_zone_of_what_is_shown_is_declared():
    """TZ-08."""
    us = instant("2026-08-03T04:00:00Z")
    assert show(us) == "2026-08-03T04:00:00Z"
    assert show(us, "America/Los_Angeles") == "2026-08-02T21:00:00-07:00"
    column = np.array([us, UNKNOWN])
    assert days(column).astype(str).tolist() == ["2026-08-03", "NaT"]
    assert days(column, "America/Los_Angeles").astype(str).tolist() == ["2026-08-02", "NaT"]
    assert show_all(column) == ["2026-08-03T04:00:00Z", ""]
    assert [show(None), show(UNKNOWN)] == ["", ""]


def test_an_unknown_zone_is_refused_with_the_nearest():
    with pytest.raises(BadParameter, match=r"'Asia/Shangai'\. Did you mean 'Asia/Shanghai'"):
        show(NEW_YEAR, "Asia/Shangai")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_days_are_written_in_words(unit):
    column = pa.array([NEW_YEAR - 1_000_000, None, NEW_YEAR, NEW_YEAR], pa.timestamp("us", "UTC"))
    words = date_words(column.cast(pa.timestamp(unit, "UTC")))
    assert words.type == pa.string()
    assert words.to_pylist() == ["31 December 2025", "", "1 January 2026", "1 January 2026"]
    assert date_words(pa.chunked_array([column])) == date_words(column)


@given(st.lists(st.none() | MOMENTS, max_size=5))
def test_a_column_of_days_is_the_day_of_each(moments):
    us = np.array([UNKNOWN if m is None else instant(m) for m in moments], np.int64)
    expected = ["" if m is None else f"{m.day} {m:%B} {m.year}" for m in moments]
    assert date_words(us).to_pylist() == expected
