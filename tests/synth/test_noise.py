"""Noise: as much as was asked for, never in what an answer rests on."""

import unicodedata
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.synth.draw import Draw
from lcm_lab.synth.message import Message
from lcm_lab.synth.noise import Noise, noisy

START = datetime(2024, 3, 1, 12)  # noqa: DTZ001


def messages(text, count=400):
    return [
        Message(f"c/s1/{i}", 0, "Ada", START + timedelta(minutes=i), text) for i in range(count)
    ]


def typed(text, level=30, keep=(), **more):
    noise = Noise(level, keep, lambda _: True, **more)
    return noisy(messages(text), noise, Draw("noise", text))


def test_about_as_many_words_are_mistyped_as_asked_for():
    text = "yesterday evening nobody wanted another helping of potatoes"
    for level in (30, 200):
        found = [m.text.split() for m in typed(text, level)]
        long = [(a, b) for words in found for a, b in zip(text.split(), words, strict=True)]
        share = sum(a != b for a, b in long) / len([a for a, _ in long if len(a) > 3])
        assert 0.8 * level <= 1000 * share <= 1.2 * level


def test_values_names_numbers_and_codes_are_never_mistyped():
    text = "Tilda wrote that 4417 AB-CD34 src/some/path.py belongs to salted caramel"
    for message in typed(text, 300, keep=["salted caramel"]):
        for kept in ("Tilda", "4417", "AB-CD34", "src/some/path.py", "salted caramel"):
            assert kept in message.text


def test_what_no_person_types_stays_as_it_is():
    noise = Noise(300, (), lambda message: message.role == "user", emoji=True)
    said = messages("nothing should ever change here, whatever happens")
    assert [m.text for m in noisy(said, noise, Draw(1))] == [m.text for m in said]


def test_no_noise_changes_nothing():
    said = messages("nothing should ever change here")
    assert noisy(said, Noise(0, (), lambda _: True, emoji=True), Draw(1)) == said


def test_some_letters_come_decomposed_and_mean_the_same():
    found = {message.text for message in typed("café 서울", keep=["café 서울"])}
    assert found == {"café 서울", unicodedata.normalize("NFD", "café 서울")}


@given(st.text(max_size=60), st.integers(1, 300), st.integers(0, 99))
def test_any_text_keeps_its_words_in_number_and_order_of_time(text, level, seed):
    said = messages(text, 5)
    found = noisy(said, Noise(level, (), lambda _: True), Draw(seed))
    assert [len(m.text.split()) for m in found] == [len(m.text.split()) for m in said]
    assert [m.docno for m in found] == [m.docno for m in said]
    assert all(
        abs(a.time - b.time) <= timedelta(seconds=70) for a, b in zip(found, said, strict=True)
    )
