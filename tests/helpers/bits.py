"""Fingerprints of trained numbers: every model x objective, by one worker with a fixed seed.

They hold for one compiler and instruction set only: others contract and order sums in other ways.
NumPy, of whose powers and logarithms the samplers are made, has versions of its own for AVX-512; it
must be told not to use them (NUMPY_PLAIN), before it is imported.

`python tests/helpers/bits.py` prints those of each instruction set of this machine as JSON;
`python tests/helpers/bits.py record` enters them into tests/data/bits.json, for the compiler that
the package was built with.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np

from pyw2v import FastText, GloVe, TextClassifier, Word2Vec
from pyw2v._core import isa as isa_module

RECORDED = Path(__file__).parents[1] / "data" / "bits.json"
# For the variable NPY_DISABLE_CPU_FEATURES; those that a machine or a NumPy lacks do no harm.
NUMPY_PLAIN = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4"
COMPILER = isa_module.build_info()["compiler"]

_COMMON = {"vector_size": 20, "min_count": 1, "epochs": 2, "workers": 1, "seed": 5, "sample": 1e-2}
_OUTPUTS = {
    "ns": {},
    "hs": {"hs": 1, "negative": 0},
    "both": {"hs": 1},
    **{
        name: {"objective": name}
        for name in ("nce", "sampled_logistic", "sampled_softmax", "softmax", "logistic")
    },
    **{name: {"objective": name} for name in ("class_softmax", "dsoftmax")},
    "nce-pair": {"objective": "nce", "noise_per": "pair", "nce_z": "learned"},
    "ns-wide": {"vector_size": 37, "negative": 11, "window": 2},
}
_LEARNT = ("syn1neg", "syn1", "syn1bias", "syn1class", "syn1class_bias", "_log_z")


def _words(n_words, n_tokens, state):
    """Word numbers of a text, rare ones rarely, by a generator that no library can change."""
    for _ in range(n_tokens):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield int((n_words + 1) ** ((state >> 11) / 2**53)) - 1


def _sentences():
    tokens = [f"word{number}" for number in _words(300, 6000, 1)]
    return [tokens[at : at + 15] for at in range(0, len(tokens), 15)]


def _word_model(kind, sg, output):
    model = kind(_sentences(), **(_COMMON | {"sg": sg} | _OUTPUTS[output]))
    inputs = [model.wv.vectors, getattr(model.wv, "vectors_ngrams", None)]
    return [*inputs, *(getattr(model, name, None) for name in _LEARNT), model.loss_history]


def _fasttext(sg, output):
    def make(*arguments, **settings):
        return FastText(*arguments, **settings, bucket=500, min_n=3, max_n=5)

    return _word_model(make, sg, output)


def _exact(sg):
    model = Word2Vec(_sentences(), **(_COMMON | {"sg": sg, "engine": "word2vec.c"}))
    return [model.wv.vectors, model.syn1neg]


def _glove():
    model = GloVe(_sentences(), vector_size=20, min_count=1, epochs=3, workers=1, seed=5)
    return [model.wv.vectors, model.loss_history]


def _classifier(loss):
    sentences = _sentences()
    labels = [f"label{len(sentence[0]) % 3}" for sentence in sentences]
    model = TextClassifier(
        dim=20, word_ngrams=2, bucket=500, epochs=3, lr=0.2, loss=loss, workers=1, seed=5
    )
    model.fit([" ".join(sentence) for sentence in sentences], labels)
    return [model.data.input, model.data.output]


def _all():
    for sg, name in ((1, "sg"), (0, "cbow")):
        for output in _OUTPUTS:
            yield f"{name}-{output}", lambda sg=sg, output=output: _word_model(Word2Vec, sg, output)
        for output in ("ns", "hs", "softmax", "sampled_softmax"):
            yield f"fasttext-{name}-{output}", lambda sg=sg, output=output: _fasttext(sg, output)
        yield f"exact-{name}", lambda sg=sg: _exact(sg)
    yield "glove", _glove
    for loss in ("softmax", "hs", "ns", "ova"):
        yield f"classifier-{loss}", lambda loss=loss: _classifier(loss)


TRAININGS = dict(_all())


def _hash(arrays):
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        if array is not None:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def fingerprints():
    """Run all trainings; return the hash of what each has learnt, by instruction set and name."""
    found = {}
    for isa in isa_module.isas():
        isa_module.use(isa)
        found[isa] = {name: _hash(train()) for name, train in TRAININGS.items()}
    return found


def _record():
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    recorded.setdefault(COMPILER, {}).update(fingerprints())
    RECORDED.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    if os.environ.get("NPY_DISABLE_CPU_FEATURES") != NUMPY_PLAIN:
        os.environ["NPY_DISABLE_CPU_FEATURES"] = NUMPY_PLAIN
        os.execv(sys.executable, [sys.executable, "-W", "ignore", *sys.argv])
    if sys.argv[1:] == ["record"]:
        _record()
    else:
        json.dump(fingerprints(), sys.stdout)
