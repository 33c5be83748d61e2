"""Models through files, pickles and copies: the same before and after, and trainable."""

import copy
import io
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v import FastText, KeyedVectors, Word2Vec
from pyw2v._core.matrix import can_spread
from pyw2v.io import native

SENTENCES = [["a", "b", "c", "d"], ["b", "c", "e"], ["a", "e", "d", "f", "c"]] * 20
SETTINGS = {"vector_size": 9, "min_count": 1, "workers": 1, "sample": 0.1, "epochs": 2}
OBJECTIVES = [{}, {"hs": 1, "negative": 0}, {"hs": 1}]


def fasttext(*args, **settings):
    return FastText(*args, **settings, bucket=30, min_n=1)


KINDS = [Word2Vec, fasttext]


def assert_same(one, two):
    assert one.wv.index_to_key == two.wv.index_to_key
    assert one.wv.key_to_index == two.wv.key_to_index
    assert_array_equal(one.wv.vectors, two.wv.vectors)
    assert_array_equal(one.wv.expandos["count"], two.wv.expandos["count"])
    if isinstance(one, FastText):
        assert_array_equal(one.wv.vectors_ngrams, two.wv.vectors_ngrams)
    for name in ("syn1", "syn1neg"):
        if getattr(one, name) is None:
            assert getattr(two, name) is None
        else:
            assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.loss_history == two.loss_history


def train_on(model):
    model.train(SENTENCES, total_examples=model.corpus_count, epochs=2)
    return model


def through_file(model, folder):
    model.save(folder / "model")
    return type(model).load(folder / "model")


def through_handle(model, folder):
    file = io.BytesIO()
    model.save(file)
    file.seek(0)
    return type(model).load(file)


def through_mapping(model, folder):
    model.save(str(folder / "model"))
    return type(model).load(str(folder / "model"), mmap="r")


def through_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def through_copy(model, folder):
    return copy.deepcopy(model)


def through_compressed_file(model, folder):
    model.save(str(folder / "model.bz2"))
    return type(model).load(str(folder / "model.bz2"))


WAYS = [
    *(through_file, through_handle, through_mapping, through_compressed_file),
    *(through_pickle, through_copy),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_goes_on_as_if_it_had_never_left(kind, way, objective, tmp_path):
    model = kind(SENTENCES, **SETTINGS, **objective)
    again = way(model, tmp_path)
    assert_same(model, again)
    assert_same(train_on(model), train_on(again))


@pytest.mark.parametrize("way", WAYS)
def test_settings_and_history_survive(way, tmp_path):
    settings = {"window": 3, "alpha": 0.03, "ns_exponent": 0.5, "comment": "x", "seed": 11}
    settings |= {"cbow_grad": "mean", "shrink_windows": False, "max_final_vocab": 100}
    model = Word2Vec(SENTENCES, **SETTINGS, **settings)
    again = way(model, tmp_path)
    names = [*SETTINGS, *settings, "corpus_count", "corpus_total_words", "train_count"]
    names += ["min_alpha_yet_reached", "running_training_loss", "effective_min_count"]
    assert {n: getattr(again, n) for n in names} == {n: getattr(model, n) for n in names}
    assert_array_equal(model.cum_table, again.cum_table)
    assert again.lifecycle_events[0] == model.lifecycle_events[0]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_loaded_model_can_grow(objective, tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS, **objective)
    again = through_file(model, tmp_path)
    for each in (model, again):
        each.build_vocab([["a", "new"], ["newer", "b"]], update=True)
        train_on(each)
    assert_same(model, again)


def test_a_model_without_vocabulary_survives(tmp_path):
    again = through_file(Word2Vec(vector_size=5), tmp_path)
    again.build_vocab([["a", "b"]] * 5)
    assert again.wv.vectors.shape == (2, 5)


def test_integer_words_and_attributes_survive(tmp_path):
    model = Word2Vec([[1, 2, 3]] * 5, **SETTINGS)
    model.wv.set_vecattr(2, "mark", 7)
    model.wv.expandos["name"] = np.array(["x", "y", "z"], dtype=object)
    again = through_file(model, tmp_path)
    assert again.wv.key_to_index == model.wv.key_to_index
    assert again.wv.get_vecattr(2, "mark") == 7
    assert list(again.wv.expandos["name"]) == ["x", "y", "z"]


def test_lock_factors_survive(tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS)
    model.wv.vectors_lockf = np.linspace(0, 1, len(model.wv), dtype=np.float32)
    assert_array_equal(through_file(model, tmp_path).wv.vectors_lockf, model.wv.vectors_lockf)


def test_a_mapped_model_stays_in_its_file_until_trained(tmp_path):
    again = through_mapping(Word2Vec(SENTENCES, **SETTINGS), tmp_path)
    assert not again.wv.vectors.flags.writeable
    before = (tmp_path / "model").read_bytes()
    train_on(again)
    assert can_spread(again.wv.vectors)
    assert (tmp_path / "model").read_bytes() == before


def test_a_model_may_be_saved_over_the_file_it_is_mapped_from(tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS)
    again = through_mapping(model, tmp_path)
    again.save(tmp_path / "model")
    assert_same(model, Word2Vec.load(tmp_path / "model"))


def test_what_is_code_is_not_stored(tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS, hashfxn=len, trim_rule=lambda *_: 0)
    assert through_file(model, tmp_path).hashfxn is hash


def test_gensims_arguments_of_save_are_accepted(tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS)
    model.save(tmp_path / "model", separately=[], sep_limit=1, ignore=["x"], pickle_protocol=2)
    assert_same(model, Word2Vec.load(tmp_path / "model"))


def test_keyed_vectors_are_not_a_model(tmp_path):
    Word2Vec(SENTENCES, **SETTINGS).wv.save(str(tmp_path / "vectors"))
    with pytest.raises(ValueError, match=r"KeyedVectors.load"):
        Word2Vec.load(tmp_path / "vectors")


def test_vectors_of_a_saved_model_load_alone(tmp_path):
    model = Word2Vec(SENTENCES, **SETTINGS)
    model.save(tmp_path / "model")
    vectors = KeyedVectors.load(str(tmp_path / "model"))
    assert_array_equal(vectors["a"], model.wv["a"])
    assert vectors.get_vecattr("a", "count") == model.wv.get_vecattr("a", "count")


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".gz", b"\x1f\x8b"), (".bz2", b"BZh"), (".xz", b"\xfd7zXZ")]
)
def test_a_compressed_name_compresses_as_gensim_does(suffix, magic, tmp_path):
    path = tmp_path / f"vectors{suffix}"
    vectors = Word2Vec(SENTENCES, **SETTINGS).wv
    vectors.save(str(path))
    assert path.read_bytes().startswith(magic)
    for mmap in (None, "r"):
        assert_array_equal(KeyedVectors.load(str(path), mmap=mmap).vectors, vectors.vectors)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=f"vectors{suffix}"):
        KeyedVectors.load(str(path))


