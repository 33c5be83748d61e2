"""The files that jobs read, written to a temporary folder when the first job needs them."""

from pathlib import Path
from typing import Any

from bench import corpus, process

_DIM = 100
# Tokens of which a share is taken when the whole corpus is wanted: lists of str are large.
_LARGEST_SHARED = 16_000_000


class Inputs:
    """Prefixes of the corpus, files of random vectors, and where the quality tests are."""

    def __init__(
        self,
        folder: Path,
        source: Path,
        tokens: int | None,
        eval_folder: Path,
        restrict_vocab: int | None,
        n_vectors: int,
    ) -> None:
        self.folder = folder
        self._source = source
        self._tokens = tokens
        self._n_vectors = n_vectors
        self.evaluation: dict[str, Any] | None = None
        if (eval_folder / "questions-words.txt").is_file():
            self.evaluation = {
                "folder": str(eval_folder.resolve()),
                "restrict_vocab": restrict_vocab,
            }

    def corpus(self, share: int = 1) -> str:
        """Return a plain file with the wanted tokens, or one `share`-th of them."""
        tokens = self._tokens
        if tokens is None and share > 1:
            tokens = _LARGEST_SHARED
        return str(corpus.prefix(self._source, tokens and max(1, tokens // share), self.folder))

    def vectors(self, binary: bool) -> str:
        """Return a word2vec file of random vectors."""
        path = self.folder / ("vectors.bin" if binary else "vectors.txt")
        if not path.exists():
            process.run(
                "write_vectors",
                path=str(path),
                n_vectors=self._n_vectors,
                dim=_DIM,
                binary=binary,
            )
        return str(path)
