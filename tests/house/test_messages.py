"""Wrong calls: the error names the argument, its rule and the value, not our inner workings."""

import numpy as np
import pytest

import pyw2v
from pyw2v import FastText, GloVe, KeyedVectors, Phrases, Word2Vec
from pyw2v.objectives.samplers import FixedUnigram, Unigram

CORPUS = [["a", "b", "c", "d"]] * 10
SETTINGS = {"vector_size": 4, "min_count": 1, "epochs": 1, "workers": 1}


@pytest.fixture(scope="module")
def model():
    return Word2Vec(CORPUS, **SETTINGS)


@pytest.fixture
def kv(model):
    return model.wv.vectors_for_all(["a", "b", "c", "d"])


ABOUT_VECTORS = {
    "slice": (lambda kv: kv[:10], TypeError, "keys have no slices: .*vectors .*index_to_key"),
    "loop": (list, TypeError, "not iterable: iterate over index_to_key"),
    "a list as a key": (lambda kv: kv.get_vector(["a"]), TypeError, r"key must be hash.* \['a'\]"),
    "a list in": (lambda kv: ["a"] in kv, TypeError, "a key must be hashable"),
    "a list of lists": (lambda kv: kv[[["a"]]], TypeError, "a key must be hashable"),
    "similarity of lists": (lambda kv: kv.similarity(["a", "b"], "a"), TypeError, "hashable"),
    "mean of a number": (lambda kv: kv.get_mean_vector(3), TypeError, "keys must be a list.*got 3"),
    "mean of a str": (lambda kv: kv.get_mean_vector("ab"), TypeError, "keys must be .*got .*'ab'"),
    "mean weights": (
        lambda kv: kv.get_mean_vector(["a"], weights="x"),
        TypeError,
        "weights must be numbers, got 'x'",
    ),
    "mean, no weight": (
        lambda kv: kv.get_mean_vector(["a"], weights=[None]),
        ValueError,
        "weights must be finite",
    ),
    "mean of short vectors": (
        lambda kv: kv.get_mean_vector(["a", np.ones(3)]),
        ValueError,
        r"a vector must have shape \(4,\), got \(3,\)",
    ),
    "add words for numbers": (
        lambda kv: kv.add_vectors(["q"], "x"),
        TypeError,
        "vectors must be numbers, got 'x'",
    ),
    "add ragged rows": (
        lambda kv: kv.add_vectors(["q", "r"], [[1, 2, 3, 4], [1]]),
        TypeError,
        r"vectors must be numbers, got \[\[1, 2, 3, 4\], \[1\]\]",
    ),
    "add no keys": (lambda kv: kv.add_vectors(None, [[1] * 4]), TypeError, "keys must be a list"),
    "add a list as a key": (
        lambda kv: kv.add_vectors([["q"]], [[1] * 4]),
        TypeError,
        r"a key must be hashable.*\['q'\]",
    ),
    "extras": (
        lambda kv: kv.add_vectors(["q"], [[1] * 4], extras=3),
        TypeError,
        "extras must map names to one value a key, got 3",
    ),
    "an extra": (
        lambda kv: kv.add_vectors(["q"], [[1] * 4], extras={"n": 3}),
        ValueError,
        r"extras\['n'\] must have one value a key",
    ),
    "types": (lambda kv: kv.allocate_vecattrs(["n"]), ValueError, "1 attributes and 0 types"),
    "attribute": (lambda kv: kv.get_vecattr("a", "x"), KeyError, "no attribute 'x'.*count"),
    "topn": (lambda kv: kv.most_similar("a", topn=2.5), TypeError, "topn must be an integer.*2.5"),
    "restrict_vocab": (
        lambda kv: kv.most_similar("a", restrict_vocab="x"),
        TypeError,
        "restrict_vocab must be an integer",
    ),
    "clip_start": (
        lambda kv: kv.most_similar("a", clip_start=1.5),
        TypeError,
        "clip_start must be an integer",
    ),
    "cosmul topn": (lambda kv: kv.most_similar_cosmul("a", topn="x"), TypeError, "topn must be"),
    "a set": (lambda kv: kv.most_similar([{"a"}]), TypeError, "an item of a query must be a key"),
    "batch": (lambda kv: kv.most_similar_batch(3), TypeError, "positive must be a list.*got 3"),
    "batch of str": (lambda kv: kv.most_similar_batch("ab"), TypeError, "positive must be a list"),
    "distances": (lambda kv: kv.distances("a", 3), TypeError, "other_words must be a list"),
    "distances of str": (lambda kv: kv.distances("a", "bc"), TypeError, "other_words must be a l"),
    "distances of none": (lambda kv: kv.distances(None), KeyError, "'None' not present"),
    "distances of few": (
        lambda kv: kv.distances([1, 2, 3]),
        ValueError,
        r"a vector must have shape \(4,\), got \(3,\)",
    ),
    "n_similarity": (
        lambda kv: kv.n_similarity("ab", ["a"]),
        TypeError,
        "ws1 must be a list.*'ab'",
    ),
    "doesnt_match": (lambda kv: kv.doesnt_match("a b"), TypeError, "words must be a list .*'a b'"),
    "doesnt_match of 3": (lambda kv: kv.doesnt_match(3), TypeError, "words must be a list .*got 3"),
    "wmdistance": (lambda kv: kv.wmdistance("a b", ["a"]), TypeError, "document1 must be a list"),
    "vectors_for_all": (lambda kv: kv.vectors_for_all("ab"), TypeError, "keys must be a list"),
    "quantize": (
        lambda kv: kv.quantize("float16", dsub=3),
        TypeError,
        "method 'float16' has no option 'dsub'",
    ),
    "quantize with": (lambda kv: kv.quantize("pq", foo=3), TypeError, "'pq' has no option 'foo'"),
    "gensim": (lambda kv: KeyedVectors.from_gensim(3), TypeError, "vectors of gensim, got 3"),
    "gensim's model": (lambda kv: Word2Vec.from_gensim(3), TypeError, "model of gensim, got 3"),
}


