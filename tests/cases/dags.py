"""Dags that the cases are about, and what an audit finds."""

import lcm_lab as lcm
from lcm_lab.dag import Summary

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


def broken(database):
    """Give what the audit finds, by rule."""
    found = lcm.audit(database)
    some = found[found["violations"] > 0]
    return dict(zip(some["rule"], some["examples"], strict=True))


def tower():
    """Eight messages, pairs of them under leaves, pairs of those under two, and one on top."""
    said = [
        lcm.Message(f"m{i}", "2", "user", (lcm.Part("text", f"{FAMILY} word {i} " * 8),))
        for i in range(8)
    ]
    dag = lcm.Dag.of(said)
    level = said
    while len(level) > 1:
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        made = [Summary.of(f"of {pair[0].id} {FAMILY}", pair) for pair in pairs]
        for (first, last), summary in zip(pairs, made, strict=True):
            dag = dag.replace(first.id, last.id, summary)
        level = made
    return dag
