"""Who may look at which session: every mode, caller and target, against rules written otherwise."""

import itertools
import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.agent.sessions.listed import Sessions
from lcm_lab.agent.sessions.tools import SessionTools
from lcm_lab.agent.sessions.visibility import AgentToAgent, Forbidden, Visibility
from lcm_lab.errors import BadParameter, NotFound
from lcm_lab.messages import Message, Part, Session
from lcm_lab.store.store import Store

#: The sessions there are: key, session id, and what spawned it (by key, or by session id).
THERE = [
    ("agent:main:main", "m0", ""),
    ("agent:main:telegram:group:7", "m1", ""),
    ("agent:main:subagent:s1", "m2", "agent:main:telegram:group:7"),
    ("agent:main:subagent:s2", "m3", "m0"),
    ("agent:main:subagent:s1:subagent:s3", "m4", "agent:main:subagent:s1"),
    ("agent:work:main", "w0", ""),
    ("agent:work:dashboard:x", "w1", ""),
    ("agent:work:acp:1", "w2", "m1"),
    ("agent:lab:main", "l0", ""),
    ("agent:main:dashboard:incognito-9", "i0", "agent:main:main"),
    ("", "u0", ""),
    ("", "u1", "u0"),
]
MODES = ("self", "tree", "agent", "all")
CALLERS = (
    "agent:main:main",
    "agent:main:telegram:group:7",
    "agent:main:subagent:s1",
    "agent:work:main",
    "agent:main:dashboard:incognito-9",
    "agent:main:not-there",
    "u0",
)
BETWEEN = (True, False, ("main", "work"), ("WO*",), ("*",), ("",), ("MAIN", "work"))
KEYS = [key or name for key, name, _ in THERE]
#: Keys that may be asked for and are not there.
ABSENT = ("agent:main:nope", "agent:work:nope", "agent:main:subagent:incognito-2", "nope")


def agent(key, caller="agent:main:main"):
    parts = key.split(":")
    if parts[0] == "agent" and len(parts) > 2:
        return parts[1]
    return "main" if key == caller else agent(caller)


def may(entry, name):
    """Tell whether an entry of agentToAgent.allow means an agent, by the library of patterns."""
    if not entry.strip():
        return False
    return fnmatchcase(name.lower(), entry.lower()) if "*" in entry else entry == name


def reach(mode, caller, between, sandboxed):
    """Give the keys that may be seen, as sets put together by what the documentation says."""
    hidden = {key for key in KEYS if re.search(r":incognito-", key)}
    ids = {caller} | {name for key, name, _ in THERE if key == caller}
    own = {key for key in KEYS if key == caller}
    spawned = {key or name for key, name, parent in THERE if parent in ids}
    mine = {key for key in KEYS if agent(key, caller) == agent(caller)}
    others = set()
    if between is not False:
        allow = () if between is True else between
        for key in set(KEYS) - mine:
            pair = (agent(key, caller), agent(caller))
            if not allow or all(any(may(one, name) for one in allow) for name in pair):
                others.add(key)
    is_main = caller == f"agent:{agent(caller)}:main"
    seen = {
        "self": own,
        "tree": own | spawned | (mine if is_main else set()),
        "agent": own | mine,
        "all": own | spawned | mine | others,
    }[mode]
    return (seen & (own | spawned) if sandboxed else seen) - hidden


@pytest.fixture(scope="module")
def store():
    made = Store(":memory:")
    for at, (key, name, parent) in enumerate(THERE):
        said = Message(f"x{at}", name, "user", (Part("text", f"the beacon of {name}"),), at)
        made.append(said, Session(name, key=key, parent=parent))
    return made


CASES = list(itertools.product(MODES, CALLERS, BETWEEN, (False, True)))


def policy(between):
    return AgentToAgent(between) if isinstance(between, bool) else AgentToAgent(True, between)


def tools(store, mode, caller, between, sandboxed):
    return SessionTools(store, caller, mode, between, sandboxed)


def test_every_mode_caller_and_target_is_decided_as_the_rules_say(store):
    frame = store.conversations()
    compared = 0
    for mode, caller, between, sandboxed in CASES:
        visible = Visibility(caller, mode, policy(between), sandboxed)
        seen = {one.key for one in Sessions(frame, visible).seen()}
        assert seen == reach(mode, caller, between, sandboxed), (mode, caller, between, sandboxed)
        compared += len(KEYS)
    assert compared == 4 * 7 * 7 * 2 * 12


