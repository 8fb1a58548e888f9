"""Threads that tell facts: by family, what the user asks, what is done, what is said at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lcm_lab.synth.coding import git, runs
from lcm_lab.synth.coding.config import Config
from lcm_lab.synth.coding.lengths import OUTPUT, PASTE
from lcm_lab.synth.coding.log import Log
from lcm_lab.synth.coding.phrases import Phrases, Scene
from lcm_lab.synth.coding.records import RECORDS, WHAT, chatter, record
from lcm_lab.synth.coding.shell import Use, bash, cut
from lcm_lab.synth.coding.work import Work
from lcm_lab.synth.world import Fact

__all__ = ["RIDERS", "Threads"]

#: In percent: requests that come with something pasted.
PASTES = 15
#: Families that are told in passing: they ride on a request where there is one.
RIDERS = ("said", "ticket", "claim", "quote")


class Threads:
    """Writes threads; ``riders`` are sentences that wait for a request to go with.

    Parameters
    ----------
    log, phrases, work : Log, Phrases, Work
    """

    def __init__(self, log: Log, phrases: Phrases, work: Work) -> None:
        self.log, self.phrases, self.work, self.draw = log, phrases, work, log.draw
        self.shell, self.words = log.shell, phrases.words
        self.riders: list[tuple[str, Fact | None]] = []
        self.config = Config(self.shell, phrases)
        self.tell: Mapping[str, Callable[[Fact, int], None]] = {
            "slot": self.setting, "found": self.finding, "event": self.event, "bug": self.bug,
            "decision": self.decision, "preference": self.preference, "measure": self.measure,
            "record": self.record, "commit": self.commit,
        }  # fmt: skip

    def asks(self, text: str, about: Fact | None = None) -> None:
        """Let the user ask for something, and add what waits to be said."""
        while self.riders and self.draw.chance(60):
            rider, fact = self.riders.pop()
            about = about or fact
            text = f"{rider}\n{text}" if self.draw.chance(50) else f"{text}\n{rider}"
        if self.draw.chance(PASTES):
            text = f"{self._paste(self.phrases.scene())}\n\n{text}"
        self.log.user(text, about)

    def aside(self, fact: Fact, scene: Scene) -> str:
        """Give what the user says of a fact in passing."""
        details = scene | fact.details | {"v": fact.value}
        if fact.kind == "claim":
            return fact.details["text"]
        pools: dict[str, Any] = {
            "said": lambda: self.words["said"][fact.attribute]["say"],
            "ticket": lambda: self.words["bug"]["about"],
            "quote": lambda: self.words["quote"]["say"],
        }
        return self.phrases.sentence(pools[fact.kind](), details)

    def setting(self, fact: Fact, steps: int) -> None:
        """Set or change a value in the configuration."""
        words, scene = self.words["setting"], self.phrases.scene()
        scene |= {"why": self.phrases.sentence(words["why"], scene)}
        scene |= fact.details | {"v": fact.value}
        self.asks(self.phrases.sentence(words["change" if fact.told else "ask"], scene))
        self.work.do(scene, steps // 2)
        self.log.use(self.config.put(fact))
        self.work.do(scene, steps - steps // 2, "edit")
        done = words["done"] if self.draw.chance(35) else words["short"]
        self.log.say(self.phrases.sentence(done, scene))

    def again(self, fact: Fact, steps: int) -> None:
        """Come back to a setting or a saying without its value."""
        scene = self.phrases.scene() | fact.details
        if fact.kind != "slot":
            family = self.words[fact.kind]
            one = family[int(fact.attribute) if fact.kind == "claim" else fact.attribute]
            self.riders.append((self.phrases.sentence(one["again"], scene), fact))
            return
        words = self.words["setting"]
        self.asks(self.phrases.sentence(words["ask_again"], scene), fact)
        self.work.do(scene, steps)
        self.log.say(self.phrases.sentence(words["say_again"], scene), fact)

    def decoy(self, fact: Fact) -> str:
        """Give talk in the words of a paraphrase that does not answer it."""
        pool = self.words["para_parameter"][fact.attribute]["decoy"]
        component = self.words["para_component"][fact.entity]
        return self.phrases.sentence(pool, {"c": component})

    def finding(self, fact: Fact, steps: int) -> None:
        """Look into something and report at length; the finding is one point of the report."""
        words = self.words["found"][fact.attribute]
        scene = self.phrases.scene() | fact.details | {"v": fact.value}
        self.asks(self.phrases.sentence(words["ask"], scene))
        self.work.do(scene, steps)
        said = self.phrases.sentence(words["say"], scene)
        self.log.say(self.phrases.report(scene, said, self.draw.between(300, 2600)))

    def event(self, fact: Fact, steps: int) -> None:
        """Do one of the things that are done more than once."""
        words, scene = self.words["event"][fact.attribute], self.phrases.scene()
        scene |= {"v": fact.value}
        self.asks(self.phrases.sentence(words["ask"], scene))
        self.work.do(scene, steps)
        if fact.attribute != "outage" and self.draw.chance(50):
            command = f'echo "{fact.value}" >> {fact.domain}'
            self.log.use(bash(command, "Add it to the list", ""))
        self.log.say(self.phrases.sentence(words["done"], scene))

    def bug(self, fact: Fact, steps: int) -> None:
        """Find out why something crashes, from the trace to the cause, and mend it."""
        words, details = self.words["bug"], fact.details
        file = next(f for f in self.shell.repo.files if f.path == details["file"])
        scene = self.phrases.scene(file) | details | {"v": fact.value}
        self.asks(self.phrases.sentence(words["report"], scene))
        trace = runs.crash(self.shell, file, details["where"], details["line"])
        size = min(self.draw.pick(OUTPUT[128:]), 30_000)  # or the trace would be cut out
        before, after = chatter(self.shell, size // 2), chatter(self.shell, size // 3)
        command = f"grep -B 40 -A 40 {details['error']} logs/{details['n']}.log"
        self.log.use(
            bash(command, "Find the crash in the log", "\n".join([*before, *trace, *after]))
        )
        self.work.do(scene, steps // 2, "read")
        self.log.say(self.phrases.sentence(words["found"], scene))
        self.work.do(scene, steps - steps // 2, "edit")
        self.work.report(scene, self.phrases.sentence(words["fixed"], scene))

    def decision(self, fact: Fact, steps: int) -> None:
        """Weigh two ways, let the user decide and say why, and build it."""
        words, scene = self.words["decide"], self.phrases.scene() | fact.details
        self.asks(self.phrases.sentence(words["open"], scene))
        self.work.do(scene, steps // 3, "user")
        talk = self.log.say(self.phrases.sentence(words["talk"], scene))
        self.log.talks[fact.ref] = talk.docno
        self.log.user(self.phrases.sentence(words["gold"], scene))
        self.log.say(self.phrases.sentence(words["noted"], scene))
        self.work.do(scene, steps - steps // 3, "edit")

    def preference(self, fact: Fact, steps: int) -> None:
        """Let the user correct how something was done, and do it over."""
        scene = self.phrases.scene()
        self.work.do(scene, steps // 2, "edit")
        self.log.user(fact.details["text"])
        self.work.do(scene, steps - steps // 2, "edit")

    def measure(self, fact: Fact, steps: int) -> None:
        """Run a benchmark with some parameters; its time is in the output."""
        words, scene = self.words["measure"], self.phrases.scene() | fact.details
        details = fact.details
        self.asks(self.phrases.sentence(words["ask"], scene))
        self.work.do(scene, steps, "read")
        flags = (
            f"--rows {details['rows']} --batch {details['batch']} --workers {details['workers']}"
        )
        command = f"{self.shell.repo.stack['run']} bench {details['n']} {flags}"
        command = command.replace("$s", self.shell.world.code)
        warm = [
            f"warm up {i}: {self.shell.num(10, 99)}.{self.shell.num(100, 999)}s"
            for i in range(1, self.draw.between(2, 6))
        ]
        head = f"{details['n']} benchmark: {details['p']}"
        tail = f"peak memory {self.shell.num(80, 900)} MB"
        text = "\n".join([head, *warm, f"total time {fact.value}", tail])
        self.log.use(bash(command, f"Run the {details['n']} benchmark", text))
        self.log.say(self.phrases.sentence(words["say"], scene))

    def record(self, fact: Fact, steps: int) -> None:
        """Look at a long output that has the value in one of its lines."""
        words, scene = self.words["record"], self.phrases.scene() | fact.details
        self.asks(self.phrases.sentence(words["ask"], scene))
        self.work.do(scene, steps, "read")
        size = max(1500, min(16_000, self.draw.pick(OUTPUT)))
        self.log.use(record(self.shell, fact.attribute, size, fact))
        self.log.say(self.phrases.sentence(words["say"], scene))

    def commit(self, fact: Fact, steps: int) -> None:
        """Do a task and commit it under its subject."""
        self.task(steps, git.commit(self.shell, fact.value, fact.entity))

    def task(self, steps: int, last: Use | None = None) -> None:
        """Do a task that states no fact."""
        task, scene = self.draw.pick(self.words["task"]), self.phrases.scene()
        asked = self.phrases.sentence([task["ask"]], scene)
        if self.log.size > 8 and self.draw.chance(6):
            nudge = self.phrases.sentence(self.words["user"]["nudge"], scene)
            self.log.rewind(nudge, asked)
        else:
            self.asks(asked)
        self.work.do(scene, steps)
        if last is not None:
            self.log.use(last)
        self.work.report(scene, self.phrases.sentence([task["done"]], scene))
        self.log.finished = self.phrases.sentence([task["gist"]], scene)

    def echo(self, fact: Fact) -> None:
        """Take up what the user said, in fewer words."""
        self.log.say(self.phrases.sentence(self.words["quote"]["echo"], fact.details))

    def looks(self) -> None:
        """Look at an output of a kind that some fact is in, though not at that fact."""
        kinds = sorted({fact.attribute for fact in self.shell.world.family("record")})
        kind = self.draw.pick(kinds or sorted(RECORDS))
        self.log.say(self.phrases.sentence(self.words["assistant"]["look"], {"what": WHAT[kind]}))
        self.log.use(record(self.shell, kind, min(9000, self.draw.pick(OUTPUT[100:]))))

    def _paste(self, scene: Scene) -> str:
        """Give what a user pastes: a log, or a text on what was agreed."""
        words, wanted = self.words["user"], self.draw.pick(PASTE)
        if self.draw.chance(55):
            place = self.phrases.sentence(words["place"], scene)
            intro = self.phrases.sentence(words["paste"], scene | {"place": place})
            return cut(f"{intro}\n\n" + "\n".join(chatter(self.shell, wanted)), 20_000)
        parts = [self.phrases.sentence(words["spec"], scene)]
        heads = self.draw.shuffle(self.words["spec"]["head"])
        while sum(map(len, parts)) < wanted and heads:
            some = [
                f"- {self.phrases.sentence(self.words['spec']['line'], self.phrases.scene())}"
                for _ in range(self.draw.between(2, 7))
            ]
            parts.append("\n".join([f"## {heads.pop()}", *some]))
        return "\n\n".join(parts)
