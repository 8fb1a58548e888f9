"""What the laws are tried on: texts that no one writes, and values of every type."""

from hypothesis import strategies as st

#: Scripts, symbols of every query language that is near, controls, and halves of characters.
PIECES = (
    *("Postgres", "retry backoff", "the", "What", "don't", "getUserName", "src/app.py", "OPS-417"),
    *("缓存", "東京都", "かな", "ไทย", "한국어", "שלום", "مرحبا", "naïve", "e\u0301", "ﬁ①", "ß"),
    *("\U0001f6b2", "👩\u200d👩\u200d👧", "\ufeff", "\ufffd", "\u202e", "\u2028", "\x85", "\u200b"),
    *("\x00", "\x1b[2J", "\x07", "\r\n", "\t", "\x7f", "\x1c", "\ud800", "\udc88", "\ud83d\ude00"),
    *("AND", "OR", "NOT", "NEAR/3", "^", "*", '"', "'", "“", "(", ")", "[", "]", "{", "}", "|"),
    *(
        "\\",
        "$",
        "?",
        "+",
        ".",
        "-",
        "--",
        ";",
        "%",
        "_",
        ":",
        "/",
        "~",
        "#",
        "<",
        ">",
        "&",
        "=",
        "@",
    ),
    *(
        "\\d+",
        "(a+)+$",
        "(?i)",
        "[a-",
        "a{9999}",
        "\\1",
        "(?=x)",
        ".*" * 20,
        "text:",
        "-1",
        "1e999",
    ),
    *("NaN", "inf", "0x1F", "٣", "m1", "sum_0123456789abcdef", "file_0123456789abcdef", "c1", "s1"),
    *("2026-02-30", "2026-03-01T10:00:00Z", "9999-12-31", "0000-00-00", "7D", "-7D", "UTC", "null"),
)
characters = st.characters(exclude_categories=())
pieces = st.sampled_from(PIECES) | st.text(characters, max_size=6)
texts = st.lists(pieces, max_size=10).flatmap(
    lambda some: st.sampled_from(["", " ", "\n"]).map(lambda by: by.join(some))
)
#: Up to some megabytes.
long_texts = st.tuples(texts, st.sampled_from([50, 3_000, 60_000])).map(
    lambda both: (both[0] * both[1])[:3_000_000]
)

numbers = (
    st.integers()
    | st.sampled_from([0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**400])
    | st.floats()
    | st.booleans()
)
scalars = st.none() | numbers | texts
#: What JSON can hold, and NaN besides.
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)
#: What Python can hold.
values = (
    json_values
    | st.binary(max_size=8)
    | st.sampled_from([(), set(), object, print, 1j, b"\xff", range(3), Ellipsis])
    | st.lists(texts, max_size=6)
)
depth = st.sampled_from([3, 90, 400, 1_500])
deep = st.tuples(depth, st.booleans()).map(lambda how: nested(*how))


def nested(depth, listed):
    """Give a value that lies so deep in others."""
    value = "deep"
    for _ in range(depth):
        value = [value] if listed else {"content": value}
    return value


class Damaged(bytes):
    """Bytes that are told of in short."""

    def __repr__(self):
        return f"{bytes(self[:400])!r} and so on, {len(self):,} bytes"


@st.composite
def damaged(draw, data):
    """Give bytes with some of them flipped, cut out, repeated, put in or cut off."""
    held = bytes(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(held) - 1, 0)))
        size = draw(st.sampled_from([1, 1, 2, 8, 64, 512, 4096]))
        before, some, after = held[:at], held[at : at + size], held[at + size :]
        new = {
            "flip": bytes(byte ^ 1 << at % 8 for byte in some[:1]) + some[1:],
            "set": draw(st.binary(min_size=1, max_size=1)) + some[1:],
            "out": b"",
            "in": draw(st.binary(max_size=16)) + some,
            "twice": some + some,
            "zero": bytes(len(some)),
        }
        how = draw(st.sampled_from(["flip", "flip", *new, "cut"]))
        held = before if how == "cut" else before + new[how] + after
    return Damaged(held)
