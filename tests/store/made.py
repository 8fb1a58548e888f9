"""Messages that the tests of the store are about, and all that a store holds, to be compared."""

from lcm_lab.messages import Message, Part

MINUTE = 60_000_000
START = 1_767_225_600_000_000
#: What differs between stores of the same history: where and when it came in, and row numbers.
IMPORT = ("source", "line", "imported", "number")


def said(text, name="", time=None, session="s1", role="user", **more):
    return Message(name, session, role, (Part("text", text),), time, **more)


def history(count, session="s1"):
    return [
        said(f"message {i}", f"u{i}", START + i * MINUTE, session, ("user", "assistant")[i % 2])
        for i in range(count)
    ]


def talk():
    call = (
        Part("reasoning", "where is it?"),
        Part("text", "I look."),
        Part("tool_call", "Read\nfile_path: settings.py", name="Read", call="c1"),
    )
    result = (Part("tool_result", "timeout = 30", call="c1"),)
    at = [START + i * MINUTE for i in range(4)]
    return [
        Message("t1", "s1", "user", (Part("text", "What is the timeout?"),), at[0]),
        Message("t2", "s1", "assistant", call, at[1], parent="t1"),
        Message("t3", "s1", "tool", result, at[2], parent="t2"),
        Message("t4", "s1", "assistant", (Part("text", "30 seconds."),), at[3], parent="t3"),
    ]


#: Everything by what it is, not by the number of its row.
VIEWS = {
    "conversations": "select * from conversations",
    "messages": """
        select c.name as conversation, s.name as session, m.* from messages m
        join conversations c on c.number = m.conversation join sessions s on s.number = m.session
    """,
    "parts": "select m.id, p.* from parts p join messages m on m.number = p.message",
    "docs": "select m.id, d.* from docs d join messages m on m.number = d.message",
    "summaries": "select * from summaries",
    "frontier": """
        select f.ordinal, coalesce(m.id, s.id) as id from frontier f
        left join messages m on m.number = f.message left join summaries s on s.number = f.summary
    """,
    "files": "select * from files",
}
REFERENCES = ("conversation", "session", "message")


def dump(store):
    found = {}
    for name, query in VIEWS.items():
        cursor = store.connection.execute(query)
        names = [column[0] for column in cursor.description]
        rows = [
            tuple(
                item
                for at, (key, item) in enumerate(zip(names, row, strict=True))
                if key not in IMPORT and (key not in REFERENCES or isinstance(item, str))
            )
            for row in cursor
        ]
        found[name] = sorted(rows, key=repr)
    return found