def test_vectors_go_through_open_files(tmp_path):
    vectors = Word2Vec(SENTENCES, **SETTINGS).wv
    with (tmp_path / "vectors").open("wb") as file:
        vectors.save(file)
    with (tmp_path / "vectors").open("rb") as file:
        assert_array_equal(KeyedVectors.load(file).vectors, vectors.vectors)


def test_a_missing_file_and_a_foreign_one_are_clear_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        Word2Vec.load(tmp_path / "missing")
    (tmp_path / "text").write_text("6 9\nnot a model at all\n")
    with pytest.raises(ValueError, match="text"):
        Word2Vec.load(tmp_path / "text")
    (tmp_path / "pickle").write_bytes(pickle.dumps({"wv": "of gensim"}))
    with pytest.raises(ValueError, match="holds dict, not a gensim object"):
        Word2Vec.load(tmp_path / "pickle")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.tensors.pop("vectors"), "vectors"),
        (lambda f: f.tensors.update(syn1neg=np.zeros((2, 9), np.float32)), "syn1neg"),
        (lambda f: f.words.update(index_to_key=["a"]), "1 keys"),
        (lambda f: f.settings.pop("window"), "window"),
        (lambda f: f.settings.update(window=-3), "window"),
        (lambda f: f.settings.update(epochs="many"), "epochs"),
        (lambda f: f.settings.clear(), "no model"),
    ],
)
def test_a_file_with_wrong_content_is_a_value_error(change, message, tmp_path):
    Word2Vec(SENTENCES, **SETTINGS).save(tmp_path / "model")
    file = native.load(tmp_path / "model")
    change(file)
    native.save(tmp_path / "model", file.tensors, file.words, file.settings)
    with pytest.raises(ValueError, match=message):
        Word2Vec.load(tmp_path / "model")


def test_load_belongs_to_the_class():
    model = Word2Vec(SENTENCES, **SETTINGS)
    with pytest.raises(AttributeError, match=r"Word2Vec.load is called on the class"):
        model.load("path")


def test_a_subclass_loads_as_itself(tmp_path):
    class Mine(Word2Vec):
        pass

    model = Mine(SENTENCES, **SETTINGS)
    model.save(tmp_path / "model")
    assert type(Mine.load(tmp_path / "model")) is Mine
