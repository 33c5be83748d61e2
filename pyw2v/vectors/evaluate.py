"""How well vectors agree with people: analogies and judgements of similarity.

In come vectors and a question file, out go gensim's report structures.
"""

import itertools
import logging
import os
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from pyw2v._shared.lengths import unit
from pyw2v.io.errors import named
from pyw2v.io.streams import open_binary, short_lines
from pyw2v.vectors.correlation import Correlation, pearson, spearman
from pyw2v.vectors.keys import Key
from pyw2v.vectors.queries import Queries

logger = logging.getLogger(__name__)

StrPath: TypeAlias = str | os.PathLike[str]
Section: TypeAlias = dict[str, Any]  # {"section": name, "correct": [4-tuples], "incorrect": [...]}

_BATCH = 4096  # questions in one pass
_CANDIDATES = 5  # nearest words among which the prediction of an analogy may be


class NoQuestionsError(ValueError, ZeroDivisionError):
    """A file has no analogies in it; gensim divides by their number."""


def _known_words(
    vectors: Queries, restrict_vocab: int | None, case_insensitive: bool
) -> dict[Key, int]:
    """Row of each word of the first `restrict_vocab`; of words equal but for case, the first."""
    keys = vectors.index_to_key[:restrict_vocab]
    return {
        _folded(key, case_insensitive): index
        for index, key in zip(range(len(keys) - 1, -1, -1), reversed(keys), strict=True)
        if key is not None
    }


def _folded(key: Key, case_insensitive: bool) -> Key:
    return key.upper() if case_insensitive and isinstance(key, str) else key


def _lines(path: StrPath, encoding: str = "utf8") -> Iterator[tuple[int, str]]:
    with open_binary(path) as file:
        for number, line in enumerate(short_lines(file, path)):
            try:
                yield number, line.decode(encoding)
            except UnicodeDecodeError as error:
                raise named(error, path, f"line {number + 1}") from None


def evaluate_word_analogies(
    vectors: Queries,
    analogies: StrPath,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
) -> tuple[float, list[Section]]:
    """Return the accuracy on a file of analogies, "a is to b as c is to ?", and the details.

    The prediction is the word nearest to b - a + c that is not in the question.

    Parameters
    ----------
    vectors : KeyedVectors
        The vectors to judge.
    analogies : str or os.PathLike
        File of questions: four words a line, in sections headed by ``: name``.
    restrict_vocab : int or None, default 300000
        Use only so many of the first words; None uses all.
    case_insensitive : bool, default True
        Whether to compare words in upper case.
    dummy4unknown : bool, default False
        Whether questions with an unknown word count as wrong instead of being left out.

    Returns
    -------
    accuracy : float
        Share of the questions that were predicted right.
    sections : list of dict
        `section`, and the questions in `correct` and `incorrect`; the last is "Total accuracy".

    Raises
    ------
    NoQuestionsError
        If the file has no questions; a ValueError.
    ValueError
        If a question comes before the first section.
    """
    known = _known_words(vectors, restrict_vocab, case_insensitive)
    sections: list[Section] = []
    questions: list[tuple[Section, tuple[str, ...], bool]] = []  # in the order of the file
    for number, line in _lines(analogies):
        if line.startswith(": "):
            name = line.lstrip(": ").strip()
            sections.append({"section": name, "correct": [], "incorrect": []})
            continue
        if not sections:
            raise ValueError(f"{os.fspath(analogies)}, line {number + 1}: no section header before")
        words = tuple(_folded(word, case_insensitive) for word in line.split())
        if len(words) != 4:
            logger.info("%s, line %d: not four words, skipped", analogies, number + 1)
            continue
        questions.append((sections[-1], words, all(word in known for word in words)))
    if not questions:
        raise NoQuestionsError(f"{os.fspath(analogies)} has no questions")

    predicted = [(section, words) for section, words, usable in questions if usable]
    queries = [[known[word] for word in words[:3]] for _, words in predicted]
    predictions = iter(_predictions(vectors, queries, restrict_vocab))
    for section, words, usable in questions:
        if usable:
            guess = None
            for key in next(predictions):
                guess = _folded(key, case_insensitive)
                if guess in known and guess not in words[:3]:
                    break
            section["correct" if guess == words[3] else "incorrect"].append(words)
        elif dummy4unknown:
            section["incorrect"].append(words)

    total: Section = {"section": "Total accuracy"}
    for kind in ("correct", "incorrect"):
        total[kind] = list(itertools.chain.from_iterable(part[kind] for part in sections))
    sections.append(total)
    for section in sections:
        log_accuracy(section)
    n_asked = len(total["correct"]) + len(total["incorrect"])
    return len(total["correct"]) / n_asked if n_asked else 0.0, sections


