"""Small sound files of every format, always the same: what the mutations start from.

Made by pyw2v itself of a few words, but for what only other programs write: files of gensim and
fastText come from `tests/data`.
"""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import pyw2v
from fuzzing.structure import packed
from pyw2v._core.word2vec_format import text_rows

Seed = dict[str, bytes]  # files by name; the first is what is loaded

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
WORDS = ["graph", "trees", "naïve", "of", "minors"]
SENTENCES = [["graph", "of", "trees"], ["graph", "naïve", "minors", "of"], ["trees", "of"]] * 2
SMALL: dict[str, Any] = {"vector_size": 4, "min_count": 1, "workers": 1, "epochs": 1, "sample": 0}
# The product quantiser needs 256 rows.
_MANY = [[f"w{i}", f"v{i % 30}", "graph"] for i in range(260)]
_LABELS = ["a", "b", "naïve"] * 100


def vectors(n: int = 5, dim: int = 4) -> pyw2v.KeyedVectors:
    """Return a few vectors without training."""
    kv = pyw2v.KeyedVectors(dim)
    rows = np.linspace(-1, 1, n * dim, dtype=np.float32).reshape(n, dim)
    kv.add_vectors([*WORDS, *(f"w{i}" for i in range(n))][:n], rows)
    return kv


def saved(name: str, *savers: Callable[[str], Any]) -> list[Seed]:
    """Return a file for each of what is called with the path to save to."""
    seeds: list[Seed] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, save in enumerate(savers):
            place = Path(folder, str(number))
            place.mkdir()
            save(str(place / name))
            seeds.append({path.name: path.read_bytes() for path in sorted(place.iterdir())})
    return seeds


def files(*paths: str) -> list[Seed]:
    """Return files of `tests/data`, each with those beside it that belong to it."""
    return [
        {path.name: path.read_bytes()}
        | {
            part.name: part.read_bytes()
            for part in sorted(path.parent.glob(path.name + ".*.np[yz]"))
            if "expected" not in part.name
        }
        for path in (DATA / name for name in paths)
    ]


def compressed(seeds: Iterable[Seed], suffix: str) -> list[Seed]:
    """Return the seeds, of one file each, compressed."""
    return [{name + suffix: packed(data, suffix) for name, data in seed.items()} for seed in seeds]


def native_vectors() -> list[Seed]:
    """Return `KeyedVectors`, one with an attribute and keys that are integers, and none at all."""
    more = pyw2v.KeyedVectors(3)
    more.add_vectors([1, 2, "x"], np.eye(3, dtype=np.float32))
    more.set_vecattr(1, "note", 3)
    return saved("v.kv", vectors().save, more.save, pyw2v.KeyedVectors(2).save)


def native_subwords() -> list[Seed]:
    """Return `FastTextKeyedVectors`, with and without n-grams."""
    models = [pyw2v.FastText(SENTENCES, bucket=b, **SMALL) for b in (10, 2000)]
    words = pyw2v.FastText(SENTENCES, max_n=0, **SMALL)
    return saved("v.kv", *(model.wv.save for model in (*models, words)))


def native_word2vec() -> list[Seed]:
    """Return models of some objectives and samplers, and one without words."""
    kinds: list[dict[str, Any]] = [{}, {"hs": 1, "negative": 0}, {"objective": "class_softmax"}]
    kinds += [{"objective": name} for name in ("sampled_softmax", "softmax", "nce")]
    kinds += [{"objective": "nce", "sampler": pyw2v.FixedUnigram([5, 4, 3, 2, 1])}]
    kinds += [{"engine": "word2vec.c"}, {"sg": 1, "hs": 1}]
    models = [pyw2v.Word2Vec(SENTENCES, **SMALL, **kind) for kind in kinds]
    return saved("m.model", *(model.save for model in models), pyw2v.Word2Vec(vector_size=3).save)


def native_fasttext() -> list[Seed]:
    """Return models with n-grams."""
    kinds: list[dict[str, Any]] = [{"bucket": 10}, {"bucket": 2000}, {"bucket": 10, "hs": 1}]
    return saved("m.model", *(pyw2v.FastText(SENTENCES, **SMALL, **k).save for k in kinds))


def glove() -> pyw2v.GloVe:
    """Return a model."""
    return pyw2v.GloVe(SENTENCES, vector_size=3, min_count=1, workers=1, epochs=1)


def glove_records() -> list[Seed]:
    """Return co-occurrences and their vocabulary."""
    found = pyw2v.CooccurrenceMatrix.from_corpus(SENTENCES, min_count=1)
    return saved("c.bin", lambda path: found.save_glove_format(path, path + ".vocab"))


def glove_parameters() -> list[Seed]:
    """Return raw parameters and squares."""
    model = glove()
    return saved("p.bin", lambda path: model.save_parameters(path, path + ".squares"))


