"""What test runners, linters, compilers and installers print."""

from __future__ import annotations

from lcm_lab.synth.coding.repo import File
from lcm_lab.synth.coding.shell import Shell, Use, bash, filled_up

__all__ = ["crash", "failing", "install", "lint", "passing"]


def passing(shell: Shell, size: int) -> Use:
    """Run the tests; all pass."""
    command = shell.draw.pick(shell.repo.stack["test"])
    return bash(command, "Run the tests", "\n".join(_run(shell, size, [])))


def failing(shell: Shell, file: File, size: int) -> Use:
    """Run the tests; one about the file fails, with its trace."""
    name = shell.draw.pick(file.functions)
    error = shell.draw.pick(shell.repo.stack["errors"])
    first, second = (
        shell.draw.sample(file.functions, 2) if len(file.functions) > 1 else (name, name)
    )
    lines = _trace(shell, file, (first, second, error))
    command = shell.draw.pick(shell.repo.stack["test"])
    text = "\n".join(_run(shell, max(60, size - 600), [_case(shell, file, name), *lines]))
    return bash(command, "Run the tests", f"Exit code 1\n{text}")


def crash(shell: Shell, file: File, where: str, error: str) -> list[str]:
    """Give a trace that ends at a place with an error."""
    outer = shell.repo.pick()
    ext = shell.repo.stack["ext"]
    calls = [
        (outer.path, shell.draw.between(20, 400), shell.draw.pick(outer.functions)),
        (file.path, shell.draw.between(20, 400), shell.draw.pick(file.functions)),
    ]
    if ext == "py":
        frames = [f'  File "{shell.root}/{p}", line {n}, in {f}' for p, n, f in calls]
        return ["Traceback (most recent call last):", *frames, f"  {where}", error]
    if ext == "ts":
        frames = [f"    at {f} ({shell.root}/{p}:{n}:{n % 29 + 3})" for p, n, f in calls]
        return [error, f"    at async {calls[1][2]} ({where})", *frames[::-1]]
    frames = [f"{f}(...)\n\t{shell.root}/{p}:{n} +0x{n:x}" for p, n, f in calls]
    return [f"panic: {error}", "", "goroutine 1 [running]:", f"main.run(...)\n\t{where}", *frames]


def _trace(shell: Shell, file: File, what: tuple[str, str, str]) -> list[str]:
    first, second, error = what
    at = shell.draw.below(max(1, len(file.lines) - 4))
    shown = [line for line in file.lines[at : at + 3] if line]
    ext = shell.repo.stack["ext"]
    if ext == "py":
        return [
            "=================================== FAILURES ===================================",
            f"    def test_{first}():",
            f">       assert {second}(make_{file.noun}()) == expected",
            *(f"    {line}" for line in shown),
            f"E       {error}: {file.noun}.{shell.draw.pick(shell.lexicon['attributes'])}",
            "",
            f"{file.path}:{at + 2}: {error}",
        ]
    if ext == "ts":
        return [
            f" FAIL  test/{file.noun}.test.ts > {first}",
            f"{error}: expected {shell.num(2, 90)} to be {shell.num(2, 90)}",
            f" ❯ {second} {file.path}:{at + 2}:{shell.draw.between(3, 40)}",
            *(f"    {at + n}| {line}" for n, line in enumerate(shown, 1)),
        ]
    return [
        f"--- FAIL: Test{first[:1].upper()}{first[1:]} (0.0{shell.draw.between(0, 9)}s)",
        f"    {file.noun}_test.go:{at + 2}: {error}",
        f"    {file.noun}_test.go:{at + 9}: {second} = {shell.num(2, 90)}, want {shell.num(2, 90)}",
        *(f"        {line.strip()}" for line in shown),
    ]


def _case(shell: Shell, file: File, name: str) -> str:
    ext = shell.repo.stack["ext"]
    if ext == "py":
        return f"tests/test_{file.noun}.py::test_{name} FAILED"
    return (
        f" × {name} {shell.draw.between(2, 80)}ms"
        if ext == "ts"
        else f"=== RUN   Test{name[:1].upper()}{name[1:]}"
    )


