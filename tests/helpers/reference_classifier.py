"""The classifier's training again, in plain NumPy: the twin of csrc/models/classifier.h."""

from dataclasses import dataclass

import numpy as np
import reference

from pyw2v._core.huffman import HuffmanTree


@dataclass
class ClassifierTwin:
    """One worker's training of a text classifier on lines of feature rows and labels."""

    input: np.ndarray
    output: np.ndarray
    loss: str
    negative: int = 5
    noise_weights: np.ndarray | None = None
    huffman: HuffmanTree | None = None
    class_weights: np.ndarray | None = None
    total_loss: float = 0.0
    examples: int = 0

    def train(self, features, labels, rates, rng):
        for rows, some, lr in zip(features, labels, rates, strict=True):
            if len(rows) and len(some):
                self.line(np.array(rows, int), list(some), lr, rng)
        return self.total_loss, self.examples

    def line(self, rows, labels, lr, rng):
        self.examples += 1
        n_labels = len(self.output)
        weights = np.ones(n_labels) if self.class_weights is None else self.class_weights
        if self.loss == "ova":
            positive = np.isin(np.arange(n_labels), labels) * 1.0
            self.step(rows, np.arange(n_labels), positive, lr * weights[labels].mean())
            return
        label = labels[rng.below(len(labels)) if len(labels) > 1 else 0]
        lr = lr * weights[label]
        if self.loss == "softmax":
            self.step(rows, np.arange(n_labels), label, lr)
        elif self.loss == "hs":
            codes, points = self.huffman.path(label)
            self.step(rows, points, codes * 1.0, lr)
        else:
            targets = [label, *(self.other(label, rng) for _ in range(self.negative))]
            self.step(rows, np.array(targets), (np.arange(len(targets)) == 0) * 1.0, lr)

    def other(self, label, rng):
        table = reference.AliasTable(self.noise_weights)
        while (drawn := table.draw(rng)) == label:
            pass
        return drawn

    def step(self, rows, targets, truth, lr):
        """Take one step of the line's mean; `truth`: labels of the targets, or the one label."""
        hidden = self.input[rows].mean(axis=0)
        scores = self.output[targets] @ hidden
        if self.loss == "softmax":
            errors = reference.softmax_errors(scores, truth, lr)
            self.total_loss += reference.softmax_loss(scores, truth)
        else:
            ones = np.ones(len(scores))
            errors = reference.logistic_errors(scores, truth, ones, lr)
            self.total_loss += reference.logistic_loss(scores, truth, ones)
        hidden_grad = np.zeros_like(hidden)
        for target, error in zip(targets, errors, strict=True):  # noise may come twice: in order
            hidden_grad += error * self.output[target]
            self.output[target] += error * hidden
        np.add.at(self.input, rows, hidden_grad / len(rows))
