"""One cluster of two worker processes for the tests of a module.

It ends with them: whenever its client sends a long list, in a thread of its own, Dask draws from
`random`, and Hypothesis takes that for a fault of whatever test runs then. Its scheduler runs
beside the tests too, as on a cluster: what the scheduler cannot unpickle fails here.
"""

import subprocess
import sys

import pytest

CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    script = tmp_path_factory.mktemp("cluster") / "cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, script], text=True, **pipes) as running:
        with distributed.Client(running.stdout.readline().strip()) as client:
            yield client
        running.stdin.close()
