"""Text files to an encoded corpus, and new numbers for its words."""

import os
from collections.abc import Callable
from typing import Any, final

import numpy.typing as npt

from pyw2v._core.memory import Memory
from pyw2v._core.words import Words

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
