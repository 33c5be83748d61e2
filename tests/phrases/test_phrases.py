"""Phrases against gensim's algorithm, written once more in plain Python."""

import copy
import pickle
import types
from collections import Counter
from math import log

import pytest
import threads
from hypothesis import given, settings
from hypothesis import strategies as st

from pyw2v import Word2Vec
from pyw2v.phrases import (
    ENGLISH_CONNECTOR_WORDS,
    FrozenPhrases,
    Phraser,
    Phrases,
    npmi_scorer,
    original_scorer,
)

SENTENCES = [
    ["graph", "minors", "survey", "human", "interface"],
    ["human", "interface", "with", "graph", "minors"],
    ["graph", "minors"],
    ["bank", "of", "the", "america", "graph", "minors"],
    ["human", "interface", "bank", "of", "the", "america"],
] * 2


class Reference:
    """gensim 4.4's Phrases, without its shortcuts."""

    def __init__(self, sentences, min_count, threshold, delimiter, scorer, connectors=()):
        self.min_count, self.threshold, self.scorer = min_count, threshold, scorer
        self.delimiter, self.connectors = delimiter, connectors
        self.vocab, self.n_words = Counter(), 0
        for sentence in sentences:
            self.n_words += len(sentence)
            start = None
            for i, word in enumerate(sentence):
                if word in connectors:
                    continue
                self.vocab[word] += 1
                if start is not None:
                    self.vocab[delimiter.join(sentence[start : i + 1])] += 1
                start = i

    def score(self, words):
        phrase = self.delimiter.join(words)
        a, b, pair = (self.vocab[key] for key in (words[0], words[-1], phrase))
        if not (a and b and pair):
            return None
        score = self.scorer(a, b, pair, len(self.vocab), self.min_count, self.n_words)
        return score if score > self.threshold else None

    def analyze(self, sentence):
        found, waiting = [], []
        for word in sentence:
            if word in self.connectors:
                if waiting:
                    waiting.append(word)
                else:
                    found.append((word, None))
                continue
            if waiting and (score := self.score([*waiting, word])) is not None:
                found.append((self.delimiter.join([*waiting, word]), score))
                waiting = []
                continue
            found += [(single, None) for single in waiting]
            waiting = [word] if word else []
        return found + [(single, None) for single in waiting]

    def export(self):
        parts = {entry: entry.split(self.delimiter) for entry in list(self.vocab)}
        scored = {e: self.score(p) for e, p in parts.items() if len(p) > 1}
        return {entry: score for entry, score in scored.items() if score is not None}


class Frozen(Reference):
    """gensim 4.4's FrozenPhrases: what was exported decides."""

    def __init__(self, model):
        vars(self).update(vars(model))
        self.phrasegrams = model.export()

    def score(self, words):
        score = self.phrasegrams.get(self.delimiter.join(words))
        return score if score is not None and score > self.threshold else None


words = st.sampled_from(["a", "b", "c_d", "the", "of", "é", "ünï", "x" * 17, "", "a_b", "\ud800"])
corpora = st.lists(st.lists(words, max_size=12), max_size=12)


@settings(deadline=None, max_examples=150)
@given(
    corpora,
    st.sampled_from(["_", "__", " ", "é"]),
    st.sampled_from([("default", original_scorer, 0.5), ("npmi", npmi_scorer, -0.2)]),
    st.sampled_from([frozenset(), frozenset(["the", "of"])]),
)
def test_counts_scores_and_tokens_are_gensims(corpus, delimiter, scoring, connectors):
    name, scorer, threshold = scoring
    ours = Phrases(
        corpus, 1, threshold, delimiter=delimiter, scoring=name, connector_words=connectors
    )
    theirs = Reference(corpus, 1, threshold, delimiter, scorer, connectors)
    assert dict(ours.vocab) == theirs.vocab
    assert list(ours.vocab) == list(theirs.vocab)
    assert ours.export_phrases() == theirs.export()
    frozen = ours.freeze()
    for sentence in corpus:
        expected = theirs.analyze(sentence)
        assert list(ours.analyze_sentence(sentence)) == expected
        assert ours._joined(sentence) == [token for token, _ in expected]
        assert list(frozen.analyze_sentence(sentence)) == Frozen(theirs).analyze(sentence)


def test_score_is_the_formula_to_the_bit():
    phrases = Phrases(SENTENCES, min_count=1, threshold=0.01)
    assert phrases.export_phrases()["graph_minors"] == (8 - 1) / (8 * 8) * len(phrases.vocab)
    npmi = Phrases(SENTENCES, min_count=1, threshold=0.01, scoring="npmi")
    n = float(npmi.corpus_word_count)
    expected = log((8 / n) / ((8 / n) * (8 / n))) / -log(8 / n)
    assert npmi.export_phrases()["graph_minors"] == expected


