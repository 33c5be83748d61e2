"""The losses of pyw2v.losses again, written out example by example and class by class."""

import numpy as np


def log_sigma(s):
    return -np.log1p(np.exp(-s))


def score(x, weights, biases, w):
    return x @ weights[w] + (0.0 if biases is None else biases[w])


def log_p(scores, true):
    return scores[true] - np.log(np.sum(np.exp(scores)))


def softmax(p):
    out = []
    for x, labels in zip(p.inputs, p.labels, strict=True):
        scores = np.array([score(x, p.weights, p.biases, w) for w in range(len(p.weights))])
        out.append(-np.mean([log_p(scores, t) for t in labels]))
    return np.array(out)


def logistic(p):
    out = []
    for x, labels in zip(p.inputs, p.labels, strict=True):
        total = 0.0
        for w in range(len(p.weights)):
            s = score(x, p.weights, p.biases, w)
            total -= log_sigma(s if w in labels else -s)
        out.append(total)
    return np.array(out)


def sampled_scores(p, corrected, remove_hits):
    """Yield the scores of the true classes, and of the drawn ones that count, of each example."""
    ids, true_expected, sampled_expected = p.sampled
    ids = np.broadcast_to(ids, (len(p.inputs), np.shape(ids)[-1]))
    sampled_expected = np.broadcast_to(sampled_expected, ids.shape)
    for i, (x, labels) in enumerate(zip(p.inputs, p.labels, strict=True)):
        true, drawn = [], []
        for j, w in enumerate(labels):
            q = np.log(true_expected[i, j]) if corrected else 0.0
            true.append(score(x, p.weights, p.biases, w) - q)
        for j, w in enumerate(ids[i]):
            if not (remove_hits and w in labels):
                q = np.log(sampled_expected[i, j]) if corrected else 0.0
                drawn.append(score(x, p.weights, p.biases, w) - q)
        yield np.array(true), np.array(drawn)


def negative_sampling(p, remove_hits=True):
    return np.array(
        [
            -log_sigma(true).sum() - log_sigma(-drawn).sum()
            for true, drawn in sampled_scores(p, False, remove_hits)
        ]
    )


def nce(p, remove_hits=False, corrected=True):
    out = []
    for true, drawn in sampled_scores(p, corrected, remove_hits):
        label = 1 / len(true)
        of_true = label * log_sigma(true) + (1 - label) * log_sigma(-true)
        out.append(-of_true.sum() - log_sigma(-drawn).sum())
    return np.array(out)


def sampled_softmax(p, remove_hits=True, corrected=True):
    out = []
    for true, drawn in sampled_scores(p, corrected, remove_hits):
        scores = np.concatenate([true, drawn])
        out.append(-np.mean([log_p(scores, t) for t in range(len(true))]))
    return np.array(out)


def hierarchical_softmax(p, points, codes):
    out = []
    for x, labels in zip(p.inputs, p.labels, strict=True):
        total = 0.0
        for t in labels:
            for node, code in zip(points[t], codes[t], strict=True):
                s = score(x, p.weights, p.biases, node)
                total -= log_sigma(s if code == 0 else -s) / len(labels)
        out.append(total)
    return np.array(out)


def class_softmax(p, classes, class_weights, class_biases):
    out = []
    for x, labels in zip(p.inputs, p.labels, strict=True):
        total = 0.0
        for t in labels:
            upper = np.array(
                [score(x, class_weights, class_biases, c) for c in range(len(class_weights))]
            )
            members = np.flatnonzero(classes == classes[t])
            inner = np.array([score(x, p.weights, p.biases, w) for w in members])
            place = int(np.flatnonzero(members == t)[0])
            total -= (log_p(upper, classes[t]) + log_p(inner, place)) / len(labels)
        out.append(total)
    return np.array(out)
