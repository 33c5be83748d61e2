"""Small training problems, and ways to run them."""

import numpy as np

from pyw2v._core.huffman import HuffmanTree
from pyw2v._core.matrix import spread_copy
from pyw2v._core.runs import WordRun
from pyw2v._core.sampler import unigram_weights
from pyw2v._core.word_model import WordModel

MATRICES = ("input", "output_ns", "output_hs")
SEED = 7
ALL_MATRICES = (*MATRICES, "input_ngrams")


RUN = ("tokens", "ends", "lr_start", "lr_end", "epochs", "total_tokens", "seed", "workers")


def word_run(*, counts, ns_exponent, cbow_mean, cbow_grad, compute_loss, **arguments):
    """A run of the arguments of `problem`, by the names that the reference has, too."""
    of_run = {name: arguments.pop(name) for name in RUN}
    if "noise_weights" not in arguments and arguments.get("output_ns") is not None:
        arguments["noise_weights"] = unigram_weights(counts, ns_exponent)
    model = WordModel(
        **arguments,
        average_context=cbow_mean,
        average_gradient=cbow_grad == "mean" or not cbow_mean,
        track_loss=compute_loss,
    )
    return WordRun(model, **of_run)


def matrix(rows):
    """The same numbers in a matrix that a run takes."""
    return spread_copy(rows)


def corpus(rng, n_words, lengths):
    """Tokens and ends of random sentences, in none of which a word comes twice."""
    sentences = [rng.permutation(n_words)[:length] for length in lengths]
    tokens = np.concatenate(sentences).astype(np.int32)
    return tokens, np.cumsum(lengths, dtype=np.int64)


def problem(rng, tokens, ends, n_words, dim, objective="ns", negative=5, **settings):
    """The arguments of `word_run`: random rows, counts that fall, one epoch by one worker."""
    counts = np.arange(2 * n_words, n_words, -1).astype(np.int64)
    rows = (rng.normal(size=(3, n_words, dim)) * 0.5).astype(np.float32)
    made = {
        "tokens": tokens,
        "ends": ends,
        "keep": None,
        "counts": counts,
        "input": matrix(rows[0]),
        "sg": True,
        "negative": negative if objective in ("ns", "both") else 0,
        "ns_exponent": 0.75,
        "window": 3,
        "shrink_windows": True,
        "cbow_mean": True,
        "cbow_grad": "sum",
        "lr_start": 0.05,
        "lr_end": 0.01,
        "epochs": 1,
        "total_tokens": len(tokens),
        "seed": SEED,
        "workers": 1,
        "compute_loss": True,
    }
    if objective in ("ns", "both"):
        made["output_ns"] = matrix(rows[1])
    if objective in ("hs", "both"):
        made["huffman"] = HuffmanTree(counts)
        made["output_hs"] = matrix(rows[2][: max(n_words - 1, 1)])
    return made | settings


def with_subwords(rng, arguments, n_buckets, sizes):
    """The same problem for words composed of n-grams, of which word i has sizes[i]."""
    dim = arguments["input"].shape[1]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return arguments | {
        "subwords": (offsets, rng.integers(0, n_buckets, offsets[-1]).astype(np.uint32)),
        "input_ngrams": matrix((rng.normal(size=(n_buckets, dim)) * 0.5).astype(np.float32)),
    }


def copied(arguments, dtype=np.float32):
    """The same arguments with matrices of their own."""
    copies = {name: matrix(arguments[name]) for name in ALL_MATRICES if name in arguments}
    if dtype != np.float32:
        copies = {name: rows.astype(dtype) for name, rows in copies.items()}
    return arguments | copies


def run_epoch(trainer, epoch=0):
    trainer.start(epoch)
    while not trainer.wait(10):
        pass
    return trainer.finish()


def train(arguments):
    """Run all epochs; the matrices of the arguments are changed in place."""
    trainer = word_run(**arguments)
    return [run_epoch(trainer, epoch) for epoch in range(arguments["epochs"])]
