"""Work that an agent does between a request and its report: look, change, test, mend."""

from __future__ import annotations

from collections.abc import Callable

from lcm_lab.synth.coding import git, runs
from lcm_lab.synth.coding.lengths import ASSISTANT, OUTPUT
from lcm_lab.synth.coding.log import Log
from lcm_lab.synth.coding.phrases import Phrases, Scene
from lcm_lab.synth.coding.records import RECORDS, chatter, record
from lcm_lab.synth.coding.repo import File
from lcm_lab.synth.coding.shell import Shell, Use, bash, edit, glob, grep, listing, read, write

__all__ = ["Work"]

#: In percent: steps with a thought, with a remark, that call two tools at once, that repeat the
#: command before, and that hand over to a subagent.
THINKS, SAYS, TWICE, AGAIN, ASIDE = 62, 52, 24, 2, 1
#: Edits print little, so that what looks at something prints the longer outputs of the quantiles.
MIDDLE, LONGER = len(OUTPUT) // 2, 66
#: What a stretch of work consists of: (share of its steps, thought, remark, tool).
PHASES = (
    (38, "read", "start", "look"),
    (62, "edit", "next", "change"),
    (72, "fail", "fix", "fail"),
    (84, "edit", "next", "change"),
    (94, "pass", "next", "test"),
    (100, "git", "next", "git"),
)


