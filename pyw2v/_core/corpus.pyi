"""Sentences from files and from Python objects to an encoded corpus, in one pass."""

import os
from collections.abc import Callable, Iterable
from typing import Any, final

import numpy.typing as npt

@final
class Memory:
    """Bytes owned by the core, for NumPy to look at; freed with the last view of them."""

    @property
    def spilled(self) -> bool: ...
    def truncate(self, n_bytes: int) -> None: ...
    def __len__(self) -> int: ...

@final
class FileScanner:
    """Counts and encodes text files with several threads."""

    def __init__(
        self,
        *,
        workers: int,
        max_memory: int,
        folder: str | os.PathLike[str],
        keep_tokens: bool,
        chunk_bytes: int = ...,
    ) -> None: ...
    def add_file(
        self,
        path: str | os.PathLike[str],
        *,
        at_line_feed: bool = True,
        max_words: int = 0,
        max_lines: int = -1,
        progress: Callable[[int], object] | None = None,
    ) -> None: ...
    def add_text(
        self,
        data: bytes,
        is_last: bool,
        name: str | os.PathLike[str],
        *,
        at_line_feed: bool = True,
        max_words: int = 0,
    ) -> int: ...
    def finish(self) -> tuple[list[Any], bytearray, Memory, Memory]: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...

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
    def finish(self) -> tuple[list[Any], bytearray, Memory, Memory]: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...

def remap(
    tokens: npt.NDArray[Any], ends: npt.NDArray[Any], new_ids: npt.NDArray[Any], workers: int
) -> int: ...
