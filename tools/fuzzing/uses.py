"""What is done with an object that came out of a mutated file: nothing of it may fail.

With `deep`, what takes longer is done, too: it is trained, saved, and read again.
"""

import contextlib
from typing import Any

import numpy as np

from fuzzing.seeds import SENTENCES
from pyw2v.vectors import KeyedVectors

QUERIES = ["graph of trees", "naïve\x00x unseen", ""]


def vectors(kv: Any, scratch: str, deep: bool) -> None:
    """Ask for neighbours, words that exist and, if they can be made, some that do not."""
    len(kv), str(kv)
    keys = [key for key in kv.index_to_key if key is not None]  # but for places that are free
    if not keys:
        return
    first, last = keys[0], keys[-1]
    kv.most_similar(first, topn=3)
    if getattr(kv, "bucket", 0):
        "unseen" in kv, kv["graph"]
    if not deep:
        return
    kv.get_vector(first, norm=True)
    kv.similarity(first, last)
    kv.most_similar(positive=[first, np.ones(kv.vector_size, np.float32)], negative=[last])
    kv.doesnt_match([first, last, first])
    kv.save(scratch)
    again = type(kv).load(scratch)
    if again.index_to_key != keys:
        raise AssertionError("other keys after saving and loading")


def growing(kv: Any, scratch: str, deep: bool) -> None:
    """The same for vectors that belong to no model: a word is added."""
    vectors(kv, scratch, deep)
    if deep and isinstance(kv, KeyedVectors):
        kv.add_vector("a new word", np.zeros(kv.vector_size, np.float32))
        kv.most_similar("a new word")


def text_vectors(kv: Any, scratch: str, deep: bool) -> None:
    """The same for vectors of a word2vec file, which is written again."""
    growing(kv, scratch, deep)
    if deep and len(kv) and not any(" " in key or "\n" in key for key in kv.index_to_key):
        for binary in (False, True):
            kv.save_word2vec_format(scratch, binary=binary)


def model(model: Any, scratch: str, deep: bool) -> None:
    """Use the vectors; train, predict, save and load again."""
    str(model)
    vectors(model.wv, scratch, deep)
    if not deep:
        return
    keys = model.wv.index_to_key
    outputs = [rows for rows in (model.syn1neg, model.syn1) if rows is not None]
    # Vectors that were added to a model have no output rows: it cannot be trained, and says so.
    whole = all(len(rows) == len(keys) for rows in outputs)
    counts = model.wv.expandos.get("count", np.zeros(1))  # samplers refuse words that never occur
    if keys and whole and (counts > 0).all():
        with contextlib.suppress(FloatingPointError):  # weights may be finite and too large
            model.train([keys[:5], keys[-3:]], total_examples=2, epochs=1)
        if "word2vec" in type(model).__module__:
            with contextlib.suppress(RuntimeError):  # of models without negative sampling
                model.predict_output_word(["graph"])
    model.save(scratch)
    type(model).load(scratch)


def glove(model: Any, scratch: str, deep: bool) -> None:
    """Use the vectors and biases; save and load again."""
    if model._parameters is None:
        return
    vectors(model.wv, scratch, deep)
    model.biases.sum()
    if deep:
        with contextlib.suppress(FloatingPointError):
            model.train(sentences=SENTENCES[:2], epochs=1)
        model.save(scratch)
        type(model).load(scratch)


def records(found: Any, scratch: str, deep: bool) -> None:
    """Look entries up, and train on them."""
    found.row_sums(), list(found)[:2]
    if deep:
        found.ppmi()
        found.save_glove_format(scratch)


def classifier(model: Any, scratch: str, deep: bool) -> None:
    """Predict; save and load again."""
    model.predict(QUERIES)
    model.top(QUERIES, k=2)
    if deep:
        model.predict_proba(QUERIES), model.text_vectors(QUERIES), model.classes_
        model.save(scratch)
        type(model).load(scratch).predict(QUERIES)


def fasttext(model: Any, scratch: str, deep: bool) -> None:
    """Use a model of fastText's own module."""
    model.get_dimension()
    model.get_word_vector("graph")
    if model.f.getArgs().model.name == "supervised":
        model.predict("graph of trees", k=2, on_unicode_error="replace")
    if deep:
        model.get_sentence_vector("graph of trees")
        model.get_words(on_unicode_error="replace")
        model.get_subwords("graph", on_unicode_error="replace")
        model.get_nearest_neighbors("graph", 2, on_unicode_error="replace")
        model.save_model(scratch)


def phrases(model: Any, scratch: str, deep: bool) -> None:
    """Join words; save and load again."""
    for sentence in SENTENCES[:2]:
        model[sentence]
    if deep:
        model.find_phrases(SENTENCES)
        if hasattr(model, "add_vocab"):
            model.add_vocab(SENTENCES[:1])
            model.freeze()
        model.save(scratch)
        type(model).load(scratch)


def sampler(found: Any, scratch: str, deep: bool) -> None:
    """Ask for probabilities."""
    found.probabilities(np.ones(len(found.given)))
    if deep and np.count_nonzero(found.given) > 1:
        found.expected_counts(np.ones(len(found.given)), 1)


def nothing(found: Any, scratch: str, deep: bool) -> None:
    """For what is used up by reading."""
