"""Tools: the schema says what the method takes, and the method takes nothing else."""

from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcm_lab.agent.schema import ASKED, Between, tool, tools_of
from lcm_lab.errors import BadParameter


class Tools:
    """Two tools, and a method that is none."""

    @tool
    def find(
        self,
        query: Annotated[str | list[str], Between(2, 5)],
        mode: Literal["vector", "text"] = "text",
        limit: Annotated[int, Between(1, 50)] = 10,
        after: str | None = None,
        everywhere: bool = False,
        fileIds: list[str] | None = None,
        timeoutMs: Annotated[int, Between(1, 600_000), ASKED] = 150_000,
    ) -> str:
        """Find what was said.

        Hits stand in order.

        Parameters
        ----------
        query : str or list of str
            One concept, or several
            that must all occur.
        mode : str
            How. More on it.
        limit, timeoutMs : int
            At most.

        Returns
        -------
        str
        """
        return f"{query} {mode} {limit} {after} {everywhere} {fileIds} {timeoutMs}"

    def other(self):
        """None of the tools."""

    @tool
    def read(self, path: str) -> str:
        """Read a file."""
        return path


FIND, READ = tools_of(Tools())


def test_the_schema_is_that_of_the_signature_and_the_docstring():
    assert (FIND.name, READ.name) == ("find", "read")
    assert FIND.description == "Find what was said.\n\nHits stand in order."
    assert FIND.schema == {
        "type": "object",
        "properties": {
            "query": {
                "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 5},
                ],
                "description": "One concept, or several that must all occur.",
            },
            "mode": {
                "type": "string",
                "enum": ["vector", "text"],
                "default": "text",
                "description": "How. More on it.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 50,
                "default": 10,
                "description": "At most.",
            },
            "after": {"type": "string"},
            "everywhere": {"type": "boolean", "default": False},
            "fileIds": {"type": "array", "items": {"type": "string"}},
            "timeoutMs": {
                "type": "integer",
                "minimum": 1,
                "maximum": 600_000,
                "default": 150_000,
                "description": "At most.",
            },
        },
        "required": ["query", "timeoutMs"],
        "additionalProperties": False,
    }


def test_what_is_allowed_arrives_as_it_was_given():
    assert Tools().find("a", "vector", everywhere=True) == "a vector 10 None True None 150000"
    assert Tools().find(["a", "b"], fileIds=["f"]).startswith("['a', 'b'] text 10 None False ['f']")
    assert Tools().find('["a","b"]').startswith('["a","b"] text')


def test_what_a_host_sends_as_null_counts_as_not_given():
    assert Tools().find("a", limit=None, after=None) == Tools().find("a")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "find needs query: One concept, or several that must all occur."),
        ({"query": None}, "find needs query: One concept, or several that must all occur."),
        ({"query": 3}, "find: query must be a text, or a list of texts, with 2 to 5. Got 3."),
        ({"query": ["a"]}, "query must be a text, or a list of texts, with 2 to 5. Got ['a']."),
        ({"query": ["a", 1]}, "query must be a text, or a list of texts, with 2 to 5."),
        ({"query": "a", "mode": "fuzzy"}, "mode must be one of 'vector', 'text'. Got 'fuzzy'."),
        ({"query": "a", "limit": 0}, "limit must be a whole number from 1 to 50. Got 0."),
        ({"query": "a", "limit": 51}, "limit must be a whole number from 1 to 50. Got 51."),
        ({"query": "a", "limit": "5"}, "limit must be a whole number from 1 to 50. Got '5'."),
        ({"query": "a", "limit": 2.5}, "limit must be a whole number from 1 to 50. Got 2.5."),
        ({"query": "a", "limit": True}, "limit must be a whole number from 1 to 50. Got True."),
        ({"query": "a", "limit": float("nan")}, "limit must be a whole number"),
        ({"query": "a", "limit": float("inf")}, "limit must be a whole number"),
        ({"query": "a", "everywhere": "yes"}, "everywhere must be true or false. Got 'yes'."),
        ({"query": "a", "after": 3}, "after must be a text. Got 3."),
        ({"query": "a", "limits": 3}, "find has no parameter 'limits'. It takes query, mode,"),
        ({"query": "a", "limits": 3}, "Did you mean 'limit'?"),
    ],
)
def test_what_is_not_allowed_is_refused_with_what_is(arguments, said):
    with pytest.raises(BadParameter) as refused:
        FIND.call(**arguments)
    assert said in str(refused.value)


def test_too_many_arguments_and_one_given_twice_are_refused():
    with pytest.raises(BadParameter, match="read takes 1 parameters"):
        Tools().read("a", "b")
    with pytest.raises(BadParameter, match="path is given twice"):
        Tools().read("a", path="b")


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*FIND.schema["properties"], "x"]), json, max_size=4))
def test_any_json_is_answered_or_refused_with_a_sentence(arguments):
    try:
        assert isinstance(FIND.call(**arguments), str)
    except BadParameter as refused:
        assert str(refused).startswith("find")


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from([*FIND.schema["properties"], "x"]), json, max_size=4))
def test_it_takes_what_a_json_schema_validator_takes(arguments):
    jsonschema = pytest.importorskip("jsonschema")
    valid = jsonschema.Draft202012Validator(FIND.schema | {"required": ["query"]}).is_valid
    given = {name: got for name, got in arguments.items() if got is not None}
    try:
        FIND.call(**arguments)
        assert valid(given)
    except BadParameter:
        assert not valid(given)
