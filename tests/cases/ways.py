"""Every way in which a history is asked: policies, tools of agents, and the command line."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property

import lcm_lab as lcm
from lcm_lab.agent import cli

MAIN = "agent:main:main"

#: Policies that look for words, each as it stands; what is a fault of an original is not in them.
POLICIES = {
    "BM25": lcm.BM25(),
    "TfIdf": lcm.TfIdf(),
    "QueryLikelihood": lcm.QueryLikelihood(),
    "BestPassage": lcm.BestPassage(lcm.BM25(), 40),
    "FTS5": lcm.FTS5(),
    "FTS5 any": lcm.FTS5(match="any"),
    "RRF": lcm.RRF(lcm.BM25(), lcm.TfIdf()),
    "Fuse": lcm.Fuse(lcm.BM25(), lcm.TfIdf()),
    "hybrid": lcm.BM25() + 0.3 * lcm.Dense(),
    "Recommended": lcm.Recommended(),
    "LosslessClaw recency": lcm.LosslessClaw("recency"),
    "LosslessClaw relevance": lcm.LosslessClaw("relevance"),
    "LosslessClaw hybrid": lcm.LosslessClaw("hybrid"),
    "SessionsSearch": lcm.SessionsSearch(),
    "OpenClawMemory": lcm.OpenClawMemory(),
    "EpisodicMemory": lcm.EpisodicMemory(),
}
SORTS = ("recency", "relevance", "hybrid")


def command(*words):
    """Run ``lcm-lab``; give its exit code, stdout and stderr."""
    out, err, code, before = io.StringIO(), io.StringIO(), 0, sys.argv
    sys.argv = ["lcm-lab", *map(str, words)]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        finally:
            sys.argv = before
    return code, out.getvalue(), err.getvalue()


class Asked:
    """A history of messages m1, m2, ... by one user, and the ways in which it is asked.

    ``rows`` are texts, or mappings with "text" and what else a message is given.
    """

    def __init__(self, folder, *rows):
        self.path = folder / "memory.db"
        self.store = lcm.Store(self.path)
        self.said = {}
        for at, row in enumerate(rows, 1):
            told = {"text": row} if isinstance(row, str) else dict(row)
            name, session = f"m{at}", told.get("session", "s1")
            self.said[name] = told["text"]
            message = lcm.Message(
                name,
                session,
                told.get("role", "user"),
                (lcm.Part("text", told["text"]),),
                told.get("time", 1_772_355_600_000_000 + at * 60_000_000),
            )
            self.store.append(message, lcm.Session(session, key=told.get("key", MAIN)))

    @cached_property
    def corpus(self):
        return self.store.corpus()

    @cached_property
    def grep(self):
        return lcm.LcmTools(self.store).lcm_grep

    @cached_property
    def sessions(self):
        return lcm.SessionTools(self.store).sessions_search

    @cached_property
    def episodic(self):
        return lcm.EpisodicTools(self.store).search

    def _policies(self):
        names = self.corpus["docno"].to_numpy()
        for name, policy in POLICIES.items():
            search = policy.fit(self.corpus)
            yield name, lambda query, s=search: names[s.run(query).rows].tolist()

    def _tools(self):
        for sort in SORTS:
            yield f"lcm_grep {sort}", lambda query, sort=sort: self._grepped(query, sort)
        yield "sessions_search", lambda query: [h.message for h in self.sessions(query).hits]
        yield "search", self._recalled

    def _commands(self):
        on = ("--on", self.path, "--json")
        yield "lcm-lab search", lambda query: self._printed("hits", "search", *on, "--", query)
        yield (
            "lcm-lab grep",
            lambda query: self._printed("matches", "grep", "--words", *on, "--", query),
        )
        yield (
            "lcm-lab sessions search",
            lambda query: self._printed("results", "sessions", "search", *on, "--", query),
        )

    def ways(self, *, commands=False):
        """Name each way with a function from a question to the ids that it finds, best first."""
        yield from self._policies()
        yield from self._tools()
        if commands:
            yield from self._commands()

    def found(self, query, *, commands=False):
        """Give what each way finds."""
        return {name: ask(query) for name, ask in self.ways(commands=commands)}

    def _grepped(self, query, sort):
        found = self.grep(query, mode="full_text", sort=sort, allConversations=True)
        return [hit.id for hit in found.hits]

    def _recalled(self, query):
        ids = {text: name for name, text in self.said.items()}
        return [ids[hit.found.exchange.user] for hit in self.episodic(query).hits]

    def _printed(self, key, *words):
        code, out, err = command(*words)
        if code:
            raise lcm.errors.LcmError(err)
        hits = json.loads(out)[key]
        return [hit.get("docno") or hit.get("id") or hit.get("messageId") for hit in hits]
