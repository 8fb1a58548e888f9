import pickle

import pytest

from lcm_lab.errors import BadParameter
from lcm_lab.ranking.lexical.words import BM25
from lcm_lab.values import Named, starred, value, variants, varies, vary


@value
class Decay:
    half_life: str
    floor: float = 0.5
    parts: tuple = ()

    def check(self):
        if not 0 <= self.floor <= 1:
            raise BadParameter(f"floor must be between 0 and 1. Got {self.floor!r}.")


def test_repr_shows_what_must_be_given_and_what_is_not_the_default():
    assert repr(Decay("7D")) == "Decay('7D')"
    assert repr(Decay("7D", 0.5)) == "Decay('7D')"
    assert repr(Decay("7D", 0.1, (1, 2))) == "Decay('7D', floor=0.1, parts=(1, 2))"


def test_repr_keeps_apart_values_that_are_equal_but_of_other_types():
    @value
    class Flag:
        on: bool = True

    assert repr(Flag(1)) == "Flag(on=1)"


def test_a_value_is_equal_hashes_and_pickles_by_its_fields():
    assert Decay("7D", floor=0.1) == Decay("7D", 0.1)
    assert len({Decay("7D"), Decay("7D", 0.5)}) == 1
    assert pickle.loads(pickle.dumps(Decay("7D", 0.1))) == Decay("7D", 0.1)


def test_a_value_cannot_be_changed():
    with pytest.raises(AttributeError):
        Decay("7D").floor = 0.9


def test_lists_become_tuples_so_that_values_hash():
    assert hash(Decay("7D", parts=[1, 2])) == hash(Decay("7D", parts=(1, 2)))


def test_a_value_is_checked_when_it_is_made():
    with pytest.raises(BadParameter, match=r"between 0 and 1\. Got 2"):
        Decay("7D", 2)


def test_a_value_with_vary_in_it_is_checked_when_it_becomes_plain():
    family = Decay("7D", vary(0.5, 2))
    assert varies(family)
    with pytest.raises(BadParameter, match="Got 2"):
        variants(family)


def test_variants_are_the_product_of_all_choices_the_last_fastest():
    family = Decay(vary("7D", "30D"), vary(0.1, 0.2), (1, vary("a", "b")))
    listed = variants(family)
    assert len(listed) == 8
    assert listed[0] == Decay("7D", 0.1, (1, "a"))
    assert listed[1] == Decay("7D", 0.1, (1, "b"))
    assert listed[-1] == Decay("30D", 0.2, (1, "b"))


def test_a_choice_may_itself_hold_a_choice():
    assert variants(vary(1, vary(2, 3))) == [1, 2, 3]


def test_vary_without_options_is_refused():
    with pytest.raises(BadParameter, match="nothing to choose from"):
        vary()


def test_the_name_of_a_named_callable_is_its_identity():
    assert Named("double", lambda x: 2 * x) == Named("double", lambda x: x + x)
    assert Named("a", len) != Named("b", len)
    assert Named("double", lambda x: 2 * x)(4) == 8


def test_a_starred_field_prints_its_items_one_by_one():
    @value
    class Pair:
        items: tuple = starred()
        k: int = 60

    assert repr(Pair((1, 2), k=5)) == "Pair(1, 2, k=5)"


def test_a_field_that_hides_a_method_is_refused_when_the_class_is_made():
    class Base:
        def score(self):
            return 1

    with pytest.raises(BadParameter, match=r"Derived\.score hides a method"):

        @value
        class Derived(Base):
            score: float = 1.0


def test_a_field_that_may_change_is_refused_by_name():
    with pytest.raises(BadParameter, match=r"BM25: analyzer has no hash.*Got \{\}"):
        BM25(analyzer={})
