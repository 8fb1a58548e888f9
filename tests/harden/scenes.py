"""What is killed: each scene says what is there before, what is done, and what may be left."""

import json
import warnings
from functools import cache
from itertools import islice

import numpy as np
import pandas as pd

import lcm_lab as lcm
from lcm_lab import whole
from lcm_lab.collection import Collection
from lcm_lab.compaction.guarded import Cached
from lcm_lab.errors import LcmError, NotFound
from lcm_lab.llm.kept import Kept
from lcm_lab.ranking.dense.embeddings import Shelf
from lcm_lab.reporting.document import Document, Grid, Section
from lcm_lab.reporting.tables import Cell
from lcm_lab.store import incoming
from lcm_lab.store.imports import import_files
from lcm_lab.store.store import Store
from lcm_lab.synth.assemble import assemble
from lcm_lab.synth.generate import about, conversations, ready, write
from tests.store.made import dump, history, said

SAID = ["We chose Postgres.", "The retry is 5 s.", "Lunch at noon?", "Postgres it is, then."]
QUESTIONS = ["did we choose Postgres?", "what is the retry?", "lunch at noon?"]


def all_or_none(seen, first, last, told):
    """What is left is what was there, or what was to be; the latter once it was told."""
    return seen == last if told else seen in (first, last)


def records(name, start, stop):
    """Lines of a Claude Code transcript."""
    return "".join(
        json.dumps(
            {
                "type": "user",
                "uuid": f"{name}-{i}",
                "sessionId": name,
                "timestamp": f"2026-01-01T{i // 60:02}:{i % 60:02}:00Z",
                "message": {
                    "role": "user",
                    "content": f"message {i} of {name} " + "long " * (i % 9),
                },
            }
        )
        + "\n"
        for i in range(start, stop)
    )


class Import:
    """A folder of four transcripts, one of which was imported and has grown; one has a file."""

    def before(self, folder):
        (folder / "said").mkdir()
        (folder / "said" / "a.jsonl").write_text(records("a", 0, 20))
        with Store(folder / "m.db") as store:
            import_files(store, folder / "said")
        (folder / "said" / "a.jsonl").write_text(records("a", 0, 30))
        for name in "bc":
            (folder / "said" / f"{name}.jsonl").write_text(records(name, 0, 25))
        whole = "\n".join(f"line {i} of the log that was pasted" for i in range(400))
        record = json.loads(records("d", 0, 1))
        record["message"]["content"] = whole
        (folder / "said" / "d.jsonl").write_text(json.dumps(record) + "\n")

    def work(self, folder, tell):
        incoming.BATCH = 12
        with Store(folder / "m.db", large=500) as store:
            import_files(store, folder / "said")
        tell("done")

    def look(self, folder):
        with Store(folder / "m.db", readonly=True) as store:
            assert list(store.faults()) == []
            held = dump(store)
        copies = list((folder / "m.db.files").rglob("*.txt"))
        assert all("line 399" in path.read_text() for path in copies)
        return [f"{name} {row}" for name in ("docs", "files", "parts") for row in held[name]]

    def allowed(self, seen, first, last, told):
        return set(first) <= set(seen) <= set(last) and (not told or seen == last)


class Append:
    """Messages that are said one after the other; an answer means that it is kept."""

    def before(self, folder):
        with Store(folder / "m.db") as store:
            store.add(lcm.Transcripts(tuple(history(10))))

    def work(self, folder, tell):
        with Store(folder / "m.db") as store:
            for number in range(12):
                text = f"and then number {number} was said"
                tell(store.append(said(text, f"n{number}", 1_800_000_000_000_000 + number)))

    def look(self, folder):
        with Store(folder / "m.db", readonly=True) as store:
            assert list(store.faults()) == []
            corpus = store.corpus()
            found = (lcm.FTS5() % 100).fit(corpus)("number")["docno"].tolist()
        listed = corpus["docno"].tolist()
        assert set(found) == {name for name in listed if name.startswith("n")}
        return listed

    def allowed(self, seen, first, last, told):
        return seen == last[: len(seen)] and set(first) <= set(seen) and set(told) <= set(seen)


class Compaction:
    """Two compactions of a conversation, saved to its store one after the other."""

    def before(self, folder):
        with Store(folder / "m.db") as store:
            store.add(lcm.Transcripts(tuple(history(40))))

    def work(self, folder, tell):
        with Store(folder / "m.db") as store:
            for budget in (60, 40):
                strategy = lcm.Leaves(20, fresh=4) >> lcm.Condense(3)
                dag = lcm.compact(store.dag("s1"), strategy, summarise=lcm.Lead(), budget=budget)
                store.put(dag)
                tell(budget)

    def look(self, folder):
        with Store(folder / "m.db", readonly=True) as store:
            assert list(store.faults()) == []
            dag = store.dag("s1")
        assert len(dag.leaves(dag.frontier)) == 40
        return [*map(str, dag.frontier)]

    def allowed(self, seen, first, last, told):
        return (seen == last) if len(told) == 2 else (seen != first or not told)


