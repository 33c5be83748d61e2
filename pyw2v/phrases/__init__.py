"""Words that belong together, found by how often they meet, and joined: `new york` -> `new_york`.

gensim's `Phrases` and `FrozenPhrases`, with its counts, scores and output to the last bit. The core
counts, scores and joins (csrc/phrases/phrase_table.h). `scoring` has the scores as functions, and
`file` stores a model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from pyw2v._core.phrases import PhraseTable
from pyw2v._shared.checks import check_float, check_list, is_iterable
from pyw2v._shared.lifecycle import Lifecycle
from pyw2v._shared.old_names import OldNames, renamed
from pyw2v._shared.reading import Guarded, locked
from pyw2v.corpus.readers import check_sentences
from pyw2v.phrases import file as phrase_file
from pyw2v.phrases.scoring import (
    CORE_NAMES,
    Scorer,
    checked_scorer,
    npmi_scorer,
    original_scorer,
)

__all__ = [
    "ENGLISH_CONNECTOR_WORDS",
    "FrozenPhrases",
    "Phraser",
    "Phrases",
    "npmi_scorer",
    "original_scorer",
]

# Words that may stand inside a phrase, as in "bank of america", but not begin or end one.
ENGLISH_CONNECTOR_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "for",
        "of",
        "with",
        "without",
        "at",
        "from",
        "to",
        "in",
        "on",
        "by",
        "and",
        "or",
    ]
)


class PhrasesTransformation(Guarded, Lifecycle, OldNames):
    """What `Phrases` and `FrozenPhrases` share: finding phrases in sentences."""

    _old_names: ClassVar[Mapping[str, str]] = {"common_terms": "connector_words"}

    connector_words: frozenset[str]
    delimiter: str
    min_count: float
    threshold: float
    scoring: Scorer

    def __init__(self, connector_words: Iterable[str]) -> None:
        self.connector_words = frozenset(connector_words)

    def score_candidate(
        self, word_a: str, word_b: str, in_between: list[str]
    ) -> tuple[str, float] | tuple[None, None]:
        """Score two words as a phrase, with what lies between them.

        Parameters
        ----------
        word_a : str
            The first word.
        word_b : str
            The last word.
        in_between : list of str
            Connector words between them.

        Returns
        -------
        tuple
            (joined phrase, score), or (None, None) for no phrase.
        """
        raise NotImplementedError("a subclass says how candidates are scored")

    def _core(self) -> PhraseTable | None:
        """Return the table of the core, ready to find phrases; None if Python must score them."""
        return None

    def analyze_sentence(self, sentence: Iterable[str]) -> Iterator[tuple[str, float | None]]:
        """Yield the phrases and other words of a sentence.

        Parameters
        ----------
        sentence : iterable of str
            The words.

        Yields
        ------
        tuple
            (phrase, score) for each phrase and (word, None) for each other word.
        """
        table = self._core()
        if table is not None:
            yield from table.analyze(sentence)
            return
        waiting: list[str] = []  # a word that a phrase may begin with, and connector words
        for word in sentence:
            if word in self.connector_words:
                if waiting:
                    waiting.append(word)
                else:
                    yield word, None
                continue
            if waiting:
                phrase, score = self.score_candidate(waiting[0], word, waiting[1:])
                if phrase is not None:
                    yield phrase, score
                    waiting = []
                    continue
                yield from ((single, None) for single in waiting)
            waiting = [word] if word else []
        yield from ((single, None) for single in waiting)

    def __getitem__(self, sentence: Any) -> Any:
        """Return the tokens of a sentence with phrases joined; for a corpus, an iterable of such.

        What begins with a str, or is empty, is one sentence.
        """
        if isinstance(sentence, str):
            raise TypeError(f"a sentence must be a list of words, got {sentence!r}: split it first")
        if not is_iterable(sentence):
            raise TypeError(f"a sentence must be a list of words, got {sentence!r:.80}")
        if not isinstance(sentence, list):
            check_sentences(sentence)
        iterator = iter(sentence)
        start = list(itertools.islice(iterator, 1))
        # An iterator has lost its first item to this check.
        whole = itertools.chain(start, iterator) if iterator is sentence else sentence
        if start and not isinstance(start[0], str):
            return _JoinedCorpus(self, whole)
        return self._joined(whole)

    def _joined(self, sentence: Iterable[str]) -> list[str]:
        table = self._core()
        if table is not None:
            return table.join(sentence)
        return [token for token, _ in self.analyze_sentence(sentence)]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle, of ours or, under pyw2v.compat, of gensim's."""
        super().__setstate__({})
        phrase_file.fill(self, state)
        known = vars(self).keys() | {"vocab", *self._old_names}
        for name in state.keys() - known:  # a user's own
            if not name.startswith("__"):  # gensim's notes on its files
                setattr(self, name, state[name])

    def find_phrases(self, sentences: Iterable[Iterable[str]]) -> dict[str, float]:
        """Return the distinct phrases in some sentences.

        Parameters
        ----------
        sentences : iterable of iterable of str
            The sentences.

        Returns
        -------
        dict of str to float
            The phrases and their scores.
        """
        return {
            token: score
            for sentence in sentences
            for token, score in self.analyze_sentence(sentence)
            if score is not None
        }

    @classmethod
    def load(
        cls, fname: Any, mmap: Any = None, *, scoring: Scorer | None = None, verify: bool = False
    ) -> Self:
        """Read what `save` wrote, or a model that gensim saved.

        Parameters
        ----------
        fname : str, os.PathLike or binary file
            What to read.
        mmap : object, optional
            Accepted for gensim; has no effect.
        scoring : callable, optional
            A scoring function of your own that the model was saved with; not needed if its module
            has been imported.
        verify : bool, default False
            Compare the file with the checksum in it.

        Returns
        -------
        Phrases or FrozenPhrases
            An object of the class that was saved.

        Raises
        ------
        ValueError
            If the content is damaged, or the scoring function is not found.
        """
        model = phrase_file.load(cls, fname, scoring, verify)
        model.add_lifecycle_event("loaded", fname=str(fname))
        return model

    def save(
        self,
        fname_or_handle: Any,
        separately: Any = None,
        sep_limit: int = 10 * 1024**2,
        ignore: Iterable[str] = frozenset(),
        pickle_protocol: int = 4,
    ) -> None:
        """Write one file in the safetensors format.

        Parameters
        ----------
        fname_or_handle : str, os.PathLike or binary file
            Where to write.
        separately : object, optional
            Accepted for gensim, as are the next three; has no effect.
        sep_limit : int, optional
            Has no effect.
        ignore : iterable of str, optional
            Has no effect.
        pickle_protocol : int, optional
            Has no effect.
        """
        phrase_file.save(self, fname_or_handle)


