"""What the commands share: parser style, opening vectors of any format, output helpers."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from pyw2v.fasttext_model import load_facebook_vectors
from pyw2v.io.fasttext_format import MAGIC
from pyw2v.vectors import KeyedVectors

FORMATS = ("native", "text", "binary")
FORMAT_OF_SUFFIX = {
    ".kv": "native",
    ".model": "native",
    ".safetensors": "native",
    ".txt": "text",
    ".vec": "text",
    ".bin": "binary",
}
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
FORMATS_HELP = ".kv, .model and .safetensors are native, .txt and .vec text, .bin binary"

# A subparsers action is generic only in the type stubs, and private there.
Subparsers = Any


class UsageError(Exception):
    """The command line is wrong; the text is what to tell the user."""


class CommandParser(argparse.ArgumentParser):
    """A parser that keeps the line breaks of its epilog and never guesses an option's name."""

    def __init__(self, *, description: str, **kwargs: Any) -> None:
        kwargs["description"] = textwrap.fill(description, 80)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        kwargs.setdefault("allow_abbrev", False)
        self._mixing = False
        super().__init__(**kwargs)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Let options stand anywhere: `analogy FILE --cosmul king - man + woman`.

        argparse offers that only to the outermost parser, which in turn calls this method.
        """
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        """Print one line and where to read on; the usage alone can be longer than a screen."""
        self.exit(2, f"{self.prog}: error: {message}\nTry '{self.prog} --help'.\n")


def examples(*lines: str) -> str:
    """Return an epilog that teaches by example."""
    return "\n  ".join(("examples:", *lines))


def positive_int(text: str) -> int:
    """Argparse type: an integer of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return value


def format_of(path: str, given: str | None = None, *, option: str = "--format") -> str:
    """Return the given format, or else the one that goes with the path's extension."""
    name = Path(path.lower())
    compressed = name.suffix in COMPRESSED
    suffix = Path(name.stem).suffix if compressed else name.suffix
    kind = given or FORMAT_OF_SUFFIX.get(suffix)
    if kind is None:
        raise ValueError(
            f"cannot tell the format of {path!r} by its extension ({FORMATS_HELP}); "
            f"say {option} {'|'.join(FORMATS)}"
        )
    if kind == "native" and compressed:
        raise ValueError(f"{path!r}: native files are never compressed, since they are mapped")
    return kind


def is_native(path: str) -> bool:
    """Tell whether a file begins like a safetensors file: a header length, then JSON."""
    with open(path, "rb") as file:
        head = file.read(9)
    return len(head) == 9 and head[8:] == b"{"


def is_fasttext(path: str) -> bool:
    """Tell whether a file begins with the number that fastText's models do."""
    with open(path, "rb") as file:
        return file.read(4) == MAGIC.to_bytes(4, "little")


def open_vectors(path: str, given: str | None = None, limit: int | None = None) -> KeyedVectors:
    """Load vectors, or a model's vectors, from any format; the content decides unless told."""
    native = is_native(path) if given is None else given == "native"
    if native or (given is None and is_fasttext(path)):
        vectors = KeyedVectors.load(path, mmap=True) if native else load_facebook_vectors(path)
        # Compact vectors are decoded: commands need more than queries.
        is_plain = limit is None and isinstance(vectors, KeyedVectors)
        return vectors if is_plain else _first(vectors, limit)
    binary = None if given is None else given == "binary"
    return KeyedVectors.load_word2vec_format(path, binary=binary, no_header=None, limit=limit)


def _first(vectors: KeyedVectors, limit: int | None) -> KeyedVectors:
    keys = vectors.index_to_key[:limit]
    head = KeyedVectors(vectors.vector_size, count=len(keys))
    head.add_vectors(keys, vectors.vectors[: len(keys)])
    return head


def save_vectors(vectors: KeyedVectors, path: str, kind: str) -> None:
    """Write vectors in one of FORMATS."""
    if kind == "native":
        vectors.save(path)
    else:
        vectors.save_word2vec_format(path, binary=kind == "binary")


def require_words(vectors: KeyedVectors, words: Iterable[str]) -> None:
    """Raise a KeyError that helps when a word is unknown."""
    for word in words:
        if word not in vectors:
            raise KeyError(unknown_word(vectors, word))


def unknown_word(vectors: KeyedVectors, word: str) -> str:
    """Say that a word is unknown and which known ones look like it."""
    text = f"{word!r} is not among the {len(vectors):,} words"
    if word.lower() in vectors:
        close = [word.lower()]
    else:
        # The first keys are the most frequent ones, hence the likeliest to be meant.
        candidates = [key for key in vectors.index_to_key[:50_000] if isinstance(key, str)]
        close = difflib.get_close_matches(word.lower(), candidates, n=3, cutoff=0.75)
    return f"{text}; did you mean {' or '.join(map(repr, close))}?" if close else text


def print_neighbors(title: str, found: Iterable[tuple[Any, float]], *, tsv: bool) -> None:
    """Print one query result: an aligned list, or one tab-separated row per neighbour."""
    if tsv:
        for word, similarity in found:
            print(f"{title}\t{word}\t{similarity:.6f}")
        return
    rows = list(found)
    width = max((len(str(word)) for word, _ in rows), default=0)
    print(title)
    for word, similarity in rows:
        print(f"  {word!s:<{width}}  {similarity:.3f}")


def lines_from_stdin(prompt: str) -> Iterator[list[str]]:
    """Yield the words of each line typed or piped in, until the end of the input."""
    interactive = sys.stdin.isatty()
    if interactive:
        print("One query per line; an empty line or Ctrl-D ends.", file=sys.stderr)
    while True:
        if interactive:
            print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        words = line.split()
        if words:
            yield words
        elif not line or interactive:
            return


@contextlib.contextmanager
def not_written_if_interrupted(path: str) -> Iterator[None]:
    """Let Ctrl-C say that there is no new file; one from before is left alone.

    Half-trained vectors in its place could not be told from whole ones.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{path} was not written") from stop


def refuse_existing(path: str, *, force: bool) -> None:
    """Raise FileExistsError rather than overwrite, unless told to."""
    if not force and os.path.exists(path):
        raise FileExistsError(17, "already exists; use --force to overwrite it", path)


def check_writable(path: str) -> None:
    """Fail before hours of training rather than after them; the file is left as it is."""
    existed = os.path.exists(path)
    with open(path, "ab"):
        pass
    if not existed:
        os.unlink(path)
