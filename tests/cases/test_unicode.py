"""Scripts, forms and code points, group B of the bug reports: an id names the report."""

import json
import locale
import unicodedata

import pandas as pd
import pytest

import lcm_lab as lcm
from lcm_lab.agent.lcm.grep.snippet import of_words
from lcm_lab.agent.lcm.grep.words import Asked as Question
from lcm_lab.shown import cut
from tests.cases.ways import SORTS, Asked, command

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
JANUARY, MARCH = 1_767_225_600_000_000, 1_772_323_200_000_000
#: Ways that rank by nearness of meaning, where what has no word of the question may come too.
NEAR = ("hybrid", "Recommended", "OpenClawMemory", "EpisodicMemory", "lcm_grep relevance")
#: No stop words, no two with one stem in either language, as long as each other in letters.
WORDS = {"errors": "ошибка", "builds": "сборка", "server": "сервер", "lunch": "обеды"}


def leading(found, count):
    return {name: sorted(ids[:count]) for name, ids in found.items()}


def test_any_part_of_a_han_text_is_found(tmp_path):
    """CU-01: of two characters too, without a trigram index."""
    asked = Asked(tmp_path, "lunch", "今天上午讨论了缓存方案和上线时间")
    ways = dict(asked.ways())
    for query in ("缓存", "缓存方案", "上线"):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, "m2")
        assert [hit.id for hit in asked.grep(query, allConversations=True).hits] == ["m2"]
        found = asked.sessions(query, mode="substring")
        assert [hit.message for hit in found.hits] == ["m2"]


def test_scripts_are_parted_where_they_meet(tmp_path):
    """CU-03."""
    ways = dict(Asked(tmp_path, "lunch", "已更新nginx配置").ways())
    for query in ("nginx", "配置", "nginx 配置"):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, "m2")


@pytest.mark.parametrize("text", ["forêt parser", "한글 문서"])
def test_composed_and_decomposed_forms_are_found_by_either(tmp_path, text):
    """CU-05: in every mode, and what is shown is what is stored."""
    forms = [unicodedata.normalize(form, text) for form in ("NFD", "NFC")]
    asked = Asked(tmp_path, *forms, "lunch")
    ways, both = dict(asked.ways()), ["m1", "m2"]
    for form in forms:
        word = form.split()[0]
        for query in (form, word, f'"{form}"'):
            found = {name: ask(query) for name, ask in ways.items()}
            assert leading(found, 2) == dict.fromkeys(ways, both)
        hits = asked.grep(word, allConversations=True).hits
        assert {hit.id: hit.snippet for hit in hits} == dict(zip(both, forms, strict=True))
        phrase = lcm.Phrase().fit(asked.corpus)(f'"{form}"')
        assert phrase["docno"].tolist() == both
        substrings = asked.sessions(word, mode="substring")
        assert sorted(hit.message for hit in substrings.hits) == both
        exactly = asked.episodic(word, mode="text")
        assert {hit.found.exchange.user for hit in exactly.hits} == set(forms)


def test_compatibility_forms_are_folded(tmp_path):
    """CU-06."""
    ways = dict(Asked(tmp_path, "zebra", "ＡＰＩ４２ is down", "ﬁle lost").ways())
    for query, wanted in (("API42", "m2"), ("file", "m3")):
        assert {name: ask(query)[0] for name, ask in ways.items()} == dict.fromkeys(ways, wanted)