def classifiers() -> list[Any]:
    """Return classifiers of every loss and form."""
    texts = [" ".join(sentence) for sentence in _MANY] + ["graph of trees"] * 40
    small: dict[str, Any] = {"dim": 4, "epochs": 1, "workers": 1}
    found = [
        pyw2v.TextClassifier(loss=loss, **small).fit(texts[:6], ["a", "b"] * 3)
        for loss in ("softmax", "hs", "ova", "ns")
    ]
    rich = pyw2v.TextClassifier(min_n=2, max_n=3, bucket=20, word_ngrams=2, **small)
    found.append(rich.fit(texts[:4], [1, 2, 3, 1]))
    found.append(pyw2v.TextClassifier(**small).fit(texts[:3], np.array([[1, 0], [0, 1], [1, 1]])))
    words = pyw2v.TextClassifier(bucket=30, word_ngrams=2, **small).fit(texts, _LABELS)
    found.append(words.quantize(qnorm=True, cutoff=256, retrain=False))
    return found


def native_classifier() -> list[Seed]:
    """Return classifiers in our own format."""
    return saved("c.bin", *(model.save for model in classifiers()))


def native_compact() -> list[Seed]:
    """Return compact vectors of every method, some with n-grams."""
    subwords = pyw2v.FastText(SENTENCES, bucket=10, **SMALL).wv
    kinds = [vectors().quantize(method) for method in ("float16", "int8")]
    kinds += [subwords.quantize(method) for method in ("float16", "int8")]
    kinds += [vectors(256, 2).quantize("pq", qnorm=True)]
    return saved("v.kv", *(kind.save for kind in kinds))


def native_phrases() -> list[Seed]:
    """Return phrase models, one of them frozen."""
    kinds = [
        pyw2v.Phrases(SENTENCES, min_count=1, threshold=0.1, scoring=scoring)
        for scoring in ("default", "npmi")
    ]
    return saved("p.model", *(kind.save for kind in (*kinds, kinds[0].freeze())))


def word2vec_text() -> list[Seed]:
    """Return rows as text: with and without the first line, and odd ones."""
    plain = saved("v.txt", vectors().save_word2vec_format, glove().save_glove_format)
    odd = b"2 2\nw 1e-3 -.5\r\nx\xff +2. 3e38 \n"
    spaces = text_rows(b"a b ", np.array([[1e-30, 1], [2, 3]], np.float64))
    return [*plain, {"v.txt": odd}, {"v.txt": spaces}]


def word2vec_binary() -> list[Seed]:
    """Return rows as gensim and as the C program write them."""
    seeds = saved("v.bin", lambda path: vectors(3).save_word2vec_format(path, binary=True))
    rows = (b"%s " % word.encode() + np.ones(3, "<f4").tobytes() + b"\n" for word in WORDS)
    return [*seeds, {"v.bin": b"5 3\n" + b"".join(rows)}]


def vocabulary() -> list[Seed]:
    """Return words and their counts."""
    return [{"v.vocab": "</s> 3\ngraph 9\nnaïve 4\nof 4\n".encode()}, {"v.vocab": b"a 1\n"}]


def fasttext() -> list[Seed]:
    """Return models of fastText itself, and of ours."""
    names = ("cbow", "skipgram", "hs", "ns", "ova", "softmax", "latin1")
    quantised = files("fasttext/plain.ftz", "fasttext/cutoff.ftz")
    return files(*(f"fasttext/{name}.bin" for name in names)) + quantised


def weights() -> list[Seed]:
    """Return weights in all three forms."""
    texts = ("graph 3\ntrees 2.5\nnaïve 1e3\n", "graph,3\n\"a,b\",2\n'x' , 1\n", "3\n2\n0.5\n")
    return [{"w.txt": text.encode()} for text in texts]


def corpus() -> list[Seed]:
    """Return lines of words."""
    lines = "".join(" ".join(sentence) + "\n" for sentence in SENTENCES[:3])
    wide = "a\u3000b\u00a0c\u2028d\r\n\ta  b\x0bc\x1cd"
    return [{"c.txt": text.encode()} for text in (lines, wide, "a" * 40 + " b\n" + "x " * 70)]


def brown() -> list[Seed]:
    """Return lines of words and tags."""
    return [{"ca01": b"The/at jury/nn said/vbd ,/, no/at\nIt/pps is/bez naive/jj ./.\n"}]


def labelled() -> list[Seed]:
    """Return lines of words and labels."""
    text = "__label__a graph of trees\n__label__b __label__a naïve minors\nno label\n__label__c\n"
    return [{"l.txt": text.encode()}, {"l.txt": b"__label__1 a b c\n__label__2 d </s> e"}]


def analogies() -> list[Seed]:
    """Return questions in sections."""
    text = ": some words\ngraph trees of naïve\nof of of of\n: other\ngraph minors naïve trees\n"
    return [{"a.txt": text.encode()}]


def pairs() -> list[Seed]:
    """Return pairs of words and judgements."""
    text = "# words\ngraph\ttrees\t7.5\nof\tnaïve\t1\nminors\tgraph\t3e0\nno\tno\t2\n"
    return [{"p.tsv": text.encode()}]