class _JoinedCorpus:
    """Sentences with their phrases joined, one after the other, as often as the corpus allows."""

    def __init__(self, phrases: PhrasesTransformation, corpus: Iterable[Any]) -> None:
        self.obj, self.corpus = phrases, corpus

    def __iter__(self) -> Iterator[list[str]]:
        table = self.obj._core()
        yield from map(self.obj._joined if table is None else table.join, self.corpus)

    def __len__(self) -> int:
        return len(self.corpus)  # type: ignore[arg-type]  # a TypeError, if it has none


class PhraseCounts(Mapping[str, int]):
    """`Phrases.vocab`: words and joined pairs, and how often each was counted."""

    def __init__(self, table: PhraseTable) -> None:
        self._table = table

    def __getitem__(self, entry: str) -> int:
        count = self._table.count(entry)
        if not count:
            raise KeyError(entry)
        return count

    def __iter__(self) -> Iterator[str]:
        return map(self._table.entry, range(len(self._table)))

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return repr(dict(self))


class Phrases(PhrasesTransformation):
    """Counts words and pairs of words, and joins the pairs that meet more often than by chance.

    Parameters
    ----------
    sentences : iterable of iterable of str, optional
        Lists of words, read once. More can follow by `add_vocab`.
    min_count : float, default 5
        Rarer pairs are no phrases.
    threshold : float, default 10.0
        A phrase must score higher.
    max_vocab_size : int, default 40000000
        Above so many entries the rarest are dropped while counting.
    delimiter : str, default "_"
        What joins the words.
    progress_per : int, default 10000
        Accepted for gensim; has no effect.
    scoring : {"default", "npmi"} or callable, default "default"
        The score of Mikolov et al., normalised pointwise mutual information (from -1 to 1), or a
        function with the parameters of `original_scorer`.
    connector_words : iterable of str, optional
        Words that may stand inside a phrase, such as `ENGLISH_CONNECTOR_WORDS`.

    Raises
    ------
    ValueError
        If `min_count`, `threshold` or `scoring` is out of range.
    TypeError
        If `delimiter` is not a str.

    See Also
    --------
    FrozenPhrases : The phrases alone, in less memory.

    Examples
    --------
    >>> from pyw2v import Phrases
    >>> sentences = [["new", "york", "is", "large"], ["new", "york"], ["is", "it", "large"]] * 2
    >>> phrases = Phrases(sentences, min_count=1, threshold=1)
    >>> phrases[["new", "york", "is", "large"]]
    ['new_york', 'is', 'large']
    >>> trigrams = Phrases(phrases[sentences])  # phrases of phrases
    """

    @renamed(common_terms="connector_words")
    def __init__(
        self,
        sentences: Iterable[Iterable[str]] | None = None,
        min_count: float = 5,
        threshold: float = 10.0,
        max_vocab_size: int = 40_000_000,
        delimiter: str = "_",
        progress_per: int = 10000,
        scoring: str | Scorer = "default",
        connector_words: Iterable[str] = frozenset(),
    ) -> None:
        super().__init__(check_list("connector_words", connector_words))
        if not isinstance(delimiter, str):
            raise TypeError(f"delimiter must be a str, got {delimiter!r}")
        # Kept as they are: 5 stays an int.
        check_float("threshold", threshold)
        if check_float("min_count", min_count) <= 0:
            raise ValueError(f"min_count must be above 0, got {min_count}")
        if scoring == "default" and threshold <= 0:
            raise ValueError(f"threshold must be above 0 for default scoring, got {threshold}")
        if scoring == "npmi" and not -1 <= threshold <= 1:
            raise ValueError(f"threshold must be from -1 to 1 for npmi scoring, got {threshold}")
        self.scoring = checked_scorer(scoring)
        self.min_count, self.threshold = min_count, threshold
        self.max_vocab_size, self.progress_per = max_vocab_size, progress_per
        self.delimiter = delimiter
        self.min_reduce = 1
        self.corpus_word_count = 0
        self._table = self._new_table()
        if sentences is not None:
            self.add_vocab(sentences)
            self.add_lifecycle_event("created", msg=f"built {self}")

    def _new_table(self) -> PhraseTable:
        self._table_for = (self.delimiter, self.connector_words)
        return PhraseTable(self.delimiter, self.connector_words)

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<{len(self._table)} vocab, min_count={self.min_count}, "
            f"threshold={self.threshold}, max_vocab_size={self.max_vocab_size}>"
        )

    @property
    def vocab(self) -> Mapping[str, int]:
        """Words and joined pairs with their counts; assign a dict to replace them."""
        return PhraseCounts(self._table)

    @vocab.setter
    def vocab(self, counts: Mapping[str, int]) -> None:
        with self._guard.lock:
            table = self._new_table()
            for entry, count in counts.items():
                if count:  # what was never counted is not there
                    table.add(entry, count)
            self._table = table

    def add_vocab(self, sentences: Iterable[Iterable[str]]) -> None:
        """Count more sentences.

        Parameters
        ----------
        sentences : iterable of iterable of str
            Lists of words, read once.

        Raises
        ------
        TypeError
            If it is no iterable of sentences.
        """
        check_sentences(sentences)
        # Counted apart, as in gensim: so new words are not pruned for their low counts.
        new = PhraseTable(self.delimiter, self.connector_words)
        n_words, _, min_reduce = new.add_sentences(sentences, self.max_vocab_size)
        with self._guard.lock:
            self.corpus_word_count += n_words
            if not len(self._table):
                self._table = new
                return
            self.min_reduce = max(self.min_reduce, min_reduce)
            if self._table.merge(new, n_words, self.max_vocab_size, self.min_reduce):
                self.min_reduce += 1

    def score_candidate(
        self, word_a: str, word_b: str, in_between: list[str]
    ) -> tuple[str, float] | tuple[None, None]:
        """Score two words as a phrase, with what lies between them.

        Parameters
        ----------
        word_a : str
            The first word.
        word_b : str
            The last word.
        in_between : list of str
            Connector words between them.

        Returns
        -------
        tuple
            (joined phrase, score), or (None, None) for no phrase.
        """
        phrase = self.delimiter.join([word_a, *in_between, word_b])
        with self._guard.lock:
            return self._scored(phrase, *map(self._table.count, (word_a, word_b, phrase)))

    def _scored(
        self, phrase: str, a: int, b: int, together: int
    ) -> tuple[str, float] | tuple[None, None]:
        if not (a and b and together):
            return None, None
        score = self.scoring(
            worda_count=a,
            wordb_count=b,
            bigram_count=together,
            len_vocab=len(self._table),
            min_count=self.min_count,
            corpus_word_count=self.corpus_word_count,
        )
        return (None, None) if score <= self.threshold else (phrase, score)

    @locked
    def _core(self) -> PhraseTable | None:
        if self._table_for != (self.delimiter, self.connector_words):
            self.vocab = dict(self.vocab)
        name = CORE_NAMES.get(self.scoring)
        if name is None or type(self).score_candidate is not Phrases.score_candidate:
            return None
        rule = (float(self.min_count), float(self.threshold), float(self.corpus_word_count))
        self._table.set_rule(name, *rule)
        return self._table

    @locked
    def export_phrases(self) -> dict[str, float]:
        """Return all phrases and their scores.

        Returns
        -------
        dict of str to float
            The score of each phrase.
        """
        table = self._core()
        if table is not None:
            return table.phrases()
        if type(self).score_candidate is Phrases.score_candidate:
            scored = (self._scored(*candidate) for candidate in self._table.candidates())
        else:
            split = (entry.split(self.delimiter) for entry in self.vocab)
            scored = (
                self.score_candidate(parts[0], parts[-1], parts[1:-1])
                for parts in split
                if len(parts) > 1
            )
        return {
            phrase: score for phrase, score in scored if phrase is not None and score is not None
        }

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__ | {"vocab": dict(self.vocab)}
        return {name: value for name, value in state.items() if not name.startswith("_table")}

    def freeze(self) -> FrozenPhrases:
        """Return the phrases alone, without the counts: smaller, but no sentences can be added.

        Returns
        -------
        FrozenPhrases
            The phrases of this model.
        """
        return FrozenPhrases(self)


