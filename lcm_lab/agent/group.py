"""How a command ends: what the library refuses is one line on stderr and exit code 2."""

from __future__ import annotations

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from lcm_lab.errors import LcmError

__all__ = ["Plain", "say"]


class Plain(TyperGroup):
    """A group of commands that end without a traceback, whatever they were given."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except LcmError as error:
            _fail(str(error))
        except OSError as error:
            if error.filename is None:
                raise
            _fail(f"{error.strerror}: {str(error.filename)!r}.")
        except KeyboardInterrupt:
            say("stopped")
            raise SystemExit(130) from None


def say(line: str) -> None:
    """Tell the person at the terminal something that is not the result."""
    typer.echo(f"lcm-lab: {line}", err=True)


def _fail(message: str) -> NoReturn:
    # One line, whatever the message quotes.
    say(" ".join(message.split()))
    raise SystemExit(2)