def test_connector_words_stand_inside_phrases_only():
    phrases = Phrases(SENTENCES, 1, 0.1, connector_words=ENGLISH_CONNECTOR_WORDS)
    assert phrases[["the", "bank", "of", "the", "america", "of"]] == [
        *("the", "bank_of_the_america", "of"),
    ]
    assert "the" not in phrases.vocab


def test_a_corpus_becomes_a_corpus_that_can_be_read_again():
    joined = Phrases(SENTENCES, 2, 1)[SENTENCES]
    assert list(joined) == list(joined)
    assert next(iter(joined)) == ["graph_minors", "survey", "human_interface"]
    assert len(joined) == len(SENTENCES)


def test_a_generator_loses_no_sentence():
    phrases = Phrases(SENTENCES, 1, 1)
    assert len(list(phrases[iter(SENTENCES)])) == len(SENTENCES)
    assert phrases[iter(["graph", "minors"])] == ["graph_minors"]


def test_joined_sentences_of_an_iterator_are_a_corpus_to_train_on():
    phrases = Phrases([["new", "york"]] * 9, min_count=1, threshold=0.1)
    joined = phrases[iter([["new", "york"], ["old", "york"]] * 3)]
    model = Word2Vec(joined, vector_size=4, min_count=1, workers=1)
    assert model.wv.get_vecattr("new_york", "count") == 3
    with pytest.raises(TypeError):
        len(joined)


def test_phrases_of_phrases():
    first = Phrases(SENTENCES, 2, 1, delimiter=" ")
    second = Phrases(first[SENTENCES], 1, 1, delimiter=" ")
    assert second.vocab["graph minors survey"] == 2


def test_add_vocab_counts_as_one_corpus_would():
    whole = Phrases(SENTENCES, 1, 1)
    parts = Phrases(SENTENCES[:3], 1, 1)
    parts.add_vocab(SENTENCES[3:])
    assert dict(parts.vocab) == dict(whole.vocab)
    assert parts.corpus_word_count == whole.corpus_word_count
    assert parts.export_phrases() == whole.export_phrases()


def test_pruning_happens_at_ends_of_sentences_as_in_gensim():
    rare = [[f"w{i}", f"v{i}"] for i in range(40)]
    phrases = Phrases([["a", "b"]] * 5 + rare, 1, 1, max_vocab_size=60)
    # Of gensim 4.4: 61 entries after the 20th rare sentence are too many; min_reduce is 1 and
    # drops nothing, then 2, 3, 4, 5.
    assert dict(phrases.vocab) == _gensim_pruned([["a", "b"]] * 5 + rare, 60)
    assert phrases.vocab["a_b"] == 5


def _long_corpus(n_words):
    """Sentences of so many words: far more text than is counted at a time."""
    words = [f"word{i * i % 997}" for i in range(n_words)]
    return [words[i : i + 40] for i in range(0, n_words, 40)]


@pytest.mark.parametrize("kind", [list, iter])
def test_a_long_corpus_is_counted_as_a_short_one(kind):
    sentences = _long_corpus(100_000)
    reference = Reference(sentences, 1, 1, "_", original_scorer)
    phrases = Phrases(kind(sentences), 1, 1)
    assert dict(phrases.vocab) == reference.vocab
    assert list(phrases.vocab) == list(reference.vocab)
    assert phrases.corpus_word_count == 100_000


def test_the_length_of_a_corpus_is_not_needed():
    class Corpus:
        def __iter__(self):
            return iter(SENTENCES)

        def __len__(self):
            raise NotImplementedError

    assert dict(Phrases(Corpus(), 1, 1).vocab) == dict(Phrases(SENTENCES, 1, 1).vocab)


def test_a_long_corpus_is_pruned_as_a_short_one():
    pairs = [[f"w{i}", f"v{i % 50}"] for i in range(30_000)]
    assert dict(Phrases(pairs, max_vocab_size=5_000).vocab) == _gensim_pruned(pairs, 5_000)


@threads.needs_count
def test_an_error_of_the_corpus_leaves_no_thread_behind():
    def sentences():
        yield from _long_corpus(100_000)
        raise RuntimeError("no more")

    phrases = Phrases(SENTENCES, 1, 1)
    before, vocab = threads.count(), dict(phrases.vocab)
    with pytest.raises(RuntimeError, match="no more"):
        phrases.add_vocab(sentences())
    assert threads.none_left(before)
    assert dict(phrases.vocab) == vocab


def _gensim_pruned(sentences, max_vocab_size):
    vocab, min_reduce = {}, 1
    for a, b in sentences:
        for key in (a, b, f"{a}_{b}"):
            vocab[key] = vocab.get(key, 0) + 1
        if len(vocab) > max_vocab_size:
            vocab = {key: n for key, n in vocab.items() if n >= min_reduce}
            min_reduce += 1
    return vocab


