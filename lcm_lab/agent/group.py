"""How a command ends: what the library refuses is one line on stderr and exit code 2."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from lcm_lab.errors import LcmError
from lcm_lab.redact import redact
from lcm_lab.shown import one_line

__all__ = ["Plain", "say"]

#: What a command line that cannot be read raises; where typer keeps it depends on its version.
UsageError: Any = typer.BadParameter.__base__


class Plain(TyperGroup):
    """A group of commands that end without a traceback, whatever they were given."""

    def main(self, *args: Any, **named: Any) -> Any:
        """Read the command line and run it; what it printed has arrived when this returns."""
        if sys.stdout is None:
            _fail("Standard output is closed, so there is nowhere to print the result.")
        try:
            done = super().main(*args, **{**named, "standalone_mode": False})
            sys.stdout.flush()
        except UsageError as error:
            _misused(error)
        except LcmError as error:
            _fail(str(error))
        except OSError as error:
            _unwritten(error)
        return done

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("stopped")
            raise SystemExit(130) from None


def say(line: str) -> None:
    """Tell the person at the terminal something that is not the result."""
    typer.echo(f"lcm-lab: {line}", err=True)


def _misused(error: Any) -> NoReturn:
    told = error.format_message()
    if "\n" in told:  # no command at all: the message is the help
        typer.echo(told, err=True)
        raise SystemExit(2)
    where = error.ctx.command_path if error.ctx else "lcm-lab"
    told = told.replace("Value error, ", "")
    _fail(f"{told}{'' if told.endswith(('.', '?')) else '.'} See {where} --help.")


def _unwritten(error: OSError) -> NoReturn:
    if error.errno == errno.EPIPE:  # whoever was reading has had enough
        _forget_output()
        raise SystemExit(1) from None
    reason = error.strerror or str(error)
    if error.filename is None:
        _forget_output()
        _fail(f"Cannot write the result: {reason}.")
    _fail(f"{reason}: {str(error.filename)!r}.")


def _forget_output() -> None:
    """Send what is still held back nowhere: Python would try again when it exits, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> NoReturn:
    # One line that nothing in it acts on, whatever the message quotes: of the command, or of a
    # history.
    say(one_line(redact(message).text))
    raise SystemExit(2)
