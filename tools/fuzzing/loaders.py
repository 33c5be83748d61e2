"""How files of every format are loaded: `path` or bytes, and the number of a variant, in."""

import contextlib
import io
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pyw2v
from fuzzing import seeds
from pyw2v import cli, fasttext_model
from pyw2v import corpus as corpora
from pyw2v import fasttext as fasttext_module
from pyw2v._core import fasttext_format as layout_format
from pyw2v._core import word2vec_format as rows_format
from pyw2v.classifier import labelled as _labelled
from pyw2v.classifier import state
from pyw2v.io import word2vec_format
from pyw2v.word2vec import exact


def vectors(path: str, variant: int) -> Any:
    """Any vectors of ours or of gensim's, copied or mapped."""
    return pyw2v.KeyedVectors.load(path, mmap=bool(variant))


def text(path: str, variant: int) -> Any:
    """Rows of text, in many ways."""
    options: tuple[dict[str, Any], ...] = (
        {},
        {"no_header": True},
        {"binary": None, "no_header": None, "unicode_errors": "replace"},
        {"datatype": np.float64, "limit": 2},
        {"datatype": np.float16, "encoding": "latin1"},
    )
    return pyw2v.KeyedVectors.load_word2vec_format(path, **options[variant])


def binary(path: str, variant: int) -> Any:
    """Binary rows."""
    options: tuple[dict[str, Any], ...] = (
        {"binary": True},
        {"binary": None, "no_header": None, "unicode_errors": "ignore"},
        {"binary": True, "datatype": np.float16, "limit": 2},
    )
    return pyw2v.KeyedVectors.load_word2vec_format(path, **options[variant])


def rows(path: str, variant: int) -> Any:
    """The C++ reader alone, which is fast."""
    choices = (False, True, None)
    return rows_format.load(
        path,
        "v.txt",
        binary=choices[variant % 3],
        header=choices[variant // 3],
        limit=None,
        dtype=np.dtype(np.float32),
        encoding="utf8",
        unicode_errors="replace",
    )


def layout(path: str, variant: int) -> Any:
    """The C++ reader alone."""
    with open(path, "rb") as file:
        return layout_format.parse(file.fileno(), "v.bin")


def vocabulary(path: str, variant: int) -> Any:
    """Words and counts, as GloVe's tools or word2vec.c read them."""
    return exact.read_vocab(path) if variant else word2vec_format.load_vocab(path)


def fasttext(path: str, variant: int) -> Any:
    """A model, for the module of fastText's names."""
    return fasttext_module.load_model(path)


def facebook(path: str, variant: int) -> Any:
    """A model of fastText's as one of gensim's, or its vectors."""
    if variant:
        return fasttext_model.load_facebook_vectors(path)
    return fasttext_model.load_facebook_model(path).wv


def records(path: str, variant: int) -> Any:
    """Co-occurrences and their vocabulary."""
    return pyw2v.CooccurrenceMatrix.load_glove_format(path, path + ".vocab")


def parameters(path: str, variant: int) -> Any:
    """Raw parameters of GloVe's, with or without squares."""
    model = pyw2v.GloVe(vector_size=3, workers=1, dtype="float64" if variant else "float32")
    model.set_vocabulary(seeds.WORDS, [5, 4, 3, 2, 1])
    model.load_parameters(path, path + ".squares" if variant else None)
    return model


def phrases(path: str, variant: int) -> Any:
    """A phrase model."""
    return pyw2v.Phrases.load(path)


def corpus(path: str, variant: int) -> Any:
    """Lines of words: counted, iterated, joined to phrases, trained on."""
    if variant == 0:
        return corpora.scan(Path(path), workers=1, max_memory=1 << 20)
    if variant == 1:
        return corpora.scan(pyw2v.Text8Corpus(path, max_sentence_length=5), workers=2)
    if variant == 2:
        counted = exact.arrange(exact.count_file(path), 1)
        return exact.encode_file(path, counted, exact=True, max_memory=1 << 20)
    if variant == 3:
        return list(pyw2v.LineSentence(path, max_sentence_length=5))
    if variant == 4:
        return pyw2v.Phrases(pyw2v.LineSentence(path), min_count=1, threshold=0.1)
    return pyw2v.Word2Vec(corpus_file=path, **seeds.SMALL, sg=1)


def labelled(path: str, variant: int) -> Any:
    """Lines of words and labels: counted, or trained on and scored."""
    if variant > 1:  # as often, since training takes long
        lines = _labelled.encode(path, None, "__label__", _labelled.LabelKind())
        return _labelled.count(lines, 1, 1)
    settings: dict[str, Any] = {"dim": 2, "epochs": 1, "workers": 1, "lr": 0.1, "bucket": 50}
    if variant:
        settings |= {"min_n": 1, "max_n": 3, "word_ngrams": 3, "loss": "hs"}
    model = pyw2v.TextClassifier(**settings).fit(path)
    model.score(path)
    return model


def pretrained(path: str, variant: int) -> Any:
    """Vectors for a classifier."""
    return state._read_vectors(path)


def weights(path: str, variant: int) -> Any:
    """A sampler."""
    return pyw2v.FixedUnigram(path)


_KNOWN = seeds.vectors()


def analogies(path: str, variant: int) -> Any:
    """Question files, evaluated."""
    return _KNOWN.evaluate_word_analogies(path, dummy4unknown=bool(variant))


def pairs(path: str, variant: int) -> Any:
    """Judgements, compared."""
    delimiter = (None, "\t")[variant]
    return _KNOWN.evaluate_word_pairs(path, delimiter=delimiter, dummy4unknown=bool(variant))


@cache
def _parser() -> Any:
    return cli.build_parser()


def command(path: str, variant: int) -> None:
    """What the commands do with a file."""
    other = f"{path}.converted.txt"
    commands = (["info", path], ["convert", "--force", path, other], ["neighbors", path, "graph"])
    args = _parser().parse_args(commands[variant])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(KeyError):  # no such word
        args.run(args)


def packed_rows(path: str, variant: int) -> Any:
    """Compressed rows."""
    return binary(path, variant) if ".bin" in path else text(path, variant)


def packed_models(path: str, variant: int) -> Any:
    """Compressed models."""
    return facebook(path, variant) if ".bin" in path else vectors(path, variant)


def brown(path: str, variant: int) -> Any:
    """The Brown corpus."""
    return list(pyw2v.BrownCorpus(str(Path(path).parent)))
