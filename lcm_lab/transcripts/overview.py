"""What is in transcripts, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from lcm_lab.messages import SAYS
from lcm_lab.text import count_tokens
from lcm_lab.transcripts.base import Transcripts

__all__ = ["overview"]

COLUMNS = ["what", "name", "count", "characters", "tokens", "first", "last"]


def overview(transcripts: Transcripts) -> pd.DataFrame:
    """Count formats, sessions, roles, kinds, skips and notes; see `Transcripts.summary`.

    Branches, segments and families are told of only where there are several, or keys.
    """
    parts = _parts(transcripts)
    several = [what for what in ("branch", "segment") if len(set(parts[what])) > 1]
    known = transcripts.sessions.values()
    frames = [
        _counted("format", Counter(transcripts.files.values())),
        *(_sizes(what, parts) for what in ("session", "role", "kind", *several)),
        _counted("family", Counter(one.key for one in known if one.key)),
        _counted("archived", Counter(one.archived for one in known if one.archived)),
        _counted("skipped", Counter(one.reason for one in transcripts.skipped)),
        _counted("note", transcripts.notes),
    ]
    return pd.concat([frame for frame in frames if len(frame)] or [_counted("note", {})])[
        COLUMNS
    ].reset_index(drop=True)


def _parts(transcripts: Transcripts) -> pd.DataFrame:
    rows = [
        (
            *(i, m.session, SAYS.get(p.kind, m.role) or "unknown", p.kind, p.text, m.time),
            *("active" if m.active else "abandoned", str(m.segment)),
        )
        for i, m in enumerate(transcripts.messages)
        for p in m.parts
    ]
    names = ["message", "session", "role", "kind", "text", "time", "branch", "segment"]
    frame = pd.DataFrame(rows, columns=names)
    frame["characters"] = frame["text"].str.len().astype("int64")
    frame["tokens"] = np.asarray(count_tokens(pa.array(frame["text"], pa.large_string())), "int64")
    micros = frame["time"].astype("Int64")
    frame["time"] = pd.to_datetime(micros, unit="us", utc=True).astype("datetime64[us, UTC]")
    return frame


def _sizes(what: str, parts: pd.DataFrame) -> pd.DataFrame:
    """Size up the parts by session, role, kind and so on; kinds count parts, others messages."""
    sizes = parts.groupby(what, sort=False).agg(
        count=("message", "nunique" if what != "kind" else "size"),
        characters=("characters", "sum"),
        tokens=("tokens", "sum"),
        first=("time", "min"),
        last=("time", "max"),
    )
    sized = sizes.rename_axis("name").reset_index().assign(what=what)
    whole = {"count": "Int64", "characters": "Int64", "tokens": "Int64"}
    return sized.astype({"name": "str", **whole})


def _counted(what: str, counts: Mapping[str, int]) -> pd.DataFrame:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    frame = pd.DataFrame(ranked, columns=["name", "count"]).assign(what=what)
    frame = frame.astype({"name": "str", "count": "Int64"})
    frame["characters"] = frame["tokens"] = pd.array([pd.NA] * len(frame), dtype="Int64")
    frame["first"] = frame["last"] = pd.Series([pd.NaT] * len(frame), dtype="datetime64[us, UTC]")
    return frame