def _predictions(
    vectors: Queries, queries: list[list[int]], restrict_vocab: int | None
) -> Iterator[list[Key]]:
    """The keys nearest to b - a + c, best first, for rows (a, b, c)."""
    lengths = vectors._lengths()
    end = len(vectors.vectors[: restrict_vocab or None])
    for at in range(0, len(queries), _BATCH):
        rows = np.array(queries[at : at + _BATCH], np.int64)
        a, b, c = (
            lengths.unit_rows(vectors.vectors[ids].astype(np.float64), ids) for ids in rows.T
        )
        offsets = (b - a + c).astype(np.float32)
        for neighbours in vectors._nearest_to(offsets, lengths, _CANDIDATES, rows, 0, end):
            yield [key for key, _ in neighbours]


def log_accuracy(section: Section) -> None:
    """Log the accuracy of one section of an analogy report.

    Parameters
    ----------
    section : dict
        With the questions in `correct` and `incorrect`, and the name in `section`.
    """
    right, wrong = len(section["correct"]), len(section["incorrect"])
    if right + wrong:
        share = 100 * right / (right + wrong)
        logger.info("%s: %.1f%% (%d/%d)", section["section"], share, right, right + wrong)


def evaluate_word_pairs(
    vectors: Queries,
    pairs: StrPath,
    delimiter: str | None = "\t",
    encoding: str = "utf8",
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
) -> tuple[Correlation, Correlation, float]:
    """Correlate similarities with human judgements from a file.

    Parameters
    ----------
    vectors : KeyedVectors
        The vectors to judge.
    pairs : str or os.PathLike
        File of lines ``word word number``; those that start with ``#`` are comments.
    delimiter : str or None, default tab
        What separates the three; None for any white space.
    encoding : str, default "utf8"
        Encoding of the file.
    restrict_vocab : int or None, default 300000
        Use only so many of the first words; None uses all.
    case_insensitive : bool, default True
        Whether to compare words in upper case.
    dummy4unknown : bool, default False
        Whether pairs with an unknown word get similarity 0 instead of being left out.

    Returns
    -------
    pearson : Correlation
        Pearson's coefficient, `statistic`, and its `pvalue`.
    spearman : Correlation
        Spearman's.
    unknown : float
        Pairs with an unknown word, in per cent.

    Raises
    ------
    ValueError
        If the file has no usable pair.
    """
    known = _known_words(vectors, restrict_vocab, case_insensitive)
    gold: list[float] = []
    model: list[float] = []
    n_unknown = 0
    for number, line in _lines(pairs, encoding):
        if line.startswith("#"):
            continue
        try:
            first, second, number_text = line.split(delimiter)
            judgement = float(number_text)
        except ValueError:
            logger.info("%s, line %d: not two words and a number, skipped", pairs, number + 1)
            continue
        rows = [known.get(_folded(word, case_insensitive), -1) for word in (first, second)]
        if min(rows) < 0:
            n_unknown += 1
            if dummy4unknown:
                gold.append(judgement)
                model.append(0.0)
            continue
        gold.append(judgement)
        model.append(float(np.dot(*(unit(vectors.vectors[row]) for row in rows))))
    if not gold:
        raise ValueError(
            f"{os.fspath(pairs)} has no usable pairs: each line needs two words of {vectors} "
            f"and a number, separated by {delimiter!r}"
        )
    report = pearson(gold, model), spearman(gold, model)
    unknown = 100 * n_unknown / (len(gold) + (0 if dummy4unknown else n_unknown))
    log_evaluate_word_pairs(*report, unknown, pairs)
    return *report, unknown


def log_evaluate_word_pairs(
    pearson: Correlation, spearman: Correlation, oov: float, pairs: StrPath
) -> None:
    """Log what `evaluate_word_pairs` found.

    Parameters
    ----------
    pearson : Correlation
        Pearson's coefficient.
    spearman : Correlation
        Spearman's.
    oov : float
        Unknown pairs in per cent.
    pairs : str or os.PathLike
        The file.
    """
    logger.info(
        "%s: Pearson %.4f, Spearman %.4f, %.1f%% unknown", pairs, pearson[0], spearman[0], oov
    )
