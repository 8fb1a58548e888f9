"""The command line, run in a folder of its own."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pandas as pd
import pytest

from lcm_lab.agent import cli
from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus

SAID = [
    ("c1", "user", "Which database shall we take for the orders?"),
    ("c1", "assistant", "Postgres, since the orders need transactions."),
    ("c1", "user", "And the retry backoff?"),
    ("c1", "assistant", "Five seconds, doubling up to a minute."),
    ("c2", "user", "Is the Redis migration done?"),
    ("c2", "assistant", "Redis is migrated; the old cluster is gone."),
]


@dataclass
class Done:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def lcm_lab(tmp_path, monkeypatch):
    """Run ``lcm-lab`` with these words, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["lcm-lab", *map(str, words)])
        out, err, code = io.StringIO(), io.StringIO(), 0
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = cli.main()
            except SystemExit as stop:
                code = stop.code or 0
        return Done(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def saved(tmp_path):
    """A folder with a saved collection: six messages, two questions."""
    corpus = Corpus(
        {
            "docno": f"m{i}",
            "conversation": talk,
            "role": role,
            "text": text,
            "time": pd.Timestamp("2026-03-01", tz="UTC") + pd.Timedelta(days=i),
        }
        for i, (talk, role, text) in enumerate(SAID, start=1)
    )
    topics = pd.DataFrame(
        {
            "qid": ["q1", "q2"],
            "query": ["which database for orders?", "is Redis migrated?"],
            "type": ["fact", "state"],
            "conversation": ["c1", "c2"],
        }
    )
    qrels = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["m2", "m6"], "relevance": [1, 1]})
    return Collection("orders", corpus, topics, qrels).save(tmp_path / "orders")


@pytest.fixture
def chat(tmp_path):
    """A file of plain messages, one of its lines broken."""
    lines = [json.dumps({"role": role, "content": text}) for _, role, text in SAID]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join([*lines[:3], '{"role": "user", "con', *lines[3:]]) + "\n")
    return file
