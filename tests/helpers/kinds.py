"""One object of every public kind that can be stored, and what each computes.

As a program, `kinds.py ENTRY FOLDER NAME ...`, it is the new process of test_kinds.py: it imports
the entry point and nothing else of pyw2v, loads each of our files in a child of its own, so that
none finds the modules that another one needed, and prints what came out as JSON.
"""

import copy
import importlib
import json
import os
import pickle
import sys

import pyw2v  # imports its modules when they are first used

SENTENCES = [
    ["human", "interface", "computer", "system"],
    ["graph", "trees", "naïve", "minors"],
    ["graph", "human", "computer"],
] * 5
# The product quantiser needs 256 rows.
WIDE = [*SENTENCES, *([f"w{i}", f"v{i % 30}", "human"] for i in range(300))]
LABELS = ["a", "b", "c"] * 105
QUERY = "human"


def made():
    """Return the objects by name."""
    small = {"vector_size": 8, "min_count": 1, "workers": 1, "epochs": 2, "sample": 0}
    things = {"vectors": pyw2v.Word2Vec(SENTENCES, **small).wv}
    for name in pyw2v.objectives.OBJECTIVES:
        more = {"bands": [(3, 8), (5, 4)]} if name == "dsoftmax" else {}
        things[f"word2vec {name}"] = pyw2v.Word2Vec(SENTENCES, objective=name, **small, **more)
    things["word2vec hs and ns"] = pyw2v.Word2Vec(SENTENCES, hs=1, **small)
    things["word2vec untrained"] = pyw2v.Word2Vec(vector_size=8)
    for name, more in (("", {}), (" hs", {"hs": 1, "negative": 0}), (" words", {"max_n": 0})):
        things[f"fasttext{name}"] = pyw2v.FastText(SENTENCES, bucket=50, **small, **more)
    things["subword vectors"] = copy.deepcopy(things["fasttext"].wv)
    words = pyw2v.Word2Vec(WIDE, **small).wv
    subwords = pyw2v.FastText(WIDE, bucket=300, **small).wv
    for method in ("pq", "float16", "int8"):
        things[f"compact {method}"] = words.quantize(method)
        things[f"compact subwords {method}"] = subwords.quantize(method)
    things["glove"] = pyw2v.GloVe(SENTENCES, vector_size=8, min_count=1, workers=1, epochs=2)
    things["cooccurrences"] = pyw2v.CooccurrenceMatrix.from_corpus(SENTENCES, min_count=1)
    texts = [" ".join(sentence) for sentence in WIDE]
    classifier = pyw2v.TextClassifier(dim=8, epochs=3, workers=1, min_n=2, max_n=3, bucket=300)
    things["classifier"] = classifier.fit(texts, LABELS)
    things["quantised classifier"] = things["classifier"].quantize()
    things["fasttext module"] = pyw2v.fasttext.FastText._FastText()
    things["fasttext module"].f.use(things["classifier"].data)
    things["phrases"] = pyw2v.Phrases(SENTENCES, min_count=1, threshold=0.1)
    things["npmi phrases"] = pyw2v.Phrases(SENTENCES, 1, 0.1, scoring="npmi")
    things["frozen phrases"] = things["phrases"].freeze()
    things["word"] = pyw2v._shared.old_names.Vocab(count=3, index=1)
    things["sampler"] = pyw2v.Unigram(0.5)
    things["other sampler"] = pyw2v.LogUniform()
    return things


def results(thing):
    """Return what an object computes, after training on where it can, as JSON has it."""
    kind = type(thing).__name__
    found = [kind]
    if kind in ("Word2Vec", "FastText"):
        if not len(thing.wv):
            thing.build_vocab(SENTENCES)
        thing.train(SENTENCES, total_examples=len(SENTENCES), epochs=2)
        found += [thing.loss_history, results(thing.wv)]
    elif kind in ("KeyedVectors", "FastTextKeyedVectors", "CompactVectors"):
        known = [QUERY, "unseen"] if "unseen" in thing else [QUERY]
        found += [thing[known].tolist(), thing.most_similar(QUERY)]
        found += [thing.index_to_key, int(thing.get_vecattr(QUERY, "count"))]
    elif kind == "GloVe":
        found += [results(thing.wv), thing.loss_history]
    elif kind == "CooccurrenceMatrix":
        found += list(thing)
    elif kind == "TextClassifier":
        found += [thing.predict(["human graph", "naïve"]).tolist()]
        found += [thing.predict_proba(["human graph", "unseen"]).tolist()]
    elif kind == "_FastText":
        found += [str(thing.predict("human graph", k=2)), thing.get_word_vector("new").tolist()]
    elif kind in ("Phrases", "FrozenPhrases"):
        if kind == "Phrases":
            thing.add_vocab(SENTENCES)
        found += [thing.find_phrases(SENTENCES), thing[["graph", "trees", "x"]]]
    else:
        found += [str(sorted(vars(thing).items()))]
    return json.loads(json.dumps(found))


def unpickled(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def dumped(path):
    return importlib.import_module("joblib").load(path)


OTHERS = {
    "pickle": (".pickle", unpickled),
    "joblib": (".joblib", dumped),
    "copy": (".pickle", lambda path: copy.copy(unpickled(path))),
    "deepcopy": (".pickle", lambda path: copy.deepcopy(unpickled(path))),
}


def outcome(load, path):
    try:
        return {"results": results(load(path))}
    except Exception as error:
        kinds = [base.__name__ for base in type(error).__mro__]
        return {"error": kinds, "message": f"{type(error).__name__}: {error}"}


def in_a_child(load, path):
    """Return the outcome of a process that has loaded nothing before, where there can be one."""
    if not hasattr(os, "fork"):
        return outcome(load, path)
    read, write = os.pipe()
    if not os.fork():
        with os.fdopen(write, "w") as file:
            json.dump(outcome(load, path), file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.wait()
    return json.loads(text)


def main(entry, folder, *names):
    """Load the files of these names; a pickle names all modules that it needs."""
    if entry in OTHERS:
        suffix, load = OTHERS[entry]
        run = outcome
    else:
        suffix, load = ".model", getattr(importlib.import_module("pyw2v"), entry).load
        run = in_a_child
    print(json.dumps({name: run(load, f"{folder}/{name}{suffix}") for name in names}))


if __name__ == "__main__":
    main(*sys.argv[1:])
