"""Small histories as transcripts: what was said, called and returned, a minute apart."""

from lcm_lab.messages import Message, Part

MINUTE = 60_000_000


def history(*texts, session="s1", role="user", start=0):
    """Messages of text, a minute apart."""
    return tuple(
        Message(f"{session}-{i}", session, role, (Part("text", text),), (start + i) * MINUTE)
        for i, text in enumerate(texts)
    )


def talk(*turns, session="s1", start=0):
    """Messages of several kinds, a minute apart.

    A turn is (role, text), ("call", tool, arguments), ("text+call", text, tool, arguments) or
    ("result", output); a result is of the call before it.
    """
    made, calls = [], 0
    for i, (what, *rest) in enumerate(turns):
        if what == "result":
            role, parts = "tool", (Part("tool_result", rest[0], call=f"{session}-call{calls}"),)
        elif what in ("call", "text+call"):
            calls += 1
            *said, tool, given = rest
            text = f"{tool}\n" + "\n".join(f"{name}: {item}" for name, item in given.items())
            call = Part("tool_call", text, name=tool, call=f"{session}-call{calls}")
            role, parts = "assistant", (*(Part("text", one) for one in said), call)
        else:
            role, parts = what, (Part("text", rest[0]),)
        made.append(Message(f"{session}-{i}", session, role, parts, (start + i) * MINUTE))
    return tuple(made)
