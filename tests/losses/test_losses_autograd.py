"""Losses as functions against an independent automatic differentiation, PyTorch's."""

import numpy as np
import pytest
from loss_cases import CASES, CLASSES, CODES, N_CLASSES, POINTS, dense, problem
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch", reason="gradients of PyTorch need the extra 'torch'")
bce = torch.nn.functional.binary_cross_entropy_with_logits
cross_entropy = torch.nn.functional.cross_entropy


def all_scores(leaves, prefix=""):
    scores = leaves["inputs"] @ leaves[f"{prefix}weights"].T
    return scores + leaves[f"{prefix}biases"]


def shares(labels, n_classes):
    """The distribution over classes that several labels stand for."""
    target = torch.zeros(len(labels), n_classes, dtype=torch.float64)
    share = torch.full(labels.shape, 1 / labels.shape[1], dtype=torch.float64)
    return target.scatter_add_(1, labels, share)


def sampled(p, leaves, corrected, remove_hits):
    """TensorFlow's _compute_sampled_logits: logits of true and drawn classes, and their labels."""
    labels = torch.tensor(p.labels)
    ids = torch.tensor(np.broadcast_to(p.sampled[0], (len(labels), p.sampled[0].shape[-1])).copy())
    every = torch.cat([labels, ids], dim=1)
    logits = all_scores(leaves).gather(1, every)
    if corrected:
        drawn = np.broadcast_to(p.sampled[2], tuple(ids.shape))
        logits = logits - torch.tensor(np.log(np.concatenate([p.sampled[1], drawn], axis=1)))
    if remove_hits:
        hit = (ids[:, :, None] == labels[:, None, :]).any(2)
        off = torch.cat([torch.zeros_like(labels, dtype=torch.bool), hit], dim=1)
        logits = logits.masked_fill(off, torch.finfo(torch.float64).min)
    target = torch.zeros_like(logits)
    target[:, : labels.shape[1]] = 1 / labels.shape[1]
    return logits, target


def softmax(p, leaves):
    return cross_entropy(all_scores(leaves), shares(torch.tensor(p.labels), N_CLASSES))


def logistic(p, leaves):
    target = (shares(torch.tensor(p.labels), N_CLASSES) > 0).double()
    return bce(all_scores(leaves), target, reduction="sum") / len(target)


def sampled_bce(corrected, remove_hits, whole=False):
    def loss(p, leaves):
        logits, target = sampled(p, leaves, corrected, remove_hits)
        return bce(logits, (target > 0).double() if whole else target, reduction="sum") / len(
            logits
        )

    return loss


def sampled_cross_entropy(corrected, remove_hits):
    return lambda p, leaves: cross_entropy(*sampled(p, leaves, corrected, remove_hits))


def hierarchical(p, leaves):
    scores, total = all_scores(leaves), 0.0
    for row, labels in zip(scores, p.labels, strict=True):
        for t in labels:
            truth = torch.tensor(1.0 - CODES[t])
            total = total + bce(row[torch.tensor(POINTS[t]).long()], truth, reduction="sum")
    return total / p.labels.size


def classes(p, leaves):
    upper, inner, total = all_scores(leaves, "class_"), all_scores(leaves), 0.0
    for i, labels in enumerate(p.labels):
        for t in labels:
            members = np.flatnonzero(CLASSES[t] == CLASSES)
            place = torch.tensor(int(np.flatnonzero(members == t)[0]))
            total = total + cross_entropy(upper[i], torch.tensor(int(CLASSES[t])))
            total = total + cross_entropy(inner[i, torch.tensor(members)], place)
    return total / p.labels.size


LOSSES = {
    "softmax": softmax,
    "logistic": logistic,
    "negative_sampling": sampled_bce(False, True, whole=True),
    "negative_sampling, hits kept": sampled_bce(False, False, whole=True),
    "nce": sampled_bce(True, False),
    "nce, hits removed": sampled_bce(True, True),
    "nce without log Q": sampled_bce(False, False),
    "sampled_logistic": sampled_bce(True, True),
    "sampled_softmax": sampled_cross_entropy(True, True),
    "sampled_softmax, hits kept": sampled_cross_entropy(True, False),
    "sampled_softmax without log Q": sampled_cross_entropy(False, True),
    "hierarchical_softmax": hierarchical,
    "hierarchical_softmax by paths": hierarchical,
    "class_softmax": classes,
}


@pytest.mark.parametrize("own_draws", [False, True], ids=["shared draws", "own draws"])
@pytest.mark.parametrize("num_true", [1, 3])
@pytest.mark.parametrize("case", CASES)
def test_losses_and_gradients_are_those_of_autograd(case, num_true, own_draws, rng):
    p = problem(rng, num_true=num_true, own_draws=own_draws)
    leaves = {
        name: torch.tensor(array, requires_grad=True) for name, array in p.parameters().items()
    }
    expected = LOSSES[case](p, leaves)
    expected.backward()
    loss, gradients = CASES[case][0](p)
    assert_allclose(loss, expected.item(), rtol=1e-12)
    for name, found in dense(gradients, p.parameters()).items():
        assert_allclose(found, leaves[name].grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=name)
