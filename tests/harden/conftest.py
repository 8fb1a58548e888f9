"""What takes too long for the tests, and what it counted: ``reports/reliability/``.

A test here carries ``pytestmark = pytest.mark.harden`` and tells its figures with pytest's own
``record_property("executions", n)``. ``./lab harden`` runs all of them and keeps one row a test;
the page sums the rows of one test over its parameters.
"""

import json
import platform
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "reports" / "reliability"
ROWS = FOLDER / "rows.json"
TOP = """# What hardening counted

Written by `./lab harden`: a row a test, summed over what it was tried with; `rows.json` has each.
What was not run the last time stays as it was. Python {python}, {system}.

| test | passed | figures |
|---|---|---|
"""
told = {}


def pytest_runtest_logreport(report):
    """Keep what a test told once it has run, or that it failed before."""
    if "harden/" not in report.nodeid or (report.when != "call" and report.passed):
        return
    name = report.nodeid.split("harden/")[-1]
    told[name] = {"outcome": report.outcome, **dict(report.user_properties)}


def pytest_sessionfinish(session):
    """Write the rows, where this process is the one that hears of all tests."""
    if hasattr(session.config, "workerinput") or not told:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    before = json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else {}
    still = {name: row for name, row in before.items() if stands(name)}
    rows = dict(sorted({**still, **told}.items()))
    ROWS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    top = TOP.format(python=platform.python_version(), system=platform.system())
    (FOLDER / "README.md").write_text(top + "".join(lines(rows)), encoding="utf-8")


def stands(name):
    """Tell whether there still is a test of this name."""
    file, test = name.split("[")[0].split("::")
    place = HERE / file
    return place.exists() and f"def {test}(" in place.read_text(encoding="utf-8")


def lines(rows):
    """Give a line for each test: how often it passed, and its figures, numbers added up."""
    for test in dict.fromkeys(name.split("[")[0] for name in rows):
        several = [row for name, row in rows.items() if name.split("[")[0] == test]
        passed = sum(row["outcome"] == "passed" for row in several)
        sums = {}
        for key, value in (pair for row in several for pair in row.items() if pair[0] != "outcome"):
            sums[key] = sums[key] + value if key in sums and isinstance(value, int) else value
        figures = ", ".join(f"{key} {value}" for key, value in sums.items())
        yield f"| `{test}` | {passed} of {len(several)} | {figures} |\n"
