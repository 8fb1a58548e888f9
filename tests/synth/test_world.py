"""The state machine: what holds when, and since which message."""

from dataclasses import replace
from datetime import datetime

from lcm_lab.synth.chat.friends import Friends, Person
from lcm_lab.synth.overlap import Overlap, stems
from lcm_lab.synth.world import Fact


def small_world():
    ada, ben = Person("Ada", "f"), Person("Ben", "m")
    starts = [datetime(2024, 1, day) for day in (1, 8, 15)]  # noqa: DTZ001
    world = Friends("c01", starts, speakers=(ada, ben), kin={"Ada": [], "Ben": []})
    car = Fact("", "slot", "car", "Ada", "Ada", "a Polo", 0, "money")
    for fact in (car, replace(car, value="a Jeep", session=2), replace(car, attribute="rent")):
        world.add(fact)
    return world


def test_the_newest_value_up_to_a_session_holds():
    world = small_world()
    slot = ("Ada", "car")
    assert [fact.value for fact in world.history(slot, 1)] == ["a Polo"]
    assert [fact.value for fact in world.history(slot, 2)] == ["a Polo", "a Jeep"]


def test_a_superseded_value_holds_until_the_next_is_told():
    world = small_world()
    first, second = datetime(2024, 1, 1, 9), datetime(2024, 1, 15, 9)  # noqa: DTZ001
    record = world.record([("c01-f001", "m1", first), ("c01-f002", "m9", second)])
    assert [(r["value"], r["valid_from"], r["valid_to"], r["sources"]) for r in record] == [
        ("a Polo", "2024-01-01T09:00:00Z", "2024-01-15T09:00:00Z", ["m1"]),
        ("a Jeep", "2024-01-15T09:00:00Z", None, ["m9"]),
    ]


def test_overlap_is_the_share_of_content_stems_and_counts_who_reaches_it():
    talk = Overlap(
        ["Ada: I have a car now", "Ben: cars, buying cars", "Ada: it rains", "Ben: a car"]
    )
    assert stems("Which car did Ada buy?") == {"car", "ada", "buy"}
    assert talk.of("Which car did Ada buy?", [0], 4) == (666, 1)
    assert talk.of("Which car did Ada buy?", [0], 1) == (666, 0)
    assert talk.of("Which tram?", [0], 4) == (0, 3)
    assert talk.of("Which car did Ada buy?", [], 4) == (666, 0)


def test_every_world_of_the_shipped_collection_is_consistent(world):
    for talk in world["conversations"].values():
        assert len(talk["speakers"]) == 2
        values = [f["value"] for f in talk["facts"] if f["kind"] in ("slot", "event", "code")]
        assert len(values) == len(set(values))
        for fact in talk["facts"]:
            assert fact["sources"]
            assert fact["valid_to"] is None or fact["valid_from"] < fact["valid_to"]


def test_scripts_without_spaces_share_pairs_of_characters_and_full_width_digits_are_digits():
    assert stems("Vera领养了什么宠物？") == {"vera", "领养", "养了", "了什", "什么", "么宠", "宠物"}
    assert stems("密码７３０４") == {"密码", "7304"}
    assert stems("비밀번호") == {"비밀", "밀번", "번호"}
    assert stems("cafe\u0301s") == stems("cafés")


def test_a_fact_lists_the_messages_that_repeat_its_value(built):
    for part in built.parts[:2]:
        texts = {message.docno: message.text for message in part.messages}
        facts = part.state()["facts"]
        assert any("repeats" in fact for fact in facts)
        for fact in facts:
            told = [*fact["sources"], *fact.get("repeats", ())]
            assert len(told) == len(set(told))
            if fact["kind"] in ("slot", "event", "code"):
                assert all(fact["value"].lower() in texts[docno].lower() for docno in told)


def test_a_question_is_asked_before_the_next_session_begins(built):
    for part in built.parts:
        starts = part.world.starts
        for topic in part.exam.topics:
            session = topic.case.asked
            assert topic.asked_at > starts[session]
            if session + 1 < len(starts):
                assert topic.asked_at < starts[session + 1]
