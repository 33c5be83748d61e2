"""From words to rows of the input matrix, and from tokens to words and labels."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pyw2v._core.lines import DROPPED
from pyw2v._core.ngrams import NgramHasher
from pyw2v._matrices.bucket_rows import Places
from pyw2v.fasttext._text import EOS
from pyw2v.io.fasttext_data import FastTextData

Rows = npt.NDArray[np.int64]

_EOS = EOS.encode()


class Dictionary:
    """The words of a model, and what rows they have. Ids of labels follow those of the words."""

    def __init__(self, data: FastTextData, label_prefix: str) -> None:
        self._data = data
        self._prefix = label_prefix.encode()
        self._labels = frozenset(data.labels)
        self._ids: dict[bytes, int] | None = None
        self._kept: Places | None = None  # of a pruned model: the row of each bucket

    @property
    def n_words(self) -> int:
        """Words, without labels."""
        return len(self._data.words)

    @property
    def ids(self) -> dict[bytes, int]:
        """Numbers of words and labels; made when first needed, so that loading takes no time."""
        if self._ids is None:
            entries = [*self._data.words, *self._data.labels]
            # Of equal entries, which only a damaged file has, the first counts.
            self._ids = {token: i for i, token in reversed(list(enumerate(entries)))}
        return self._ids

    def id_of(self, token: bytes) -> int:
        """Number of a word or a label; -1 if it is neither."""
        return self.ids.get(token, -1)

    def is_label(self, token: bytes, number: int) -> bool:
        """Whether a token with this id is a label; of an unknown one its prefix tells."""
        return token.startswith(self._prefix) if number < 0 else number >= self.n_words

    def bucket_of(self, ngram: bytes) -> int:
        """Row of an n-gram, as if none had been dropped."""
        if self._data.args.bucket == 0:
            raise ValueError("the model has no buckets for n-grams")
        return self.n_words + NgramHasher.hash(ngram) % self._data.args.bucket

    def subwords(self, word: bytes) -> tuple[list[bytes], list[int]]:
        """The word, if it is known, and its n-grams; and the rows of those that have one."""
        number = self.id_of(word)
        texts = [] if number < 0 else [word]
        if word != _EOS and self._has_char_ngrams:
            texts += self._hasher.ngrams(word)
        return texts, self.word_rows(word, number)

    def word_rows(self, word: bytes, number: int | None = None) -> list[int]:
        """Rows whose mean is the word's vector."""
        if number is None:
            number = self.id_of(word)
        own = [number] if number >= 0 else []
        if word == _EOS or not self._has_char_ngrams:
            return own
        buckets = self._hasher.buckets(word)
        if self._data.pruned is None:
            n_words = self.n_words
            return own + [n_words + bucket for bucket in buckets]
        rows = self._bucket_rows(np.array(buckets, np.uint32)).tolist()
        return own + [row for row in rows if row >= 0]

    def rows_of(self, words: list[bytes], numbers: Rows) -> tuple[Rows, Rows]:
        """The rows of many words, one after the other, and how many each has; -1: an unknown."""
        places = np.arange(len(words))
        rows, owners = numbers, places
        if self._has_char_ngrams:
            offsets, buckets = self._hasher.table(words)
            spelt = np.array([word != _EOS for word in words], bool)
            owners = np.concatenate([places, np.repeat(places, np.diff(offsets))])
            ngrams = self._bucket_rows(buckets)
            ngrams[~spelt[owners[len(words) :]]] = -1
            rows = np.concatenate([numbers, ngrams])
        exist = rows >= 0
        rows, owners = rows[exist], owners[exist]
        order = np.argsort(owners, kind="stable")  # a word's own row stays before its n-grams'
        return rows[order], np.bincount(owners, minlength=len(words)).astype(np.int64)

    def words_and_labels(self, tokens: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Part the tokens of a line; labels that the model does not know are dropped."""
        known, prefix = self.ids, self._prefix
        # Few tokens look like labels, so that the others are not checked one by one.
        labels = self._labels.intersection(tokens)
        doubtful = [t for t in tokens if t.startswith(prefix) or (labels and t in labels)]
        if not doubtful:
            return list(tokens), []
        is_label = {token: self.is_label(token, known.get(token, -1)) for token in doubtful}
        words = [token for token in tokens if not is_label.get(token, False)]
        return words, [token for token in doubtful if is_label[token] and token in known]

    def known_labels(self, tokens: Sequence[bytes]) -> list[bytes]:
        """The labels of the model among the tokens of a line."""
        found = self._labels.intersection(tokens)
        return [token for token in tokens if token in found] if found else []

    @cached_property
    def _hasher(self) -> NgramHasher:
        args = self._data.args
        return NgramHasher(args.minn, args.maxn, args.bucket)

    @property
    def _has_char_ngrams(self) -> bool:
        return self._data.args.maxn > 0 and self._data.args.bucket > 0

    def _bucket_rows(self, buckets: npt.NDArray[np.uint32]) -> Rows:
        """Rows of n-grams, -1 of those that were dropped."""
        if self._data.pruned is None:
            return self.n_words + buckets.astype(np.int64)
        if self._kept is None:
            kept, rows = self._data.pruned.astype(np.uint32).T
            self._kept = Places(kept, rows, self._data.args.bucket, DROPPED)
        found = self._kept[buckets]
        return np.where(found == DROPPED, -1, self.n_words + found.astype(np.int64))
