"""A setting lives in one place: what else names it agrees with its table."""

import doctest
import importlib
import inspect
import json
import re
import textwrap
from pathlib import Path

import pytest

import pyw2v
from pyw2v import FastText, GloVe, TextClassifier, Word2Vec
from pyw2v._shared import rules
from pyw2v._shared.settings import Flag, Setting, Table
from pyw2v.classifier.settings import CLASSIFIER
from pyw2v.cli import build_parser
from pyw2v.cli._settings import given_settings
from pyw2v.fasttext_model.table import FASTTEXT
from pyw2v.glove.settings import GLOVE
from pyw2v.word2vec.table import MAX_INT, WORD2VEC

ROOT = Path(__file__).resolve().parents[2]
TABLES = {Word2Vec: WORD2VEC, FastText: FASTTEXT, GloVe: GLOVE, TextClassifier: CLASSIFIER}
MAX_BODY_LINES = 50

models = pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
needs_sources = pytest.mark.skipif(not (ROOT / "tools").is_dir(), reason="needs the sources")


@pytest.fixture
def writer(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module("write_settings")


def parameters_of(function):
    return {k: v for k, v in inspect.signature(function).parameters.items() if k != "self"}


# -- what is written from the tables --------------------------------------------------------------


@needs_sources
def test_the_sources_have_what_the_tables_say(writer):
    wrong = [path.name for path, text in writer.written().items() if text != path.read_text()]
    assert not wrong, "run: python tools/write_settings.py"


@models
def test_the_constructor_takes_the_arguments_of_the_table(model):
    table, parameters = TABLES[model], parameters_of(model)
    by_name = [table[name] for name in table.arguments if table[name].keyword]
    by_place = [table[name] for name in table.arguments if not table[name].keyword]
    assert list(parameters) == [setting.name for setting in (*by_place, *by_name)]
    for name, parameter in parameters.items():
        assert parameter.default == table[name].default, name
        assert parameter.annotation == table[name].type, name
        assert (parameter.kind is parameter.KEYWORD_ONLY) == table[name].keyword, name


@models
def test_the_docstring_tells_of_every_argument(model):
    text = inspect.getdoc(model)
    section = re.search(r"^Parameters\n-+\n(.*?)\n\n\w+\n-+\n", text, re.M | re.S)[1]
    told = re.findall(r"^(\w+) : (.+), (?:default (.+)|optional)$", section, re.M)
    assert [name for name, _, _ in told] == list(TABLES[model].arguments)
    for name, _, default in told:
        value = TABLES[model][name].default
        assert value is None if not default else eval(default) == value, name
    assert all(heading in text for heading in ("Raises\n---", "See Also\n---", "Examples\n---"))


@models
def test_a_constructor_fits_on_a_screen(model):
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(model.__init__)))
    body = source.split(") -> None:\n", 1)[1]
    assert len(body.splitlines()) <= MAX_BODY_LINES


@models
def test_the_examples_of_the_docstring_run(model):
    module = inspect.getmodule(model)
    (found,) = doctest.DocTestFinder(recurse=False).find(model, model.__name__, module, {})
    assert found.examples
    failed, _ = doctest.DocTestRunner(verbose=False).run(found)
    assert not failed


# -- checks and files ------------------------------------------------------------------------------


@models
def test_settings_are_attributes_and_every_default_keeps_its_rule(model):
    made, table = model(), TABLES[model]
    assert table.values(made) == {setting.name: setting.default for setting in table.kept}
    assert table.checked(made) == table.values(made)


@models
def test_what_goes_to_a_file_comes_back(model):
    made, table = model(), TABLES[model]
    stored = json.loads(json.dumps(table.to_file(made)))
    assert stored.keys() == {setting.name for setting in table.stored}
    assert table.from_file(stored, whole=True) == table.values(made)


@models
def test_an_object_that_is_older_than_a_setting_has_its_default(model):
    made = model()
    for setting in TABLES[model].kept:
        vars(made).pop(setting.name)
        assert getattr(made, setting.name) == setting.default


# Of Word2Vec, in the first files; what came later must say since which version.
FIRST = """
    alpha batch_words cbow_grad cbow_mean comment compute_loss epochs hs max_final_vocab max_memory
    max_vocab_size min_alpha min_count negative ns_exponent null_word progress sample seed sg
    shrink_windows sorted_vocab track_loss vector_size window workers
    bucket max_n min_n word_ngrams
"""


