"""The sampled objectives again, in plain NumPy: the twin of csrc/models/sampled.h."""

from dataclasses import dataclass, field

import numpy as np
import reference
from reference import NOISE_USES, SplitMix64

MAX_TRIES = 64


def sampled_loss(scores, owned, counted, softmax):
    """Of scores whose first columns are the centres; what counts for each is `counted`."""
    if not softmax:
        labels = np.arange(scores.shape[1]) < len(counted)
        return reference.logistic_loss(scores, labels, owned @ counted)
    return sum(reference.softmax_loss(scores[i, counted[k] > 0], 0) for i, k in np.argwhere(owned))


def sampled_errors(scores, owned, counted, softmax, lr):
    if not softmax:
        labels = np.arange(scores.shape[1]) < len(counted)
        return reference.logistic_errors(scores, labels, owned @ counted, lr)
    errors = np.zeros_like(scores)
    for i, k in np.argwhere(owned):
        some = counted[k] > 0  # the centre is the first of them
        errors[i, some] += reference.softmax_errors(scores[i, some], 0, lr)
    return errors


def unique_draw(table, weights, rng, k):
    """k different words, one after the other by weight from those left."""
    words = []
    for _ in range(k):
        tried = (table.draw(rng) for _ in range(MAX_TRIES))
        word = next((word for word in tried if word not in words), None)
        if word is None:
            left = np.where(np.isin(np.arange(len(weights)), words), 0.0, weights)
            at = (rng.next() >> 11) / 2**53 * left.sum()
            word = int(np.searchsorted(np.cumsum(left), at, side="right"))
        words.append(word)
    return words


@dataclass
class SampledTwin(reference.Twin):
    """One worker; `sampled` is a SampledNoise, whose bias and log_z are changed in place."""

    noise_weights: np.ndarray | None = None
    sampled: tuple | None = None
    sets: list = field(default_factory=list)  # inputs and target set of every block
    n_hits: int = 0

    def __post_init__(self):
        self.sampler = reference.AliasTable(self.noise_weights)

    @property
    def draws_together(self):
        return self.sampled.unique

    def draws_all(self, use, place):
        return use == 0 or (self.sampled.unique and (use + place) % NOISE_USES == 0)

    def draw(self, rng):
        if self.sampled.unique:
            return unique_draw(self.sampler, self.noise_weights, rng, self.negative)
        return super().draw(rng)

    @property
    def shares_noise(self):
        return not self.sampled.per_pair

    def group(self, centres, context, owned, noise, lr, composed=None):
        self.examples += owned.sum() if self.sg else 1
        inputs = composed.rows if composed else self.input
        sizes = composed.sizes[context] if composed else np.ones(len(context))
        before = inputs[context]
        if self.sampled.per_pair:
            for j in range(len(context) if self.sg else 1):
                words = self.draw(SplitMix64(self.seed_of_group, j, 0))
                part = slice(j, j + 1) if self.sg else slice(None)
                self.one_set(inputs, context[part], sizes[part], centres, owned[part], words, lr)
        else:
            self.one_set(inputs, context, sizes, centres, owned, noise, lr)
        if self.sg and self.input_lock is not None and not composed:
            lock = self.input_lock[context][:, np.newaxis]
            self.input[context] = before + lock * (self.input[context] - before)

    def one_set(self, inputs, context, sizes, centres, owned, words, lr):
        targets, _, self.counted = reference.target_set(centres, words)
        self.sets.append((context.copy(), owned.copy(), len(centres), targets))
        self.n_hits += (self.counted[:, len(centres) :] == 0).sum()
        self.n_repeats += len(targets) - len(set(targets)) + len(context) - len(set(context))
        if not self.sampled.remove_hits:
            self.counted[:, len(centres) :] = 1
        self.step(inputs, context, sizes, self.output_ns, targets, None, owned * 1.0, lr)

    def block_step(self, x, y, labels, owned, lr, x_rows, targets):
        sampled = self.sampled
        x, y = x.copy(), y.copy()
        x_rows = np.arange(len(x)) if x_rows is None else x_rows
        old_x, old_y = x[x_rows], y[targets]
        scores = old_x @ old_y.T
        if sampled.shift is not None:
            scores -= sampled.shift[targets]
        if sampled.bias is not None:
            scores += sampled.bias[targets]
        if sampled.log_z is not None:
            scores -= sampled.log_z[0]
        errors = sampled_errors(scores, owned, self.counted, sampled.softmax, lr)
        np.add.at(x, x_rows, errors @ old_y)
        np.add.at(y, targets, errors.T @ old_x)
        if sampled.bias is not None:
            np.add.at(sampled.bias, targets, errors.sum(axis=0))
        if sampled.log_z is not None:
            sampled.log_z[0] -= errors.sum()
        return x, y, errors, sampled_loss(scores, owned, self.counted, sampled.softmax)
