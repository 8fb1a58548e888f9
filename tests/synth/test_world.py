"""The state machine: what holds when, and since which message."""

from dataclasses import replace
from datetime import datetime

from lcm_lab.synth.overlap import Overlap, stems
from lcm_lab.synth.world import Fact, Person, World


def small_world():
    ada, ben = Person("Ada", "f"), Person("Ben", "m")
    starts = [datetime(2024, 1, day) for day in (1, 8, 15)]  # noqa: DTZ001
    world = World("c01", (ada, ben), {"Ada": [], "Ben": []}, [], starts)
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