class Work:
    """Does steps of work and writes them down.

    Parameters
    ----------
    log, phrases : Log, Phrases
    subjects : list of str
        Subjects of commits, as templates.
    """

    def __init__(self, log: Log, phrases: Phrases) -> None:
        self.log, self.phrases = log, phrases
        self.shell: Shell = log.shell
        self.draw = log.draw
        self._last: Use | None = None
        self._seen: set[str] = set()

    def do(self, scene: Scene, steps: int, first: str = "user") -> None:
        """Work on a file for some steps."""
        file = next(f for f in self.shell.repo.files if f.path == scene["file"])
        if steps > 0 and self.draw.chance(50):
            self.log.think(self.phrases.thought(first, scene))
        for step in range(steps):
            share = (step * 100 + self.draw.below(100)) // max(steps, 1)
            phase = next(one for one in PHASES if share < one[0])
            self._step(scene, file, phase)

    def report(self, scene: Scene, first: str) -> None:
        """Say what the work came to."""
        self.log.say(self.phrases.report(scene, first, self.draw.pick(ASSISTANT)))

    def _step(self, scene: Scene, file: File, phase: tuple[int, str, str, str]) -> None:
        _, thought, remark, tool = phase
        if self.draw.chance(THINKS):
            self.log.think(self.phrases.thought(thought, scene))
        if self.draw.chance(SAYS):
            self.log.say(self.phrases.remark(remark, scene))
        if self.draw.chance(ASIDE):
            self._subagent(scene, file)
        elif self._last is not None and self.draw.chance(AGAIN):
            self.log.use(self._last)
        elif self.draw.chance(TWICE):
            self.log.use(self._tool("look", file), self._tool("look", file))
        else:
            self.log.use(self._tool(tool, file))

    def _tool(self, tool: str, file: File) -> Use:
        size = self.draw.pick(OUTPUT[MIDDLE:] if self.draw.chance(LONGER) else OUTPUT[:MIDDLE])
        if tool == "change":
            return self._changed(file)
        if tool == "fail":
            return runs.failing(self.shell, file, min(size, 9000))
        if tool == "test":
            return self._tested(size)
        if tool == "git":
            return self._kept(size)
        made = self._looked(file, size)
        self._last = made if made.call.startswith("Bash") else self._last
        return made

    def _looked(self, file: File, size: int) -> Use:
        if size < 420:
            made = self._brief(file) if size < 130 else self._short(file, size)
            if made.result not in self._seen:
                self._seen.add(made.result)
                return made
            size *= 2  # what it printed before is not asked for again
        if size > 6000 and self.draw.chance(36):
            return self._flood(size)
        if self.draw.chance(25):
            return grep(self.shell, self._word(file), size)
        return read(self.shell, self._sized(file, size), size)

    def _short(self, file: File, size: int) -> Use:
        shell, word = self.shell, self._word(file)
        ways: tuple[Callable[[], Use], ...] = (
            lambda: glob(shell, file.noun),
            lambda: grep(shell, word, 200),
            lambda: listing(shell, size),
            lambda: git.log(shell, size),
            lambda: read(shell, shell.repo.pick(), size),
        )
        return self.draw.pick(ways)()

    def _brief(self, file: File) -> Use:
        noun, hexes = file.noun, self.shell.hexes(4)
        count = self.shell.num(1, 900)
        return self.draw.pick((
            bash(f"wc -l {file.path}", "Count lines", f"{len(file.lines)} {file.path}"),
            bash(f"mkdir -pv build/{noun}-{hexes}", "Make a folder",
                 f"mkdir: created directory 'build/{noun}-{hexes}'"),
            bash(f"git checkout -b {noun}-{hexes}", "Make a branch",
                 f"Switched to a new branch '{noun}-{hexes}'"),
            bash(f"ls build/{noun}* | wc -l", "Count build files", count),
            bash(f"pgrep -fl {noun}_worker", "Look for the worker", f"{count} {noun}_worker"),
            bash(f"git rev-parse HEAD:{file.path}", "Get the blob id", self.shell.hexes(40)),
            bash(f"stat -c %y {file.path}", "When was it changed?", self.shell.ago(9000)),
            grep(self.shell, f"{noun}_{self.shell.hexes(3)}", 100),
            bash(f"rm -rfv build/{noun}-{hexes}", "Remove a build folder",
                 f"removed directory 'build/{noun}-{hexes}'"),
            bash(f"sha1sum {file.path}", "Has the file changed?",
                 f"{self.shell.hexes(40)}  {file.path}"),
        ))  # fmt: skip

    def _flood(self, size: int) -> Use:
        if self.draw.chance(65):
            name = self.draw.pick(self.shell.lexicon["component"])["key"]
            lines = "\n".join(chatter(self.shell, size))
            return bash(f"tail -n 500 logs/{name}.log", f"Read the log of the {name}", lines)
        return record(self.shell, self.draw.pick(sorted(RECORDS)), min(size, 16_000))

    def _sized(self, file: File, size: int) -> File:
        """Give the file, or one that is large enough for a long output."""
        files = (file, *(self.shell.repo.pick() for _ in range(6)))
        return next((f for f in files if sum(map(len, f.lines)) > size), file)

    def _word(self, file: File) -> str:
        return self.draw.pick(file.functions)

    def _changed(self, file: File) -> Use:
        if not self.draw.chance(14):
            return edit(self.shell, self.shell.repo.change(file))
        ext = file.path.rsplit(".", 1)[-1]
        path = f"tests/{file.noun}_{self.shell.hexes(3)}_case.{ext}"
        lines = [
            line
            for _ in range(self.draw.between(1, 14))
            for line in self.shell.repo.test_case(file)
        ]
        return write(self.shell, path, lines)

    def _tested(self, size: int) -> Use:
        if self.draw.chance(30):
            return runs.lint(self.shell, size)
        if self.draw.chance(10):
            return runs.install(self.shell, size)
        return runs.passing(self.shell, min(size, 20_000))

    def _kept(self, size: int) -> Use:
        shell = self.shell
        ways: tuple[Callable[[], Use], ...] = (
            lambda: git.status(shell),
            lambda: git.diff(shell, size),
            self.commit,
            lambda: git.push(shell),
        )
        return self.draw.pick(ways)()

    def commit(self) -> Use:
        """Commit what there is, under a subject that nobody asks for."""
        subject = git.message(self.shell, self.phrases.words["commit"]["subject"])
        return git.commit(self.shell, self.shell.hexes(7), subject)

    def _subagent(self, scene: Scene, file: File) -> None:
        """Hand a question over to a subagent, which has a chain of its own."""
        words = self.phrases.words["subagent"]
        prompt = self.phrases.sentence(words["ask"], scene)
        answer = self.phrases.sentence(words["answer"], scene)
        call = f"Task\ndescription: {scene['n']} survey\nprompt: {prompt}"
        self.log.use(Use(call, f"Started for {scene['n']}."))
        parent = self.log.aside(prompt)
        for _ in range(self.draw.between(2, 6)):
            self.log.use(self._tool("look", file))
        self.log.say(answer)
        self.log.back(parent)
        self.log.use(Use(f"TaskOutput\ntask: {scene['n']} survey", answer))
