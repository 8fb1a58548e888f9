"""Install and import, group O of the bug reports: an id names the report."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import lcm_lab as lcm
from tests.cases.judged import collection


def ran(steps, *flags, **environment):
    """Run steps in a process of their own, in which every warning is an error."""
    command = [sys.executable, "-W", "error", *flags, "-c", steps]
    given = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_without_what_is_optional_words_are_found_and_a_vector_ranker_says_what_it_needs():
    """IN-01, IN-06: nor is there a module of Unix alone, and nothing is said at import."""
    absent = (
        *("faiss", "numba", "sklearn", "IPython", "ipykernel", "nbformat", "jupyter_client"),
        *("matplotlib", "jinja2", "typer", "mcp", "dask", "onnxruntime", "wordllama", "httpx2"),
        *("resource", "fcntl", "pwd", "grp", "termios"),
    )
    steps = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({absent!r}))\n"
        "import lcm_lab as lcm\n"
        "corpus = lcm.Corpus(['use WAL', 'drop the table', 'WAL is on'])\n"
        "print((lcm.BM25() % 2).fit(corpus)('wal')['docno'].tolist())\n"
        "store = lcm.Store(':memory:')\n"
        "print(store.add(corpus), len(lcm.LcmTools(store).lcm_grep('WAL').hits))\n"
        "for encoder in (lcm.LSA(), lcm.MiniLM(), lcm.WordLlama()):\n"
        "    try: lcm.Dense(encoder).fit(corpus)\n"
        "    except lcm.errors.MissingExtra as error: print(error)\n"
        "talk = lcm.Dag.of(lcm.Corpus([f'use WAL {n} now. ' * 9 for n in range(8)]))\n"
        "try: lcm.compact(talk, lcm.Clusters(40, size=2, fresh=0), budget=90)\n"
        "except lcm.errors.MissingExtra as error: print(error)\n"
    )
    words, added, *told = ran(steps).splitlines()
    assert words == "['m3', 'm1']"
    assert added == "Added 3 messages, 1 new conversation 2"
    needs = ("pip install scikit-learn", "lcm-lab[minilm]", "lcm-lab[static]", "scikit-learn")
    assert [one in line for one, line in zip(needs, told, strict=True)] == [True] * 4


def test_a_program_reads_what_a_command_prints_and_nothing_else(tmp_path):
    """IN-05: on its first run, in a process of its own, with every warning shown."""
    corpus = tmp_path / "mes données à moi"
    corpus.mkdir()
    lines = [json.dumps({"role": "user", "content": f"use WAL {i}"}) for i in range(40)]
    (corpus / "forêt.jsonl").write_text("\n".join(lines) + "\n{broken\n", encoding="utf-8")
    words = (
        "search",
        "wal",
        "--on",
        str(corpus),
        "--policy",
        "BM25() % 3",
        "--json",
    )
    done = subprocess.run(
        [sys.executable, "-W", "default", "-m", "lcm_lab", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HOME": str(tmp_path / "home"), "COLUMNS": "80"},
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["hits"]) == 3


def test_a_folder_with_a_space_and_a_letter_beyond_ascii_reads_and_saves(tmp_path):
    """IN-06."""
    folder = tmp_path / "mes données à moi"
    folder.mkdir()
    line = json.dumps({"role": "user", "content": "use WAL"})
    (folder / "forêt.jsonl").write_text(f"{line}\n")
    assert lcm.read(folder).corpus()["session"].tolist() == ["forêt"]
    bench = collection(2, {"q1": {"d1": 1}})
    bench.save(folder / "bench é")
    assert len(lcm.load(folder / "bench é").topics) == 1
    lcm.evaluate([lcm.BM25()], on=bench).save(folder / "result é")
    lcm.BM25().fit(bench.corpus).save(folder / "index é")
    with lcm.Store(folder / "é.db") as store:
        store.add(lcm.read(folder))
        assert len(lcm.LcmTools(store).lcm_grep("WAL").hits) == 1


def test_the_version_is_that_of_the_metadata_and_reports_carry_it():
    """IN-07: it is written once, from where the metadata of a wheel have it too."""
    assert lcm.__version__ == version("lcm-lab")
    result = lcm.evaluate([lcm.BM25()], on=collection(2, {"q1": {"d1": 1}}))
    assert result.manifest()["versions"]["lcm-lab"] == lcm.__version__


def test_a_source_tree_on_the_path_has_the_same_version(root):
    """IN-07: without metadata."""
    steps = (
        "import importlib.metadata as found\n"
        "def none(name): raise found.PackageNotFoundError(name)\n"
        "found.version = found.distribution = none\n"
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "import lcm_lab; print(lcm_lab.__version__, lcm_lab.__file__)"
    )
    assert ran(steps).split()[0] == lcm.__version__


def test_the_first_steps_need_no_network():
    """IN-08: `Dense()` learns its vectors from the corpus, which needs none either."""
    steps = (
        "import socket\n"
        "def away(*_a, **_k): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = away\n"
        "import lcm_lab as lcm\n"
        "bench = lcm.load('synth-chat-s')\n"
        "found = (lcm.BM25() >> lcm.Recency('30D') % 3).fit(bench.corpus)('which holiday?')\n"
        "print(len(found), bench.corpus['tokens'][0])\n"
    )
    assert ran(steps)[:2] == "3 "