def test_a_newer_setting_says_since_when_and_older_files_load():
    for setting in FASTTEXT.stored:
        assert bool(setting.since) == (setting.name not in FIRST.split()), setting.name
    old = {name: FASTTEXT[name].default for name in FIRST.split()}
    assert FASTTEXT.from_file(old, whole=True)["noise_per"] == "window"
    del old["window"]
    with pytest.raises(ValueError, match="window is missing"):
        FASTTEXT.from_file(old, whole=True)


@pytest.mark.parametrize("name", ["corpus_file", "sentences", "init_vectors", "checkpoint"])
def test_a_file_of_glove_cannot_give_arguments_that_are_no_settings(name, tmp_path):
    native = pytest.importorskip("pyw2v.io.native")
    model = GloVe([["a", "b"]] * 3, vector_size=2, min_count=1, epochs=1, workers=1)
    model.save(tmp_path / "model")
    file = native.load(tmp_path / "model")
    settings = file.settings | {name: str(tmp_path / "secret.txt")}
    native.save(tmp_path / "model", file.tensors, file.words, settings)
    with pytest.raises(ValueError, match=f"settings unknown to GloVe: {name}"):
        GloVe.load(tmp_path / "model")


def test_an_older_file_of_glove_has_the_settings_by_their_other_names(tmp_path):
    native = pytest.importorskip("pyw2v.io.native")
    model = GloVe([["a", "b"]] * 3, vector_size=2, min_count=1, epochs=1, workers=1, memory=1 << 20)
    model.save(tmp_path / "model")
    file = native.load(tmp_path / "model")
    others = {"max_final_vocab": "max_vocab", "max_memory": "memory"}
    settings = {others.get(name, name): value for name, value in file.settings.items()}
    native.save(tmp_path / "model", file.tensors, file.words, settings)
    assert GloVe.load(tmp_path / "model").max_memory == 1 << 20


def test_an_older_pickle_of_glove_has_the_settings_by_their_other_names():
    state = vars(GloVe(memory=1 << 20)).copy()
    state["memory"] = state.pop("max_memory")
    model = GloVe.__new__(GloVe)
    model.__setstate__(state)
    assert model.max_memory == model.memory == 1 << 20


# -- one idea, one name ----------------------------------------------------------------------------

# What every model that has the idea calls it, or knows under this name, too.
ONE_NAME = {
    "learning_rate": (0.07, (Word2Vec, FastText, GloVe, TextClassifier)),
    "vector_size": (7, (Word2Vec, FastText, GloVe, TextClassifier)),
    "max_final_vocab": (9, (Word2Vec, FastText, GloVe)),
    "max_memory": (1 << 20, (Word2Vec, FastText, GloVe)),
}


@pytest.mark.parametrize("name", ONE_NAME)
def test_one_name_is_known_to_every_model_that_has_the_idea(name):
    value, models = ONE_NAME[name]
    for model in models:
        assert getattr(model(**{name: value}), name) == value
    assert all(hasattr(model(), "loss_history") for model in TABLES)


@models
def test_another_spelling_is_the_same_argument_and_the_same_attribute(model):
    for alias, name in TABLES[model].aliases.items():
        value = 3 if "int" in TABLES[model][name].type else 0.03
        made = model(**{alias: value})
        assert getattr(made, name) == getattr(made, alias) == value
        setattr(made, alias, 2 * value)
        assert getattr(made, name) == 2 * value
        with pytest.raises(TypeError, match=f"{alias} and {name} are one setting"):
            model(**{alias: value, name: value})


def test_a_classifier_takes_and_keeps_other_spellings_the_way_of_scikit_learn():
    model = TextClassifier(vector_size=7)
    assert model.set_params(learning_rate=0.3).get_params()["lr"] == 0.3
    assert repr(model) == "TextClassifier(dim=7, lr=0.3)"
    model.fit(["a b", "c d"] * 9, ["x", "y"] * 9)
    assert model.loss_history is model.loss_history_
    again = TextClassifier.from_data(model.data, learning_rate=0.2, workers=1)
    assert (again.dim, again.lr) == (7, 0.2)
    best = pyw2v.autotune.autotune(
        *(["a b", "c d"] * 9, ["x", "y"] * 9, ["a"], ["x"]), trials=2, vector_size=5, workers=1
    )
    assert {trial.settings["dim"] for trial in best.trials} == {5}


@pytest.mark.parametrize("name", ["max_vocab", "max_final_vocab"])
def test_counting_knows_both_spellings_of_its_limits(name):
    counts = pyw2v.CooccurrenceMatrix.from_corpus([["a", "b", "b"]], **{name: 1})
    assert counts.words == ["b"]


