"""Word2Vec and FastText with sampled objectives: what users set, see, save and grow."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pyw2v import FastText, FixedUnigram, LogUniform, Uniform, Unigram, Word2Vec, objectives

SAMPLED = ("ns", "nce", "sampled_logistic", "sampled_softmax")


def sentences(n=300, n_words=30):
    """Words of two topics that never meet."""
    rng = np.random.default_rng(1)
    made = []
    for i in range(n):
        first = (i % 2) * n_words // 2
        ids = first + rng.integers(0, n_words // 2, 10)
        made.append([f"w{j}" for j in ids])
    return made


SENTENCES = sentences()
SETTINGS = {"vector_size": 12, "min_count": 1, "workers": 1, "sample": 0, "epochs": 8, "seed": 3}


def topics_are_apart(model):
    vectors = model.wv.vectors / np.linalg.norm(model.wv.vectors, axis=1, keepdims=True)
    first = np.array([int(word[1:]) < 15 for word in model.wv.index_to_key])
    cosines = vectors @ vectors.T
    same = cosines[first][:, first].mean() + cosines[~first][:, ~first].mean()
    return same / 2 > cosines[first][:, ~first].mean() + 0.3


@pytest.mark.parametrize("sg", [0, 1], ids=["cbow", "skipgram"])
@pytest.mark.parametrize("objective", SAMPLED)
def test_every_objective_learns_topics(objective, sg):
    model = Word2Vec(
        SENTENCES, objective=objective, sg=sg, alpha=0.05, output_bias=True, **SETTINGS
    )
    assert model.loss_history[-1] < model.loss_history[0]
    assert topics_are_apart(model)
    assert np.abs(model.syn1bias).max() > 0


@pytest.mark.parametrize("objective", SAMPLED)
def test_subword_models_learn_topics(objective):
    model = FastText(
        SENTENCES, objective=objective, sg=1, alpha=0.1, bucket=500, min_n=3, max_n=4, **SETTINGS
    )
    assert model.loss_history[-1] < model.loss_history[0]
    assert topics_are_apart(model)


def test_negative_sampling_by_name_is_the_classic_one():
    by_name = Word2Vec(SENTENCES, objective="ns", negative=3, **SETTINGS)
    classic = Word2Vec(SENTENCES, negative=3, **SETTINGS)
    assert_array_equal(by_name.wv.vectors, classic.wv.vectors)
    drawn = Word2Vec(SENTENCES, objective="ns", negative=3, sampler=Unigram(0.75), **SETTINGS)
    assert_array_equal(drawn.wv.vectors, classic.wv.vectors)
    other = Word2Vec(SENTENCES, objective="ns", negative=3, sampler=Uniform(), **SETTINGS)
    assert (other.wv.vectors != classic.wv.vectors).any()


def test_hierarchical_softmax_by_name_is_the_classic_one():
    by_name = Word2Vec(SENTENCES, objective="hs", **SETTINGS)
    classic = Word2Vec(SENTENCES, hs=1, negative=0, **SETTINGS)
    assert_array_equal(by_name.wv.vectors, classic.wv.vectors)
    assert_array_equal(by_name.syn1, classic.syn1)
    assert by_name.syn1neg is None


def test_nce_with_uniform_noise_and_as_many_words_as_the_vocabulary_is_negative_sampling():
    settings = SETTINGS | {"negative": 30, "sampler": Uniform(), "noise_per": "pair"}
    nce = Word2Vec(SENTENCES, objective="nce", remove_accidental_hits=True, **settings)
    ns = Word2Vec(SENTENCES, objective="ns", **settings)
    assert len(nce.wv) == 30
    assert_array_equal(nce.wv.vectors, ns.wv.vectors)


@pytest.mark.parametrize(
    "settings",
    [
        {"sampler": LogUniform(unique=True)},
        {"noise_per": "pair"},
        {"sampler": Uniform(unique=True), "noise_per": "pair"},
        {"remove_accidental_hits": True},
        {"nce_z": "learned", "output_bias": True},
        {"nce_z": 30.0},
    ],
    ids=str,
)
def test_every_option_trains_repeatably_and_differently(settings):
    plain = Word2Vec(SENTENCES, objective="nce", sg=1, **SETTINGS)
    once = Word2Vec(SENTENCES, objective="nce", sg=1, **settings, **SETTINGS)
    twice = Word2Vec(SENTENCES, objective="nce", sg=1, **settings, **SETTINGS)
    assert_array_equal(once.wv.vectors, twice.wv.vectors)
    assert (once.wv.vectors != plain.wv.vectors).any()
    assert once.loss_history[-1] < once.loss_history[0]


def test_z_is_learnt_only_on_request():
    fixed = Word2Vec(SENTENCES, objective="nce", nce_z=20.0, **SETTINGS)
    assert fixed.nce_log_z == pytest.approx(np.log(20))
    learnt = Word2Vec(SENTENCES, objective="nce", nce_z="learned", **SETTINGS)
    # Scores start at 0, so all words are equally likely: Z is about their number.
    assert 1 < learnt.nce_log_z < 6


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_a_saved_model_keeps_its_objective_and_trains_on_alike(kind, tmp_path):
    more = {"bucket": 100} if kind is FastText else {}
    weights = np.arange(1.0, 31.0)
    model = kind(
        SENTENCES,
        objective="nce",
        sampler=FixedUnigram(weights, distortion=0.5, unique=True),
        output_bias=True,
        nce_z="learned",
        noise_per="pair",
        remove_accidental_hits=True,
        **more,
        **SETTINGS,
    )
    model.save(tmp_path / "model")
    loaded = kind.load(tmp_path / "model")
    for name in ("objective", "output_bias", "nce_z", "noise_per", "remove_accidental_hits"):
        assert getattr(loaded, name) == getattr(model, name)
    assert loaded.nce_log_z == model.nce_log_z != 0
    assert_array_equal(loaded.syn1bias, model.syn1bias)
    assert_array_equal(loaded.sampler.given, weights)
    for each in (model, loaded):
        each.train(SENTENCES, total_examples=len(SENTENCES), epochs=2)
    assert_array_equal(loaded.wv.vectors, model.wv.vectors)
    assert_array_equal(loaded.syn1bias, model.syn1bias)
    assert loaded.nce_log_z == model.nce_log_z


def test_a_file_from_before_objectives_loads(tmp_path, monkeypatch):
    model = Word2Vec(SENTENCES, **SETTINGS)
    from pyw2v.word2vec import settings as _settings  # noqa: PLC0415 (patched here alone)

    new = _settings.stored

    def old(model):
        names = {*objectives.DEFAULTS, "log_z"}
        return {name: value for name, value in new(model).items() if name not in names}

    monkeypatch.setattr(_settings, "stored", old)
    model.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    assert loaded.objective is None
    assert loaded.sampler is None
    loaded.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)


def test_biases_grow_with_the_vocabulary():
    model = Word2Vec(SENTENCES, objective="sampled_softmax", output_bias=True, **SETTINGS)
    before = model.syn1bias.copy()
    more = [["new", "newer", "w1", "w2"]] * 20
    model.build_vocab(more, update=True)
    assert len(model.syn1bias) == len(model.wv) == 32
    assert_array_equal(model.syn1bias[:30], before)
    model.train(more, total_examples=20, epochs=2)
    assert model.syn1bias[30:].any()


def test_a_file_of_counts_gives_the_noise(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("".join(f"w{i} {i + 1}\n" for i in range(30)), encoding="utf-8")
    by_file = Word2Vec(SENTENCES, objective="nce", sampler=FixedUnigram(path), **SETTINGS)
    weights = [int(word[1:]) + 1 for word in by_file.wv.index_to_key]
    by_array = Word2Vec(SENTENCES, objective="nce", sampler=FixedUnigram(weights), **SETTINGS)
    assert_array_equal(by_file.wv.vectors, by_array.wv.vectors)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objective": "nce", "negative": 0}, "negative must be at least 1.*got 0"),
        ({"objective": "nce", "hs": 1}, "hs must be left at 0"),
        ({"objective": "nice"}, "'nice'"),
        ({"objective": "nce", "negative": 30, "sampler": Uniform(unique=True)}, "30.*got 30"),
        ({"objective": "nce", "sampler": FixedUnigram([1, 2])}, "30 words.*got 2"),
        ({"objective": "nce", "sampler": FixedUnigram([1] * 29, reserved=1)}, "0 for word 0"),
        ({"sampler": Uniform()}, "sampler has no effect with objective=None"),
    ],
    ids=str,
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        Word2Vec(SENTENCES, **settings, **SETTINGS)


def test_many_workers_train_every_objective():
    for objective in SAMPLED:
        model = Word2Vec(
            SENTENCES * 20,
            objective=objective,
            output_bias=True,
            sampler=Unigram(unique=True),
            **SETTINGS | {"workers": 4, "epochs": 2},
        )
        assert np.isfinite(model.wv.vectors).all()
        assert model.loss_history[-1] < model.loss_history[0]
