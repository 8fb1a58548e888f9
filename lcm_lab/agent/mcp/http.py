"""Serving MCP by streamable HTTP to clients on this machine."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Any

from lcm_lab.errors import BadParameter

if TYPE_CHECKING:
    from mcp.server import Server

__all__ = ["serve_http"]

HOST = "127.0.0.1"


def serve_http(made: Server[Any], port: int) -> None:
    """Serve until stopped; the SDK refuses requests that name another host or origin.

    Raises
    ------
    BadParameter
        For a port that cannot be had.
    """
    import uvicorn

    if isinstance(port, bool) or not 0 <= port <= 65_535:
        raise BadParameter(f"http is a port, from 0 (a free one) to 65535. Got {port!r}.")
    app = made.streamable_http_app(host=HOST)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind((HOST, port))
        except OSError as error:
            raise BadParameter(f"Cannot serve on port {port}: {error.strerror}.") from None
        held.listen()
        address = f"http://{HOST}:{held.getsockname()[1]}/mcp"
        sys.stderr.write(f"lcm-lab: serving at {address}; Ctrl-C stops it\n")
        sys.stderr.flush()
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[held])
