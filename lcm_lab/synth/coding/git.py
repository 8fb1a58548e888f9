"""What git prints of a project: its state, differences and commits."""

from __future__ import annotations

from lcm_lab.synth.coding.repo import Change
from lcm_lab.synth.coding.shell import Shell, Use, bash
from lcm_lab.synth.language import expand

__all__ = ["commit", "diff", "log", "message", "push", "status"]


def status(shell: Shell) -> Use:
    """Give what changed since the last commit."""
    changed = sorted(shell.repo.touched)
    if not changed:
        tail = "nothing to commit, working tree clean"
        return bash("git status", "Check the working tree", f"On branch {_branch(shell)}\n{tail}")
    if shell.draw.chance(50):
        short = "\n".join(f" M {path}" for path in changed)
        return bash("git status --short", "Check the working tree", short)
    listed = "\n".join(f"\tmodified:   {path}" for path in changed)
    text = (
        f"On branch {_branch(shell)}\nChanges not staged for commit:\n"
        '  (use "git add <file>..." to update what will be committed)\n'
        '  (use "git restore <file>..." to discard changes in working directory)\n'
        f'{listed}\n\nno changes added to commit (use "git add" and/or "git commit -a")'
    )
    return bash("git status", "Check the working tree", text)


def diff(shell: Shell, size: int) -> Use:
    """Give the differences that are not committed."""
    changes = list(shell.repo.touched.values())
    if not changes:
        return log(shell, size)
    if size < 500:
        stat = [
            f" {one.file.path} | {len(one.new) + len(one.old):3d} "
            f"{'+' * len(one.new)}{'-' * len(one.old)}"
            for one in changes
        ]
        total = f" {len(changes)} file{'s' * (len(changes) != 1)} changed"
        return bash("git diff --stat", "See what changed", "\n".join([*stat, total]))
    parts, have = [], 0
    for one in changes:
        parts.append(_hunk(shell, one))
        have += len(parts[-1])
        if have > size:
            break
    return bash("git diff", "See the changes", "\n".join(parts))


def _hunk(shell: Shell, one: Change) -> str:
    lines, at = one.file.lines, min(one.at, len(one.file.lines))
    before, after = lines[max(0, at - 3) : at], lines[at + len(one.new) : at + len(one.new) + 3]
    kept = len(before) + len(after)
    first = max(1, at - 2)
    head = (
        f"diff --git a/{one.file.path} b/{one.file.path}\n"
        f"index {shell.hexes(7)}..{shell.hexes(7)} 100644\n"
        f"--- a/{one.file.path}\n+++ b/{one.file.path}\n"
        f"@@ -{first},{kept + len(one.old)} +{first},{kept + len(one.new)} @@"
    )
    body = [
        *(f" {line}" for line in before),
        *(f"-{line}" for line in one.old),
        *(f"+{line}" for line in one.new),
        *(f" {line}" for line in after),
    ]
    return "\n".join([head, *body])


def log(shell: Shell, size: int) -> Use:
    """Give the newest commits."""
    count = max(2, min(4, size // 90))
    shown = [f"{one} {subject}" for one, subject in shell.commits[-count:][::-1]]
    return bash(f"git log --oneline -{count}", "See recent commits", "\n".join(shown))


def commit(shell: Shell, digest: str, subject: str) -> Use:
    """Commit everything; ``digest`` is the commit's hash."""
    changes = shell.repo.touched
    plus = sum(len(one.new) for one in changes.values())
    minus = sum(len(one.old) for one in changes.values())
    files = max(1, len(changes))
    text = (
        f"[{_branch(shell)} {digest}] {subject}\n {files} file{'s' * (files != 1)} changed, "
        f"{plus + 1} insertions(+), {minus} deletions(-)"
    )
    shell.commits.append((digest, subject))
    shell.repo.touched.clear()
    return bash(f'git commit -am "{subject}"', "Commit the changes", text)


def push(shell: Shell) -> Use:
    """Push the branch."""
    branch, count = _branch(shell), shell.draw.between(5, 40)
    before, after = shell.hexes(7), shell.hexes(7)
    text = (
        f"Enumerating objects: {count}, done.\nCounting objects: 100% ({count}/{count}), done.\n"
        f"Writing objects: 100% ({count // 2}/{count // 2}), "
        f"{shell.draw.between(1, 9)}.{shell.draw.between(10, 99)} KiB, done.\n"
        f"To git.{shell.world.code}.example:{shell.world.code}.git\n"
        f"   {before}..{after}  {branch} -> {branch}"
    )
    return bash(f"git push origin {branch}", "Push the branch", text)


def message(shell: Shell, subjects: list[str]) -> str:
    """Give a subject for a commit that nobody asks for."""
    taken = {fact.entity for fact in shell.world.family("commit")}
    while True:
        noun, other = shell.draw.sample(shell.world.nouns, 2)
        text = expand(shell.draw.pick(subjects), shell.draw)
        fields = {
            "n": noun, "m": other, "a": shell.draw.pick(("state", "total", "amount", "rank")),
            "verb": shell.draw.pick(("Check", "Price", "Import", "Merge", "Expire")),
            "func": f"the {noun} {shell.draw.pick(('reader', 'loop', 'writer', 'export'))}",
        }  # fmt: skip
        for name, value in fields.items():
            text = text.replace(f"{{{name}}}", value)
        if text not in taken:
            return text


def _branch(shell: Shell) -> str:
    return f"{shell.world.prefix.lower()}-work"
