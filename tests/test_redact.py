"""Secrets found and left alone. The fakes are built from parts, so that no scanner trips."""

import json
import lzma
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcm_lab.redact import redact, redact_together

MIXED = "a1B2c3D4e5F6g7H8i9J0"
GITHUB = "gh" + "p_" + (MIXED * 2)[:36]
OPENAI = "sk" + "-proj-" + MIXED
ANTHROPIC = "sk" + "-ant-api03-" + MIXED
AWS = "AK" + "IA" + "ABCDEFGHIJ234567"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiIxIn0.c2ln-bmF0dXJl"
SLACK = "xo" + "xb-123456789012-" + MIXED
BEARER = "Authorization: Bea" + "rer " + MIXED
KEY_BODY = "MIIEpAIBAAKCAQEA" + MIXED
PEM = "\n".join(
    [
        "-----BEGIN RSA PRI" + "VATE KEY-----",
        KEY_BODY,
        KEY_BODY,
        "Ab1=",
        "-----END RSA PRI" + "VATE KEY-----",
    ]
)
SECRETS = {
    "github-token": GITHUB,
    "api-key": ANTHROPIC,
    "aws-key": AWS,
    "jwt": JWT,
    "slack-token": SLACK,
    "private-key": PEM,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(BEARER, "Authorization: Bearer [redacted:bearer-token]", id="SE-07"),
        pytest.param(f"a {PEM} b", "a [redacted:private-key] b", id="SE-07b"),
        pytest.param("password=hunter2-FAKE", "password=[redacted:password]", id="SE-07c"),
        ('{"password": "hunter2", "n": 1}', '{"password": "[redacted:password]", "n": 1}'),
        ("DB_PASSWORD='a b c'", "DB_PASSWORD='[redacted:password]'"),
        ("password: hunter2", "password: [redacted:password]"),
        ("PASSWORD=letmein", "PASSWORD=[redacted:password]"),
        ("login --password hunter2 now", "login --password [redacted:password] now"),
        ("postgres://bob:s3cr@db/x", "postgres://bob:[redacted:password]@db/x"),
        ("curl -u bob:pw http://x", "curl -u bob:[redacted:password] http://x"),
        (f"token = {MIXED}", "token = [redacted:secret]"),
        (f"?access_token={MIXED}&x=1", "?access_token=[redacted:secret]&x=1"),
        (f"X-Api-Key: {MIXED}", "X-Api-Key: [redacted:secret]"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted:bearer-token]"),
        (f"key {OPENAI}.", "key [redacted:api-key]."),
        (AWS, "[redacted:aws-key]"),
        (JWT, "[redacted:jwt]"),
        ("password: tiny", "password: [redacted:password]"),
        ('{"text": "my password: hunter"}', '{"text": "my password: [redacted:password]"}'),
        ("curl --token abcdefghijklmnopqrst -v", "curl --token [redacted:secret] -v"),
        (f"deploy --api-key={MIXED} now", "deploy --api-key=[redacted:secret] now"),
        (f"deploy --client-secret '{MIXED}'", "deploy --client-secret '[redacted:secret]'"),
        (f"https://a.b/cb?code={MIXED}&x=1", "https://a.b/cb?code=[redacted:secret]&x=1"),
        (f"GET /f?x=1&amp;sig={MIXED}%3D", "GET /f?x=1&amp;sig=[redacted:secret]"),
        ("card 4111 1111 1111 1111 cvv=123", "card 4111 1111 1111 1111 cvv=[redacted:card-code]"),
        ('{"cvc": "1234"}', '{"cvc": "[redacted:card-code]"}'),
        ("1234567:AA" + MIXED * 2, "[redacted:telegram-token]"),
        ("gs" + "k_abcdefghij", "[redacted:api-key]"),
        ("pp" + "lx-abcdefghijklmnop.", "[redacted:api-key]."),
        ("r" + "8_abcdefghijkl", "[redacted:api-key]"),
        ("s" + "k-abcd1234", "[redacted:api-key]"),
        ("xa" + f"pp-1-{MIXED}", "[redacted:slack-token]"),
        ("AI" + "za" + MIXED * 2, "[redacted:google-key]"),
        ("gh" + "s_" + MIXED * 6, "[redacted:github-token]"),
        ("shp" + "at_" + "a1b2c3d4" * 4, "[redacted:api-key]"),
        ("LT" + "AI" + MIXED, "[redacted:api-key]"),
        (
            f'h["Authorization"] = "token {MIXED}"',
            'h["Authorization"] = "token [redacted:bearer-token]"',
        ),
        (f'set("Authorization", "{MIXED}")', 'set("Authorization", "[redacted:bearer-token]")'),
    ],
)
def test_secrets_are_replaced_by_their_kind(text, expected):
    assert redact(text).text == expected


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("other", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("between", ["", " ", ",", "\n", '","', "&"])
def test_adjacent_secrets_are_both_gone(secret, other, between):
    left = redact(f"{secret}{between}{other}").text
    for one in (secret, other):
        for line in one.splitlines():
            assert line not in left or line == "Ab1="
        assert one[-12:] not in left


def test_secrets_inside_tool_arguments_are_found():
    """SE-07."""
    held = {"command": f'export API_KEY="{MIXED}"; cat <<X\n{PEM}\nX', "password": 'hunt"er2 x'}
    once = json.dumps(held)
    twice = json.dumps({"arguments": once})
    for text in (once, twice):
        left = redact(text).text
        assert MIXED not in left
        assert "hunt" not in left
        assert "er2" not in left


@pytest.mark.parametrize("cut", range(40, len(PEM) - 40, 7))
def test_half_a_private_key_is_still_a_secret(cut):
    for half in (PEM[:cut], PEM[cut:]):
        assert KEY_BODY[-12:] not in redact(f"log: {half} end").text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("0123456789abcdef0123456789abcdef01234567", id="SE-09"),
        pytest.param("550e8400-e29b-41d4-a716-446655440000", id="SE-09b"),
        pytest.param("dG9rZW4xMjM0", id="SE-09c"),
        pytest.param("sum_abc123def456", id="SE-09d"),
        pytest.param("token", id="SE-09e"),
        "12345678:550e8400-e29b-41d4-a716-446655440000",
        "the bearer of bad news forgot the password; the secret is out",
        "password: str = Field(), password=get_password(), api_key=config.api_key",
        "max_tokens=4096, tokens: 12, token_count=7",
        'os.environ["API_KEY"] api_key="$API_KEY" password=<password> token={token}',
        "sk-learn-based-classification-pipeline, docker -u 1000:1000 http://host:80/a@b",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by ann@example.org",
        "export ANTHROPIC_API_KEY=sk-ant-...",
        "API_KEY = 'YOUR_API_KEY_HERE'; apiKey: 'my_api_key', SECRET_KEY='your-secret-key'",
        "new WebClient('xoxb-your-slack-token'), postgres://{user}:{password}@{host}/x",
        'print("Password: ", password); input("Enter password: ")',
        "password: string; password=password, password: required",
        "if not password:\n    return None",
        "tests for passwords:\n\n#### Extended tests, and the API key:\n\n---",
        "hashed_password = argon2.hash_password(password)",
        'password=auth[1], secret_key = s3_server["key"], const apiKey = await keyFor(model)',
        'api_key = undefined set the variable to "undefined"',
        "div.sk-container sk-estimator gsk_render_node_draw hf_tokenizer_from_pretrained_model",
        '"Content-Type, Authorization",\n   101\u2192    },',
        'headers["Authorization"] = _basic_auth_str(name, password)',
        "/.well-known/oauth-authorization-server, and set the Authorization header 12345",
        "callback?code=1&state=2, search?key=PROJ-123, ?postcode=SW1A",
        "--token authentication, --max-token 4096, --password flag, --secret-file /run/a1b2c3d4",
        "PWD='/srv/dev/orders'",
    ],
)
def test_what_is_no_secret_stays_readable(text):
    found = redact(text)
    assert found.text == text
    assert found.found == Counter()