def test_case_is_folded_and_no_locale_changes_it(tmp_path):
    """CU-07: that ß is ss too is said of the analyzer, not of SQLite's."""
    before = locale.setlocale(locale.LC_ALL)
    found = {}
    try:
        for name in ("C", "tr_TR.UTF-8", "tr_TR.utf8"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            (folder := tmp_path / name).mkdir()
            asked = Asked(folder, "zebra", "İzmir gezisi", "STRASSE 5", "straße 5")
            ways = dict(asked.ways())
            for query in ("izmir", "İzmir"):
                told = {way: ask(query)[0] for way, ask in ways.items()}
                assert told == dict.fromkeys(ways, "m2")
            found[name] = {way: ask("strasse") for way, ask in ways.items()}
    finally:
        locale.setlocale(locale.LC_ALL, before)
    assert all(told == found["C"] for told in found.values())
    for way, ids in found["C"].items():
        assert "m3" in ids[:2], way
    assert set(found["C"]["BM25"]) == set(found["C"]["lcm_grep recency"]) == {"m3", "m4"}


def test_half_a_character_hinders_nothing(tmp_path):
    """CU-08: it becomes U+FFFD, from the file to the report."""
    lines = ['{"role":"user","content":"dump \\udc88 end"}', '{"role":"user","content":"lunch"}']
    lines.append('{"role":"user","content":"a \\ud83c\\udf78 it is"}')
    (tmp_path / "s.jsonl").write_text("\n".join(lines) + "\n")
    told = lcm.read(tmp_path / "s.jsonl")
    assert [one.text for one in told] == ["dump \ufffd end", "lunch", "a \U0001f378 it is"]
    with lcm.Store(tmp_path / "memory.db") as store:
        store.add(told)
        corpus = store.corpus()
        assert (corpus.numpy("tokens") > 0).all()
        for question in ("dump", "end", "dump \udc88 end"):
            for policy in (lcm.BM25(), lcm.FTS5(), lcm.Phrase(), lcm.Substring(), lcm.Dense()):
                assert policy.fit(corpus)(question)["text"].iloc[0] == "dump \ufffd end"
            for mode in ("full_text", "regex"):
                (hit,) = lcm.LcmTools(store).lcm_grep(question, mode=mode).hits[:1]
                assert hit.snippet == "dump \ufffd end"
    topics = pd.DataFrame({"qid": ["q1"], "query": ["dump \ufffd end"]})
    qrels = pd.DataFrame({"qid": ["q1"], "docno": [corpus["docno"][0]], "relevance": [1]})
    bench = lcm.Collection("half", corpus, topics, qrels)
    result = lcm.evaluate([lcm.BM25() % 5], on=bench, measures=[lcm.measures.RR])
    assert result.frame["value"].tolist() == [1.0]
    result.save(tmp_path / "saved")
    lcm.ranking_report(result).save(tmp_path / "report")
    for page in (tmp_path / "report").glob("*.html"):
        assert "\ufffd" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("limit", range(25, 46))
def test_a_cut_keeps_an_emoji_of_several_code_points_whole_or_leaves_it_out(limit):
    """CU-09."""
    shown = cut(f"{'a' * 30}{FAMILY}{'b' * 30}", limit)
    assert len(shown) <= limit
    assert shown.rstrip("b") in ("a" * min(limit, 30), f"{'a' * 30}{FAMILY}")
    assert json.loads(json.dumps(shown.encode().decode())) == shown


def test_a_snippet_keeps_an_emoji_whole_wherever_it_is_cut(tmp_path):
    """CU-09, of tools: what each cuts around a word, the emoji at every place near its edges."""

    def whole(shown):
        assert not any(one in shown.replace(FAMILY, "") for one in FAMILY)
        assert json.loads(json.dumps(shown.encode().decode())) == shown

    for before in range(400):
        text = f"{'a' * before} needle {FAMILY} {'b' * 400}"
        whole(of_words(text, Question.of("needle").pieces))
    rows = [f"needle {'b' * k}{FAMILY}{'b' * 300}" for k in range(195, 219)]
    rows += [f"{'b' * 300}{FAMILY}{'b' * k} needle" for k in range(68, 92)]
    asked = Asked(tmp_path, *rows)
    for hit in asked.sessions("needle", limit=25).hits:
        whole(hit.snippet)
    whole(asked.sessions("needle", limit=25).to_text())
    whole(asked.grep("needle", allConversations=True).to_text())
    whole(asked.episodic("needle", limit=50).to_text())
    whole(command("search", "needle", "--on", asked.path, "--k", 48)[1])


def test_letters_are_counted_not_bytes(tmp_path):
    """CU-10: the same history in two scripts is ranked alike.

    `Recommended` fades by tokens, of which a Russian word has more.
    """
    said = ["{lunch}", "{errors} {builds} {lunch}", "{builds} {server}", "{errors} {builds}"]
    said += ["{server} " * 90 + "{errors}", "{lunch} {lunch} {errors}"]
    found = []
    for script in ({word: word for word in WORDS}, WORDS):
        (folder := tmp_path / script["errors"]).mkdir()
        asked = Asked(folder, *(text.format(**script) for text in said))
        found.append(asked.found(f"{script['errors']} {script['builds']}"))
    alike = [way for way in found[0] if not way.startswith(("Recommended", "lcm_grep"))]
    assert [found[0][way] for way in alike] == [found[1][way] for way in alike]
    assert [ids[0] for ids in found[0].values()] == [ids[0] for ids in found[1].values()]
    assert {len(cut(word * 100, 50)) for word in WORDS.values()} == {50}


def test_han_text_obeys_the_sort_as_latin_does(tmp_path):
    """CU-11: what goes by nearness of meaning has no sort."""
    found = []
    for word in ("缓存", "cache "):
        (folder := tmp_path / word.strip()).mkdir()
        asked = Asked(
            folder,
            {"text": f"{word * 3}".strip(), "time": JANUARY},
            {"text": word.strip(), "time": MARCH},
        )
        found.append(asked.found(word.strip(), commands=word == "缓存"))
    for way in ("LosslessClaw recency", "lcm_grep recency", "lcm-lab grep"):
        assert found[0][way] == ["m2", "m1"]
    for way, ids in found[1].items():
        assert way in NEAR or found[0][way] == ids, way
    for sort in SORTS:
        assert found[0][f"lcm_grep {sort}"] == found[1][f"lcm_grep {sort}"]
