"""One request over HTTP: bounded in time and size, its key shown to nobody else, no redirects."""

from __future__ import annotations

import importlib
import json
import math
import time
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from lcm_lab.errors import MissingExtra
from lcm_lab.llm.endpoint import Endpoint, secret
from lcm_lab.llm.failures import Trouble
from lcm_lab.redact import redact
from lcm_lab.shown import cut, one_line

__all__ = ["Wire", "asked_to_wait"]

#: Bytes of an answer, at most.
MOST = 1 << 26
#: Statuses after which the same request may succeed; every 5xx is one too.
AGAIN = (408, 409, 425, 429)
#: What is asked for is plain: a few bytes that are packed twice unpack to more than memory holds.
HEAD = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
#: What an answer with status 429 says when waiting will not help.
EXHAUSTED = ("insufficient_quota", "billing_hard_limit_reached")
#: Keys shorter than this are no secret ("none", "ollama"), and may stand in a text by chance.
SECRET = 12
#: Of an endpoint's own words about what went wrong, so many characters are shown.
SHOWN = 300


class Wire:
    """A connection to an endpoint, for one question and its tries; use it in a ``with``."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        secret(endpoint)  # what is missing is said before anything is sent
        self._http = _client_library()
        self._client = self._http.Client(
            timeout=endpoint.timeout,
            trust_env=not endpoint.local,
            follow_redirects=False,
            auth=self._signed,
            verify=_certificates(),
        )

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def post(self, route: str, body: bytes) -> Any:
        """Send JSON, and give the JSON that is answered.

        Raises
        ------
        Trouble
            For anything else than an answer of JSON.
        """
        trouble, status, said, headers = self._sent(route, body)
        if trouble is not None:  # raised here, where no exception holds the request and its key
            raise trouble
        text = self._without_key(said.decode("utf-8", "replace"))
        if not 200 <= status < 300:
            raise _refused(status, text, headers)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            trouble = Trouble(f"an answer that is no JSON: {_shown(text)}")
        raise trouble

    def _sent(self, route: str, body: bytes) -> tuple[Trouble | None, int, bytes, dict[str, str]]:
        http, end = self._http, time.monotonic() + self.endpoint.timeout
        nothing: tuple[int, bytes, dict[str, str]] = (0, b"", {})
        late = f"no answer within {self.endpoint.timeout:g} s"
        url = f"{self.endpoint.base_url}/{route}"
        try:
            with self._client.stream("POST", url, content=body, headers=HEAD) as answer:
                said = bytearray()
                for chunk in answer.iter_raw():
                    said += chunk
                    if len(said) > MOST:
                        return Trouble(f"an answer of more than {MOST:,} bytes"), *nothing
                    if time.monotonic() > end:
                        return Trouble(late), *nothing
                packed = answer.headers.get("content-encoding", "identity")
                if packed != "identity":
                    return Trouble(f"an answer packed as {_shown(packed)}, unasked"), *nothing
                return None, answer.status_code, bytes(said), dict(answer.headers)
        except http.TimeoutException as error:
            return Trouble(late, billed=not isinstance(error, http.ConnectTimeout)), *nothing
        except (http.RequestError, http.InvalidURL) as error:
            made = not isinstance(error, http.ConnectError)
            what = "a connection that broke" if made else "no connection"
            why = f"{what} ({self._without_key(_shown(str(error)))})"
            return Trouble(why, billed=made), *nothing

    def _signed(self, request: Any) -> Any:
        """Write the key into a request as it leaves, so that nothing else holds it."""
        key = secret(self.endpoint)
        if key is not None:
            request.headers["Authorization"] = f"Bearer {key}"
        return request

    def _without_key(self, text: str) -> str:
        """Take the key out of what an endpoint says, which may repeat it."""
        key = secret(self.endpoint)
        return text.replace(key, "[redacted:key]") if key and len(key) >= SECRET else text


def asked_to_wait(headers: dict[str, str]) -> float | None:
    """Read how long an endpoint asks to wait, in seconds; None where it does not say.

    A date counts from the date of the answer itself, so no clock has to be right.

    Examples
    --------
    >>> asked_to_wait({"retry-after": "2"}), asked_to_wait({"retry-after": "soon"})
    (2.0, None)
    >>> asked_to_wait({"retry-after": "Fri, 01 May 2026 10:00:09 GMT",
    ...                "date": "Fri, 01 May 2026 10:00:00 GMT"})
    9.0
    """
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            found = float(headers[name]) * scale
        except (KeyError, ValueError):
            continue
        return max(0.0, found) if math.isfinite(found) else None
    try:
        until, now = (parsedate_to_datetime(headers[name]) for name in ("retry-after", "date"))
        return max(0.0, (until - now).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None


def _refused(status: int, text: str, headers: dict[str, str]) -> Trouble:
    if 300 <= status < 400:
        where = _host(headers.get("location", ""))
        return Trouble(
            f"HTTP {status}, a redirect to {where}, which is not followed: the key goes "
            "nowhere else",
            again=False,
            billed=False,
        )
    again = (status in AGAIN or status >= 500) and not any(word in text for word in EXHAUSTED)
    return Trouble(
        f"HTTP {status}: {_reason(text)}", again=again, billed=False, wait=asked_to_wait(headers)
    )


def _host(address: str) -> str:
    try:
        parts = urlsplit(address)
        return _shown(f"{parts.scheme}://{parts.hostname}") if parts.hostname else "elsewhere"
    except ValueError:
        return "elsewhere"


def _reason(text: str) -> str:
    """Give an endpoint's own words, where it has some."""
    try:
        found: Any = json.loads(text)
        error = found.get("error", found)
        said = error.get("message", error) if isinstance(error, dict) else error
    except (ValueError, AttributeError, RecursionError):
        said = text
    return _shown(str(said)) or "no reason given"


def _shown(text: str) -> str:
    return cut(one_line(redact(text).text), SHOWN)


def _client_library() -> Any:
    try:
        return importlib.import_module("httpx2")
    except ModuleNotFoundError:
        raise MissingExtra("A model's endpoint needs httpx2: pip install 'lcm-lab[llm]'.") from None


@lru_cache(maxsize=1)
def _certificates() -> Any:
    """Read the certificates that are trusted once, which takes longer than a request."""
    return _client_library().create_ssl_context()