@pytest.mark.parametrize(("call", "error", "message"), ABOUT_VECTORS.values(), ids=ABOUT_VECTORS)
def test_wrong_calls_of_vectors(kv, call, error, message):
    with pytest.raises(error, match=message):
        call(kv)


def test_generators_are_lists_of_keys(kv):
    assert kv.doesnt_match(key for key in "abc") == kv.doesnt_match(["a", "b", "c"])
    mean = kv.get_mean_vector(key for key in "abc")
    np.testing.assert_array_equal(mean, kv.get_mean_vector(["a", "b", "c"]))


@pytest.mark.parametrize("dtype", [None, np.float64])
def test_an_array_of_vectors_is_the_matrix(kv, dtype):
    np.testing.assert_array_equal(np.asarray(kv, dtype), kv.vectors)
    assert np.asarray(kv, dtype).dtype == (dtype or kv.vectors.dtype)
    small = kv.quantize("float16")
    np.testing.assert_array_equal(np.asarray(small, dtype), small[kv.index_to_key])
    copied = np.array(kv)
    copied[:] = 0
    assert kv.vectors.any()


@pytest.mark.parametrize("word", [None, float("nan"), True, ("a",)])
@pytest.mark.parametrize("form", [lambda wv: wv, lambda wv: wv.quantize("float16")])
def test_what_is_not_spelt_has_no_n_grams(word, form):
    """Such as a missing value of a table, which was spelt "nan" or had a vector of zeros."""
    wv = form(FastText(CORPUS, bucket=20, **SETTINGS).wv)
    assert word not in wv
    with pytest.raises(KeyError, match="not present"):
        wv.get_vector(word)


class Counts:
    """A table of word counts with keys and values, as a pandas Series is."""

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return {"a": 3, "b": 2}[key]


@pytest.mark.parametrize("counts", [{"a": 3, "b": 2}, [("a", 3), ("b", 2)], Counts()])
def test_counts_come_in_any_form_of_a_mapping(counts):
    model = Word2Vec(**SETTINGS)
    model.build_vocab_from_freq(counts)
    assert model.wv.index_to_key == ["a", "b"]


