"""What episodic-memory answered, as it was recorded, is answered here again."""

import hashlib
import json
import lzma

import numpy as np
import pytest

import lcm_lab as lcm
from lcm_lab.errors import BadParameter
from lcm_lab.ranking.named.reference import EpisodicMemory


def texts(record):
    content = record.get("message", {}).get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    return "\n".join(b["text"] for b in blocks if b.get("type") == "text" and b.get("text"))


def exchange(folder, shared, row):
    """Read the user's and the assistant's text of an indexed exchange from its transcript."""
    name = row["archive"].split("/", 1)[1]
    path = shared / "transcripts" / f"{name}.xz"
    packed_up = path.exists()
    whole = lzma.decompress(path.read_bytes()) if packed_up else (folder / name).read_bytes()
    first, last = row["lines"]
    records = []
    for line in whole.decode().split("\n")[first - 1 : last]:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue  # blank and malformed lines count, and hold nothing
    answers = [texts(r) for r in records[1:] if r.get("type") == "assistant"]
    return texts(records[0]), "\n\n".join(answer for answer in answers if answer.strip())


@pytest.fixture(scope="module")
def episodic(recorded, shared, unpack):
    """A corpus of the indexed exchanges, the encoder that was used, and the recorded calls."""
    folder = recorded / "episodic"
    record, exchanges = unpack(folder / "search.json.xz"), unpack(folder / "exchanges.json.xz")
    known = {one["id"]: one for listed in exchanges.values() for one in listed}
    rows, bins = [], {}
    for row in record["index"]:
        pair = exchange(folder, shared, row)
        for text, side in zip(pair, ("user", "assistant"), strict=True):
            assert hashlib.sha256(text.encode()).hexdigest() == known[row["id"]][side]["sha256"]
        text = "\n\n".join(pair)
        bins[text] = row["counts"]
        own = {"docno": row["id"], "text": text, "time": row["timestamp"]}
        own |= {name: row[name] or "" for name in ("project", "session_id", "git_branch")}
        rows.append(own | {"sidechain": str(row["sidechain"]), "conversation": row["archive"]})

    def encode(texts):
        made = np.zeros((len(texts), 384))
        for line, text in zip(made, texts, strict=True):
            for place, count in (bins.get(text) or record["query_counts"][text[:60]]).items():
                line[int(place)] = count
        return made

    return lcm.Corpus(rows), lcm.Named("bins", encode), record["searches"]


def filters_of(args):
    renamed = {"after": "since"}
    names = ("project", "session_id", "git_branch", "after", "before")
    return {renamed.get(name, name): args[name] for name in names if name in args}


#: No word, a day that is none, after later than before: the original searches, or is silent.
REFUSED = [
    ("test", "2026-02-01", "2026-01-01"),
    ("__", None, None),
    ("%%", None, None),
    ("  ", None, None),
    ("zyxmarker", "2025-02-30", None),
    ("zyxmarker", None, "2025-02-30"),
]


def test_every_recorded_text_search_of_episodic_memory_is_reproduced(episodic):
    corpus, _, calls = episodic
    search, refused, compared = EpisodicMemory("text", compat="reference").fit(corpus), [], 0
    for call in calls:
        args = call["args"]
        if args.get("mode") == "text" and isinstance(args["query"], str):
            try:
                run = search.run(
                    args["query"], k=args.get("limit", 10), sidechain="False", **filters_of(args)
                )
            except BadParameter:
                refused.append((args["query"], args.get("after"), args.get("before")))
                continue
            assert run.frame()["docno"].tolist() == [hit["id"] for hit in call["results"]], args
            compared += 1
    assert refused == REFUSED
    assert compared == 27


@pytest.mark.parametrize(("mode", "number"), [("vector", 11), ("both", 11)])
def test_recorded_vector_searches_of_episodic_memory_are_reproduced(episodic, mode, number):
    corpus, encoder, calls = episodic
    vector = EpisodicMemory("vector", encoder).fit(corpus)
    spoken = set(corpus["docno"][corpus["sidechain"] == "False"])
    compared = 0
    for call in calls:
        args = call["args"]
        own = (args.get("mode") or "both") == mode and isinstance(args["query"], str)
        if not own or call["tie_at_cut"] or filters_of(args):
            continue  # the original filters after its cut, and any of equal hits may be kept
        limit = args.get("limit", 10)
        policy = EpisodicMemory(mode, encoder, limit, "reference") % (2 * limit)
        hits = policy.fit(corpus).run(args["query"], k=limit if mode == "vector" else 2 * limit)
        docnos = [docno for docno in hits.frame()["docno"] if docno in spoken]
        cosine = vector(args["query"]).set_index("docno")["score"].round(5).to_dict()
        assert levels(docnos, cosine) == levels([hit["id"] for hit in call["results"]], cosine)
        compared += 1
    assert compared == number


def levels(docnos, cosine):
    """Sort hits of equal cosine that stand together, whose order is not promised."""
    runs = []
    for docno in docnos:
        if not runs or cosine.get(runs[-1][0]) != cosine.get(docno) or docno not in cosine:
            runs.append([])
        runs[-1].append(docno)
    return [sorted(run) for run in runs]
