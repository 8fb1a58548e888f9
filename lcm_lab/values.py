"""Values: frozen dataclasses whose repr is the expression that makes them.

Equality, hashing, pickling, grids, cache keys, table headers and logs all follow from that one
decision. State never enters a value.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, dataclass_transform, runtime_checkable

from lcm_lab.errors import BadParameter

__all__ = [
    "Named", "Vary", "parts", "settle", "spelled", "starred", "value", "variants", "varies", "vary"
]  # fmt: skip

T = TypeVar("T")

Operator = Callable[[Any, Any], Any]


@runtime_checkable
class _Expression(Protocol):
    def _expression(self) -> tuple[str, int]: ...


#: How tightly an expression binds; a call is an atom. The numbers follow Python's grammar.
THEN, PLUS, TIMES, ATOM = 1, 2, 3, 9


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def value(cls: type[T]) -> type[T]:
    """Make a class a value: frozen, equal by its fields, printed as the expression that makes it.

    Lists become tuples. A method ``check(self)`` is called once, when the value is made, unless a
    field still stands for several (`vary`); a frozen value can be wrong only once.

    Examples
    --------
    >>> @value
    ... class Decay:
    ...     half_life: str
    ...     floor: float = 0.5
    >>> Decay("7D", floor=0.1)
    Decay('7D', floor=0.1)
    >>> Decay("7D", 0.5) == Decay("7D")
    True
    """
    for name in inspect.get_annotations(cls):
        if callable(getattr(super(cls, cls), name, None)):
            raise BadParameter(f"{cls.__name__}.{name} hides a method. Rename the field.")
    own_init = "__init__" in cls.__dict__
    if "__repr__" not in cls.__dict__:
        cls.__repr__ = _repr  # type: ignore[method-assign]
    if not own_init:
        cls.__post_init__ = settle  # type: ignore[attr-defined]
    return dataclasses.dataclass(frozen=True, repr=False, init=not own_init)(cls)


def starred() -> Any:
    """Mark the field that holds a value's positional arguments, printed one by one."""
    return dataclasses.field(default=(), metadata={"star": True})


def settle(self: Any) -> None:
    """Freeze the fields of a value just made, and check them; an ``__init__`` ends with it."""
    for field in dataclasses.fields(self):
        now = getattr(self, field.name)
        if isinstance(now, list):
            object.__setattr__(self, field.name, tuple(now))
        _require_fixed(self, field.name)
    if hasattr(self, "check") and not varies(self):
        self.check()


def _require_fixed(self: Any, name: str) -> None:
    """Refuse a field that could change later: a value compares and hashes by its fields."""
    try:
        hash(getattr(self, name))
    except TypeError:
        who, got = type(self).__name__, f"{getattr(self, name)!r:.80}"
        raise BadParameter(f"{who}: {name} has no hash, so it may change. Got {got}.") from None


def _repr(self: Any) -> str:
    if isinstance(self, _Expression):
        return self._expression()[0]
    shown = []
    for field in dataclasses.fields(self):
        now = getattr(self, field.name)
        if field.metadata.get("star"):
            shown += [repr(item) for item in now]
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            shown.append(repr(now))
        elif field.default_factory is not dataclasses.MISSING:
            if now != field.default_factory():
                shown.append(f"{field.name}={now!r}")
        elif type(now) is not type(field.default) or now != field.default:
            shown.append(f"{field.name}={now!r}")
    return f"{type(self).__name__}({', '.join(shown)})"


def bracket(part: object, least: int, *, strictly: bool = False) -> str:
    """Print a part of an expression, in brackets if it binds too loosely to stand there bare."""
    text, binds = part._expression() if isinstance(part, _Expression) else (repr(part), ATOM)
    loose = binds <= least if strictly else binds < least
    return f"({text})" if loose else text


@dataclasses.dataclass(frozen=True, repr=False)
class Vary:
    """Several values in the place of one; see `vary`."""

    options: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"vary({', '.join(map(repr, self.options))})"

    def __mul__(self, other: Any) -> Any:
        return other.__rmul__(self) if hasattr(other, "__rmul__") else NotImplemented


def vary(*options: Any) -> Any:
    """Stand for several values where one is written; ``family.grid()`` lists the plain ones.

    Parameters
    ----------
    *options : values
        What could stand there, in the order in which a grid takes them.

    Examples
    --------
    >>> vary(0.1, 0.3)
    vary(0.1, 0.3)

    Raises
    ------
    BadParameter
        When there is nothing to choose from.
    """
    if not options:
        raise BadParameter("vary() has nothing to choose from. Write vary(0.1, 0.3).")
    return Vary(tuple(options))


@dataclasses.dataclass(frozen=True, repr=False)
class Named:
    """A callable whose name is its identity: `Named("my-encoder-v2", f)`.

    Two `Named` are equal when their names are, whatever they call; so change the name when the
    callable changes.

    Parameters
    ----------
    name : str
        What it is known by, printed as, and cached under.
    call : callable

    Examples
    --------
    >>> Named("double", lambda x: 2 * x)(4)
    8
    >>> Named("a", len) == Named("a", sum)
    True
    """

    name: str
    call: Callable[..., Any] = dataclasses.field(compare=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call what it names."""
        return self.call(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Named({self.name!r}, ...)"


def spelled(thing: object) -> str:
    """Print a value with every field, defaults too, which another version may have changed.

    Raises
    ------
    BadParameter
        For what prints as a place in memory, which no other process knows.
    """
    if isinstance(thing, tuple):
        return f"({', '.join(map(spelled, thing))})"
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        named = (field.name for field in dataclasses.fields(thing) if field.compare)
        inner = ", ".join(f"{name}={spelled(getattr(thing, name))}" for name in named)
        return f"{type(thing).__name__}({inner})"
    if callable(thing):
        raise BadParameter(
            f"{thing!r:.80} has no identity that another process would know. Give it a name: "
            'Named("my-model-v2", f).'
        )
    if type(thing).__repr__ is object.__repr__:
        raise BadParameter(
            f"{thing!r:.80} prints as a place in memory, so no other process would know it. "
            f"Make {type(thing).__name__} an @lcm.value."
        )
    return repr(thing)


def varies(thing: object) -> bool:
    """Tell whether a `vary` stands anywhere in a value."""
    return isinstance(thing, Vary) or any(varies(part) for part in parts(thing))


def variants(thing: Any) -> list[Any]:
    """List the plain values that a value with `vary` in it stands for, the last `vary` fastest.

    A class with a method ``_remake(fields)`` says itself how its values are made anew, so that what
    its rules flatten or refuse stays so.
    """
    if isinstance(thing, Vary):
        return [one for option in thing.options for one in variants(option)]
    if isinstance(thing, tuple):
        return list(itertools.product(*map(variants, thing)))
    if not varies(thing):
        return [thing]
    names = [field.name for field in dataclasses.fields(thing)]
    chosen = itertools.product(*(variants(getattr(thing, name)) for name in names))
    remake = getattr(thing, "_remake", lambda fields: dataclasses.replace(thing, **fields))
    return [remake(dict(zip(names, values, strict=True))) for values in chosen]


def parts(thing: object) -> tuple[Any, ...]:
    """Give what a value or a tuple is directly made of."""
    if isinstance(thing, tuple):
        return thing
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return tuple(getattr(thing, field.name) for field in dataclasses.fields(thing))
    return ()
