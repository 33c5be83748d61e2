"""Readers beside writers: a query sees an object as it was before a write or after it.

For objects that have a `_guard`:

- what changes the object is in `with self._guard`, or a method that is decorated with `writing`;
- a method that reads several things, or one that changes in place, is decorated with `consistent`;
- what follows from the rest and is stored when first needed is stored with the guard's lock.
"""

import functools
from collections.abc import Callable
from typing import Any, Self, TypeVar

from pyw2v._core.guard import Guard

Method = TypeVar("Method", bound=Callable[..., Any])


class Guarded:
    """Has a guard of its own from the start; copies and unpickled objects get new ones."""

    # Not in vars(), where programs expect gensim's attributes alone.
    __slots__ = ("_guard",)
    _guard: Guard

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Make the guard, also for those that never call __init__."""
        made = super().__new__(cls)
        made._guard = Guard()
        return made

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._guard = Guard()  # old protocols of pickle do not call __new__
        self.__dict__.update(state)


def consistent(method: Method) -> Method:
    """Make a method read one state of its object, by calling it again after a write.

    The second time writers have to wait. An argument that can be read only once, such as a
    generator, must have become a list before.
    """

    @functools.wraps(method)
    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        guard: Guard = self._guard
        begun = guard.number
        if not begun & 1:
            try:
                result = method(self, *args, **kwargs)
            except Exception:
                if guard.number == begun:
                    raise
            else:
                if guard.number == begun:
                    return result
        with guard.lock:
            return method(self, *args, **kwargs)

    return read  # type: ignore[return-value]  # the same signature, seen from outside


def locked(method: Method) -> Method:
    """Make a method that reads for long, such as into a file, do so once: writers wait."""

    @functools.wraps(method)
    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._guard.lock:
            return method(self, *args, **kwargs)

    return read  # type: ignore[return-value]  # the same signature, seen from outside


def writing(method: Method) -> Method:
    """Make a method one write: readers see all that it changes, or nothing."""

    @functools.wraps(method)
    def write(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._guard:
            return method(self, *args, **kwargs)

    return write  # type: ignore[return-value]  # the same signature, seen from outside
