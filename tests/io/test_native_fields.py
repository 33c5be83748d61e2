"""Every field of every native kind: sound values load and work, all others are refused by name."""

import copy
import math
import os
import re
import subprocess
import sys
import textwrap

import kinds
import numpy as np
import pytest

import pyw2v
from pyw2v.io import fields, native

CLASSES = {
    "vectors": "KeyedVectors",
    "word2vec class_softmax": "Word2Vec",
    "word2vec nce": "Word2Vec",
    "fasttext": "FastText",
    "subword vectors": "FastTextKeyedVectors",
    "compact subwords pq": "CompactVectors",
    "compact int8": "CompactVectors",
    "glove": "GloVe",
    "classifier": "TextClassifier",
    "quantised classifier": "TextClassifier",
    "phrases": "Phrases",
    "frozen phrases": "FrozenPhrases",
}
NASTY = (-1, 2**63, math.nan, None, "\ud800", [None], {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fields")
    things = kinds.made()
    for name in CLASSES:
        things[name].save(folder / name)
    return folder


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def load(name, path, **options):
    return getattr(pyw2v, CLASSES[name]).load(path, **options)


def refusal(name, path):
    """What a ValueError says about the file; None if the file loads."""
    try:
        str(load(name, path))
    except ValueError as error:
        return str(error)
    return None


def names_in(settings, prefix=()):
    for key, value in settings.items():
        yield (*prefix, key)
        if isinstance(value, dict) and key != "report":
            yield from names_in(value, (*prefix, key))


def changed(settings, names, value):
    settings = copy.deepcopy(settings)
    at = settings
    for name in names[:-1]:
        at = at[name]
    at[names[-1]] = value
    return settings


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CLASSES)
def test_a_wrong_setting_is_a_value_error_that_names_the_file_or_does_no_harm(name, folder):
    file, path = native.load(folder / name), folder / "changed"
    n_refused = 0
    for names in names_in(file.settings):
        for value in NASTY:
            native.save(path, file.tensors, file.words, changed(file.settings, names, value))
            message = refusal(name, path)
            n_refused += message is not None
            assert message is None or str(path) in message
    assert n_refused > 3 * len(list(names_in(file.settings)))


WRONG_ARRAYS = {
    "shorter": lambda a: a[:-1],
    "none": lambda a: a[:0],
    "flat": lambda a: a.reshape(1, 1, -1),
    "of no shape": lambda a: np.zeros((), a.dtype),
    "of bytes": lambda a: np.ones(a.shape, "i1" if a.dtype != np.int8 else "u2"),
}


@pytest.mark.parametrize("how", WRONG_ARRAYS)
@pytest.mark.parametrize("name", CLASSES)
def test_an_array_that_does_not_fit_is_a_value_error_that_names_the_file(name, how, folder):
    file, path = native.load(folder / name), folder / "changed"
    for array in file.tensors:
        other = WRONG_ARRAYS[how](file.tensors[array])
        if how == "of bytes" and (array == "vectors" or array.startswith("attribute.")):
            continue  # vectors may be of any numbers, and so may counts that nothing trains by
        native.save(path, file.tensors | {array: other}, file.words, file.settings)
        with pytest.raises(ValueError, match=re.escape(str(path))):
            load(name, path)


@pytest.mark.parametrize("name", CLASSES)
def test_words_that_are_missing_too_many_or_there_twice_are_refused(name, folder):
    file, path = native.load(folder / name), folder / "changed"
    for words, keys in file.words.items():
        if words == "connector_words":
            continue
        for other in (None, [*keys, "one more"], keys[:-1], [*keys[:-1], keys[0]]):
            rest = {key: value for key, value in file.words.items() if key != words}
            more = {} if other is None else {words: other}
            native.save(path, file.tensors, rest | more, file.settings)
            with pytest.raises(ValueError, match=re.escape(str(path))):
                load(name, path)


@pytest.mark.parametrize(
    ("name", "names", "value"),
    [
        ("classifier", ("args", "bucket"), 2**31 - 1),
        ("fasttext", ("bucket",), 2**30),
        ("subword vectors", ("bucket",), 2**32 - 1),
        ("compact subwords pq", ("ngrams", "bucket"), 2**32 - 1),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a limit on address space")
def test_a_small_file_of_billions_of_buckets_takes_little_memory(name, names, value, folder):
    file = native.load(folder / name)
    settings = changed(file.settings, names, value)
    native.save(folder / "changed", file.tensors, file.words, settings)
    code = f"""
        import resource, pyw2v
        n = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        pyw2v.{CLASSES[name]}
        n = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (n + (1 << 29), n + (1 << 29)))
        model = pyw2v.{CLASSES[name]}.load({str(folder / "changed")!r})
        wv = getattr(model, "wv", model)
        wv.predict(["graph new"]) if hasattr(wv, "predict") else wv["unseen"]
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=60)


def test_the_depth_of_classes_is_bounded(folder):
    file = native.load(folder / "word2vec class_softmax")
    native.save(
        folder / "deep", file.tensors, file.words, file.settings | {"class_depth": 1_000_000}
    )
    with pytest.raises(ValueError, match="class_depth must be at most 64"):
        pyw2v.Word2Vec.load(folder / "deep")


@pytest.mark.parametrize(
    "arrays",
    [{"band_ends": [0, 8]}, {"band_ends": [9, 8]}, {"band_widths": [8]}, {"band_widths": [9, 4]}],
)
def test_bands_that_do_not_fit_are_refused(folder, arrays):
    model = pyw2v.Word2Vec(
        kinds.SENTENCES, objective="dsoftmax", vector_size=8, min_count=1, bands=[(3, 8), (5, 4)]
    )
    model.save(folder / "bands")
    file = native.load(folder / "bands")
    other = {name: np.array(values, np.int32) for name, values in arrays.items()}
    native.save(folder / "bands", file.tensors | other, file.words, file.settings)
    with pytest.raises(ValueError, match="bands does not hold Word2Vec: band_ends must rise"):
        pyw2v.Word2Vec.load(folder / "bands")


def test_a_sampler_in_a_file_cannot_name_a_file_to_read(folder):
    file = native.load(folder / "word2vec nce")
    weights = folder / "weights"
    weights.write_text("1\n" * 8)
    sampler = {"type": "FixedUnigram", "unique": False, "weights": str(weights), "words": None}
    native.save(folder / "w", file.tensors, file.words, file.settings | {"sampler": sampler})
    with pytest.raises(ValueError, match="weights must be numbers, got"):
        pyw2v.Word2Vec.load(folder / "w")


# -- the checksum --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSES)
def test_every_kind_is_verified_and_a_changed_byte_is_found(name, folder):
    load(name, folder / name, verify=True)
    data = bytearray((folder / name).read_bytes())
    data[-1] ^= 1
    (folder / "changed").write_bytes(data)
    with pytest.raises(ValueError, match="changed does not match its checksum"):
        load(name, folder / "changed", verify=True)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_the_checksum_covers_settings_and_arrays_of_any_strides(tmp_path, suffix):
    path = tmp_path / f"model{suffix}"
    wide = np.zeros((1000, 3000), np.float32)
    tensors = {"part": wide[:, ::2], "big endian": np.arange(5, dtype=">i8"), "one": np.array(3.0)}
    native.save(path, tensors, {"keys": ["a"]}, {"window": 5})
    assert native.load(path, verify=True).settings == {"window": 5}
    plain = tmp_path / "plain"
    native.save(plain, tensors, {"keys": ["a"]}, {"window": 5})
    data = plain.read_bytes()
    (tmp_path / "other").write_bytes(data.replace(rb"\"window\": 5", rb"\"window\": 6", 1))
    with pytest.raises(ValueError, match="does not match its checksum"):
        native.load(tmp_path / "other", verify=True)


def test_a_file_without_a_checksum_loads_and_cannot_be_verified(tmp_path):
    save_file = pytest.importorskip("safetensors.numpy").save_file
    save_file({"a": np.ones(3)}, tmp_path / "old", {"pyw2v": "1", "settings": "{}"})
    assert native.load(tmp_path / "old").checksum is None
    with pytest.raises(ValueError, match="old has no checksum to verify"):
        native.load(tmp_path / "old", verify=True)


# -- rules ---------------------------------------------------------------------------------------


def test_a_rule_names_field_rule_and_value():
    rules = {"n": fields.integer(1, 9), "names": fields.listed(fields.text)}
    assert fields.checked({"n": 3, "names": ["a"], "other": 1}, rules) == {"n": 3, "names": ["a"]}
    for wrong, message in (
        ({"names": []}, "n is missing"),
        ({"n": 0, "names": []}, "n must be at least 1, got 0"),
        ({"n": 10, "names": []}, "n must be at most 9, got 10"),
        ({"n": 1, "names": ["a", 2]}, r"names\[1\] must be a text, got 2"),
        ({"n": 1, "names": "ab"}, "names must be a list, got 'ab'"),
    ):
        with pytest.raises(ValueError, match=message):
            fields.checked(wrong, rules)


def test_a_long_word_and_a_large_max_n_in_a_small_file_are_refused(folder):
    file = native.load(folder / "subword vectors")
    words = {"index_to_key": [*file.words["index_to_key"][:-1], "ab" * 50_000]}
    native.save(folder / "long", file.tensors, words, file.settings)
    assert "ab" * 50_000 in pyw2v.KeyedVectors.load(folder / "long").key_to_index
    native.save(folder / "long", file.tensors, words, file.settings | {"max_n": 2**31 - 1})
    with pytest.raises(ValueError, match=r"long does not hold .*: max_n must be less for words"):
        pyw2v.KeyedVectors.load(folder / "long")
