"""From words to rows of the input matrix, and from tokens to words and labels."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pyw2v._core.ngrams import ngram_buckets, ngram_hash, ngrams
from pyw2v.fasttext._text import EOS
from pyw2v.fasttext_data import FastTextData

Rows = npt.NDArray[np.int64]

_EOS = EOS.encode()
_BLOCK_WORDS = 10_000


class Dictionary:
    """The words of a model, and what rows they have. Ids of labels follow those of the words."""

    def __init__(self, data: FastTextData, label_prefix: str) -> None:
        self._data = data
        self._prefix = label_prefix.encode()
        self._ids: dict[bytes, int] | None = None
        self._kept: dict[int, int] | None = None
        if data.pruned is not None:
            self._kept = dict(data.pruned.tolist())

    @property
    def n_words(self) -> int:
        """Words, without labels."""
        return len(self._data.words)

    def id_of(self, token: bytes) -> int:
        """Number of a word or a label; -1 if it is neither."""
        if self._ids is None:  # made when first needed, so that loading a model takes no time
            entries = [*self._data.words, *self._data.labels]
            # Of equal entries, which only a damaged file has, the first counts.
            self._ids = {token: i for i, token in reversed(list(enumerate(entries)))}
        return self._ids.get(token, -1)

    def is_label(self, token: bytes, number: int) -> bool:
        """Whether a token with this id is a label; of an unknown one its prefix tells."""
        return token.startswith(self._prefix) if number < 0 else number >= self.n_words

    def bucket_of(self, ngram: bytes) -> int:
        """Row of an n-gram, as if none had been dropped."""
        if self._data.args.bucket == 0:
            raise ValueError("the model has no buckets for n-grams")
        return self.n_words + ngram_hash(ngram) % self._data.args.bucket

    def subwords(self, word: bytes) -> tuple[list[bytes], Rows]:
        """The word, if it is known, and its n-grams; and the rows of those that have one."""
        number = self.id_of(word)
        texts = [] if number < 0 else [word]
        if word != _EOS and self._has_char_ngrams:
            texts += ngrams(word, self._data.args.minn, self._data.args.maxn)
        return texts, self.word_rows(word, number)

    def word_rows(self, word: bytes, number: int | None = None) -> Rows:
        """Rows whose mean is the word's vector."""
        if number is None:
            number = self.id_of(word)
        own = np.array([number] if number >= 0 else [], np.int64)
        if word == _EOS or not self._has_char_ngrams:
            return own
        args = self._data.args
        _, buckets = ngram_buckets([word], args.minn, args.maxn, args.bucket)
        return np.concatenate([own, self._bucket_rows(buckets)])

    def rows_of_all_words(self) -> Iterator[tuple[Rows, Rows]]:
        """For some words after the others: where the rows of each begin, and the rows."""
        for first in range(0, self.n_words, _BLOCK_WORDS):
            last = min(first + _BLOCK_WORDS, self.n_words)
            rows = [self.word_rows(self._data.words[i], i) for i in range(first, last)]
            starts = np.cumsum([0, *map(len, rows[:-1])])
            yield starts, np.concatenate(rows)

    def words_and_labels(self, tokens: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Part the tokens of a line; labels that the model does not know are dropped."""
        words, labels = [], []
        for token in tokens:
            number = self.id_of(token)
            if not self.is_label(token, number):
                words.append(token)
            elif number >= 0:
                labels.append(token)
        return words, labels

    @property
    def _has_char_ngrams(self) -> bool:
        return self._data.args.maxn > 0 and self._data.args.bucket > 0

    def _bucket_rows(self, buckets: npt.NDArray[np.uint32]) -> Rows:
        if self._kept is None:
            return self.n_words + buckets.astype(np.int64)
        kept = self._kept
        rows = [self.n_words + kept[bucket] for bucket in buckets.tolist() if bucket in kept]
        return np.array(rows, np.int64)
