"""Text files as sentences: gensim's iterables. `scan` knows them and reads plain files itself."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeAlias

from pyw2v._shared.checks import check_int
from pyw2v.io.errors import named
from pyw2v.io.streams import open_binary

StrPath: TypeAlias = str | os.PathLike[str]

MAX_WORDS_IN_BATCH = 10000


def _check_length(max_sentence_length: int) -> int:
    return check_int("max_sentence_length", max_sentence_length, minimum=1)


def _check_limit(limit: int | None) -> int | None:
    return None if limit is None else check_int("limit", limit, minimum=0)


def _decoded(lines: Iterable[str | bytes], source: Any) -> Iterator[str]:
    """The lines as text, without a byte-order mark; an error names the source."""
    mark = "\ufeff"
    for number, line in enumerate(lines, 1):
        try:
            text = line if isinstance(line, str) else line.decode("utf-8")
        except UnicodeDecodeError as error:
            name = source if isinstance(source, (str, os.PathLike)) else repr(source)
            raise named(error, name, f"line {number}") from None
        yield text.removeprefix(mark)
        mark = ""


def _sentences(
    lines: Iterable[str | bytes], max_words: int, limit: int | None, source: Any
) -> Iterator[list[str]]:
    """The words of each line, in pieces of at most max_words; nothing for empty lines."""
    for line in _decoded(islice(lines, limit), source):
        words = line.split()
        for begin in range(0, len(words), max_words):
            yield words[begin : begin + max_words]


class LineSentence:
    r"""A file with one sentence a line, its words separated by white space.

    Parameters
    ----------
    source : str, os.PathLike or file
        A path, plain or .gz, .bz2, .xz, .zst, or an open file that can `seek`. Binary content is
        UTF-8; open the file as text for another encoding.
    max_sentence_length : int, default 10000
        Longer lines are cut into pieces of so many words.
    limit : int, optional
        Read only so many lines.

    Raises
    ------
    TypeError
        If `source` is neither a path nor a file that can seek.

    Examples
    --------
    >>> import io
    >>> from pyw2v import LineSentence
    >>> list(LineSentence(io.StringIO("one two\nthree\n")))
    [['one', 'two'], ['three']]
    """

    def __init__(
        self,
        source: StrPath | IO[Any],
        max_sentence_length: int = MAX_WORDS_IN_BATCH,
        limit: int | None = None,
    ) -> None:
        if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "seek"):
            raise TypeError(
                "source must be a path or an open file that can seek, got "
                f"{source!r} of type {type(source).__name__}"
            )
        self.source = source
        self.max_sentence_length = _check_length(max_sentence_length)
        self.limit = _check_limit(limit)

    def __iter__(self) -> Iterator[list[str]]:
        if isinstance(self.source, (str, os.PathLike)):
            with open_binary(self.source) as file:
                yield from self._read(file)
        else:
            self.source.seek(0)
            yield from self._read(self.source)

    def _read(self, lines: Iterable[str | bytes]) -> Iterator[list[str]]:
        return _sentences(lines, self.max_sentence_length, self.limit, self.source)


class PathLineSentences:
    """All files of a folder, in the order of their names, each as `LineSentence` reads it.

    Parameters
    ----------
    source : str or os.PathLike
        A folder, whose sub-folders are left alone, or a single file.
    max_sentence_length : int, default 10000
        Longer lines are cut into pieces of so many words.
    limit : int, optional
        Read only so many lines of each file.

    Raises
    ------
    ValueError
        If there is no such file or folder.
    """

    def __init__(
        self,
        source: StrPath,
        max_sentence_length: int = MAX_WORDS_IN_BATCH,
        limit: int | None = None,
    ) -> None:
        self.source = source
        self.max_sentence_length = _check_length(max_sentence_length)
        self.limit = _check_limit(limit)
        path = Path(source)
        if path.is_file():
            self.input_files = [os.fspath(source)]
        elif path.is_dir():
            self.input_files = sorted(os.fspath(file) for file in path.iterdir() if file.is_file())
        else:
            raise ValueError(f"source must be a file or a folder, got {os.fspath(source)!r}")

    def __iter__(self) -> Iterator[list[str]]:
        for path in self.input_files:
            yield from LineSentence(path, self.max_sentence_length, self.limit)


class Text8Corpus:
    """A file that is one endless sentence, cut into pieces.

    Parameters
    ----------
    fname : str or os.PathLike
        The file, plain or compressed.
    max_sentence_length : int, default 10000
        Words of one piece.
    """

    def __init__(self, fname: StrPath, max_sentence_length: int = MAX_WORDS_IN_BATCH) -> None:
        self.fname = fname
        self.max_sentence_length = _check_length(max_sentence_length)

    def __iter__(self) -> Iterator[list[str]]:
        length = self.max_sentence_length
        decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        sentence: list[str] = []
        rest = ""
        with open_binary(self.fname) as file:
            while True:
                block = file.read(1 << 20)
                try:
                    text = rest + decode(block, final=not block)
                except UnicodeDecodeError as error:
                    raise named(error, self.fname, f"before byte {file.tell()}") from None
                sentence += text.split()
                # The last word may go on in the next block.
                rest = sentence.pop() if block and text and not text[-1].isspace() else ""
                while len(sentence) >= length:
                    yield sentence[:length]
                    del sentence[:length]
                if not block:
                    break
        if sentence:
            yield sentence


class BrownCorpus:
    """The Brown corpus as NLTK ships it: files with a sentence of word/TAG a line.

    Parameters
    ----------
    dirname : str or os.PathLike
        The folder of the files.
    """

    def __init__(self, dirname: StrPath) -> None:
        self.dirname = dirname

    def __iter__(self) -> Iterator[list[str]]:
        for path in sorted(path for path in Path(self.dirname).iterdir() if path.is_file()):
            with open_binary(path) as file:
                for line in _decoded(file, path):
                    pairs = (token.split("/") for token in line.split())
                    words = [
                        f"{pair[0].lower()}/{pair[1][:2]}"
                        for pair in pairs
                        if len(pair) == 2 and pair[1][:2].isalpha()
                    ]
                    if words:
                        yield words
