"""Small collections with judgements, and runs that list what they are told to."""

import pandas as pd

import lcm_lab as lcm
from lcm_lab.run import Run
from lcm_lab.topics import Topics


def collection(docs, gold, name="case"):
    """One question a key of ``gold``, over ``docs`` documents d1, d2, ..."""
    corpus = lcm.Corpus([{"docno": f"d{i}", "text": f"text {i}"} for i in range(1, docs + 1)])
    topics = pd.DataFrame({"qid": list(gold), "query": [f"text {qid}" for qid in gold]})
    rows = [(qid, docno, grade) for qid, found in gold.items() for docno, grade in found.items()]
    return lcm.Collection(
        name, corpus, topics, pd.DataFrame(rows, columns=["qid", "docno", "relevance"])
    )


def finished(bench, folder, lists, scores=None):
    """A run that lists these documents, best first, or with these scores."""
    lines = [
        f"{qid} Q0 {docno} 1 {scores[i] if scores else -i} x"
        for qid, docnos in lists.items()
        for i, docno in enumerate(docnos)
    ]
    (folder / "run.trec").write_text("".join(f"{line}\n" for line in lines))
    asked = pd.DataFrame({"qid": list(lists), "query": ["text"] * len(lists)})
    return Run.from_trec(folder / "run.trec", Topics.of(asked, bench.corpus))


def measured(bench, run, *measures):
    return lcm.evaluate({"run": run}, on=bench, measures=measures)


def means(result):
    return result.summary()["mean"].tolist()


def noted(result, words):
    """The notes of a result that hold these words."""
    return [note for note in result.notes if words in note]
