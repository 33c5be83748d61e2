"""Outputs of drawn words and of trees against an independent automatic differentiation, PyTorch's.

Which rows meet which targets comes from the twins; scores, losses and gradients are PyTorch's own.
test_full_autograd does the same for outputs over all words.
"""

import numpy as np
import pytest
import reference
import reference_classifier
import test_classifier_kernels as classifier
import test_gradients as classic
from numpy.testing import assert_allclose
from test_sampled import CASES, MODELS, Problem

from pyw2v._core.huffman import HuffmanTree

torch = pytest.importorskip("torch", reason="gradients of PyTorch need the extra 'torch'")
bce = torch.nn.functional.binary_cross_entropy_with_logits
cross_entropy = torch.nn.functional.cross_entropy

COMPOSED = pytest.mark.parametrize("composed", [False, True], ids=["words", "n-grams"])


class ClassicProblem(Problem):
    """The same for hs= and negative=, which have code of their own."""

    def __init__(self, objective, rng, composed, **settings):
        self.noise = None
        self.settings = {"window": 3, "shrink_windows": True} | settings
        self.parameters = classic.parameters(rng, objective)
        if composed:
            self.parameters["input_ngrams"] = rng.normal(size=(7, classic.DIM)) * 0.7
            ids = rng.integers(0, 7, 2 * classic.N_WORDS).astype(np.uint32)
            self.settings["subwords"] = (np.arange(classic.N_WORDS + 1) * 2, ids)

    def run(self, parameters, lr):
        return classic.chunk(parameters, lr, **self.settings)

    def twin(self):
        return reference.Twin(
            classic.TOKENS, classic.ENDS, None, classic.COUNTS,
            **{name: rows.copy() for name, rows in self.parameters.items()},
            huffman=HuffmanTree(classic.COUNTS), sg=self.settings["sg"], negative=3, window=3,
            cbow_mean=self.settings.get("average_context", True), lr_start=0.0, lr_end=0.0,
            total_tokens=len(classic.TOKENS), seed=4, subwords=self.settings.get("subwords"),
        )  # fmt: skip


def recorded(twin):
    """Every step of an epoch at rate 0: context words, which output, targets, labels, mask; and for
    sampled outputs what counts for each centre.
    """
    steps, words, step = [], [], twin.step

    def record(inputs, context, sizes, output, targets, labels, mask, lr):
        known = words if twin.subwords else range(len(inputs))
        name = "output_hs" if output is twin.output_hs else "output_ns"
        counted = getattr(twin, "counted", None)
        steps.append(([int(known[i]) for i in context], name, targets, labels, mask, counted))
        step(inputs, context, sizes, output, targets, labels, mask, lr)

    # With n-grams the twin's contexts are places among the words of the chunk, which is all.
    words.extend(twin.tokens.tolist())
    twin.step = record
    twin.epoch(0)
    return steps


def inputs_of(context, leaves, subwords, settings):
    """The inputs of one step: a row for each word of the context, or one for them all."""
    rows = []
    for word in context:
        parts = [leaves["input"][word]]
        if subwords:
            offsets, ids = subwords
            parts += [
                leaves["input_ngrams"][int(i)] for i in ids[offsets[word] : offsets[word + 1]]
            ]
        rows.append(torch.stack(parts))
    if not settings["sg"]:
        every = torch.cat(rows)
        return (every.mean(0) if settings["average_context"] else every.sum(0))[None]
    # A mean whose gradient goes whole to each of its rows, as fastText has it.
    return torch.stack([r.mean(0).detach() + (r - r.detach()).sum(0) for r in rows])