def test_a_blind_search_finds_what_may_be_seen_and_nothing_else(store):
    for mode, caller, between, sandboxed in CASES[::11]:
        found = tools(store, mode, caller, between, sandboxed).sessions_search("beacon", limit=25)
        wanted = reach(mode, caller, between, sandboxed)
        assert {hit.key for hit in found.hits} == wanted
        assert found.scope.startswith(f"{len(wanted)} session")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("caller", CALLERS)
def test_a_session_that_is_named_opens_if_it_may_be_seen(store, mode, caller):
    asked = tools(store, mode, caller, ("main", "work"), False)
    seen = reach(mode, caller, ("main", "work"), False)
    for key in KEYS:
        if key in seen:
            assert len(asked.sessions_history(key).messages) == 1
        else:
            with pytest.raises((Forbidden, NotFound)):
                asked.sessions_history(key)
            with pytest.raises((Forbidden, NotFound)):
                asked.sessions_search("beacon", sessionKey=key)


def told(call, key):
    try:
        call(key)
    except (Forbidden, NotFound) as error:
        return type(error), str(error).replace(key, "KEY")
    return None


@pytest.mark.parametrize("mode", MODES[:3])
def test_a_refusal_does_not_tell_whether_there_is_such_a_session(store, mode):
    """SE-10: a hidden session and one that is not there get the same answer, but for its name."""
    caller = "agent:main:telegram:group:7"
    asked = tools(store, mode, caller, True, False)
    there, absent = "agent:lab:main", "agent:lab:nope"
    assert told(asked.sessions_history, there) == told(asked.sessions_history, absent)
    assert told(asked.sessions_history, "l0") == told(asked.sessions_history, "l9")
    assert told(asked.sessions_history, "l0")[0] is NotFound
    hidden, none = "agent:main:dashboard:incognito-9", "agent:main:dashboard:incognito-8"
    assert told(asked.sessions_history, hidden) == told(asked.sessions_history, none)
    if mode != "agent":
        there, absent = "agent:main:subagent:s2", "agent:main:subagent:s9"
        assert told(asked.sessions_history, there) == told(asked.sessions_history, absent)


def heard(call, **args):
    """Give all that an answer says, in words and in fields, or the refusal."""
    try:
        found = call(**args)
    except (Forbidden, NotFound, BadParameter) as error:
        return type(error), str(error)
    return found.to_text(), found.to_dict()


def without(hidden):
    """Give the store as it would be if some sessions had never been."""
    made = Store(":memory:")
    for at, (key, name, parent) in enumerate(THERE):
        if (key or name) not in hidden:
            said = Message(f"x{at}", name, "user", (Part("text", f"the beacon of {name}"),), at)
            made.append(said, Session(name, key=key, parent=parent))
    return made


def asking(hidden):
    """Give calls that aim at what is hidden, and some that only may come near it."""
    for query, how in itertools.product(("beacon w0", "zebra"), ("exact", "substring")):
        yield "sessions_search", {"query": query, "mode": how}
    for at, (key, name, _) in enumerate(THERE):
        if (key or name) in hidden:
            for said in {key or name, name, key.upper(), key[:-1] or "x"}:
                yield "sessions_search", {"query": "beacon", "sessionKey": said}
                yield "sessions_history", {"sessionKey": said}
            anchored = {"sessionKey": "current", "messageId": f"x{at}"}
            yield "sessions_history", anchored
            yield "sessions_history", {**anchored, "sessionId": name}


def leaves_no_trace(store, mode, caller, between, sandboxed):
    """Compare, byte for byte, with the answers of a store that never had what is hidden."""
    hidden = set(KEYS) - reach(mode, caller, between, sandboxed)
    asked = tools(store, mode, caller, between, sandboxed)
    other = tools(without(hidden), mode, caller, between, sandboxed)
    for tool, args in asking(hidden):
        ours, others = (heard(getattr(one, tool), **args) for one in (asked, other))
        assert ours == others, (mode, caller, between, sandboxed, tool, args)


@pytest.mark.parametrize(("mode", "sandboxed"), [("self", True), ("tree", False), ("agent", True)])
def test_what_may_not_be_seen_leaves_no_trace_in_any_answer(store, mode, sandboxed):
    """Texts, fields, counts and scores are those of a store without it."""
    leaves_no_trace(store, mode, CALLERS[1], True, sandboxed)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("caller", CALLERS)
