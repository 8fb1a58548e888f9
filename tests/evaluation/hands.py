"""A clock that stands still until it is told, and searchers that take what they are told to."""

import numpy as np

from lcm_lab.run import Hits, Run

MS = 1_000_000


class Hands:
    """A clock whose time passes when somebody waits or works."""

    def __init__(self, time=0):
        self.time = time

    def now(self):
        return self.time

    def wait(self, until):
        self.time = max(self.time, until)


class Late(Hands):
    """A clock that wakes up late whenever it has to wait."""

    def __init__(self, late):
        super().__init__()
        self.late = late

    def wait(self, until):
        self.time = until + self.late if until > self.time else self.time


class Takes:
    """Take so many milliseconds for each search in turn, over and over; None raises after 1."""

    def __init__(self, clock, *ms):
        self.clock, self.ms, self.asked = clock, ms, []

    def run(self, topics):
        ms = self.ms[len(self.asked) % len(self.ms)]
        self.asked.append(topics.qids[0])
        self.clock.time += int((1 if ms is None else ms) * MS)
        if ms is None:
            raise TimeoutError("no answer.")
        return Run.of(topics, Hits.stack([(np.empty(0, np.int64), np.empty(0))]))