def loss_of(step, leaves, problem):
    context, output, targets, labels, mask, counted = step
    ids = torch.tensor(np.asarray(targets, np.int64))
    x = inputs_of(context, leaves, problem.settings.get("subwords"), problem.settings)
    scores = x @ leaves[output][ids].T
    noise = problem.noise
    mask = mask[: len(scores)]
    if noise is not None:
        if noise.shift is not None:
            scores = scores - torch.tensor(noise.shift)[ids]
        if "bias" in leaves:
            scores = scores + leaves["bias"][ids]
        if "log_z" in leaves:
            scores = scores - leaves["log_z"]
        if noise.softmax:
            return sum(
                cross_entropy(scores[i, torch.tensor(counted[k] > 0)], torch.tensor(0))
                for i, k in np.argwhere(mask)
            )
        labels, mask = np.arange(len(targets)) < len(counted), mask @ counted
    truth = torch.tensor(np.asarray(labels, np.float64)).expand(len(scores), -1)
    return (torch.tensor(mask) * bce(scores, truth, reduction="none")).sum()


def assert_gradient_is_autograds(problem):
    leaves = {
        name: torch.tensor(rows, requires_grad=True) for name, rows in problem.parameters.items()
    }
    total = sum(loss_of(step, leaves, problem) for step in recorded(problem.twin()))
    total.backward()
    assert_allclose(problem.loss(problem.parameters), total.item(), rtol=1e-12)
    found = problem.change_over_rate()
    for name, leaf in leaves.items():
        assert np.abs(leaf.grad.numpy()).max() > 0.05
        # But for terms of the rate's square.
        assert_allclose(found[name], -leaf.grad.numpy(), atol=1e-5, rtol=1e-5, err_msg=name)


@COMPOSED
@MODELS
@pytest.mark.parametrize("case", CASES)
def test_gradients_of_sampled_outputs_are_those_of_autograd(case, model, composed, rng):
    assert_gradient_is_autograds(Problem(case, rng, composed, **model))


@COMPOSED
@MODELS
@pytest.mark.parametrize("objective", ["ns", "hs", "both"])
def test_gradients_of_the_classic_outputs_are_those_of_autograd(objective, model, composed, rng):
    assert_gradient_is_autograds(ClassicProblem(objective, rng, composed, **model))


class RecordingClassifier(reference_classifier.ClassifierTwin):
    def step(self, rows, targets, truth, lr):
        self.__dict__.setdefault("steps", []).append((rows, targets, truth))
        super().step(rows, targets, truth, lr)


@pytest.mark.parametrize("loss", classifier.LOSSES)
def test_gradients_of_the_classifier_are_those_of_autograd(loss, rng):
    start = classifier.parameters(rng, 5)
    twin = RecordingClassifier(
        **{name: rows.copy() for name, rows in start.items()}, loss=loss, negative=3,
        noise_weights=classifier.COUNTS**0.5, huffman=HuffmanTree.fasttext(classifier.COUNTS),
    )  # fmt: skip
    lines = classifier.FEATURES, classifier.LABELS, [0.0] * len(classifier.FEATURES)
    twin.train(*lines, reference.SplitMix64(5, 0, 0))
    leaves = {name: torch.tensor(rows, requires_grad=True) for name, rows in start.items()}
    total = torch.zeros((), dtype=torch.float64)
    for rows, targets, truth in twin.steps:
        hidden = leaves["input"][torch.tensor(rows)].mean(0)
        scores = leaves["output"][torch.tensor(np.asarray(targets, np.int64))] @ hidden
        if loss == "softmax":
            total = total + cross_entropy(scores, torch.tensor(int(truth)))
        else:
            total = total + bce(scores, torch.tensor(np.asarray(truth)), reduction="sum")
    total.backward()
    moved = {name: rows.copy() for name, rows in start.items()}
    result = classifier.train("double", moved, loss, classifier.TINY)
    assert_allclose(result.loss, total.item(), rtol=1e-6)
    for name, leaf in leaves.items():
        change = (moved[name] - start[name]) / classifier.TINY
        assert_allclose(change, -leaf.grad.numpy(), rtol=1e-6, atol=1e-6, err_msg=name)