def test_what_was_found_is_counted():
    """SE-09: the redaction count is reported."""
    text = f"{GITHUB} {GITHUB}\npassword=hunter2-FAKE {PEM}"
    expected = Counter({"github-token": 2, "password": 1, "private-key": 1})
    assert redact(text).found == expected


SNIPPETS = st.sampled_from(
    [*SECRETS.values(), BEARER, "password=", "token:", '"', "\\", "word", "\n"]
)


@given(st.lists(SNIPPETS | st.text(st.characters(), max_size=6), max_size=8).map("".join))
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text)
    assert redact(once.text) == (once.text, Counter())
    for name in ("github-token", "aws-key", "private-key"):
        assert SECRETS[name] not in once.text


@given(st.text(st.characters(), max_size=30), st.text(st.characters(), max_size=30))
def test_text_around_a_secret_is_kept(before, after):
    whole = redact(f"{before}\n{AWS}\n{after}").text
    assert "\n[redacted:aws-key]\n" in whole


@pytest.mark.parametrize("secret", [*SECRETS.values(), BEARER, "password=hunter2-FAKE"])
@pytest.mark.parametrize("colour", ["\x1b[1m", "\x1b[0;32m", "\x1b[m", "\x1b[38;5;9m"])
def test_a_coloured_secret_is_found(secret, colour):
    assert redact(f"{colour}{secret}\x1b[0m").found == redact(secret).found