class FrozenPhrases(PhrasesTransformation):
    """The phrases of a `Phrases` model and their scores, in the dict `phrasegrams`.

    To change them, assign another dict.

    Parameters
    ----------
    phrases_model : Phrases
        The model.
    """

    def __init__(self, phrases_model: Phrases) -> None:
        super().__init__(phrases_model.connector_words)
        self.threshold = phrases_model.threshold
        self.min_count = phrases_model.min_count
        self.delimiter = phrases_model.delimiter
        self.scoring = phrases_model.scoring
        self.phrasegrams: dict[str, float] = phrases_model.export_phrases()
        self._core()  # now, so that the first sentence need not wait
        self.add_lifecycle_event("created", msg=f"exported {self} from {phrases_model}")

    def __str__(self) -> str:
        return (
            f"{type(self).__name__}<{len(self.phrasegrams)} phrases, min_count={self.min_count}, "
            f"threshold={self.threshold}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_table", "_made_of")}

    def score_candidate(
        self, word_a: str, word_b: str, in_between: list[str]
    ) -> tuple[str, float] | tuple[None, None]:
        """Return the phrase of two words, if it is one.

        Parameters
        ----------
        word_a : str
            The first word.
        word_b : str
            The last word.
        in_between : list of str
            Connector words between them.

        Returns
        -------
        tuple
            (joined phrase, score), or (None, None) for no phrase.
        """
        phrase = self.delimiter.join([word_a, *in_between, word_b])
        score = self.phrasegrams.get(phrase, float("-inf"))
        return (phrase, score) if score > self.threshold else (None, None)

    def _core(self) -> PhraseTable | None:
        if type(self).score_candidate is not FrozenPhrases.score_candidate:
            return None
        made_of = (
            *(self.phrasegrams, len(self.phrasegrams), self.delimiter, self.connector_words),
            self.threshold,
        )
        known: tuple[Any, ...] | None = self.__dict__.get("_made_of")
        if known is None or known[0] is not made_of[0] or known[1:] != made_of[1:]:
            table = PhraseTable(self.delimiter, self.connector_words)
            for phrase in self.phrasegrams:
                table.add(phrase, 1)
            table.set_scores(np.array(list(self.phrasegrams.values()), np.float64))
            table.set_pairs(self._pairs())
            with self._guard.lock:
                self._table, self._made_of = table, made_of
        self._table.set_rule("original", 0.0, float(self.threshold), 0.0)
        return self._table

    def _pairs(self) -> dict[str, dict[str, str]] | None:
        """From first words to last words to phrases; None where connector words may lie between.

        A phrase with several delimiters in it has as many pairs: which of the words had one of
        their own is not known.
        """
        if self.connector_words or not self.delimiter:
            return None
        pairs: dict[str, dict[str, str]] = {}
        for phrase, score in self.phrasegrams.items():
            place = phrase.find(self.delimiter, 1) if score > self.threshold else -1
            while place >= 0:
                last = phrase[place + len(self.delimiter) :]
                pairs.setdefault(phrase[:place], {})[last] = phrase
                place = phrase.find(self.delimiter, place + 1)
        return pairs


Phraser = FrozenPhrases  # gensim 3's name
