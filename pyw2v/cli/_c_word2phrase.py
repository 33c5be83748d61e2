"""``pyw2v word2phrase``: the flags, files and messages of word2phrase.c.

The output is the C program's, but for a last word without a line feed, which that loses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pyw2v._core.word2vec_c import PhraseCounter, PhraseJoiner
from pyw2v.cli._c_flags import Flag, Program
from pyw2v.cli._common import UsageError
from pyw2v.io.atomic import atomic_write
from pyw2v.io.streams import open_binary

_PIECE_BYTES = 1 << 22
_MILLION = 1_000_000

PROGRAM = Program(
    "pyw2v word2phrase: joins words that often stand together, as word2phrase.c does",
    (
        Flag("train", str, "text to find phrases in", ""),
        Flag("output", str, "where the text goes, with '_' inside of phrases", ""),
        Flag("min-count", int, "rarer words make no phrases; default 5", 5),
        Flag("threshold", float, "a higher score makes a phrase; default 100", 100.0),
        Flag("debug", int, "how much to tell; default 2, 0 is least", 2),
    ),
    "pyw2v word2phrase -train text.txt -output phrases.txt -threshold 100 -debug 2",
    {},
)


def main(argv: Sequence[str]) -> int:
    """Run the program and return its exit code."""
    if not argv:
        print(PROGRAM.usage())
        return 0
    flags = PROGRAM.read(argv)
    for name in ("train", "output"):
        if not flags[name]:
            raise UsageError(f"-{name} must name a file")
    debug, min_count = flags["debug"], flags["min-count"]
    print(f"Starting training using file {flags['train']}", flush=True)
    counts = PhraseCounter()
    report = _every_million(lambda: counts.n_words, debug)
    for piece in _pieces(flags["train"]):
        counts.add(piece)
        report(f"Words processed: {{}}M     Vocab size: {counts.vocab_size // 1000}K  ")
    counts.finish(min_count)
    if debug > 0:
        print(f"\nVocab size (unigrams + bigrams): {counts.vocab_size}")
        print(f"Words in train file: {counts.n_words}", flush=True)
    _write(flags["train"], flags["output"], PhraseJoiner(counts, min_count, flags["threshold"]))
    return 0


def _write(source: str, target: str, joiner: PhraseJoiner) -> None:
    with atomic_write(target) as file:
        for piece in _pieces(source):
            file.write(joiner.add(piece))
        file.write(joiner.finish())


def _pieces(path: str) -> Iterator[bytes]:
    with open_binary(path) as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _every_million(n_words: Callable[[], int], debug: int) -> Callable[[str], None]:
    """Return a function that shows a line whenever a million more words are done."""
    shown = 0

    def report(text: str) -> None:
        nonlocal shown
        millions = n_words() // _MILLION
        if debug > 1 and millions > shown:
            shown = millions
            print(text.format(millions), end="\r", flush=True)

    return report