def only_pairs(worda_count, wordb_count, bigram_count, len_vocab, min_count, corpus_word_count):
    return float(bigram_count)


def test_a_scoring_function_of_ones_own():
    phrases = Phrases(SENTENCES, 1, 7, scoring=only_pairs)
    assert phrases.export_phrases() == {"graph_minors": 8.0}
    assert phrases[["graph", "minors", "survey"]] == ["graph_minors", "survey"]
    assert phrases.freeze()[["graph", "minors"]] == ["graph_minors"]


def test_a_subclass_decides_by_itself():
    class Never(Phrases):
        def score_candidate(self, word_a, word_b, in_between):
            return None, None

    phrases = Never(SENTENCES, 1, 1)
    assert phrases[["graph", "minors"]] == ["graph", "minors"]
    assert phrases.export_phrases() == {}


@pytest.mark.parametrize("scoring", ["default", "npmi", only_pairs])
@pytest.mark.parametrize("frozen", [False, True])
def test_saved_and_loaded_models_are_equal(tmp_path, scoring, frozen):
    model = Phrases(SENTENCES, 1, 0.3, scoring=scoring, connector_words=["of", "the"])
    model = model.freeze() if frozen else model
    path = tmp_path / "model"
    model.save(path)
    for loaded in (type(model).load(path), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert loaded.find_phrases(SENTENCES) == model.find_phrases(SENTENCES)
        assert loaded.scoring is model.scoring
        assert loaded.connector_words == {"of", "the"}
    if not frozen:
        again = Phrases.load(path)
        again.add_vocab(SENTENCES)
        assert again.corpus_word_count == 2 * model.corpus_word_count


def test_loading_gives_the_kind_that_was_saved(tmp_path):
    Phrases(SENTENCES).save(tmp_path / "model")
    assert type(FrozenPhrases.load(tmp_path / "model")) is Phrases


def test_a_scorer_that_is_not_imported_is_named_in_the_error(tmp_path):
    model = Phrases(SENTENCES, 1, 7, scoring=only_pairs)
    model.scoring = types.SimpleNamespace(__module__="nowhere", __qualname__="f")
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"nowhere:f, which is not there"):
        Phrases.load(tmp_path / "model")
    assert Phrases.load(tmp_path / "model", scoring=only_pairs).scoring is only_pairs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_count": 0}, "min_count must be above 0"),
        ({"threshold": 0}, "threshold must be above 0 for default"),
        ({"threshold": 2, "scoring": "npmi"}, "threshold must be from -1 to 1"),
        ({"scoring": "other"}, "scoring must be"),
        ({"scoring": lambda worda_count: 1}, "lacks the parameters wordb_count"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Phrases(SENTENCES, **arguments)


@pytest.mark.parametrize("sentence", [["a", 1], ["a", b"b"]])
def test_words_must_be_text(sentence):
    with pytest.raises(TypeError, match="words must be str"):
        Phrases([sentence])


def test_a_str_is_no_sentence():
    with pytest.raises(TypeError, match="split it first"):
        Phrases(["graph minors"])
    with pytest.raises(TypeError, match="split it first"):
        Phrases(SENTENCES)["graph minors"]


def test_phraser_is_gensim_3s_name():
    assert Phraser is FrozenPhrases
    assert str(Phrases(SENTENCES).freeze()).startswith("FrozenPhrases<")


def test_changed_connector_words_count_from_then_on():
    phrases = Phrases(SENTENCES, 1, 0.1)
    phrases.connector_words = frozenset(["minors"])
    phrases.vocab = {"graph": 5, "survey": 5, "graph_minors_survey": 5}
    assert phrases[["graph", "minors", "survey"]] == ["graph_minors_survey"]


@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "a_b", "b_c", "", "_", "é", "_b", "x y"]))),
    st.sampled_from(["_", "__", " ", "ab"]),
    st.sampled_from([0.01, 0.5, 2.0]),
)
def test_frozen_phrases_join_what_they_analyze(texts, delimiter, threshold):
    frozen = Phrases(texts * 2, min_count=1, threshold=threshold, delimiter=delimiter).freeze()
    for text in texts:
        assert frozen[text] == [token for token, _ in frozen.analyze_sentence(text)]
        assert frozen[tuple(text)] == frozen[text]


def test_frozen_phrases_follow_their_threshold():
    frozen = Phrases([["new", "york"]] * 9, min_count=1, threshold=0.1).freeze()
    assert frozen[["new", "york"]] == ["new_york"]
    frozen.threshold = 1e9
    assert frozen[["new", "york"]] == ["new", "york"]


def test_entries_that_were_never_counted_are_not_there():
    phrases = Phrases(min_count=1, threshold=0.1)
    phrases.vocab = {"a": 2, "b": 3, "a_b": 0}
    assert dict(phrases.vocab) == {"a": 2, "b": 3}
