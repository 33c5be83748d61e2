"""``pyw2v distance``, ``word-analogy`` and ``compute-accuracy``: prompts and output of the C tools.

Vectors may be in any format, not only word2vec's binary one, words are never cut to 50 bytes, and
the programs end with their input. The numbers are the C tools' to the last digit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pyw2v._core.word2vec_c import Rows, normalize
from pyw2v.cli._common import UsageError, is_fasttext, is_native, open_vectors
from pyw2v.io.word2vec_format import load_word2vec

_N_SHOWN = 40
_ERRORS = "surrogateescape"
_RULE = b"-" * 72

Vector = npt.NDArray[np.float32]


class _Vectors:
    """Words as bytes, in the order of the file, and their normalised rows."""

    def __init__(self, path: str, limit: int | None = None) -> None:
        if is_native(path) or is_fasttext(path):
            loaded = open_vectors(path, limit=limit)
            words, vectors = loaded.index_to_key, loaded.vectors
        else:
            found = load_word2vec(
                path, binary=None, no_header=None, unicode_errors=_ERRORS, limit=limit
            )
            words, vectors = list(found.words), found.vectors
        self.words = [str(word).encode("utf-8", _ERRORS) for word in words]
        self.rows = Rows(np.ascontiguousarray(vectors, np.float32))

    def nearest(
        self, vector: Vector, leave_out: list[int], floor: float
    ) -> list[tuple[bytes, Any]]:
        """The 40 words of the largest products above the floor, the first of equals first."""
        products = self.rows.dots(vector)
        products[leave_out] = floor
        above = np.flatnonzero(products > floor)
        order = above[np.argsort(-products[above], kind="stable")][:_N_SHOWN]
        found = [(self.words[i], products[i]) for i in order.tolist()]
        return found + [(b"", floor)] * (_N_SHOWN - len(found))


def distance(argv: Sequence[str]) -> int:
    """Show the nearest words of a word, or of the sum of several."""
    if not argv:
        return _usage("distance", "")
    vectors = _Vectors(argv[0])
    places = _places(vectors.words)

    def query(words: list[bytes]) -> None:
        at = _look_up(words, places, missing=-1)
        if at is None:
            return
        _write_title(b"Cosine distance", 7)
        total = np.zeros_like(vectors.rows.row(0))
        for i in at:
            total += vectors.rows.row(i)
        normalize(total)
        _write_words(vectors.nearest(total, at, -1.0))

    return _converse(b"Enter word or sentence (EXIT to break): ", query)


def word_analogy(argv: Sequence[str]) -> int:
    """Show what is to the third word as the second is to the first."""
    if not argv:
        return _usage("word-analogy", "")
    vectors = _Vectors(argv[0])
    places = _places(vectors.words)

    def query(words: list[bytes]) -> None:
        if len(words) < 3:
            _write(
                b"Only %d words were entered.. three words are needed at the input to perform the "
                b"calculation\n" % len(words)
            )
            return
        at = _look_up(words, places, missing=0)
        if at is None:
            return
        _write_title(b"Distance", 14)
        first, second, third = (vectors.rows.row(i) for i in at[:3])
        target = second - first + third
        normalize(target)
        _write_words(vectors.nearest(target, at, 0.0))

    return _converse(b"Enter three words (EXIT to break): ", query)


def compute_accuracy(argv: Sequence[str]) -> int:
    """Solve the analogy questions on standard input."""
    if not argv:
        return _usage("compute-accuracy", " [<threshold>]")
    try:
        limit = int(argv[1]) if len(argv) > 1 else 0
    except ValueError:
        raise UsageError(f"threshold must be a whole number, got {argv[1]!r}") from None
    quiz = _Quiz(_Vectors(argv[0], limit if limit > 0 else None))
    quiz.run(word for line in sys.stdin.buffer for word in line.split())
    return 0


class _Quiz:
    """The counts of compute-accuracy, and what it prints of them."""

    _N_SEMANTIC = 5  # the sections before the others

    def __init__(self, vectors: _Vectors) -> None:
        self._vectors = vectors
        self._words = [word.upper() for word in vectors.words]
        self._places = _places(self._words)
        self._n_sections = self._n_questions = self._n_seen = 0
        self._section = [0, 0]  # right predictions and questions
        self._kinds = {True: [0, 0], False: [0, 0]}  # the same, by whether semantic

    def run(self, tokens: Iterator[bytes]) -> None:
        """Read section titles and questions to their end."""
        for token in tokens:
            if token.upper() in (b":", b"EXIT"):
                self._end_section()
                title = next(tokens, None)
                if title is not None:
                    _write(title + b":\n")
                continue
            question = [token, *(next(tokens, b"") for _ in range(3))]
            self._ask([word.upper() for word in question])
        self._end_section()
        seen = _percent(self._n_seen, self._n_questions)
        _write(
            b"Questions seen / total: %d %d   %b %% \n" % (self._n_seen, self._n_questions, seen)
        )

    def _ask(self, question: list[bytes]) -> None:
        self._n_questions += 1
        at = [self._places.get(word, -1) for word in question]
        if -1 in at:
            return
        self._n_seen += 1
        rows = self._vectors.rows
        products = rows.dots(rows.row(at[1]) - rows.row(at[0]) + rows.row(at[2]))
        products[at[:3]] = 0
        products[np.isnan(products)] = 0
        best = int(np.argmax(products))
        right = products[best] > 0 and self._words[best] == question[3]
        for counts in (self._section, self._kinds[self._n_sections <= self._N_SEMANTIC]):
            counts[0] += int(right)
            counts[1] += 1

    def _end_section(self) -> None:
        if self._n_sections > 0:
            right, n = self._section[0], max(1, self._section[1])
            _write(b"ACCURACY TOP1: %b %%  (%d / %d)\n" % (_percent(right, n), right, n))
            semantic, syntactic = self._kinds[True], self._kinds[False]
            total = [a + b for a, b in zip(semantic, syntactic, strict=True)]
            _write(
                b"Total accuracy: %b %%   Semantic accuracy: %b %%   Syntactic accuracy: %b %% \n"
                % (_percent(*total), _percent(*semantic), _percent(*syntactic))
            )
        self._n_sections += 1
        self._section = [0, 0]


def _percent(part: int, whole: int) -> bytes:
    """A share in single precision; nothing of nothing is what C's printf makes of it."""
    if whole == 0:
        return b"-nan"
    return b"%.2f" % float(np.float32(part) / np.float32(whole) * np.float32(100))