class Delete:
    """A conversation with a large file, deleted."""

    def before(self, folder):
        whole = "\n".join(f"line {i} of the log that was pasted" for i in range(200))
        with Store(folder / "m.db", large=100) as store:
            store.add(lcm.Transcripts((*history(30), said(whole, "f1", session="s2"))))
            store.add(lcm.Transcripts(tuple(history(5, "s3"))))

    def work(self, folder, tell):
        with Store(folder / "m.db") as store:
            if "s2" in set(store.conversations()["name"]):
                store.delete("s2")
            tell("done")

    def look(self, folder):
        with Store(folder / "m.db", readonly=True) as store:
            assert list(store.faults()) == []
            return [store.conversations()["name"].tolist(), len(store.corpus())]

    allowed = staticmethod(all_or_none)


class NewStore:
    """A store that is made."""

    def before(self, folder):
        pass

    def work(self, folder, tell):
        Store(folder / "m.db").close()
        tell("done")

    def look(self, folder):
        try:
            with Store(folder / "m.db", readonly=True) as store:
                assert list(store.faults()) == []
                return len(store.corpus())
        except LcmError:  # nothing there, or nothing in it
            return None

    allowed = staticmethod(all_or_none)


@cache
def searcher(count):
    return (lcm.BM25() + 0.3 * lcm.TfIdf() % 5).fit(lcm.Corpus(SAID[:count] * 3))


class Index:
    """A saved index, replaced by one of more rows and other weights."""

    def before(self, folder):
        (lcm.BM25() % 5).fit(lcm.Corpus(SAID[:2])).save(folder / "index")

    def work(self, folder, tell):
        (lcm.BM25() + 0.3 * lcm.TfIdf()).fit(lcm.Corpus(SAID)).save(folder / "index")
        tell("done")

    def look(self, folder):
        corpus = lcm.Corpus(SAID)
        search = (lcm.BM25() % 5).fit(corpus, saved=folder / "index")
        (held,) = (json.loads(one.read_text()) for one in folder.glob("index/manifest.json"))
        assert sorted(search("postgres")["docno"]) == ["m1", "m4"]
        files = sorted(one.name for one in (folder / "index").iterdir())
        assert {f"{name}.npy" for name in held["files"]} <= set(files)
        return held["rows"]

    allowed = staticmethod(all_or_none)


class NewIndex(Index):
    """An index that is saved where there was none."""

    def before(self, folder):
        pass

    def look(self, folder):
        try:
            return super().look(folder)
        except NotFound:
            return None


def bench(count):
    corpus = lcm.Corpus(SAID[:count])
    topics = [{"qid": f"q{i}", "query": QUESTIONS[i]} for i in range(count - 1)]
    qrels = [{"qid": one["qid"], "docno": "m1", "relevance": 1} for one in topics]
    return Collection(f"of {count}", corpus, pd.DataFrame(topics), pd.DataFrame(qrels))


class Saved:
    """A collection, saved over another one."""

    def before(self, folder):
        bench(2).save(folder / "bench")

    def work(self, folder, tell):
        bench(4).save(folder / "bench")
        tell("done")

    def look(self, folder):
        try:
            found = Collection.open(folder / "bench")
        except NotFound:
            return None
        return [found.name, found.fingerprint, found.topics["query"].tolist()]

    allowed = staticmethod(all_or_none)


class NewCollection(Saved):
    """A collection, saved where there was none."""

    def before(self, folder):
        pass


@cache
def chats(seed):
    """The first conversation of a synthetic collection."""
    maker, setting = ready("chat", {"seed": seed})
    parts = list(islice(conversations(maker, setting), 1))
    return assemble(setting.name, parts, about(maker), setting.parameters)


class Generated(Saved):
    """A synthetic collection, made anew over another one."""

    def before(self, folder):
        write(folder / "bench", chats(0))

    def work(self, folder, tell):
        write(folder / "bench", chats(1))
        tell("done")


class NewGenerated(Generated):
    """A synthetic collection where there was none."""

    def before(self, folder):
        pass


@cache
def measured(count):
    systems = {"bm25": lcm.BM25() % count, "words": lcm.TfIdf() % 2}
    systems |= {"none": lcm.Substring()} if count == 4 else {"old": lcm.Phrase()}
    return lcm.evaluate(systems, on=bench(4), measures=[lcm.measures.nDCG @ count])


@cache
def report(count):
    made = lcm.ranking_report(measured(count), f"make {count}")
    made.page.render()
    return made


