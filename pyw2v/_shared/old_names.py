"""What gensim 3 called things: the old spelling still works, with a DeprecationWarning."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def warn(old: str, new: str, stacklevel: int = 3) -> None:
    """Say what to write instead; the level is that of the user's line, seen from here."""
    warnings.warn(f"{old} is gensim 3's spelling: use {new}", DeprecationWarning, stacklevel)


def renamed(**new_names: str) -> Callable[[Function], Function]:
    """Let a function take arguments by their old names, too: `@renamed(size="vector_size")`."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old in new_names.keys() & kwargs.keys():
                new = new_names[old]
                if new in kwargs:
                    raise TypeError(f"{old} is the old name of {new}: give one of them, not both")
                warn(f"the argument {old}=", f"{new}=")
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]  # the same signature, seen from outside

    return decorate


class Vocab:
    """What is known of one word, as `wv.vocab[word]` gives it: `count`, `index`, `sample_int`."""

    def __init__(self, **kwargs: Any) -> None:
        self.count = 0
        self.__dict__.update(kwargs)

    def __lt__(self, other: Vocab) -> bool:
        return self.count < other.count

    def __repr__(self) -> str:
        items = (f"{name}:{value!r}" for name, value in sorted(self.__dict__.items()))
        return f"{type(self).__name__}({', '.join(items)})"


class VocabView(Mapping[Any, Vocab]):
    """`wv.vocab`: the words of vectors and what is known of them, looked up when read."""

    def __init__(self, vectors: Any) -> None:
        self._vectors = vectors

    def __getitem__(self, word: Any) -> Vocab:
        index = self._vectors.key_to_index[word]
        known = {name: values[index] for name, values in self._vectors.expandos.items()}
        return Vocab(index=index, **known)

    def __contains__(self, word: object) -> bool:
        return word in self._vectors.key_to_index

    def __iter__(self) -> Iterator[Any]:
        return iter(self._vectors.key_to_index)

    def __len__(self) -> int:
        return len(self._vectors.key_to_index)


class OldNames:
    """Attributes by their old names, of a class that lists them.

    `_old_names` maps an old name to the new one, to be shown and, unless the class has a method
    `_old_<name>`, to be looked up: dots lead from one attribute to the next.
    """

    _old_names: ClassVar[Mapping[str, str]] = {}

    def __getattr__(self, name: str) -> Any:
        new = self._old_names.get(name)
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)  # raises once more what led here
        if new is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        warn(f"{type(self).__name__}.{name}", new)
        special = getattr(type(self), f"_old_{name}", None)
        if special is not None:
            return special(self)
        return functools.reduce(getattr, new.split("."), self)