def _places(words: list[bytes]) -> dict[bytes, int]:
    """The position of each word; of equal words, the first."""
    return {word: len(words) - 1 - i for i, word in enumerate(reversed(words))}


def _look_up(words: list[bytes], places: dict[bytes, int], missing: int) -> list[int] | None:
    """Say where the words are; None, and a message, as soon as one has the place `missing`."""
    found = []
    for word in words:
        at = places.get(word, missing)
        _write(b"\nWord: %b  Position in vocabulary: %d\n" % (word, at))
        if at == missing:
            _write(b"Out of dictionary word!\n")
            return None
        found.append(at)
    return found


def _converse(prompt: bytes, query: Callable[[list[bytes]], None]) -> int:
    """Run a query for line after line, until EXIT or the end of the input."""
    _write(prompt)
    for line in sys.stdin.buffer:
        if line.rstrip(b"\r\n") == b"EXIT":
            break
        query(line.split() or [b""])
        _write(prompt)
    return 0


def _usage(name: str, more: str) -> int:
    print(f"Usage: pyw2v {name} <FILE>{more}")
    print("where FILE contains word vectors, in word2vec's binary format or any other")
    return 0


def _write_title(measure: bytes, gap: int) -> None:
    _write(b"\n%50b%b%b\n%b\n" % (b"Word", b" " * gap, measure, _RULE))


def _write_words(found: list[tuple[bytes, Any]]) -> None:
    _write(b"".join(b"%50b\t\t%f\n" % (word, value) for word, value in found))


def _write(text: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
