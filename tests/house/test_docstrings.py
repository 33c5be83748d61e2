"""Docstrings of the public names: one form, complete, with examples that run."""

import doctest
import os
import re

import pytest
from public_api import public_objects

OBJECTS = public_objects()

# They tell of every setting, so they are longer than the others.
FROM_SETTINGS = ("Word2Vec", "FastText", "GloVe", "TextClassifier")

# numpydoc's names of what is checked: the summary is one line that starts with an infinitive and
# ends with a period (SS), sections are known and in order (GL), every parameter is documented, in
# the order of the signature, with type and meaning (PR), and so is what is returned (RT, YD).
CHECKS = (
    *("GL03", "GL05", "GL06", "GL07", "GL08", "SS01", "SS03", "SS04", "SS05", "SS06"),
    *("PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR09", "PR10"),
    *("RT01", "RT02", "RT03", "RT05", "YD01", "SA02", "SA03", "SA04"),
)
# A docstring does not grow to pages.
MOST_LINES = 90


def test_the_public_objects_are_found():
    assert len(OBJECTS) > 250
    assert {"pyw2v.KeyedVectors.most_similar", "pyw2v.FastText.train"} <= OBJECTS.keys()


def test_docstrings_have_the_form_of_numpydoc():
    reason = "needs numpydoc, which the step lint has"
    validate = pytest.importorskip("numpydoc.validate", reason=reason)
    docscrape = pytest.importorskip("numpydoc.docscrape", reason=reason)
    wrong = []
    for name, value in OBJECTS.items():
        for code, text in validate.validate(docscrape.get_doc_object(value))["errors"]:
            private = code == "PR01" and not re.search(r"'[^_'}, ]", text)  # fields of ours
            if code in CHECKS and not private:
                wrong.append(f"{name}: {code} {text}")
    assert not wrong, "\n".join(wrong)


def test_docstrings_are_short():
    lengths = {name: len((value.__doc__ or "").splitlines()) for name, value in OBJECTS.items()}
    long = {name for name, n_lines in lengths.items() if n_lines > MOST_LINES}
    assert not {name for name in long if name.rpartition(".")[2] not in FROM_SETTINGS}


def with_examples():
    finder = doctest.DocTestFinder(recurse=False)
    return [
        test
        for name, value in OBJECTS.items()
        for test in finder.find(value, name, module=False, globs={})
        if test.examples
    ]


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tests = with_examples()
    assert len(tests) > 25
    report = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in tests:
        runner.run(test, out=report.append)
    assert not report, "".join(report)
    assert not os.listdir(tmp_path)
