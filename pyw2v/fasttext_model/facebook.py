"""FastText models and what a fastText file holds: one made of the other."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from pyw2v import _matrices
from pyw2v._matrices.bucket_rows import BucketRows
from pyw2v.io import fasttext_format, fields
from pyw2v.io.fasttext_data import FastTextArgs, FastTextData
from pyw2v.io.streams import StrPath, is_compressed, open_binary, unpack
from pyw2v.io.temporary import temporary_file
from pyw2v.vectors.fasttext import FastTextKeyedVectors
from pyw2v.word2vec.state import ModelState

NS_EXPONENT = 0.5  # of the counts that fastText draws negative samples by
_FULL_LOSSES = {"softmax": "softmax", "ova": "logistic"}  # a file's, and our objectives


def read(path: StrPath) -> FastTextData:
    """Return the content of a file of words, plain or compressed; classifiers are refused."""
    data = _unpacked(path) if is_compressed(path) else _plain(path)
    if data.args.model == "supervised":
        raise NotImplementedError(
            f"{path} holds a classifier, which FastText is not: pyw2v.fasttext.load_model reads it"
        )
    if data.is_quantized:
        raise NotImplementedError(f"{path} is quantised, so its rows cannot be trained further")
    return data


def _plain(path: StrPath, name: str | None = None) -> FastTextData:
    # Not aligned: what is used of it is copied anyway.
    return fasttext_format.read(path, aligned=False, name=name)


def _unpacked(path: StrPath) -> FastTextData:
    """Unpack to a temporary file that goes once it is no longer mapped."""
    with temporary_file() as (file, plain):
        with open_binary(path) as source:
            unpack(source, file, None, os.fspath(path))
        return _plain(plain, os.fspath(path))


def settings_of(args: FastTextArgs) -> dict[str, Any]:
    """Return the arguments of FastText that a file tells."""
    return {
        "sg": int(args.model == "skipgram"),
        "hs": int(args.loss == "hs"),
        "vector_size": args.dim,
        "window": args.ws,
        "min_count": args.min_count,
        "sample": args.t,
        "negative": max(1, args.neg) if args.loss == "ns" else 0,
        "objective": _FULL_LOSSES.get(args.loss),
        "ns_exponent": NS_EXPONENT,
        "epochs": args.epoch,
        "min_n": args.minn,
        "max_n": args.maxn,
        "bucket": args.bucket,
    }


def take_vectors(wv: FastTextKeyedVectors, data: FastTextData, encoding: str) -> None:
    """Give `wv` the words and input rows of a file."""
    wv._set_keys([word.decode(encoding, "backslashreplace") for word in data.words])
    if len(wv.key_to_index) != len(wv):
        fields.unique("the words", wv.index_to_key)
    wv._check_ngram_lengths()
    wv.expandos["count"] = np.array(data.word_counts, np.int64)
    wv.init_post_load(data.input[: len(wv) + wv.bucket])


def take_output(model: ModelState, data: FastTextData) -> None:
    """Give a model that has the words of a file its output rows, too."""
    output = _matrices.grown(data.output, len(model.wv), model.vector_size)
    if model.hs:
        output *= -1  # see _output
        model.syn1 = output
    else:
        model.syn1neg = output


def data_of(
    model: ModelState,
    wv: FastTextKeyedVectors,
    encoding: str,
    lr_update_rate: int,
    word_ngrams: int,
) -> FastTextData:
    """Return what a file of the model holds; the matrices are not copied."""
    args = FastTextArgs(
        dim=wv.vector_size,
        ws=model.window,
        epoch=model.epochs,
        min_count=model.min_count,
        neg=model.negative,
        word_ngrams=word_ngrams,
        loss=_loss(model),
        model="skipgram" if model.sg else "cbow",
        bucket=wv.bucket,
        minn=wv.min_n,
        maxn=wv.max_n,
        lr_update_rate=lr_update_rate,
        t=model.sample,
    )
    return FastTextData(
        args=args,
        words=[str(word).encode(encoding) for word in wv.index_to_key],
        word_counts=np.ascontiguousarray(wv.expandos["count"], np.int64),
        input=_Stacked(wv.vectors_vocab, wv._ngram_rows()),
        output=_output(model),
        n_tokens=model.corpus_total_words or 0,
    )


def _loss(model: ModelState) -> str:
    """The loss of a file; one that fastText lacks becomes the most similar, for queries alone."""
    for loss, objective in _FULL_LOSSES.items():
        if model.objective == objective:
            return loss
    return "hs" if model._has_tree else "ns"


def _output(model: ModelState) -> Any:
    """The output rows; at a node of the tree, a score favours turn 1 there, turn 0 here."""
    if not model._has_tree:
        return model.syn1neg
    return -np.asarray(model.syn1)


class _Stacked:
    """One matrix above another, for the format to write: by slices, without a copy of both."""

    def __init__(self, top: np.ndarray[Any, Any], bottom: BucketRows) -> None:
        self._top, self._bottom = top, bottom
        self.shape = (len(top) + len(bottom), top.shape[1])

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        n = len(self._top)
        below = slice(max(0, rows.start - n), max(0, rows.stop - n))
        return np.concatenate([self._top[rows], self._bottom[below]])