class Evaluated:
    """An evaluation, saved over another one of other systems."""

    def before(self, folder):
        measured(2).save(folder / "found")
        measured(4)

    def work(self, folder, tell):
        measured(4).save(folder / "found")
        tell("done")

    def look(self, folder):
        found = lcm.Evaluation.load(folder / "found", bench(4))
        runs = {name: len(run) for name, run in found.runs.items()}
        return [list(map(str, found.measures)), runs, found.frame["value"].tolist()]

    allowed = staticmethod(all_or_none)


class Report(Evaluated):
    """A ranking report, saved over another one."""

    def before(self, folder):
        report(2).save(folder / "found")
        report(4)

    def work(self, folder, tell):
        report(4).save(folder / "found")
        tell("done")

    def look(self, folder):
        values = super().look(folder)
        page = (folder / "found" / "index.html").read_text()
        told = json.loads((folder / "found" / "manifest.json").read_text())["command"]
        assert told in page
        return [told, *values]


class Documented:
    """A report in sections, saved over another one."""

    def _made(self, count):
        rows = (("row", (Cell(f"{count}"),)),)
        section = Section("result", "Result", tables=(Grid(("what", "n"), rows),))
        data = {name: measured(count).frame for name in ("points", "costs")}
        return Document("speed", "How fast?", f"n = {count}.", (section,), f"make {count}", data)

    def before(self, folder):
        self._made(2).save(folder / "found")

    def work(self, folder, tell):
        self._made(4).save(folder / "found")
        tell("done")

    def look(self, folder):
        home = folder / "found"
        whole.settle(home)
        told = json.loads((home / "manifest.json").read_text())["command"]
        assert told in (home / "index.html").read_text()
        frames = [pd.read_parquet(home / f"{name}.parquet") for name in ("points", "costs")]
        assert frames[0].equals(frames[1])
        return [told, frames[0]["measure"].unique().tolist()]

    allowed = staticmethod(all_or_none)


class Labels:
    """Three questions, answered one after the other."""

    def _begun(self, folder):
        path = folder / "labels.csv"
        return lcm.label(lcm.Corpus(SAID), QUESTIONS, path, policies=[lcm.BM25(), lcm.TfIdf()])

    def before(self, folder):
        self._begun(folder).answer(1)

    def work(self, folder, tell):
        labels = self._begun(folder)
        while labels.left:
            tell(labels.answer(1).left)

    def look(self, folder):
        path = folder / "labels.csv"
        held = path.read_text() if path.exists() else ""
        self._begun(folder)
        return held.split("\n")

    def allowed(self, seen, first, last, told):
        whole = [last[: len(last) - 1 - n] for n in range(len(last))]
        groups = {line.split(",")[0] for line in seen[1:-1]}
        counts = [sum(line.startswith(f"{one},") for line in last) for one in groups]
        return seen[:-1] in whole and len(seen) - 2 == sum(counts) and len(groups) >= 1 + len(told)


class Embeddings:
    """Vectors of texts, kept."""

    def _shelf(self, folder):
        return Shelf(folder / "cache", "an encoder")

    def before(self, folder):
        self._shelf(folder).put(SAID[:1], np.ones((1, 8), np.float32))

    def work(self, folder, tell):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            texts = [f"{text} {i}" for text in SAID for i in range(300)]
            self._shelf(folder).put(texts, np.ones((len(texts), 8), np.float32))
        tell("done")

    def look(self, folder):
        texts = SAID[:1] + [f"{text} {i}" for text in SAID for i in range(300)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = self._shelf(folder).get(texts)
        assert found[0] is not None
        return sum(one is not None for one in found)

    allowed = staticmethod(all_or_none)


class Answers:
    """What a model answered, and what a summariser wrote, kept."""

    def _kept(self, folder):
        return Kept(str(folder / "cache"), "http://model", "chat", {"prompt": "why?"})

    def before(self, folder):
        pass

    def work(self, folder, tell):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self._kept(folder).put({"text": "since " * 2000})
        Cached(lcm.Lead(), str(folder / "cache"))(["Use WAL. It is faster. " * 400], 900)
        tell("done")

    def look(self, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = self._kept(folder).get()
        held = list((folder / "cache").glob("[!.]*.json"))
        assert all(json.loads(one.read_text(encoding="utf-8")) for one in held)
        return [found is not None, len(held)]

    def allowed(self, seen, first, last, told):
        return seen == last if told else seen in (first, [True, 1], last)


SCENES = {
    "import": Import(),
    "append": Append(),
    "compaction": Compaction(),
    "delete": Delete(),
    "new-store": NewStore(),
    "index": Index(),
    "new-index": NewIndex(),
    "collection": Saved(),
    "new-collection": NewCollection(),
    "generated": Generated(),
    "new-generated": NewGenerated(),
    "evaluation": Evaluated(),
    "report": Report(),
    "document": Documented(),
    "labels": Labels(),
    "embeddings": Embeddings(),
    "answers": Answers(),
}
