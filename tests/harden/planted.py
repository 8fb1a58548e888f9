"""A history that holds a fake secret of every kind, wherever a history can hold one.

The fakes are put together from parts, so that no scanner takes this file for a leak.
"""

import json

from lcm_lab import Store, read
from lcm_lab.dag import Dag, Summary

MIXED = "a1B2c3D4e5F6g7H8i9J0"
BODY = "MIIEpAIBAAKCAQEA" + MIXED
#: What must be seen nowhere, and the words it stands in.
SECRETS = {
    "gh" + "p_" + (MIXED * 2)[:36]: "the token is {}",
    "github_" + "pat_11" + MIXED * 2: "clone with {} please",
    "glp" + "at-" + MIXED: "gitlab: {}",
    "sk" + "-proj-" + MIXED: "key {}.",
    "sk" + "-ant-api03-" + MIXED: "use {} here",
    "AK" + "IA" + "ABCDEFGHIJ234567": "aws {}",
    "AI" + "za" + (MIXED * 2)[:35]: "maps {}",
    "ya" + "29." + MIXED * 2: "oauth {}",
    "np" + "m_" + (MIXED * 2)[:36]: "publish {}",
    "h" + "f_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH": "weights {}",
    "xo" + "xb-123456789012-" + MIXED: "slack {}",
    "12345678:" + "AA" + MIXED * 2: "bot {}",
    "AGE-" + "SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L": "age {}",
    "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiIxIn0.c2ln": "cookie {} end",
    "Zm" + "9vOmJhcg1": "Authorization: Basic {}",
    "q" + MIXED + "q": "Authorization: Bearer {}",
    "hunter2-FAKE-7": "password={}",
    "correct horse FAKE": 'DB_PASSWORD="{}"',
    "s3cr-FAKE-uri": "postgres://bob:{}@db/x",
    "pw-FAKE-curl": "curl -u bob:{} http://x",
    "v" + MIXED + "v": "https://x.test/a?sig={}&n=1",
    "w" + MIXED + "w": "X-Api-Key: {}",
    "x" + MIXED * 30: "refresh_token={}",
    "y" + MIXED + "y": "run --api-key {} now",
    BODY: "-----BEGIN RSA PRI" + "VATE KEY-----\n{}\n-----END RSA PRI" + "VATE KEY-----",
}
SAID = {secret: words.format(secret) for secret, words in SECRETS.items()}
KEY = "agent:main:main"


def found_in(text):
    """List the secrets that a text shows, also as JSON or HTML writes them."""
    return sorted(secret for secret in SECRETS if secret in text)


def lines():
    """Give a Claude Code session: every secret said, thought, typed, called with and returned."""
    everything = " and ".join(SAID.values())
    first, *rest = SAID.values()
    base = {"sessionId": "s1", "cwd": f"/srv/{SAID['hunter2-FAKE-7']}", "version": "2.0.0"}
    base |= {"gitBranch": f"fix/{next(iter(SECRETS))}"}
    tool = {"type": "tool_use", "id": "t1", "name": "bash"}
    log = "\n".join(
        f"step {n} of the deploy: {one}" for n in range(200) for one in [*SAID.values()]
    )
    said = [
        ("user", "The billing service listens on port 5003, says the plan."),
        ("user", f"deploy the billing service: {everything}"),
        ("assistant", [{"type": "thinking", "thinking": f"deploy: {everything}"}]),
        ("assistant", [{"type": "text", "text": f"deploy with {first}"}]),
        ("assistant", [{**tool, "input": {"command": everything, "env": rest}}]),
        (
            "user",
            [{"type": "tool_result", "tool_use_id": "t1", "content": f"deploy: {everything}"}],
        ),
        ("assistant", [{**tool, "id": "t2", "input": {"command": "deploy log"}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "t2", "content": log}]),
        *(("user", f"deploy note {n}: {one}") for n, one in enumerate(SAID.values())),
        *(("assistant", f"deploy noted {n}: {one}") for n, one in enumerate(SAID.values())),
        ("user", "is the deploy of the billing service done?"),
        ("assistant", f"the deploy is done; {everything}"),
    ]
    parent = None
    yield {"type": "summary", "summary": f"Deploy {first}", "leafUuid": f"u{len(said) - 1}"}
    yield {"type": "custom-title", "customTitle": f"Deploy {first}", "sessionId": "s1"}
    for at, (role, content) in enumerate(said):
        me, parent = parent, f"u{at}"
        time = f"2026-03-01T10:{at:02}:00.000Z"
        message = {"role": role, "content": content}
        yield {**base, "type": role, "uuid": f"u{at}", "parentUuid": me, "timestamp": time} | {
            "message": message
        }


def plant(folder):
    """Write the transcript, and a store that holds it with a summary over it; gives both paths."""
    path, store = folder / "history" / "s1.jsonl", folder / "memory.db"
    path.parent.mkdir()
    broken = f'{{"type": "user", "message": "{SAID["hunter2-FAKE-7"]}'
    path.write_text("\n".join([*map(json.dumps, lines()), broken]) + "\n", encoding="utf-8")
    with Store(store) as held:
        held.add(read(path))
        dag = held.dag("s1")
        leaf = Summary.of(f"Deploy: {' and '.join(SAID.values())}", dag.messages[:6])
        rest = [one.id for one in dag.messages[6:]]
        held.put(Dag("s1", dag.messages, (leaf,), (leaf.id, *rest)))
    return path, store
