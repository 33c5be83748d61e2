"""How probable words are, given a context, under whatever objective a model was trained with.

`log_distribution` is exact for outputs that are distributions by construction: "softmax",
"dsoftmax", "class_softmax" and "hs". The scores of the others are turned into a distribution by
what they learn to be (`word2vec.scores`), divided by their sum over the vocabulary.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyw2v import corpus
from pyw2v._core.full_output import FullOutput
from pyw2v._core.matrix import spread_copy
from pyw2v._core.runs import WordRun
from pyw2v._core.word_model import WordModel
from pyw2v._runs.epochs import run_epoch
from pyw2v._shared.checks import check_int, resolve_workers
from pyw2v.functions import check_temperature, gumbel_max, log_softmax, tempered
from pyw2v.measures import nats_to
from pyw2v.word2vec import outputs, prediction, tree_probabilities
from pyw2v.word2vec import scores as _scores
from pyw2v.word2vec.fast import windows
from pyw2v.word2vec.state import ModelState

logger = logging.getLogger(__name__)

Array = NDArray[Any]

_NO_WEIGHTS = "there are no weights yet: call build_vocab() and train() first"


class Probabilities(ModelState):
    """The part of Word2Vec that computes probabilities."""

    def log_prob(self, word: Any, context: Any, *, missing: str = "error") -> Any:
        """Return log P(word | context), in nats.

        Hierarchical softmax and "class_softmax" compute the paths of these words only; other
        objectives the scores of the whole vocabulary.

        Parameters
        ----------
        word : str, int or sequence
            The word, or several.
        context : str, int or sequence
            A word, or several whose mean (or sum, with ``cbow_mean=0``) is the input; unknown ones
            are left out. Skip-gram models learn from single words; the mean of several is as good
            an input as any.
        missing : {"error", "skip"}, default "error"
            Whether unknown words raise KeyError or get NaN.

        Returns
        -------
        float or ndarray
            An array for several words.

        Raises
        ------
        KeyError
            If words, or all words of the context, are unknown.
        RuntimeError
            If there are no weights yet.
        """
        several = isinstance(word, list | tuple | np.ndarray)
        rows = np.array(self.wv._indices(word if several else [word], missing), np.int64)
        hidden = self._context_row(context)
        found = np.full(len(rows), np.nan)
        found[rows >= 0] = log_probabilities(self, hidden, rows[rows >= 0])
        return found if several else float(found[0])

    def predict_output_word(
        self, context_words_list: Iterable[Any], topn: int = 10, temperature: float = 1.0
    ) -> list[tuple[Any, float]] | None:
        """Return the most probable centre words of a context.

        Without `objective`, it is as in gensim a softmax over the outputs of negative sampling,
        which leaves the noise distribution out of account, for skip-gram models too; `log_prob`
        does not.

        Parameters
        ----------
        context_words_list : iterable
            The context; unknown words are left out.
        topn : int, default 10
            How many words to return.
        temperature : float, default 1.0
            Probabilities are raised to 1 / temperature and divided by their sum.

        Returns
        -------
        list of tuple or None
            (word, probability), most probable first; None if no word of the context is known.

        Raises
        ------
        RuntimeError
            If the model has neither ``negative > 0`` nor an objective.
        ValueError
            If the temperature is not above 0.
        """
        temperature = check_temperature(temperature)
        if self.objective is None and (not self.negative or self.syn1neg is None):
            raise RuntimeError(
                "predict_output_word needs a model trained with negative > 0, or an objective"
            )
        known = prediction.known_words(self, context_words_list)
        if not known:
            logger.warning("no word of the context is in the vocabulary: nothing is predicted")
            return None
        if self.objective is None:
            scores = np.asarray(self.syn1neg) @ prediction.hidden_row(self, known)
        else:
            scores = log_distribution(self, _hidden(self, known))
        log_p = log_softmax(scores, temperature=temperature)
        return prediction.most_probable(self, log_p, topn)

    def sample_output_word(
        self,
        context: Any,
        n: int = 1,
        temperature: float = 1.0,
        replace: bool = True,
        seed: int | None = None,
    ) -> list[Any]:
        """Draw words by their probability given a context, by the Gumbel-max trick.

        Parameters
        ----------
        context : str, int or sequence
            A word or several, as for `log_prob`.
        n : int, default 1
            How many words to draw.
        temperature : float, default 1.0
            Probabilities are raised to 1 / temperature first.
        replace : bool, default True
            Whether a word may be drawn twice. Without replacement, the n largest of one set of
            perturbed scores are what drawing one after the other gives.
        seed : int, optional
            Seed of the draws; a new one every time by default.

        Returns
        -------
        list
            The words.

        Raises
        ------
        KeyError
            If no word of the context is known.
        ValueError
            If the temperature is not above 0, or n too large to draw without replacement.
        """
        temperature = check_temperature(temperature)
        log_p = log_distribution(self, self._context_row(context))
        n = check_int("n", n, minimum=0, maximum=None if replace else len(log_p))
        if replace:
            ids = gumbel_max(log_p, temperature=temperature, seed=seed, size=n)
        else:
            noise = np.random.default_rng(seed).gumbel(size=len(log_p))
            ids = np.argsort(-(tempered(log_p, -1, temperature) + noise), kind="stable")[:n]
        return [self.wv.index_to_key[i] for i in ids]

    def cross_entropy(self, text: Any, *, unit: str = "bits") -> float:
        """Return the mean negative log-likelihood of the predictions on a text.

        As in training, CBOW predicts each word from its window, and skip-gram each word of a window
        from its centre, one by one; but windows are whole, and only unknown words are dropped. All
        workers compute.

        Parameters
        ----------
        text : object
            What `train` takes.
        unit : {"bits", "nats"}, default "bits"
            Unit of the result.

        Returns
        -------
        float
            The mean.

        Raises
        ------
        ValueError
            If the text has no two known words in one sentence, or the unit is unknown.
        """
        encoded = corpus.encode(
            text, self.wv.key_to_index, workers=self.workers, max_memory=self.max_memory
        )
        try:
            return float(nats_to(unit, _mean_negative_log_likelihood(self, encoded)))
        finally:
            encoded.close()

    def perplexity(self, text: Any) -> float:
        """Return 2 to the power of the cross-entropy in bits.

        Parameters
        ----------
        text : object
            What `train` takes.

        Returns
        -------
        float
            As many words, equally probable, would be as hard to predict. Infinite where words of
            the text are all but impossible under a model that diverged.

        Raises
        ------
        ValueError
            If the text has no two known words in one sentence.
        """
        try:
            return math.exp(self.cross_entropy(text, unit="nats"))
        except OverflowError:
            return math.inf

    def _context_row(self, context: Any) -> Array:
        """The input row of a context, of which some word must be known."""
        words = context if isinstance(context, list | tuple | np.ndarray) else [context]
        known = prediction.known_words(self, words)
        if not known:
            raise KeyError(f"no word of the context {context!r} is in the vocabulary")
        return _hidden(self, known)


def _hidden(model: ModelState, context: list[int]) -> Array:
    """The input row of a context, as training makes it: every row of a word counts."""
    rows = np.asarray(model.wv.vectors[context], np.float64)
    sizes = np.asarray(model._row_counts(context), np.float64)
    if model.sg:
        return np.asarray(rows.mean(axis=0))
    return np.asarray(sizes @ rows / (sizes.sum() if model.cbow_mean else 1.0))


def log_distribution(model: ModelState, hidden: Array) -> Array:
    """Return log P of every word, in nats, given an input row; probabilities add up to 1."""
    return log_probabilities(model, hidden, None)


def log_probabilities(model: ModelState, hidden: Array, words: Array | None) -> Array:
    """Return log P of the words with these ids, None for all.

    Trees compute the paths of these words only; any other output needs all scores.
    """
    if model._has_tree:
        return tree_probabilities.huffman_log_p(model, hidden, words)
    if model.class_of is not None and model.objective == "class_softmax":
        return tree_probabilities.class_log_p(model, hidden, words)
    if model.syn1neg is None:
        raise RuntimeError(_NO_WEIGHTS)
    scores = np.asarray(model.syn1neg, np.float64) @ hidden
    meaning = _scores.meaning(model)
    if meaning.offset is not None:
        scores += meaning.offset
    if meaning.odds:
        scores = -np.logaddexp(0.0, -scores)
    log_p = log_softmax(scores)
    return log_p if words is None else log_p[words]


def _mean_negative_log_likelihood(model: ModelState, encoded: corpus.EncodedCorpus) -> float:
    """The mean of -log P over the predictions of a corpus, in nats."""
    if not len(encoded.tokens):
        raise ValueError(
            f"none of the {encoded.n_raw_words} words of the text is in the vocabulary"
        )
    made = WordModel(
        **_inputs(model),
        **_output(model),
        **(windows(model) | {"shrink_windows": False, "average_gradient": True}),
        track_loss=True,
    )
    run = WordRun(
        made,
        tokens=encoded.tokens,
        ends=encoded.ends,
        lr_start=0.0,
        lr_end=0.0,
        epochs=1,
        total_tokens=float(len(encoded.tokens)),
        seed=0,
        workers=resolve_workers(model.workers),
    )
    result = run_epoch(run, 0, lambda: None)
    if not result.examples:
        raise ValueError("the text has no two known words in one sentence: nothing to predict")
    return result.loss / result.examples


def _inputs(model: ModelState) -> dict[str, Any]:
    """The input rows, copied: other threads may query the model meanwhile."""
    inputs = model._trainer_inputs()
    copies = {n: spread_copy(inputs[n]) for n in ("input", "input_ngrams") if n in inputs}
    return inputs | copies


def _output(model: ModelState) -> dict[str, Any]:
    """The output of a model as a distribution, for a run that changes nothing."""
    rows = model.syn1 if model._has_tree else model.syn1neg
    if rows is None:
        raise RuntimeError(_NO_WEIGHTS)
    if model._has_tree:  # at a rate of 0, which leaves its rows as they are
        return {"output_hs": spread_copy(rows), "huffman": model._huffman_tree()}
    full = outputs.full_output(model, update=False)
    if full is None:
        meaning = _scores.meaning(model)
        full = FullOutput(
            "logistic" if meaning.odds else "softmax",
            spread_copy(rows),
            word_bias=None if meaning.offset is None else meaning.offset.astype(np.float32),
            update=False,
        )
    return {"full": full}
