"""The text to train on: a file, plain or compressed, in; a plain file of the wanted size out."""

from pathlib import Path

from bench.errors import BenchError
from pyw2v.io.streams import open_binary

_COMPRESSED = (".xz", ".gz", ".bz2", ".zst")


def check(source: Path) -> None:
    """Say so when there is no such corpus."""
    if not source.is_file():
        raise BenchError(
            f"there is no corpus {source}; name one with --corpus FILE (one sentence a line, "
            "plain or .xz, .gz, .bz2)"
        )


def prefix(source: Path, n_tokens: int | None, folder: Path) -> Path:
    """Write the first lines that hold `n_tokens` tokens (None: all) to `folder`.

    gensim's corpus_file reads plain files only, so a compressed corpus is always written out.
    """
    check(source)
    if n_tokens is None and source.suffix not in _COMPRESSED:
        return source.resolve()
    target = folder / ("corpus.txt" if n_tokens is None else f"corpus-{n_tokens}.txt")
    if target.exists():
        return target
    n_read = 0
    with open_binary(source) as lines, target.open("wb") as out:
        for line in lines:
            words = line.split()
            if n_tokens is not None:
                words = words[: n_tokens - n_read]
            out.write(b" ".join(words) + b"\n")
            n_read += len(words)
            if n_read == n_tokens:
                break
    if not n_read:
        raise BenchError(f"the corpus {source} is empty")
    return target
