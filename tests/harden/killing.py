"""Kill a process at every step of what it does, or fill its disk, and look at what it left.

``python -m tests.harden.killing SCENE HOW POINTS FOLDER`` runs by itself, since it forks. A scene's
work is done in a child that is stopped at about POINTS places, one after the other, until one comes
through. Another child then looks at what is left, and does the work again. It prints one JSON
object: how many were stopped, and what was wrong.

steps
    Killed at a step: where a file is opened to write, renamed or removed, a folder made or removed,
    at a statement of SQLite or a thousand instructions of one.
bytes
    Killed where a file grows beyond a size, in the middle of the write: what is below stays.
time
    Killed at moments spread over as long as the work takes.
short
    A file cannot grow beyond a size.
full
    The disk is full: a file system of its own with so much room, for which one must be root.
"""

import importlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path

from lcm_lab.errors import LcmError

#: What may be raised on a disk that is full; what keeps a cache warns, here with an error.
TYPED = (LcmError, OSError, RuntimeWarning)
INSTRUCTIONS = 1000
EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link")
WRITES = os.O_WRONLY | os.O_RDWR


def count_steps(act):
    """Call ``act`` before each step that this process takes from now on."""

    def hook(event, given):
        if event in EVENTS or (event == "open" and isinstance(given[2], int) and given[2] & WRITES):
            act()

    def connect(*given, **named):
        made = opened(*given, **named)
        made.set_progress_handler(act, INSTRUCTIONS)
        made.set_trace_callback(lambda _: act())
        return made

    opened, sqlite3.connect = sqlite3.connect, connect
    sys.addaudithook(hook)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(number):
    """Be killed at the step of this number."""
    left = itertools.count()

    def act():
        if next(left) == number:
            die()

    count_steps(act)


def die_beyond(size):
    """Be killed where a file grows beyond a size."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python has it ignored
    stop_beyond(size)


def stop_beyond(size):
    """Have no file grow beyond a size."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def forked(work):
    """Do something in a child; gives its signal, what it gave, what it raised, if that is typed."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        try:
            told = {"given": work(), "raised": "", "typed": True}
        except BaseException as error:
            typed = isinstance(error, TYPED)
            told = {"given": None, "raised": traceback.format_exc(), "typed": typed}
        with os.fdopen(writer, "w") as pipe:
            json.dump(told, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status), None, "", True
    told = json.loads(text)
    return 0, told["given"], told["raised"], told["typed"]


def timed(work, after):
    """Do something in a child that is killed after so many seconds; gives the signal."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def mount(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


#: What is done before the work, by the number of a point; and the first that is tried.
ARM = {"steps": die_at, "bytes": die_beyond, "short": stop_beyond, "full": lambda _: None}
START = {"steps": 8, "bytes": 4096, "short": 4096, "full": 2}


class Killing:
    """One scene, killed again and again."""

    def __init__(self, scene, folder):
        self.scene, self.folder = scene, Path(folder)
        self.base = self.folder / "base"
        self.base.mkdir(parents=True)
        self._must(lambda: scene.before(self.base))
        self.stopped, self.problems = 0, []
        self.told = self.folder / "told"
        first = self._look(self.base)
        self._warm()
        place = self._copy()
        started = time.perf_counter()
        self._must(lambda: scene.work(place, self.tell))
        self.seconds = time.perf_counter() - started
        self.ends = first, self._look(place)

    def tell(self, what):
        """Note what the work was told is done: it must be there whatever happens next."""
        with self.told.open("a", encoding="utf-8") as file:
            file.write(f"{what}\n")

    def everywhere(self, how, points):
        """Stop at about so many points, evenly spread, until one run comes through."""
        number = START[how]
        while self._stops(how, number):
            number *= 2
        step = max(1, number // points)
        for at in range(0, number, step):
            self._stops(how, at)

    def _stops(self, how, number):
        """Stop at one point, and judge what is left; gives whether it was there."""
        place = self._copy() if how != "full" else self._disk(number)
        try:

            def work():
                ARM[how](number)
                self.scene.work(place, self.tell)

            signalled, _, raised, typed = forked(work)
            if not typed:
                self.problems.append(f"{how} {number}: {raised}")
            if signalled or raised:
                self._judge(f"{how} {number}", place)
            return bool(signalled or raised)
        finally:
            if how == "full":
                mount("umount", place)

    def _disk(self, pages):
        """Give the base on a disk with so much room left."""
        place = self.folder / "disk"
        place.mkdir(exist_ok=True)
        self.told.unlink(missing_ok=True)
        mount("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", place)
        shutil.copytree(self.base, place, dirs_exist_ok=True)
        about = os.statvfs(place)
        used = (about.f_blocks - about.f_bfree) * about.f_frsize
        mount("mount", "-o", f"remount,size={used + pages * about.f_frsize}", place)
        return place

    def sometimes(self, count):
        """Kill at so many random moments."""
        rng = random.Random(count)
        for _ in range(count):
            place, after = self._copy(), rng.uniform(0, 1.1 * self.seconds)
            if timed(lambda place=place: self.scene.work(place, self.tell), after):
                self._judge(f"after {after:.4f} s", place)

    def _judge(self, where, place):
        self.stopped += 1
        told = self.told.read_text(encoding="utf-8").split() if self.told.exists() else []
        _, seen, raised, _ = forked(lambda: self.scene.look(place))
        if raised:
            self.problems.append(f"{where}, looked at: {raised}")
        elif not self.scene.allowed(seen, *self.ends, told):
            self.problems.append(f"{where}: {seen!r:.600}")
        if place.name == "disk":
            mount("mount", "-o", "remount,size=64m", place)
        _, seen, raised, _ = forked(lambda: self._again(place))
        if raised or seen != self.ends[1]:
            self.problems.append(f"{where}, done again: {raised or repr(seen)[:600]}")

    def _again(self, place):
        self.scene.work(place, lambda _: None)
        return self.scene.look(place)

    def _warm(self):
        """Import here what a child would, which then need not."""
        place = self._copy()

        def names():
            self._again(place)
            return [name for name in sys.modules if name != "__main__"]

        for name in self._must(names):
            with suppress(Exception):
                importlib.import_module(name)

    def _copy(self):
        place = self.folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        self.told.unlink(missing_ok=True)
        shutil.copytree(self.base, place)
        return place

    def _look(self, place):
        return self._must(lambda: self.scene.look(place))

    def _must(self, work):
        signalled, given, raised, _ = forked(work)
        assert not signalled and not raised, (signalled, raised)
        return given


def main(name, how, points, folder):
    from tests.harden import scenes

    job = Killing(scenes.SCENES[name], folder)
    if how == "time":
        job.sometimes(int(points))
    else:
        job.everywhere(how, int(points))
    json.dump({"stopped": job.stopped, "problems": job.problems}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
