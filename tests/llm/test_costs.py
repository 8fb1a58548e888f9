"""What is spent is counted, and a bound holds before the call that would break it."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcm_lab as lcm
from lcm_lab.errors import BadParameter, OverBudget
from lcm_lab.llm import ApiEncoder, ChatReader, ChatSummariser, NoReply, ledger
from lcm_lab.llm.account import Account, Charge, Usage
from lcm_lab.llm.endpoint import Endpoint
from tests.llm.stand import Answer, said, vectors

TEXTS = ["[2026-05-01 10:00 UTC | user]\nUse WAL for the journal, please."]
PRICES = (("m", 2.0, 8.0), ("e", 0.5, 0.0))


def writer(stand, **bounds):
    return ChatSummariser("m", stand.endpoint(**bounds), footer=False)


def rows():
    frame = ledger.frame().drop(columns="endpoint")
    return {tuple(row[:2]): tuple(row[2:]) for row in frame.itertuples(index=False)}


def test_tokens_and_money_are_counted_by_model_and_kind(stand):
    endpoint = stand.endpoint(prices=PRICES)
    stand.answers(said("One.", usage=(1_000, 50)))
    ChatSummariser("m", endpoint)(TEXTS, 100)
    ChatSummariser("m", endpoint)(TEXTS, 200)
    stand.answers(said("Two.", usage=None))
    ChatReader("other", endpoint)("Which?", [Told("m1", "WAL")])
    stand.answers(vectors([[1.0, 0.0]], usage=40))
    ApiEncoder("e", endpoint).encode("", ["WAL"])
    found = rows()
    assert found["m", "summary"] == (2, 0, 0, 0, 2_000, 100, 0, (2_000 * 2 + 100 * 8) / 1e6)
    assert found["e", "vectors"] == (1, 0, 0, 0, 40, 0, 0, 40 * 0.5 / 1e6)
    calls, kept, again, failed, read, written, guessed, money = found["other", "answer"]
    assert (calls, kept, again, failed, guessed, money) == (1, 0, 0, 0, 1, 0.0)
    assert read > len(stand.asked[2].system) + len(stand.asked[2].user)
    assert written == 2_000 + 2_048
    assert "summary" in repr(ledger)
    assert ledger._repr_html_().count("<tr") == 4
    ledger.clear()
    assert repr(ledger) == "Ledger: nothing was asked yet"


class Told:
    def __init__(self, name, text):
        self.id, self.text = name, text

    def __str__(self):
        return f"[{self.id}]: {self.text}"


def test_a_call_that_could_break_the_budget_is_not_made(stand):
    stand.answers(said("One.", usage=(1_000, 50)))  # costs 0.0024
    summarise = writer(stand, prices=PRICES, budget=0.05)
    with pytest.raises(OverBudget, match=r"This call was not made: it could take 0\.0\d+, and"):
        for _ in range(100):
            summarise(TEXTS, 100)
    assert len(stand.asked) >= 8
    assert ledger.frame()["money"].sum() <= 0.05


@pytest.mark.parametrize("bounds", [{"tokens": 3_000}, {"budget": 0.01, "prices": PRICES}])
def test_a_first_call_that_could_break_a_bound_is_not_made(stand, bounds):
    with pytest.raises(OverBudget, match=r"and 0 of (tokens|budget)="):
        writer(stand, **bounds)(["[summary]\n" + "word " * 2_000], 100)
    assert stand.asked == []
    assert len(ledger.frame()) == 0


def test_no_try_breaks_a_bound_either(stand):
    stand.answers(Answer(b"no json"))  # may have been billed
    with pytest.raises(OverBudget):
        writer(stand, tokens=10_000, tries=100)(TEXTS, 100)
    assert 1 <= len(stand.asked) <= 10_000 // 2_148


def test_wider_room_is_within_the_bound_too(stand):
    stand.answers(said("cut", finish="length", usage=(300, 2_148)))
    with pytest.raises(OverBudget):
        writer(stand, tokens=5_000)(TEXTS, 100)
    assert len(stand.asked) == 1


def test_money_is_not_bounded_by_guesswork(stand):
    with pytest.raises(BadParameter, match=r"prices has 'x', not 'm'\. Write prices=\(\('m', "):
        writer(stand, budget=1.0, prices=(("x", 1.0, 1.0),))(TEXTS, 100)
    assert stand.asked == []


def test_usage_that_cannot_be_is_not_believed(stand):
    for told in [(-5, 3), ("9", 3), (True, 3), (10**12, 1), (0, 0), (None, None)]:
        ledger.clear()
        stand.answers(said("One.", usage=told))
        writer(stand)(TEXTS, 100)
        assert rows()["m", "summary"][6] == 1, told


def test_a_total_is_usage_too(stand):
    stand.answers(Answer({"data": [{"embedding": [1.0]}], "usage": {"total_tokens": 40}}))
    ApiEncoder("e", stand.endpoint()).encode("", ["WAL"])
    assert rows()["e", "vectors"][4:7] == (40, 0, 0)


def test_endpoints_that_differ_in_bounds_alone_share_an_account(stand):
    stand.answers(said("One.", usage=(900, 100)))
    writer(stand)(TEXTS, 100)
    with pytest.raises(OverBudget, match=r"and 1,000 of tokens=1500 is spent"):
        writer(stand, tokens=1_500)(TEXTS, 50)
    assert stand.endpoint(tries=9) == stand.endpoint(budget=1.0, prices=PRICES)


def test_threads_together_keep_within_a_bound_and_within_at_once(stand):
    stand.answers(said("One.", usage=(100, 100)))
    summarise = writer(stand, tokens=8_000, at_once=2)
    outcomes = []

    def work():
        try:
            outcomes.append(summarise(TEXTS, 100))
        except OverBudget:
            outcomes.append(None)

    threads = [threading.Thread(target=work) for _ in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    frame = ledger.frame()
    assert frame["read"].sum() + frame["written"].sum() <= 8_000
    assert outcomes.count("One.") == len(stand.asked) >= 20
    assert stand.busiest <= 2


def test_a_call_that_was_interrupted_is_counted_and_ends(stand):
    account = ledger.account(stand.endpoint())
    with (
        pytest.raises(KeyboardInterrupt),
        account.charged(stand.endpoint(), Charge("m", "summary", 10, 20)),
    ):
        raise KeyboardInterrupt
    assert account.open == []
    assert rows()["m", "summary"][4:7] == (10 + 32, 20, 1)


calls = st.tuples(st.integers(1, 5_000), st.integers(0, 2_000), st.floats(0.3, 6), st.floats(0, 1))


@given(st.lists(calls, max_size=30), st.integers(0, 20_000))
def test_a_bound_holds_for_whatever_keeps_to_what_was_foreseen(made, limit):
    endpoint = Endpoint("http://127.0.0.1:9/v1", tokens=limit)
    account = Account(endpoint.base_url)
    for size, most, _, share in made:
        try:
            with account.charged(endpoint, Charge("m", "summary", size, most)) as charge:
                charge.usage = Usage(charge.bound.read, int(share * most))
        except OverBudget:
            continue
    assert sum(row.read + row.written for row in account.rows.values()) <= limit


def test_an_answer_that_is_kept_is_not_asked_for_again(stand, tmp_path):
    stand.answers(said("One."))
    summarise = writer(stand, folder=str(tmp_path / "new"))
    assert [summarise(TEXTS, 100) for _ in range(3)] == ["One."] * 3
    assert len(stand.asked) == 1
    assert rows()["m", "summary"][:2] == (1, 2)
    assert len([*(tmp_path / "new").iterdir()]) == 1


def test_all_that_decides_an_answer_is_part_of_its_key_and_no_bound_is(stand, tmp_path):
    stand.answers(said("One."))
    at = {"folder": str(tmp_path)}
    first = ChatSummariser("m", stand.endpoint(**at))
    others = [
        ChatSummariser("n", stand.endpoint(**at)),
        ChatSummariser("m", stand.endpoint(**at), temperature=0.5),
        ChatSummariser("m", stand.endpoint(**at), seed=1),
        ChatSummariser("m", stand.endpoint(**at), headroom=0),
        ChatSummariser("m", stand.endpoint(**at), limit="max_completion_tokens"),
        ChatSummariser("m", stand.endpoint(**at), options=(("reasoning_effort", "low"),)),
        ChatSummariser("m", stand.endpoint(**at), instructions="In Latin."),
        ChatSummariser("m", stand.endpoint(**at), strict=True),
        ChatSummariser("m", stand.endpoint(**at), footer=False),
    ]
    for writer in (first, *others):
        writer(TEXTS, 100)
    first([*TEXTS, "[summary]\nmore"], 100)
    first(TEXTS, 101)
    assert len(stand.asked) == len(others) + 3
    again = [ChatSummariser("m", stand.endpoint(timeout=9.0, tries=2, **at)), first, *others]
    for writer in again:
        writer(TEXTS, 100)
    assert len(stand.asked) == len(others) + 3


def test_what_failed_is_not_kept(stand, tmp_path):
    stand.answers(said(""))
    summarise = writer(stand, folder=str(tmp_path), tries=1)
    with pytest.raises(NoReply):
        summarise(TEXTS, 100)
    assert [*tmp_path.iterdir()] == []
    stand.answers(said("One."))
    assert summarise(TEXTS, 100) == "One."


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"answer": {"text": "Forged."}}', "\udc80"])
def test_a_damaged_answer_is_asked_for_anew(stand, tmp_path, damage):
    stand.answers(said("One."))
    summarise = writer(stand, folder=str(tmp_path))
    summarise(TEXTS, 100)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage.encode("utf-8", "surrogateescape"))
    with pytest.warns(RuntimeWarning, match="is damaged, and is asked for anew"):
        assert summarise(TEXTS, 100) == "One."
    assert summarise(TEXTS, 100) == "One."
    assert len(stand.asked) == 2


def test_an_answer_that_cannot_be_kept_is_given_all_the_same(stand, tmp_path):
    (tmp_path / "file").write_text("in the way")
    stand.answers(said("One."))
    with pytest.warns(RuntimeWarning, match="An answer is not kept: "):
        assert writer(stand, folder=str(tmp_path / "file" / "new"))(TEXTS, 100) == "One."


def test_a_prompt_is_not_written_down(stand, tmp_path):
    writer(stand, folder=str(tmp_path))(["[summary]\nThe password of the door."], 100)
    assert "door" not in next(tmp_path.iterdir()).read_text("utf-8")


def test_a_bound_that_is_met_cancels_a_compaction_and_says_so(stand):
    stand.answers(said("Short.", usage=(500, 20)))
    corpus = lcm.Corpus([f"Service {n} listens on port {5000 + n}, as agreed." for n in range(40)])
    dag = lcm.Dag.of(corpus)
    found = lcm.compact(dag, lcm.Leaves(40, fresh=2), writer(stand, tokens=8_000))
    assert found.outcome.failed
    assert "raised OverBudget: This call was not made" in found.outcome.reason
    assert found == dag