ABOUT_MODELS = {
    "callbacks": (
        lambda m: Word2Vec(CORPUS, callbacks=3),
        TypeError,
        "callbacks must be a list.*3",
    ),
    "a callback": (
        lambda m: Word2Vec(CORPUS, callbacks=[3]),
        TypeError,
        "a callback must have one of .*on_epoch_end.*got 3",
    ),
    "trim_rule": (
        lambda m: Word2Vec(CORPUS, trim_rule=3),
        TypeError,
        "trim_rule must be a func.*3",
    ),
    "a flag": (
        lambda m: Word2Vec(CORPUS, sg=np.array([0, 1])),
        ValueError,
        r"sg must be 0 or 1, got array",
    ),
    "total_examples": (
        lambda m: m.train(CORPUS, total_examples="x", epochs=1),
        TypeError,
        "total_examples must be an integer, got 'x'",
    ),
    "total_words": (
        lambda m: m.train(CORPUS, total_words=-1, epochs=1),
        ValueError,
        "total_words must be at least 0",
    ),
    "counts": (lambda m: m.build_vocab_from_freq(3), TypeError, "word_freq must map words.*got 3"),
    "a count": (
        lambda m: m.build_vocab_from_freq({"a": "x"}),
        TypeError,
        "word_freq must map words to whole numbers of occurrences, got 'x' for 'a'",
    ),
    "context": (lambda m: m.predict_output_word(3), TypeError, "context_words_list must be a list"),
    "no context": (lambda m: m.predict_output_word(None), TypeError, "context_words_list must be"),
    "topn": (lambda m: m.predict_output_word(["a"], topn=None), TypeError, "topn must be an inte"),
    "log_prob": (lambda m: m.log_prob(["a", ["b"]], "a"), TypeError, "a key must be hashable"),
    "reset_from": (lambda m: m.reset_from(3), TypeError, "other_model must be a Word2Vec"),
    "estimate_memory": (lambda m: m.estimate_memory("x"), TypeError, "vocab_size must be an int"),
    "a sentence that is a dict": (
        lambda m: Word2Vec([{"words": ["a", "b"]}]),
        TypeError,
        "sentence 0 is a dict",
    ),
    "phrases of 3": (lambda m: Phrases(3), TypeError, "sentences must be an iterable of lists"),
    "phrases of str": (lambda m: Phrases("a b"), TypeError, "sentences must be an iterable of lis"),
    "min_count": (
        lambda m: Phrases(CORPUS, min_count="x"),
        TypeError,
        "min_count must be a number",
    ),
    "threshold": (lambda m: Phrases(CORPUS, threshold=None), TypeError, "threshold must be a numb"),
    "scoring": (
        lambda m: Phrases(CORPUS, scoring=3),
        TypeError,
        "scoring must be .*function, got 3",
    ),
    "delimiter": (lambda m: Phrases(CORPUS, delimiter=3), TypeError, "delimiter must be a str"),
    "connectors": (
        lambda m: Phrases(CORPUS, connector_words="of"),
        TypeError,
        "connector_words must be a list",
    ),
    "a sentence": (lambda m: Phrases(CORPUS)[3], TypeError, "a sentence must be a list.*got 3"),
    "vocab": (lambda m: pyw2v.pairs(CORPUS, vocab=3), TypeError, "vocab must be a list.*got 3"),
    "vocab as str": (
        lambda m: pyw2v.pairs(CORPUS, vocab="abcd"),
        TypeError,
        "vocab must be a list",
    ),
    "a word twice": (
        lambda m: pyw2v.pairs(CORPUS, vocab=["a", "b", "a"]),
        ValueError,
        "words of vocab must differ, got 'a' twice",
    ),
    "an id as str": (
        lambda m: pyw2v.pairs(CORPUS, vocab={"a": 0, "b": "x"}),
        ValueError,
        "vocab must map 2 words to the ids 0 to 1",
    ),
    "skipgrams of str": (lambda m: pyw2v.skipgrams("abc", 9), TypeError, "sequence must be whole"),
    "skipgrams of floats": (
        lambda m: pyw2v.skipgrams([1.5, 2], 9),
        TypeError,
        r"sequence must be whole numbers, got \[1.5, 2\]",
    ),
    "sampling_table": (
        lambda m: pyw2v.skipgrams([1, 2], 9, sampling_table="x"),
        TypeError,
        "sampling_table must be numbers, got 'x'",
    ),
    "weights": (lambda m: FixedUnigram(["x"]), TypeError, r"weights must be numbers, got \['x'\]"),
    "counts of words": (lambda m: Unigram().weights("x"), TypeError, "counts must be numbers"),
}


@pytest.mark.parametrize(("call", "error", "message"), ABOUT_MODELS.values(), ids=ABOUT_MODELS)
def test_wrong_calls_of_models(model, call, error, message):
    with pytest.raises(error, match=message):
        call(model)


TRAINERS = {
    "Word2Vec": lambda source: Word2Vec(source, **SETTINGS),
    "GloVe": lambda source: GloVe(source, **SETTINGS),
    "Phrases": Phrases,
    "pairs": pyw2v.pairs,
}


@pytest.mark.parametrize("train", TRAINERS.values(), ids=TRAINERS)
def test_tables_and_groups_are_no_sentences(train):
    """A table of polars was trained on column by column; groups were printed into the error."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "c"]})
    with pytest.raises(TypeError, match=r"got a DataFrame.*one column of lists"):
        train(table)
    for groups in (table.groupby("user"), table.groupby("user")["item"]):
        with pytest.raises(TypeError, match=r"GroupBy.*\.apply\(list\)") as error:
            train(groups)
        assert len(str(error.value)) < 250
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("train", TRAINERS.values(), ids=TRAINERS)
def test_tables_of_polars_and_arrow_are_no_sentences(train):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"words": [["a", "b"], ["c", "d"]]})
    with pytest.raises(TypeError, match=r"got a DataFrame.*one column of lists"):
        train(table)
    with pytest.raises(TypeError, match=r"got a Table.*one column of lists"):
        train(pytest.importorskip("pyarrow").table({"words": [["a", "b"]]}))
    assert train(table["words"]) is not None
