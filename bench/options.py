"""Command line in, checked settings out."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from bench.rows import MODELS, NAMES
from bench.sections import SECTIONS

_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
_TOKENS = 4_000_000
_QUICK_TOKENS = 200_000

_EPILOG = f"""
rows: {", ".join(NAMES)}
sections: {", ".join(SECTIONS)}
--only takes rows, sections, and rows at one number of workers (sg-ns-100/2).

  python -m bench --quick                        does everything run? (the figures mean nothing)
  python -m bench                                the tables, on the first 4M tokens
  python -m bench --only sg-ns-100/1 --full      one row, on the whole corpus
  python -m bench --quality --json quality.json  quality alone, on the whole corpus; call again
                                                 to go on where an interrupted run stopped
"""


@dataclass(frozen=True)
class Options:
    """What to measure, and on what."""

    corpus: Path
    tokens: int | None
    eval_folder: Path
    restrict_vocab: int | None
    only: tuple[str, ...]
    repeat: int
    workers: tuple[int, ...]
    epochs: int
    seeds: int
    n_vectors: int
    quality: bool
    json: Path | None

    def wants(self, name: str, workers: int | None = None) -> bool:
        """Whether --only, if given, names this row or section."""
        return not self.only or name in self.only or f"{name}/{workers}" in self.only


def parse(arguments: list[str] | None = None) -> Options:
    """Read the command line; wrong values end the program with a message."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.full and (given.tokens is not None or given.quick):
        parser.error("--full stands for the whole corpus: leave --tokens and --quick out")
    tokens = given.tokens
    if given.quick:
        tokens = tokens or _QUICK_TOKENS
    elif tokens is None and not given.full and not given.quality:
        tokens = _TOKENS
    known = {*NAMES, *SECTIONS} if not given.quality else set(MODELS)
    for name in given.only:
        if name.partition("/")[0] not in known:
            parser.error(f"--only: unknown name {name!r}, known are {', '.join(sorted(known))}")
    return Options(
        corpus=given.corpus,
        tokens=tokens,
        eval_folder=given.eval,
        restrict_vocab=given.restrict_vocab or None,
        only=given.only,
        repeat=given.repeat or (1 if given.quick else 3),
        workers=given.workers or ((2,) if given.quality else (1, 2)),
        epochs=given.epochs or (3 if given.quality and not given.quick else 1),
        seeds=given.seeds or (1 if given.quick else 3),
        n_vectors=10_000 if given.quick else 100_000,
        quality=given.quality,
        json=given.json,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Times pyw2v and gensim side by side. See bench/README.md.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--corpus",
        type=Path,
        default=_DATA / "corpus.txt.xz",
        metavar="FILE",
        help="one sentence a line, plain or .xz, .gz, .bz2 (default: %(default)s)",
    )
    add(
        "--tokens",
        type=_count,
        metavar="N",
        help=f"use the first N tokens (default: {_TOKENS:,}; with --quality all)",
    )
    add("--full", action="store_true", help="use the whole corpus; slow, for gensim's sake")
    add("--only", type=_names, default=(), metavar="NAME,...", help="choose rows and sections")
    add("--repeat", type=_count, metavar="N", help="runs of each, the best counts (default: 3)")
    add(
        "--workers",
        type=_counts,
        metavar="N,...",
        help="numbers of workers (default: 1,2; with --quality 2)",
    )
    add(
        "--epochs",
        type=_count,
        metavar="N",
        help="epochs of the training rows (default: 1; with --quality 3)",
    )
    add("--quality", action="store_true", help="compare quality over seeds instead of speed")
    add("--seeds", type=_count, metavar="N", help="seeds of --quality (default: 3)")
    add(
        "--eval",
        type=Path,
        default=_DATA / "eval",
        metavar="FOLDER",
        help="folder of the quality tests (default: %(default)s)",
    )
    add(
        "--restrict-vocab",
        type=int,
        default=30_000,
        metavar="N",
        help="solve analogies among the N most frequent words, 0: all (default: %(default)s)",
    )
    add("--json", type=Path, metavar="FILE", help="save results; --quality resumes from it")
    add(
        "--quick",
        action="store_true",
        help=f"{_QUICK_TOKENS:,} tokens, one run, small matrices: only shows that all runs",
    )
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return number


def _counts(text: str) -> tuple[int, ...]:
    return tuple(_count(part) for part in text.split(","))


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