def test_pairs_know_both_spellings_of_subsampling():
    sentences = [["a", "b", "c"] * 9] * 9
    one, two = (
        next(iter(pyw2v.pairs(sentences, negative=0, **{name: 1e-2})))
        for name in ("sample", "subsample")
    )
    assert one.centre.tolist() == two.centre.tolist()


# Settings of `pairs` whose defaults are others than those of Word2Vec, and why.
PAIRS_DIFFER = {
    "workers": "gensim fixes that of Word2Vec",
    "min_count": "gensim fixes that of Word2Vec",
    "noise_per": "what other frameworks draw; sharing pays in our engine only",
    "remove_accidental_hits": "Word2Vec's None depends on the objective, which pairs do not know",
}


def test_models_that_share_a_setting_share_its_default_unless_a_peer_fixes_it():
    ours = {}
    for table in TABLES.values():
        for setting in table:
            for name in (setting.name, *setting.also):
                if not setting.peer:
                    assert ours.setdefault(name, setting.default) == setting.default, name
    for name, parameter in parameters_of(pyw2v.pairs).items():
        if name in WORD2VEC and name not in PAIRS_DIFFER:
            assert parameter.default == WORD2VEC[name].default, name


# -- the command line ------------------------------------------------------------------------------


def test_the_command_line_has_the_defaults_of_the_table():
    args = build_parser().parse_args(["train", "corpus", "-o", "out.kv"])
    given = given_settings(WORD2VEC, args)
    assert given.pop("workers") == -1  # every core; gensim fixes Word2Vec's 3
    assert given.pop("negative") is None  # 5, or 0 with --hs
    assert given == {name: WORD2VEC[name].default for name in given}
    assert len(given) > 12


@pytest.mark.parametrize(
    ("flags", "name", "value"),
    [
        ("--dim 7", "vector_size", 7),
        ("--vector-size 7", "vector_size", 7),
        ("--alpha 0.1", "alpha", 0.1),
        ("--learning-rate 0.1", "alpha", 0.1),
        ("--min-alpha 0.1", "min_alpha", 0.1),
        ("--max-vocab 9", "max_final_vocab", 9),
        ("--max-final-vocab 9", "max_final_vocab", 9),
        ("--fixed-window", "shrink_windows", False),
        ("--cbow-sum", "cbow_mean", 0),
        ("--model sg", "sg", 1),
        ("--hs", "hs", 1),
        ("--objective nce", "objective", "nce"),
    ],
)
def test_a_flag_of_the_command_line_sets_its_setting(flags, name, value):
    args = build_parser().parse_args(["train", "corpus", "-o", "out.kv", *flags.split()])
    assert given_settings(WORD2VEC, args)[name] == value


# -- a new setting ---------------------------------------------------------------------------------


@needs_sources
def test_a_new_setting_is_one_declaration_as_contributing_shows(writer):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(Setting\(.*?)^```$", text, re.M | re.S)
    names = {"Setting": Setting, "Flag": Flag, "rules": rules, "MAX_INT": MAX_INT}
    new = eval(code.strip().rstrip(","), names)
    table = Table((*WORD2VEC, new))

    source = (ROOT / "pyw2v/word2vec/__init__.py").read_text()
    source = writer.with_docstring(
        writer.with_signature(source, "Word2Vec", table), "Word2Vec", table
    )
    state = (ROOT / "pyw2v/word2vec/state.py").read_text()
    line = f"{new.name}: {new.type} = {new.default}"
    assert f"        {line},\n" in source
    assert f"    {new.name} : {new.type}, default {new.default}\n        {new.help}\n" in source
    assert f"    {line}\n" in writer.with_attributes(state, list(table.kept))

    model = Word2Vec()
    table.take(model, {new.name: 3})
    assert table.from_file(table.to_file(model))[new.name] == 3
    assert table.from_file({})[new.name] == new.default
    table.take(model, {new.name: 0})
    with pytest.raises(ValueError, match=f"{new.name} must be"):
        table.checked(model)
    assert new.flag.names[0] in text


def test_a_table_refuses_a_value_by_the_same_rule_from_a_caller_and_from_a_file():
    setting = Setting("n", "int", 1, "A number.", rules.integer(1, 9))
    table = Table((setting, setting._replace(name="m", stored=rules.integer(1, 5))))
    model = type("Model", (), {"n": 10, "m": 7})()
    with pytest.raises(ValueError, match="n must be at most 9, got 10"):
        table.checked(model)
    with pytest.raises(ValueError, match="n must be at most 9, got 10"):
        table.from_file({"n": 10})
    with pytest.raises(ValueError, match="m must be at most 5, got 7"):
        table.from_file({"m": 7})
