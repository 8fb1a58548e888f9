"""The reports in reports/samples: small, current, and made again by one command.

``pytest -m "" tests/reporting/test_samples.py --rewrite`` writes them. Without the flag it is
checked that style and script are those of now, and that the figures of some systems come out the
same; times differ from run to run and are not compared. The sample of the validation needs a real
collection beside the checkout, and is left as it is where there is none.
"""

import json
import re
import shutil
from importlib import resources

import numpy as np
import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent import compacting, ladder
from lcm_lab.agent import speed as bench
from lcm_lab.evaluation.replay.run import replay
from lcm_lab.measures import parse

#: Bytes: of questions in the ranking page, and of any page.
QUESTIONS, LARGEST = 480_000, 1_100_000
SETS = ("page.css", "explore.css"), ("page.js", "explore.js")


@pytest.fixture(scope="session")
def samples(root):
    return root / "reports" / "samples"


def ranking(folder, shared):
    measures = [parse(name) for name in ladder.MEASURES]
    result = lcm.evaluate(ladder.ladder(), on=lcm.load("synth-chat-s"), measures=measures)
    lcm.ranking_report(result, "lcm-lab report", QUESTIONS).save(folder)


def compaction(folder, shared):
    compacting.compacted([compacting.ON], str(folder), 1)


def validation(folder, shared):
    # Under a name that says nothing of where the real collection lies on this machine.
    from lcm_lab.evaluation.validating.validate import validate
    from lcm_lab.reporting.validation_report import validation_report

    found = validate(lcm.load("synth-chat-s"), lcm.load(shared / "locomo"))
    command = "lcm-lab validate synth-chat-s --against locomo"
    validation_report([found], command).save(folder)


def speed(folder, shared):
    bench.timed(10_000, 200, 0, str(folder), json=False)


MAKERS = {f.__name__: f for f in (ranking, compaction, validation, speed)}


def written(kind, made, target, shared=None):
    """Make a report in one folder, and take page, tables and manifest into another."""
    MAKERS[kind](made, shared)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    told = json.loads((made / "manifest.json").read_text("utf-8"))
    told["command"] = told["command"].partition(" --out")[0]
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    (target / "manifest.json").write_text(text, encoding="utf-8", newline="\n")
    for table in made.glob("*.parquet"):
        shutil.copyfile(table, target / table.name)
    page = re.sub(r" --out [^\s<]+", "", (made / "index.html").read_text("utf-8"))
    (target / "index.html").write_text(page, encoding="utf-8", newline="\n")


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
def test_rewrite(kind, request, tmp_path, samples):
    if not request.config.getoption("--rewrite"):
        pytest.skip("samples are written with --rewrite alone")
    shared = request.getfixturevalue("shared") if kind == "validation" else None
    written(kind, tmp_path, samples / kind, shared)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_sample_is_small_and_says_how_it_is_made(kind, samples):
    made = json.loads((samples / kind / "manifest.json").read_text("utf-8"))
    assert made["command"].startswith("lcm-lab ")
    page = samples / kind / "index.html"
    assert page.stat().st_size < LARGEST
    assert made["command"].split(" --")[0] in page.read_text("utf-8")


@pytest.mark.parametrize("kind", MAKERS)
def test_a_sample_looks_as_pages_do_now(kind, samples):
    page = (samples / kind / "index.html").read_text("utf-8")
    folder = resources.files("lcm_lab.reporting").joinpath("templates")
    for names in SETS:
        kept = names if kind == "ranking" else names[:1]
        text = "".join(folder.joinpath(name).read_text("utf-8") for name in kept)
        assert text in page, f"{names[0]} has changed: make the samples again with --rewrite"


@pytest.mark.slow
def test_the_ranking_sample_holds_what_is_measured_now(samples):
    told = pd.read_parquet(samples / "ranking" / "data.parquet")
    names = ("BM25", "TF-IDF", "NaiveBM25", "SessionsSearch")
    systems = {name: ladder.ladder()[name] for name in names}
    measures = [parse(name) for name in ladder.MEASURES[:4]]
    found = lcm.evaluate(systems, on=lcm.load("synth-chat-s"), measures=measures).frame
    keys = ["system", "qid", "measure"]
    both = found.merge(told, on=keys, suffixes=("", "_told"), how="left", validate="1:1")
    assert len(both) == 4 * 4 * found["qid"].nunique()
    np.testing.assert_allclose(both["value"], both["value_told"], atol=1e-9)


@pytest.mark.slow
def test_the_compaction_sample_holds_what_is_measured_now(samples):
    told = pd.read_parquet(samples / "compaction" / "points.parquet")
    name, trial = next(iter(compacting.strategies().items()))
    sessions = compacting.begun(lcm.load(compacting.ON), 1)
    found = replay(
        sessions, trial.strategy, budgets=compacting.BUDGETS, cycles=compacting.CYCLES
    ).points.reset_index(drop=True)
    of_it = told[told["strategy"] == name].reset_index(drop=True)
    numbers = [c for c in found.select_dtypes("number") if "time" not in c and "ms" not in c]
    assert len(of_it) == len(found) > 0
    # The sample holds strategies without a limit beside this one, so that its column has gaps.
    pd.testing.assert_frame_equal(of_it[numbers], found[numbers], check_dtype=False)
