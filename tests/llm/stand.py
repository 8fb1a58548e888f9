"""A stand-in for a model's endpoint: a real HTTP server that behaves, or misbehaves as told."""

import json
import threading
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lcm_lab.llm import Endpoint


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict
    body: dict

    @property
    def system(self):
        return self.body["messages"][0]["content"]

    @property
    def user(self):
        return self.body["messages"][1]["content"]


@dataclass
class Answer:
    """What to answer; ``claims`` is the length that is announced, where it is not the real one."""

    body: object
    status: int = 200
    headers: dict = field(default_factory=dict)
    claims: int | None = None
    hangs: bool = False
    drips: bool = False

    @property
    def bytes(self):
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def said(text, finish="stop", usage=(10, 5), **message):
    """A chat completion."""
    body = {"choices": [{"message": {"content": text, **message}, "finish_reason": finish}]}
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
    return Answer(body)


def vectors(rows, usage=8):
    data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
    return Answer({"data": data, "usage": {"prompt_tokens": usage, "total_tokens": usage}})


class Stand:
    """The server: answers from a script, its last entry again and again; remembers requests."""

    def __init__(self):
        self.asked, self.script, self.released = [], [said("A summary.")], threading.Event()
        self.busy = self.busiest = 0
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def endpoint(self, **given):
        return Endpoint(self.url, **{"pause": 0.001, "timeout": 20.0, **given})

    def answers(self, *script: Answer | Callable):
        self.script = list(script)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def _next(self, asked):
        with self.lock:
            self.asked.append(asked)
            now = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return now if isinstance(now, Answer) else now(asked)

    def _handler(self):
        return type("Handler", (_Handler,), {"stand": self})

    @contextmanager
    def working(self):
        with self.lock:
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        try:
            yield
        finally:
            with self.lock:
                self.busy -= 1


class _Handler(BaseHTTPRequestHandler):
    stand: Stand

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        asked = Asked(self.path, dict(self.headers), json.loads(raw))
        with self.stand.working(), suppress(BrokenPipeError, ConnectionResetError):
            self.give(self.stand._next(asked))
        self.close_connection = True

    def give(self, answer):
        if answer.hangs:
            self.stand.released.wait()
            return
        self.send_response(answer.status)
        for name, content in answer.headers.items():
            self.send_header(name, content)
        length = len(answer.bytes) if answer.claims is None else answer.claims
        self.send_header("Content-Length", str(length))
        self.end_headers()
        while answer.drips and not self.stand.released.wait(0.02):
            self.wfile.write(b" ")
            self.wfile.flush()
        self.wfile.write(answer.bytes)

    def log_message(self, *words):
        pass
