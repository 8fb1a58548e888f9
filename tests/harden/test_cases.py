"""How many public bug reports are right: those of which every test that names them passes."""

import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.cases.naming import named, reports
from tests.cases.test_all import REASONED_AWAY

pytestmark = pytest.mark.harden


def failing(root, nodes, folder):
    """Run tests, and name those that did not pass; of a skipped one nothing is known."""
    words = ["-m", "not harden", "-p", "no:cacheprovider", "-q", f"--junitxml={folder}/run.xml"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *words, *nodes],
        cwd=root,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    passed, other = set(), set()
    for case in ElementTree.parse(folder / "run.xml").iter("testcase"):
        path = case.get("classname", "").replace(".", "/")
        name = f"{path}.py::{case.get('name', '').partition('[')[0]}"
        (other if len(case.findall("failure") + case.findall("error")) else passed).add(name)
    return set(nodes) - passed | other


def test_public_bug_reports_are_right(root, shared, tmp_path, record_property):
    wanted, tests = reports(shared), named(root)
    nodes = sorted(node for node, ids in tests.items() if ids & set(wanted))
    nodes = [node for node in nodes if not node.startswith("tests/harden/")]
    wrong = {one for node in failing(root, nodes, tmp_path) for one in tests[node]}
    right = [one for one in wanted if one not in wrong and one not in REASONED_AWAY]
    record_property("cases", len(wanted))
    record_property("right", len(right))
    record_property("reasoned away", len(REASONED_AWAY))
    record_property("tests", len(nodes))
    assert wrong & set(wanted) == set()
