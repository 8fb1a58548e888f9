"""What takes too long for the tests, and what it counted: ``reports/reliability/``.

A test here carries ``pytestmark = pytest.mark.harden`` and tells its figures with pytest's own
``record_property("executions", n)``. ``./lab harden`` runs all of them and writes one row a test.
"""

import json
import platform
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "reports" / "reliability"
ROWS = FOLDER / "rows.json"
TOP = """# What hardening counted

Written by `./lab harden`; each row is a test and what it told. A row of a test that was not run the
last time stays as it was. Python {python}, {system}.

| test | outcome | figures |
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
    rows = json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else {}
    rows = dict(sorted({**rows, **told}.items()))
    ROWS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    top = TOP.format(python=platform.python_version(), system=platform.system())
    lines = [f"| `{name}` | {row['outcome']} | {figures(row)} |\n" for name, row in rows.items()]
    (FOLDER / "README.md").write_text(top + "".join(lines), encoding="utf-8")


def figures(row):
    """A row's figures in one cell."""
    return ", ".join(f"{key} {value}" for key, value in row.items() if key != "outcome")
