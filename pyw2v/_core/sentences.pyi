"""Sentences that are Python objects to an encoded corpus."""

import os
from collections.abc import Callable, Iterable
from typing import Any, final

import numpy.typing as npt

from pyw2v._core.memory import Memory
from pyw2v._core.words import Words

@final
class SentenceEncoder:
    """Counts and encodes sentences that are Python objects."""

    def __init__(
        self, *, max_memory: int, folder: str | os.PathLike[str], keep_tokens: bool
    ) -> None: ...
    def add_sentences(
        self, sentences: Iterable[Any], progress: Callable[[int], object] | None = None
    ) -> None: ...
    def add_words(self, words: list[Any]) -> None: ...
    def add_integers(self, words: npt.NDArray[Any], lowest: int, highest: int) -> None: ...
    def add_ends(self, ends: npt.NDArray[Any]) -> None: ...
    def finish(self) -> tuple[Words, bytearray, Memory, Memory]: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...

def positions(words: Words, known: list[Any]) -> bytearray | None: ...
