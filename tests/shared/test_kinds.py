"""Every kind through every entry point, each in a process that knows nothing of the others."""

import copy
import functools
import importlib.util
import json
import os
import pickle
import subprocess
import sys

import kinds
import pytest

from pyw2v import FastText, FastTextKeyedVectors, KeyedVectors, Word2Vec
from pyw2v.io import native
from pyw2v.objectives import OBJECTIVES

VECTORS = {kind: kind for kind in ("KeyedVectors", "FastTextKeyedVectors", "CompactVectors")}
OF_MODELS = {"Word2Vec": "KeyedVectors", "FastText": "FastTextKeyedVectors"}
MODELS = {kind: kind for kind in OF_MODELS}
PHRASES = {kind: kind for kind in ("Phrases", "FrozenPhrases")}

# By entry point, what comes of a file of each kind; all other kinds are refused. As in gensim, it
# is what was saved, save that vectors can be taken out of a model's file.
RESULTS = {
    "KeyedVectors": VECTORS | OF_MODELS,
    "FastTextKeyedVectors": VECTORS | OF_MODELS,
    "CompactVectors": {"CompactVectors": "CompactVectors"},
    "Word2Vec": MODELS,
    "FastText": MODELS,
    "Phrases": PHRASES,
    "FrozenPhrases": PHRASES,
    "GloVe": {"GloVe": "GloVe"},
    "TextClassifier": {"TextClassifier": "TextClassifier"},
}
KINDS = {
    "KeyedVectors": ["vectors"],
    "FastTextKeyedVectors": ["subword vectors"],
    "CompactVectors": [
        f"compact {kind}{method}"
        for method in ("pq", "float16", "int8")
        for kind in ("", "subwords ")
    ],
    "Word2Vec": [
        *(f"word2vec {name}" for name in OBJECTIVES),
        *("word2vec hs and ns", "word2vec untrained"),
    ],
    "FastText": ["fasttext", "fasttext hs", "fasttext words"],
    "GloVe": ["glove"],
    "TextClassifier": ["classifier", "quantised classifier"],
    "Phrases": ["phrases", "npmi phrases"],
    "FrozenPhrases": ["frozen phrases"],
}
STORED = [name for names in KINDS.values() for name in names]
PICKLED = [*STORED, "cooccurrences", "fasttext module", "word", "sampler", "other sampler"]

# Of kinds that are refused, one object is as good as another.
LOADS = [
    (entry, kind, name)
    for entry, results in RESULTS.items()
    for kind, names in KINDS.items()
    for name in (names if kind in results else names[:1])
]
ENTRIES = {entry: [load[2] for load in LOADS if load[0] == entry] for entry in RESULTS}
ENTRIES |= dict.fromkeys(kinds.OTHERS, PICKLED)

has_joblib = importlib.util.find_spec("joblib") is not None


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder of files, what each object computes, and what the vectors of a model do."""
    folder = tmp_path_factory.mktemp("kinds")
    things = kinds.made()
    assert sorted(things) == sorted(PICKLED)
    for name, thing in things.items():
        if name in STORED:
            thing.save(folder / f"{name}.model")
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(thing))
        if has_joblib:
            importlib.import_module("joblib").dump(thing, folder / f"{name}.joblib")
    of_vectors = {
        name: kinds.results(copy.deepcopy(thing.wv))
        for name, thing in things.items()
        if type(thing).__name__ in OF_MODELS and len(thing.wv)
    }
    return folder, {name: kinds.results(thing) for name, thing in things.items()}, of_vectors


@functools.cache
def outcomes(entry, folder):
    """What a new process makes of the files."""
    command = [sys.executable, kinds.__file__, entry, str(folder), *ENTRIES[entry]]
    # No threads of BLAS, which a fork would leave behind.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("entry", "kind", "name"), LOADS)
def test_a_new_process_loads_what_was_saved_or_names_the_class_that_does(entry, kind, name, stored):
    folder, results, of_vectors = stored
    found = outcomes(entry, folder)[name]
    result = RESULTS[entry].get(kind)
    if result is None:
        assert {"ValueError", "AttributeError"} <= set(found["error"])
        assert f"holds {kind}, not a {entry}: it is read by {kind}.load" in found["message"]
    elif result == kind:
        assert found.get("results") == results[name], found.get("message")
    elif name in of_vectors:
        assert found.get("results") == of_vectors[name], found.get("message")
    else:  # the vectors of a model without words
        assert f"Key '{kinds.QUERY}' not present" in found["message"]


@pytest.mark.parametrize("name", PICKLED)
@pytest.mark.parametrize("entry", kinds.OTHERS)
def test_a_new_process_unpickles_and_copies_every_kind(entry, name, stored):
    if entry == "joblib" and not has_joblib:
        pytest.skip("needs joblib")
    folder, results, _ = stored
    found = outcomes(entry, folder)[name]
    assert found.get("results") == results[name], found.get("message")


# -- classes of a user's -------------------------------------------------------------------------


class MyWord2Vec(Word2Vec):
    pass


class MyVectors(FastTextKeyedVectors):
    pass


def test_a_users_class_reads_its_own_files_and_those_of_its_base(tmp_path):
    model = MyWord2Vec(kinds.SENTENCES, vector_size=4, min_count=1, workers=1)
    model.save(tmp_path / "mine")
    Word2Vec(kinds.SENTENCES, vector_size=4, min_count=1, workers=1).save(tmp_path / "model")
    for name in ("mine", "model"):
        assert type(MyWord2Vec.load(tmp_path / name)) is MyWord2Vec
        assert type(Word2Vec.load(tmp_path / name)) is Word2Vec
        assert type(FastText.load(tmp_path / name)) is Word2Vec
        assert type(MyVectors.load(tmp_path / name)) is KeyedVectors
    spelt = FastText(kinds.SENTENCES, vector_size=4, min_count=1, workers=1, bucket=20)
    spelt.save(tmp_path / "spelt")
    assert type(MyVectors.load(tmp_path / "spelt")) is MyVectors
    assert type(MyWord2Vec.load(tmp_path / "spelt")) is FastText


def test_a_file_that_names_a_users_class_is_read_by_it_alone(tmp_path):
    """Earlier versions wrote such files."""
    MyWord2Vec(kinds.SENTENCES, vector_size=4, min_count=1, workers=1).save(tmp_path / "mine")
    file = native.load(tmp_path / "mine")
    native.save(tmp_path / "mine", file.tensors, file.words, file.settings | {"type": "MyWord2Vec"})
    assert type(MyWord2Vec.load(tmp_path / "mine")) is MyWord2Vec
    with pytest.raises(ValueError, match=r"holds MyWord2Vec.* read by MyWord2Vec\.load"):
        Word2Vec.load(tmp_path / "mine")
