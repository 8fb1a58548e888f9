"""An evaluation with stated values, for what is computed from values alone."""

import numpy as np
import pandas as pd

from lcm_lab.collection import Collection
from lcm_lab.corpus import Corpus
from lcm_lab.evaluation.result import Evaluation
from lcm_lab.measures import nDCG


def evaluation(values, per_unit=1, measures=(nDCG @ 10,), name="given"):
    """Make one of ``values[system]``: a value a topic, or one such list a measure.

    Every ``per_unit`` topics in a row are of one conversation.
    """
    listed = {
        system: [given] if np.ndim(given[0]) == 0 else given for system, given in values.items()
    }
    n = len(next(iter(listed.values()))[0])
    homes = [f"c{i // per_unit}" for i in range(n)]
    docnos = {"docno": [f"d{i}" for i in range(n)], "text": ["text"] * n, "conversation": homes}
    topics = {"qid": [f"q{i}" for i in range(n)], "query": ["text"] * n, "conversation": homes}
    qrels = {"qid": topics["qid"], "docno": docnos["docno"], "relevance": [1] * n}
    frames = [pd.DataFrame(columns) for columns in (docnos, topics, qrels)]
    rows = [
        (system, qid, str(measure), value)
        for system, columns in listed.items()
        for measure, column in zip(measures, columns, strict=True)
        for qid, value in zip(topics["qid"], column, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["system", "qid", "measure", "value"])
    return Evaluation(
        frame=frame.astype({"value": float}),
        systems={system: f"policy of {system}" for system in values},
        collection=Collection(name, Corpus(frames[0]), *frames[1:]),
        runs={},
        measures=tuple(measures),
        latency=pd.DataFrame({"system": [], "qid": [], "ms": []}),
    )