@pytest.mark.parametrize("quote", ["", '"', "'"])
def test_a_long_value_is_gone_to_its_end(quote):
    said = f"refresh_token={quote}{MIXED * 40}{quote}, and on"
    assert redact(said).text == f"refresh_token={quote}[redacted:secret]{quote}, and on"


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "A1", "password ", PEM[:32] + "\n", PEM[-30:], KEY_BODY + "\n", "://", "a:b@", "\\"),
        *("--token ", "&a-key=", "sk-a", "ghp_aB1", "--a-a-", 'password: ") ', 'Authorization", "'),
        *("cvv ", "1//0", "your-", "password: a\n", "&aaaa", "my-"),
        *('password="', 'token\\"', "authorization ", "bearer ", "aws key ", "-u ", "eyJa.", "[x"),
        "token=",
    ],
)
def test_long_texts_take_no_more_than_linear_time(unit):
    """A quadratic rule would take minutes here, and no clock is asked."""
    text = unit * (60_000 // len(unit))
    assert redact(redact(text).text).found == Counter()


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_that_two_pieces_of_a_message_share_is_gone_from_both(secret):
    for cut in range(1, len(secret), 5):
        pieces = [f"here: {secret[:cut]}", f"{secret[cut:]} and on"]
        first, second = redact_together(pieces)
        assert first.text.startswith("here: ")
        assert second.text.endswith(" and on")
        for left in range(len(secret) - 12):
            assert secret[left : left + 12] not in first.text + second.text


def test_the_middle_of_a_key_in_three_pieces_is_gone():
    lines = PEM.splitlines()
    made = redact_together(["\n".join(lines[:2]), lines[2], "\n".join(lines[3:])])
    assert [one.text for one in made] == ["[redacted:private-key]"] * 3


def test_pieces_that_share_no_secret_are_redacted_one_by_one():
    assert [one.text for one in redact_together(["password=", "Hello there", "token: "])] == [
        "password=",
        "Hello there",
        "token: ",
    ]
    assert redact_together([]) == []
    (one,) = redact_together([f"a {AWS}"])
    assert one == ("a [redacted:aws-key]", Counter({"aws-key": 1}))


@given(st.lists(SNIPPETS | st.text(st.characters(), max_size=6), max_size=6))
def test_together_finds_no_less_than_each_alone(texts):
    for alone, one in zip(map(redact, texts), redact_together(texts), strict=True):
        assert redact(one.text).found == Counter()
        assert one.found.total() >= (1 if alone.found else 0)


def test_real_chat_holds_no_false_secret(shared):
    chats = json.loads(lzma.decompress((shared / "locomo" / "locomo_dev.json.xz").read_bytes()))
    turns = [
        turn["text"]
        for chat in chats
        for name, session in chat["conversation"].items()
        if isinstance(session, list)
        for turn in session
        if name.startswith("session")
    ]
    assert len(turns) > 2000
    assert [turn for turn in turns if redact(turn).found] == []
