"""Text files to an encoded corpus, and new numbers for its words."""

import os
from collections.abc import Callable, Iterator
from typing import Any, final

import numpy.typing as npt

from pyw2v._core.memory import Memory

@final
class Words:
    """Distinct words by number, made into str when asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, i: int, /) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def take(self, positions: npt.NDArray[Any]) -> list[str]: ...

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
    def finish(self) -> tuple[Words, bytearray, Memory, Memory]: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...

def remap(
    tokens: npt.NDArray[Any], ends: npt.NDArray[Any], new_ids: npt.NDArray[Any], workers: int
) -> int: ...