def _run(shell: Shell, size: int, failed: list[str]) -> list[str]:
    ext = shell.repo.stack["ext"]
    lines = filled_up(lambda: _passed(shell, ext), size - 80) if size > 160 else []
    total = len(lines) + shell.draw.between(40, 400)
    seconds = f"{shell.draw.between(1, 60)}.{shell.draw.between(10, 99)}"
    if ext == "py":
        tail = f"{total} passed in {seconds}s"
        tail = f"1 failed, {tail}" if failed else tail
        return [*lines, *failed, tail]
    if ext == "ts":
        ends = [f" Tests  {'1 failed | ' * bool(failed)}{total} passed ({total + bool(failed)})"]
        return [*lines, *failed, "", *ends, f" Duration  {seconds}s"]
    return [*lines, *failed, "FAIL" if failed else f"ok  \t{shell.world.code}\t{seconds}s"]


def _passed(shell: Shell, ext: str) -> str:
    file = shell.repo.pick()
    name, verb = shell.draw.pick(file.functions), shell.draw.pick(shell.lexicon["verbs"])
    if ext == "py":
        return f"tests/test_{file.noun}.py::test_{name}_{verb} PASSED"
    if ext == "ts":
        return f" ✓ test/{file.noun}.test.ts > {name} > can {verb} {shell.draw.between(1, 60)}ms"
    return f"--- PASS: Test{name[:1].upper()}{name[1:]}_{verb} (0.{shell.draw.between(0, 99):02d}s)"


def lint(shell: Shell, size: int) -> Use:
    """Run the linter; below 160 characters it has nothing to say."""
    command = shell.draw.pick(shell.repo.stack["lint"])
    if size < 160:
        clean = {"py": "All checks passed!", "ts": "", "go": "0 issues."}
        text = clean[shell.repo.stack["ext"]] or "(Bash completed with no output)"
        return bash(command, "Run the linter", text)
    lines = filled_up(lambda: _complaint(shell), min(size, 9000))
    return bash(command, "Run the linter", "\n".join([*lines, f"Found {len(lines)} errors."]))


def _complaint(shell: Shell) -> str:
    file = shell.repo.pick()
    place = f"{file.path}:{shell.draw.between(1, len(file.lines))}:{shell.draw.between(1, 60)}"
    name = shell.draw.pick((file.noun, file.other, shell.draw.pick(file.functions)))
    attribute = shell.draw.pick(shell.lexicon["attributes"])
    ways = {
        "py": (
            f"{place}: F401 `{name}` imported but unused",
            f"{place}: F841 local variable `{name}` is assigned to but never used",
            f'{place}: error: "{name}" has no attribute "{attribute}"  [attr-defined]',
            f"{place}: E501 line too long ({shell.draw.between(101, 140)} > 100)",
        ),
        "ts": (
            f"{place} - error TS2339: Property '{attribute}' does not exist on type '{name}'.",
            f"{place} - error TS6133: '{name}' is declared but its value is never read.",
            f"{place}  warning  Unexpected any. Specify a different type  no-explicit-any",
            f"{place} - error TS2532: Object is possibly 'undefined' ({attribute}).",
        ),
        "go": (
            f"{place}: declared and not used: {name} (typecheck)",
            f"{place}: Error return value of `{name}` is not checked (errcheck)",
            f"{place}: field `{attribute}` is unused (unused)",
            f"{place}: should omit nil check of {attribute}; len() for {name} is zero (gosimple)",
        ),
    }
    return shell.draw.pick(ways[shell.repo.stack["ext"]])


def install(shell: Shell, size: int) -> Use:
    """Install what the project needs."""
    command = shell.draw.pick(shell.repo.stack["install"])
    ext = shell.repo.stack["ext"]

    def line() -> str:
        name = shell.draw.pick(shell.lexicon["packages"])
        version = f"{shell.draw.between(20, 60)}.{shell.draw.between(0, 30)}"
        if ext == "py":
            ways = (f"Collecting {name}>={version}", f"  Downloading {name}-{version}-any.whl",
                    f"Requirement already satisfied: {name}")  # fmt: skip
        elif ext == "ts":
            ways = (f"npm warn deprecated {name}@{version}: no longer supported",
                    f"added {name}@{version}", f"npm http fetch GET 200 {name}")  # fmt: skip
        else:
            ways = (f"go: downloading example.com/{name} v{version}",
                    f"go: found {name} in example.com/{name} v{version}",
                    f"go: added {name}")  # fmt: skip
        return shell.draw.pick(ways)

    done = {"py": "Successfully installed", "ts": "found 0 vulnerabilities", "go": "all up to date"}
    lines = filled_up(line, min(size, 12_000))
    return bash(command, "Install dependencies", "\n".join([*lines, done[ext]]))
