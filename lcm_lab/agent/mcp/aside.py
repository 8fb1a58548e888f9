"""Calls beside the loop: a slow one blocks no other, and none keeps a process that is to end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio

__all__ = ["Aside"]

T = TypeVar("T")

#: How many calls run at once; more wait for their turn.
MOST = 16


class Aside:
    """Threads that die with the process.

    Those of anyio do not: a client that closed the input would wait for a call that it no longer
    wants. What runs here only reads, so nothing is lost with it.
    """

    def __init__(self, most: int = MOST) -> None:
        self._room = anyio.CapacityLimiter(most)

    async def run(self, call: Callable[[], T]) -> T:
        """Give what a call gives, or raise what it raises; if cancelled, it runs on unheard."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        place = object()
        await self._room.acquire_on_behalf_of(place)

        def settle(given: Callable[[], None]) -> None:
            self._room.release_on_behalf_of(place)
            if not answer.done():
                given()

        def work() -> None:
            try:
                value = call()
            except BaseException as error:
                given = _with(answer.set_exception, error)
            else:
                given = _with(answer.set_result, value)
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(settle, given)

        threading.Thread(target=work, name="tool", daemon=True).start()
        return await answer


def _with(setter: Callable[[T], None], value: T) -> Callable[[], None]:
    return lambda: setter(value)
