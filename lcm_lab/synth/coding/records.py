"""Long outputs of one record a line: tables, logs, JSON, listings of what runs.

Each kind is asked for by one command. A fact is one of its lines; no other run of the command shows
a line for the same entity.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from lcm_lab.synth.coding.shell import Shell, Use, bash, filled_up
from lcm_lab.synth.world import Fact

__all__ = ["RECORDS", "WHAT", "chatter", "record"]

Row = Callable[[Shell, str, str], str]
#: Characters of a line beside its entity, about.
WIDTH = 38


def _entities(shell: Shell, kind: str, taken: set[str], size: int) -> list[str]:
    """Give entities of a kind that no fact is about, each once but in a log."""
    found: list[str] = []
    have = misses = 0
    while have < size and misses < 60:
        one = ENTITIES[kind](shell)
        if one in taken:
            misses += 1
            continue
        if kind != "request":
            taken.add(one)
        found.append(one)
        have += len(one) + WIDTH
    return found


def _plain(tails: Sequence[str], form: str) -> Callable[[Shell], str]:
    def make(shell: Shell) -> str:
        noun, tail = shell.noun(), shell.draw.pick(tails)
        return form.format(noun=noun, tail=tail, code=shell.world.code)

    return make


def _component(shell: Shell) -> str:
    name = str(shell.draw.pick(shell.lexicon["component"])["key"]).replace("_", "-")
    return name if shell.draw.chance(30) else f"{shell.noun()}-{name}"


def _path(shell: Shell) -> str:
    return shell.repo.pick().path


def _function(shell: Shell) -> str:
    return shell.draw.pick(shell.repo.pick().functions)


def _package(shell: Shell) -> str:
    return str(shell.draw.pick(shell.lexicon["packages"]))


#: What else a command shows a line for.
ENTITIES: dict[str, Callable[[Shell], str]] = {
    "rows": _plain(
        (
            "items",
            "log",
            "archive",
            "keys",
            "notes",
            "2023",
            "staging",
            "old",
            "rates",
            "events",
            "users",
            "hooks",
            "jobs",
            "tags",
        ),
        "{noun}_{tail}",
    ),
    "slow": _plain(("/{{id}}", "", "/search", "/{{id}}/notes", "/recent"), "GET /{noun}s{tail}"),
    "image": _component,
    "pod": _component,
    "disk": _plain(
        (
            "uploads",
            "cache",
            "exports",
            "tmp",
            "thumbs",
            "old",
            "wal",
            "logs",
            "import",
            "audit",
            "lost",
        ),
        "{noun}-{tail}",
    ),
    "cover": _path,
    "cert": _plain(
        ("api", "admin", "www", "cdn", "hooks", "static", "auth", "beta", "eu", "us"),
        "{tail}.{noun}.{code}.example",
    ),
    "job": _plain(
        (
            "backfill",
            "rebuild",
            "export",
            "cleanup",
            "resync",
            "digest",
            "verify",
            "warmup",
            "expire",
        ),
        "{noun}_{tail}",
    ),
    "request": _plain(("sync", "bulk", "close", "open", "find"), "/{noun}s/{tail}"),
    "profile": _function,
    "lock": _package,
    "queue": _plain(
        ("changed", "failed", "retry", "created", "expired", "merged", "split", "audit", "mail"),
        "{noun}.{tail}",
    ),
}

#: The value of a line that states no fact.
OTHER: dict[str, Callable[[Shell], str]] = {
    "rows": lambda s: s.num(10, 9_000_000),
    "slow": lambda s: f"{s.num(12, 2400)}.{s.draw.between(1, 9)}",
    "image": lambda s: f"{s.num(80, 990)}MB",
    "pod": lambda s: f"{s.hexes(10)}-{s.hexes(5)}",
    "disk": lambda s: f"{s.num(2, 900)}M",
    "cover": lambda s: f"{s.num(3, 90)}-{s.num(91, 200)}",
    "cert": lambda s: s.hexes(16).upper(),
    "job": lambda s: f"cur_{s.hexes(4)}{s.num(1000, 9999)}",
    "request": lambda s: f"req_{s.hexes(12)}",
    "profile": lambda s: f"{s.num(0, 9)}.{s.num(100, 999)}s",
    "lock": lambda s: f"{s.num(20, 60)}.{s.num(0, 40)}",
    "queue": lambda s: s.num(0, 4000),
}


def _job(shell: Shell, entity: str, value: str) -> str:
    state, attempts = shell.draw.pick(STATES), int(shell.num(1, 9))
    row = {"job": entity, "state": state, "attempts": attempts, "cursor": value}
    return f"  {json.dumps(row | {'updated': shell.ago(600)})},"


def _pod(shell: Shell, entity: str, value: str) -> str:
    name = value if value.startswith(entity) else f"{entity}-{value}"
    return f"{name:<44} 1/1  Running  {shell.num(0, 6)}  {shell.num(2, 60)}d"


#: A line of each kind.
ROWS: dict[str, Row] = {
    "rows": lambda s, e, v: f" {e:<28} | {v:>9} | {s.num(0, 9000):>7} | {s.ago(6000)}",
    "slow": lambda s, e, v: f"{e:<34} p50={s.num(2, 90)}.{s.num(0, 9)} p95={v} n={s.num(30, 9000)}",
    "image": lambda s, e, v: (
        f"{e:<26} {s.num(2, 40)}.{s.num(0, 9)}  {s.hexes(12)}  {s.num(2, 20)} days  {v}"
    ),
    "pod": _pod,
    "disk": lambda s, e, v: f"{v}\t/var/lib/{s.world.code}/{e}",
    "cover": lambda s, e, v: (
        f"{e:<44} {s.num(40, 900):>5} {s.num(2, 90):>5}  {s.num(60, 99)}%   {v}"
    ),
    "cert": lambda s, e, v: f"{e:<36} serial={v} notAfter={s.ago(900)[:10]} issuer=internal",
    "job": _job,
    "request": lambda s, e, v: (
        f"{s.ago(400)} ERROR {e} status=50{s.num(0, 4)} id={v} took={s.num(20, 900)}ms"
    ),
    "profile": lambda s, e, v: (
        f"{s.num(2, 9000):>8}  {v:>9}  {s.num(0, 9)}.{s.num(100, 999)}s  {e}"
    ),
    "lock": lambda _, e, v: f"├── {e}@{v}",
    "queue": lambda s, e, v: f"{e:<26} messages={v} consumers={s.num(0, 9)} state=running",
}
STATES = ("done", "running", "queued", "failed")
#: By kind: the command, what it is for, and the head of what it prints.
RECORDS: dict[str, tuple[str, str, str]] = {
    "rows": ('psql -c "select relname, n_live_tup, n_dead_tup, last_autovacuum from '
             'pg_stat_user_tables"', "Show table statistics",
             " relname                      | n_live_tup | n_dead_tup | last_autovacuum"),
    "slow": ("./scripts/latency --last 1h", "Show request latencies", "route, milliseconds"),
    "image": ("docker images", "List images", "REPOSITORY  TAG  IMAGE ID  CREATED  SIZE"),
    "pod": ("kubectl get pods", "List pods", "NAME  READY  STATUS  RESTARTS  AGE"),
    "disk": ("du -sh /var/lib/*/*", "Show disk usage", ""),
    "cover": ("./scripts/coverage", "Show test coverage", "Name  Stmts  Miss  Cover  Missing"),
    "cert": ("./scripts/certs --all", "List certificates", ""),
    "job": ("curl -s localhost:8080/jobs", "Get the state of the jobs", "["),
    "request": ("tail -n 400 logs/error.log", "Look at the error log", ""),
    "profile": ("./scripts/profile --top 200", "Profile the worker",
                "  ncalls  cumtime  tottime  name"),
    "lock": ("./scripts/versions", "List installed versions", "dependencies"),
    "queue": ("rabbitmqctl list_queues name messages consumers state", "List queues",
              "Listing queues ..."),
}  # fmt: skip


def record(shell: Shell, kind: str, size: int, fact: Fact | None = None) -> Use:
    """Run the command of a kind; a fact is one of the lines, somewhere."""
    taken = {f.entity for f in shell.world.family("record") if f.attribute == kind}
    lines = [
        ROWS[kind](shell, one, OTHER[kind](shell)) for one in _entities(shell, kind, taken, size)
    ]
    if fact is not None:
        lines.insert(shell.draw.below(len(lines) + 1), ROWS[kind](shell, fact.entity, fact.value))
    lines = sorted(lines) if kind == "request" else lines
    command, what, head = RECORDS[kind]
    text = "\n".join([head, *lines] if head else lines)
    return bash(command, what, text + ("\n]" if kind == "job" else ""))


def chatter(shell: Shell, size: int) -> list[str]:
    """Give lines of a service's log."""

    def line() -> str:
        noun, other = shell.noun(), shell.noun()
        verb, level = shell.draw.pick(shell.lexicon["verbs"]), shell.draw.pick(LEVELS)
        name = shell.draw.pick(shell.lexicon["component"])["key"]
        tail = shell.draw.pick((
            f"{verb} {noun} id={shell.hexes(8)} {other}s={shell.num(0, 90)}",
            f"{noun} {shell.hexes(6)} waits for {other}",
            f"skipped {noun} without {other}",
            f"{other} cache miss key={noun}:{shell.hexes(6)}",
            f"{verb} took {shell.num(2, 900)}ms for {shell.num(1, 500)} {noun}s",
            f"retry {shell.num(1, 5)} of {noun}/{shell.hexes(6)}",
            f"connection to {name} reset, {shell.num(1, 9)} pending",
        ))  # fmt: skip
        return f"{shell.ago(120)}.{shell.num(100, 999)} {level} {name} {tail}"

    return sorted(filled_up(line, size))


LEVELS = ("INFO ", "INFO ", "INFO ", "DEBUG", "DEBUG", "WARN ", "ERROR")
#: What each kind is called.
WHAT = {
    "rows": "the table statistics", "slow": "the latency report", "image": "the docker images",
    "pod": "the pods", "disk": "the disk usage", "cover": "the coverage report",
    "cert": "the certificates", "job": "the job status", "request": "the error log",
    "profile": "the profile", "lock": "the installed versions", "queue": "the queues",
}  # fmt: skip
