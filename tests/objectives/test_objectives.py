"""The settings of objectives: what is made of them, and what is refused."""

import pytest

from pyw2v import functions, objectives
from pyw2v.objectives.samplers import FixedUnigram, Uniform, Unigram


def make(name, *, hs=0, negative=5, **settings):
    return objectives.make({"objective": name} | settings, hs=hs, negative=negative)


def test_without_a_name_there_is_no_objective():
    assert objectives.make({}) is None


@pytest.mark.parametrize("name", objectives.OBJECTIVES)
def test_every_name_makes_its_objective(name):
    made = make(name)
    assert made.name == name
    assert isinstance(made, objectives.KINDS[name])


def test_hits_are_removed_except_by_nce():
    removed = {
        name: make(name).remove_accidental_hits
        for name, kind in objectives.KINDS.items()
        if kind is objectives.SampledObjective
    }
    assert removed == {"ns": True, "nce": False, "sampled_logistic": True, "sampled_softmax": True}
    assert make("nce", remove_accidental_hits=True).remove_accidental_hits


def test_only_plain_negative_sampling_is_the_classic_one():
    assert make("ns").classic
    assert make("ns", sampler=Uniform()).classic
    assert not make("nce").classic
    for changed in (
        {"sampler": Unigram(unique=True)},
        {"output_bias": True},
        {"noise_per": "pair"},
        {"remove_accidental_hits": False},
    ):
        assert not make("ns", **changed).classic


def test_without_a_sampler_words_are_drawn_by_the_classic_exponent():
    assert make("nce").sampler == Unigram(0.75)
    made = objectives.make({"objective": "nce"}, ns_exponent=0.5)
    assert made.sampler == Unigram(0.5)


def test_z_is_one_or_given_or_learnt():
    assert make("nce").z == 1.0
    assert make("nce", nce_z=9).z == 9.0
    assert make("nce", nce_z="learned").learns_z


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("softmaxx", {}, "objective must be .*'softmaxx'"),
        (3, {}, "objective must be .*3"),
        ("nce", {"hs": 1}, "hs must be left at 0.*got 1"),
        ("nce", {"negative": 0}, "negative must be at least 1.*got 0"),
        ("nce", {"nce_z": 0.0}, "nce_z must be greater than 0.0, got 0.0"),
        ("nce", {"nce_z": "guess"}, "nce_z .*'guess'"),
        ("nce", {"noise_per": "word"}, "noise_per .*'word'"),
        ("nce", {"sampler": "unigram"}, "sampler .*'unigram'"),
        ("nce", {"remove_accidental_hits": "no"}, "remove_accidental_hits .*'no'"),
        ("nce", {"output_bias": "yes"}, "output_bias .*'yes'"),
        ("ns", {"nce_z": 2.0}, "nce_z has no effect with objective='ns', got 2.0"),
        ("nce", {"self_norm": 0.1}, "self_norm has no effect with objective='nce', got 0.1"),
        ("softmax", {"self_norm": -1.0}, "self_norm must be at least 0.0, got -1.0"),
        ("softmax", {"sampler": Uniform()}, "sampler has no effect"),
        ("hs", {"output_bias": True}, "'hs' has no output bias"),
        ("class_softmax", {"class_depth": 1}, "class_depth must be at least 2, got 1"),
        (None, {"noise_per": "pair"}, "noise_per has no effect with objective=None"),
        (None, {"sampler": Uniform()}, "sampler has no effect with objective=None"),
    ],
)
def test_bad_settings_are_named(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make(name, **settings)


def test_a_vocabulary_must_allow_the_objective():
    objective = make("nce", negative=3, sampler=Unigram(unique=True))
    objectives.check_words(objective, [5, 4, 3, 2])
    with pytest.raises(ValueError, match=r"3 words.*got 3"):
        objectives.check_words(objective, [5, 4, 3])
    with pytest.raises(ValueError, match="got 0 for word 0"):
        objectives.check_words(make("nce", sampler=FixedUnigram([1], reserved=1)), [5, 4])
    objectives.check_words(make("ns", sampler=FixedUnigram([1], reserved=1)), [5, 4])


@pytest.mark.parametrize("temperature", [0, -1.5, float("nan"), float("inf")])
def test_a_temperature_must_be_positive(temperature):
    with pytest.raises(ValueError, match=f"temperature must be .*got {float(temperature)}"):
        functions.check_temperature(temperature)
