"""Instructions per unit of work, by callgrind: repeatable where a busy machine's clock is not.

    python -m bench.instructions               # a line a job: the job, instructions a unit
    python -m bench.instructions before.txt    # beside those of an earlier run, and the ratio

Each job runs twice under valgrind, with little and with more work; the difference of the two, over
the difference of the work, leaves out the start of Python and the making of the model.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pyw2v
from bench.errors import BenchError
from pyw2v import GloVe, KeyedVectors, TextClassifier

_N_WORDS, _N_TOKENS, _SENTENCE = 2000, 20_000, 20


def _sentences() -> list[list[str]]:
    """A text whose words are as unequal as those of a language."""
    rng = np.random.default_rng(1)
    ranks = np.minimum(_N_WORDS ** rng.random(_N_TOKENS), _N_WORDS - 1).astype(int)
    words = [f"word{rank}" for rank in ranks]
    return [words[at : at + _SENTENCE] for at in range(0, len(words), _SENTENCE)]


def _words(n_epochs: int, kind: str = "Word2Vec", **settings: Any) -> int:
    """Train word vectors; the units are words read."""
    getattr(pyw2v, kind)(
        _sentences(), vector_size=100, min_count=1, sample=0, workers=1, epochs=n_epochs, **settings
    )
    return n_epochs * _N_TOKENS


def _classifier(n_epochs: int) -> int:
    texts = [" ".join(sentence) for sentence in _sentences()]
    labels = [f"label{len(text) % 7}" for text in texts]
    model = TextClassifier(
        dim=100, word_ngrams=2, bucket=10_000, workers=1, epochs=n_epochs, lr=0.1
    )
    model.fit(texts, labels)
    return n_epochs * _N_TOKENS


def _glove(n_epochs: int) -> int:
    """The units are words of the text an epoch, not records."""
    GloVe(_sentences(), vector_size=100, min_count=1, workers=1, epochs=n_epochs)
    return n_epochs * _N_TOKENS


def _queries(n_batches: int) -> int:
    """Search nearest words in batches of 100; the units are queries."""
    rng = np.random.default_rng(1)
    vectors = KeyedVectors(100)
    vectors.add_vectors([f"word{i}" for i in range(20_000)], rng.normal(size=(20_000, 100)))
    for batch in range(n_batches):
        vectors.most_similar([f"word{i}" for i in range(100 * batch, 100 * batch + 100)], topn=10)
    return 100 * n_batches


_JOBS: dict[str, Callable[[int], int]] = {
    "sg-ns": lambda n: _words(n, sg=1),
    "sg-hs": lambda n: _words(n, sg=1, hs=1, negative=0),
    "cbow-ns": lambda n: _words(n, sg=0),
    "cbow-hs": lambda n: _words(n, sg=0, hs=1, negative=0),
    "sg-nce": lambda n: _words(n, sg=1, objective="nce"),
    "fasttext-sg": lambda n: _words(n, "FastText", sg=1, bucket=10_000),
    "fasttext-cbow": lambda n: _words(n, "FastText", sg=0, bucket=10_000),
    "classifier": _classifier,
    "glove": _glove,
    "top-k": _queries,
}
_SMALL, _LARGE = 1, 4  # how much work, in the units of a job


def _count(job: str, size: int) -> tuple[int, int]:
    """Return the instructions of a process that does a job, and the units that it did."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [sys.executable, "-W", "ignore", "-m", "bench.instructions", f"--job={job}:{size}"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise BenchError("instructions are counted by valgrind, which is not installed") from None
    except subprocess.CalledProcessError as error:
        raise BenchError(f"{job} failed under valgrind:\n{error.stderr}") from error
    counted = re.search(r"Collected : (\d+)", ran.stderr)
    if counted is None:
        raise BenchError(f"valgrind counted nothing for {job}:\n{ran.stderr}")
    return int(counted[1]), int(ran.stdout)


def _per_unit(job: str) -> float:
    small, large = _count(job, _SMALL), _count(job, _LARGE)
    return (large[0] - small[0]) / (large[1] - small[1])


def main(arguments: list[str]) -> None:
    """Count all jobs, or do one that the parent process counts."""
    if arguments and arguments[0].startswith("--job="):
        job, size = arguments[0].removeprefix("--job=").split(":")
        print(_JOBS[job](int(size)))
        return
    before = {}
    if arguments:
        lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
        before = {line.split()[0]: float(line.split()[1]) for line in lines}
    for job in _JOBS:
        now = _per_unit(job)
        ratio = f" {now / before[job]:.4f}" if job in before else ""
        print(f"{job} {now:.1f}{ratio}", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BenchError as failed:
        sys.exit(f"bench: {failed}")
