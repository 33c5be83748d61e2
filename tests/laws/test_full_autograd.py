"""Outputs over all words against an independent automatic differentiation, PyTorch's."""

import numpy as np
import pytest
from full import Output, inputs_and_targets
from numpy.testing import assert_allclose

from pyw2v._core import probe

torch = pytest.importorskip("torch", reason="gradients of PyTorch need the extra 'torch'")

N_WORDS, DIM, WINDOW, TINY = 13, 6, 3, 1e-9
OUTPUTS = {
    "softmax": {"loss": "softmax", "bias": True, "self_norm": 0.2},
    "logistic": {"loss": "logistic", "bias": True},
    "dsoftmax": {"loss": "softmax", "bands": [(4, 6), (13, 2)]},
    "classes": {"loss": "classes", "depth": 2, "bias": True},
    "deep-classes": {"loss": "classes", "depth": 3},
}


def group_loss(output, leaves, hidden, target):
    """The sum of PyTorch's own cross-entropies along the path of a word."""
    tree, total = output.tree, 0.0
    for level in range(tree.depth):
        at = target * tree.depth + level
        group = tree.path_groups[at]
        members = torch.tensor(tree.members[tree.offsets[group] : tree.offsets[group + 1]]).long()
        rows, bias = ("nodes", "node_bias") if group < tree.n_inner else ("words", "word_bias")
        scores = leaves[rows][members] @ hidden
        if bias in leaves:
            scores = scores + leaves[bias][members]
        place = torch.tensor(int(tree.path_places[at]))
        total = total + torch.nn.functional.cross_entropy(scores, place)
    return total


def pair_loss(output, leaves, hidden, target):
    if output.loss == "classes":
        return group_loss(output, leaves, hidden, target)
    scores = leaves["words"] @ hidden
    if "word_bias" in leaves:
        scores = scores + leaves["word_bias"]
    if output.loss == "logistic":
        labels = torch.zeros(N_WORDS, dtype=torch.float64)
        labels[target] = 1
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, labels, reduction="sum")
    log_z = torch.logsumexp(scores, 0)
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor(int(target)))
    return loss + output.self_norm * log_z**2


@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
@pytest.mark.parametrize("composed", [False, True], ids=["words", "n-grams"])
@pytest.mark.parametrize("kind", OUTPUTS)
def test_change_is_minus_rate_times_autograds_gradient(kind, composed, sg, rng):
    output = Output(rng, n_words=N_WORDS, dim=DIM, **OUTPUTS[kind])
    tokens, ends = rng.integers(0, N_WORDS, 20).astype(np.int32), np.array([8, 20], np.int64)
    rows = {"input": rng.normal(size=(N_WORDS, DIM)) * 0.7}
    parts, subwords = {w: [] for w in range(N_WORDS)}, None
    if composed:
        offsets = np.concatenate([[0], np.cumsum(np.arange(N_WORDS) % 3)]).astype(np.int64)
        ids = rng.integers(0, 5, offsets[-1]).astype(np.uint32)
        parts = {w: ids[offsets[w] : offsets[w + 1]].astype(int) for w in range(N_WORDS)}
        rows["input_ngrams"], subwords = rng.normal(size=(5, DIM)) * 0.7, (offsets, ids)
    start = rows | output.parameters()
    leaves = {name: torch.tensor(array, requires_grad=True) for name, array in start.items()}
    # The whole change of a mean goes to each row that it is the mean of (see test_full_output): so
    # skip-gram's composed rows are leaves themselves.
    means = {
        word: torch.tensor(
            np.mean([rows["input"][word], *(rows["input_ngrams"][i] for i in parts[word])], axis=0),
            requires_grad=True,
        )
        for word in range(N_WORDS)
    }
    loss = torch.tensor(0.0, dtype=torch.float64)
    for positions, targets in inputs_and_targets(tokens, ends, WINDOW, sg):
        found = []
        for word in tokens[positions]:
            found.append(leaves["input"][int(word)])
            found.extend(leaves["input_ngrams"][int(i)] for i in parts[int(word)])
        hidden = means[int(tokens[positions[0]])] if sg else torch.stack(found).mean(dim=0)
        for target in targets:
            loss = loss + pair_loss(output, leaves, hidden, target)
    loss.backward()
    if sg:
        for name in rows:
            leaves[name].grad = torch.zeros_like(leaves[name])
        for word, leaf in means.items():
            if leaf.grad is not None:
                leaves["input"].grad[word] += leaf.grad
                for i in parts[word]:
                    leaves["input_ngrams"].grad[i] += leaf.grad
    full, arrays = output.made()
    moved = {name: array.copy() for name, array in rows.items()}
    result = probe.train_chunk(
        "double",
        tokens=tokens,
        ends=ends,
        window=WINDOW,
        shrink_windows=False,
        sg=sg,
        subwords=subwords,
        full=full,
        lr_begin=TINY,
        lr_end=TINY,
        **moved,
    )
    assert_allclose(result.loss, loss.item(), rtol=1e-6)
    first = 0
    for end, width in output.bands or []:  # numbers beyond the width of a band are no parameters
        leaves["words"].grad[first:end, width:] = 0
        first = end
    for name, after in (moved | arrays).items():
        assert_allclose(
            (after - start[name]) / TINY,
            -leaves[name].grad.numpy(),
            atol=1e-5,
            rtol=1e-5,
            err_msg=name,
        )