def test_what_may_not_be_seen_leaves_no_trace_whoever_asks(store, mode, caller):
    for between, sandboxed in ((True, False), (("main", "work"), True)):
        leaves_no_trace(store, mode, caller, between, sandboxed)


def test_a_session_that_is_called_as_an_alias_is_reached_by_its_name():
    store = Store(":memory:")
    for name, key in (("main", ""), ("s1", "agent:main:main")):
        said = Message(f"of {name}", name, "user", (Part("text", "beacon"),), 1)
        store.append(said, Session(name, key=key))
    asked = SessionTools(store)
    assert [m.id for m in asked.sessions_history("main").messages] == ["of main"]
    assert [m.id for m in asked.sessions_history("current").messages] == ["of s1"]
    sandboxed = SessionTools(store, sandboxed=True)
    assert [m.id for m in sandboxed.sessions_history("main").messages] == ["of s1"]


def test_a_key_in_capitals_is_still_that_of_another_agent():
    assert not Visibility(mode="agent").allows("Agent:work:main")
    assert not Visibility(mode="all").allows("AGENT:main:dashboard:Incognito-1")


def test_what_does_not_exist_and_might_be_seen_is_not_found(store):
    asked = tools(store, "all", "agent:main:main", True, False)
    for key in ABSENT:
        kind = Forbidden if "incognito" in key else NotFound
        assert told(asked.sessions_history, key)[0] is kind


@pytest.mark.parametrize("mode", MODES)
def test_incognito_is_never_seen_even_by_itself(store, mode):
    key = "agent:main:dashboard:incognito-9"
    asked = tools(store, mode, key, True, False)
    assert key not in {hit.key for hit in asked.sessions_search("beacon", limit=25).hits}
    with pytest.raises(Forbidden, match="incognito"):
        asked.sessions_history("current")


def test_a_sandbox_never_shows_more_and_a_wider_mode_never_less():
    for caller, between, owned, key in itertools.product(CALLERS, BETWEEN, (False, True), KEYS):
        can = {
            (mode, box): Visibility(caller, mode, policy(between), box).allows(key, owned=owned)
            for mode in MODES
            for box in (False, True)
        }
        for mode in MODES:
            assert can[mode, True] <= can[mode, False]
        for box in (False, True):
            assert can["self", box] <= can["tree", box] <= can["all", box]
            assert can["self", box] <= can["agent", box] <= can["all", box]


@given(
    st.text("aAb*", max_size=8),
    st.text("aAb", max_size=8),
)
def test_patterns_of_agents_match_as_patterns_of_names_do(entry, name):
    assert AgentToAgent(allow=(entry,)).permits(name, name) == may(entry, name)


def test_a_pattern_of_many_stars_takes_no_time():
    assert not AgentToAgent(allow=("*a" * 5_000 + "b",)).permits("a" * 5_000, "a" * 5_000)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda s: SessionTools(s, visibility="everyone"), "visibility is one of self, tree"),
        (lambda s: SessionTools(s, visibility="al"), "Did you mean 'all'"),
        (lambda s: SessionTools(s, caller=" "), "caller is the key"),
        (lambda s: SessionTools(s, caller=7), "caller is the key"),
        (lambda s: SessionTools(s, agent_to_agent="main"), "agent_to_agent is True, False, or"),
        (lambda s: SessionTools(s, agent_to_agent=[7]), "allow lists agents"),
        (lambda s: SessionTools(s, sandboxed="no"), "sandboxed is True or False"),
        (lambda s: SessionTools(s, semantic="BM25"), "semantic is a policy"),
        (lambda s: SessionTools(s, search="BM25"), "search is a policy"),
        (lambda s: SessionTools("memory.db"), "stand on a Store"),
        (lambda _: AgentToAgent("yes"), "enabled is True or False"),
        (lambda _: Visibility(agent_to_agent=True), "agent_to_agent is an AgentToAgent"),
    ],
)
def test_settings_that_cannot_be_are_refused_when_they_are_made(store, made, says):
    with pytest.raises(BadParameter, match=re.escape(says)):
        made(store)


def test_what_was_made_prints_as_it_is_written():
    made = Visibility("agent:work:main", "tree", AgentToAgent(allow=("main", "wo*")), True)
    assert eval(repr(made)) == made
