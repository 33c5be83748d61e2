"""Sampled objectives: gradients by finite differences, training against the twin.

As in test_gradients, a chunk at rate 0 returns the loss of all its centres, and a chunk at a tiny
rate changes every parameter by -rate times the gradient. test_autograd has PyTorch's word on that.
"""

import engine
import numpy as np
import pytest
import reference_sampled
from numpy.testing import assert_allclose, assert_array_equal

from pyw2v import objectives
from pyw2v._core import probe
from pyw2v._core.sampler import UniqueSampler
from pyw2v._core.word_model import SampledNoise
from pyw2v.objectives.samplers import Unigram

N_WORDS, DIM, K = 11, 5, 4
COUNTS = np.arange(60, 60 - 4 * N_WORDS, -4).astype(np.int64)
TOKENS = np.array([3, 8, 1, 0, 8, 5, 5, 3, 5, 2, 9, 10, 4, 6], np.int32)
ENDS = np.array([3, 6, 9, 14], np.int64)
TINY, STEP = 1e-8, 1e-5

SKIPGRAM = {"sg": True}
CBOW_MEAN = {"sg": False, "average_context": True, "average_gradient": True}
CBOW_SUM = {"sg": False, "average_context": False, "average_gradient": False}
MODELS = pytest.mark.parametrize(
    "model", [SKIPGRAM, CBOW_MEAN, CBOW_SUM], ids=["skipgram", "cbow-mean", "cbow-sum"]
)

# Every objective, plain and with each of the options.
CASES = {
    "ns-bias": ("ns", {"output_bias": True}),
    "ns-unique": ("ns", {"sampler": Unigram(unique=True)}),
    "ns-pair": ("ns", {"noise_per": "pair"}),
    "ns-hits": ("ns", {"remove_accidental_hits": False}),
    "nce": ("nce", {}),
    "nce-z": ("nce", {"nce_z": 3.5}),
    "nce-learned": ("nce", {"nce_z": "learned", "output_bias": True}),
    "nce-removed": ("nce", {"remove_accidental_hits": True}),
    "nce-pair": ("nce", {"noise_per": "pair", "nce_z": "learned"}),
    "sampled_logistic": ("sampled_logistic", {}),
    "sampled_logistic-unique": ("sampled_logistic", {"sampler": Unigram(unique=True)}),
    "sampled_softmax": ("sampled_softmax", {}),
    "sampled_softmax-bias": ("sampled_softmax", {"output_bias": True}),
    "sampled_softmax-unique-pair": (
        "sampled_softmax",
        {"sampler": Unigram(unique=True), "noise_per": "pair"},
    ),
    "sampled_softmax-hits": ("sampled_softmax", {"remove_accidental_hits": False}),
}
ALL_CASES = pytest.mark.parametrize("case", CASES)


def noise_of(case, counts, k, dtype, rng):
    """The weights and the SampledNoise of an objective; learnt numbers start at random."""
    name, settings = CASES[case]
    objective = objectives.make({"objective": name} | settings, negative=k)
    sampler = objective.sampler
    shift = None
    if objective.corrected:
        shift = np.log(sampler.expected_counts(counts, k)) + np.log(objective.z or 1.0)
        shift = shift.astype(dtype)
    return sampler.weights(counts), SampledNoise(
        unique=sampler.unique,
        shift=shift,
        bias=rng.normal(size=len(counts)).astype(dtype) if objective.output_bias else None,
        log_z=np.array([0.4], dtype) if objective.learns_z else None,
        softmax=objective.softmax,
        remove_hits=objective.remove_accidental_hits,
        per_pair=objective.noise_per == "pair",
    )


class Problem:
    """A chunk in double precision whose parameters are arrays by name."""

    def __init__(self, case, rng, composed=False, **settings):
        self.weights, self.noise = noise_of(case, COUNTS, K, np.float64, rng)
        self.settings = {"window": 3, "shrink_windows": True} | settings
        self.parameters = {
            "input": rng.normal(size=(N_WORDS, DIM)) * 0.7,
            "output_ns": rng.normal(size=(N_WORDS, DIM)) * 0.7,
        }
        if composed:  # of two n-grams each
            self.parameters["input_ngrams"] = rng.normal(size=(7, DIM)) * 0.7
            ids = rng.integers(0, 7, 2 * N_WORDS).astype(np.uint32)
            self.settings["subwords"] = (np.arange(N_WORDS + 1) * 2, ids)
        for name in ("bias", "log_z"):
            if getattr(self.noise, name) is not None:
                self.parameters[name] = getattr(self.noise, name)

    def run(self, parameters, lr):
        """Train; the parameters are changed in place."""
        rows = {name: parameters[name] for name in ("input", "output_ns", "input_ngrams")
                if name in parameters}  # fmt: skip
        learnt = {name: parameters[name] for name in ("bias", "log_z") if name in parameters}
        return probe.train_chunk(
            "double", tokens=TOKENS, ends=ENDS, lr_begin=lr, lr_end=lr, negative=K,
            noise_weights=self.weights, seed=4, sampled=self.noise._replace(**learnt), **rows,
            **self.settings,
        )  # fmt: skip

    def loss(self, parameters):
        return self.run({name: rows.copy() for name, rows in parameters.items()}, 0.0).loss

    def gradient(self):
        gradients = {}
        for name, rows in self.parameters.items():
            gradients[name] = np.zeros_like(rows)
            for place in np.ndindex(rows.shape):
                losses = []
                for step in (STEP, -STEP):
                    moved = self.parameters | {name: rows.copy()}
                    moved[name][place] += step
                    losses.append(self.loss(moved))
                gradients[name][place] = (losses[0] - losses[1]) / (2 * STEP)
        return gradients

    def change_over_rate(self):
        moved = {name: rows.copy() for name, rows in self.parameters.items()}
        self.run(moved, TINY)
        return {name: (moved[name] - rows) / TINY for name, rows in self.parameters.items()}

    def twin(self, lr=0.0):
        sampled = self.noise._replace(
            **{name: rows.copy() for name, rows in self.parameters.items()
               if name in ("bias", "log_z")}
        )  # fmt: skip
        return reference_sampled.SampledTwin(
            TOKENS, ENDS, None, COUNTS, self.parameters["input"].copy(),
            self.parameters["output_ns"].copy(), negative=K, window=3, sg=self.settings["sg"],
            cbow_mean=self.settings.get("average_context", True),
            cbow_grad="mean" if self.settings.get("average_gradient", True) else "sum",
            lr_start=lr, lr_end=lr, total_tokens=len(TOKENS), seed=4,
            noise_weights=self.weights, sampled=sampled, subwords=self.settings.get("subwords"),
            input_ngrams=self.parameters.get("input_ngrams", np.empty(0)).copy(),
        )  # fmt: skip


@pytest.mark.parametrize("composed", [False, True], ids=["words", "n-grams"])
@MODELS
@ALL_CASES
def test_change_is_minus_rate_times_gradient(case, model, composed, rng):
    problem = Problem(case, rng, composed, **model)
    found = problem.change_over_rate()
    for name, values in problem.gradient().items():
        assert np.abs(values).max() > 0.05
        # The change of a skip-gram word's mean goes whole to each of its three rows.
        scale = 3 if composed and model["sg"] and name.startswith("input") else 1
        # Sums of many rows are long: the terms of the rate's square are, too.
        most = 1e-5 if composed else 1e-6
        assert_allclose(found[name], -scale * values, atol=most, rtol=most, err_msg=name)


@pytest.mark.parametrize("composed", [False, True], ids=["words", "n-grams"])
@MODELS
@ALL_CASES
def test_loss_is_the_references(case, model, composed, rng):
    problem = Problem(case, rng, composed, **model)
    expected = problem.twin().epoch(0)
    assert_allclose(problem.run(problem.parameters, 0.0), expected, rtol=1e-12)


@pytest.mark.parametrize("case", ["nce", "sampled_softmax", "sampled_softmax-bias"])
def test_scores_far_apart_are_the_references(case, rng):
    """One of two neighbours may have a score that leaves nothing of all others beside it."""
    problem = Problem(case, rng, **SKIPGRAM)
    problem.parameters["input"] *= 300
    assert_allclose(problem.loss(problem.parameters), problem.twin().epoch(0)[0], rtol=1e-12)
    twin = problem.twin(TINY)
    twin.epoch(0)
    for name, change in problem.change_over_rate().items():
        start = problem.parameters[name]
        wanted = (getattr(twin if hasattr(twin, name) else twin.sampled, name) - start) / TINY
        assert_allclose(change, wanted, atol=1e-6 * np.abs(wanted).max(), rtol=1e-5, err_msg=name)


def trained(case, arguments, rng):
    """Losses and changes of the engine's and of the twin's training from the same start."""
    weights, noise = noise_of(case, arguments["counts"], arguments["negative"], np.float32, rng)
    arguments = arguments | {"noise_weights": weights}
    exact = noise._replace(
        **{name: value.astype(np.float64) for name, value in noise._asdict().items()
           if isinstance(value, np.ndarray)}
    )  # fmt: skip
    before = engine.copied(arguments)
    twin = reference_sampled.SampledTwin(**engine.copied(arguments, np.float64), sampled=exact)
    learnt = {name: getattr(noise, name).copy() for name in ("bias", "log_z")
              if getattr(noise, name) is not None}  # fmt: skip
    expected = [twin.epoch(epoch)[0] for epoch in range(arguments["epochs"])]
    found = [result.loss for result in engine.train(arguments | {"sampled": noise})]
    changes = {}
    for name in engine.ALL_MATRICES:
        if name in arguments:
            wanted = getattr(twin, name) - before[name]
            changes[name] = (arguments[name] - before[name], wanted)
    for name, start in learnt.items():
        changes[name] = (getattr(noise, name) - start, getattr(exact, name) - start)
    return found, expected, changes, twin


def training_problem(rng, n_words, crowded, **settings):
    tokens, ends = engine.corpus(rng, 40, [9, 0, 1, 14, 2, 30, 7])
    if crowded:
        tokens = tokens % n_words
    rates = {"lr_start": 0.005, "lr_end": 0.001} if crowded else {}  # see test_twin
    return engine.problem(rng, tokens, ends, n_words, 17, negative=5 if crowded else 3, **settings,
                          **rates, epochs=2, seed=9)  # fmt: skip


@pytest.mark.parametrize("model", [{"sg": True}, {"sg": False}], ids=["skipgram", "cbow"])
@ALL_CASES
def test_training_is_the_twins_to_rounding(isa, case, model):
    rng = np.random.default_rng(3)
    arguments = training_problem(rng, 3000, False, **model)
    found, expected, changes, twin = trained(case, arguments, rng)
    assert twin.n_repeats < 4
    assert_allclose(found, expected, rtol=1e-5)
    for name, (change, wanted) in changes.items():
        assert np.abs(wanted).max() > 0.02
        # Where a word comes twice, the kernels see the first of its changes; else rounding.
        atol = 1e-5 if twin.n_repeats == 0 else 1e-3
        assert_allclose(change, wanted, atol=atol, rtol=0, err_msg=name)


@pytest.mark.parametrize("model", [{"sg": True}, {"sg": False}], ids=["skipgram", "cbow"])
@ALL_CASES
def test_training_on_few_words_stays_close_to_the_twins(isa, case, model):
    """Drawn words are often the centre, and come twice."""
    rng = np.random.default_rng(3)
    arguments = training_problem(rng, 12, True, **model)
    found, expected, changes, twin = trained(case, arguments, rng)
    assert twin.n_hits > 10
    assert_allclose(found, expected, rtol=1e-3)
    for name, (change, wanted) in changes.items():
        largest = np.abs(wanted).max()
        assert_allclose(change, wanted, atol=0.02 * largest, rtol=0, err_msg=name)


@pytest.mark.parametrize("sg", [True, False], ids=["skipgram", "cbow"])
@pytest.mark.parametrize("case", ["nce-learned", "sampled_softmax", "sampled_softmax-unique-pair"])
def test_composed_words_are_trained_as_the_twins(isa, case, sg):
    rng = np.random.default_rng(5)
    arguments = training_problem(rng, 3000, False, sg=sg)
    sizes = rng.integers(0, 5, 3000)
    arguments = engine.with_subwords(rng, arguments, 50_000, sizes)
    found, expected, changes, _ = trained(case, arguments, rng)
    assert_allclose(found, expected, rtol=1e-5)
    for name, (change, wanted) in changes.items():
        assert_allclose(change, wanted, atol=2e-4, rtol=0, err_msg=name)


@pytest.mark.parametrize("k", [1, 2, 7, 8, 25])
@pytest.mark.parametrize("case", ["nce", "sampled_softmax", "sampled_logistic-unique"])
def test_any_number_of_drawn_words(isa, case, k):
    rng = np.random.default_rng(3)
    arguments = training_problem(rng, 3000, False) | {"negative": k}
    found, expected, changes, twin = trained(case, arguments, rng)
    # Where words come twice, the kernels see the first of their changes.
    assert twin.n_repeats < k**2 / 5
    assert_allclose(found, expected, rtol=1e-3 if twin.n_repeats else 1e-5)
    for name, (change, wanted) in changes.items():
        atol = np.abs(wanted).max() * (0.03 if twin.n_repeats else 1e-4)
        assert_allclose(change, wanted, atol=atol, rtol=0, err_msg=name)


@pytest.mark.parametrize("case", ["nce", "sampled_softmax"])
def test_extreme_scores_stay_finite(isa, case):
    rng = np.random.default_rng(3)
    arguments = training_problem(rng, 3000, False)
    arguments["input"][:] *= 1000
    found, _, changes, _ = trained(case, arguments | {"epochs": 1}, rng)
    assert np.isfinite(found).all()
    for change, _ in changes.values():
        assert np.isfinite(change).all()


def test_words_of_a_unique_draw_differ_and_follow_the_law_of_successive_draws():
    weights = np.array([40.0, 25, 10, 10, 5, 4, 3, 2, 1, 0])
    n = 40_000
    draws = UniqueSampler(weights).draw(4, n, 1)
    assert (np.diff(np.sort(draws, axis=1), axis=1) > 0).all()
    assert not (draws == 9).any()
    p = weights / weights.sum()
    first = np.bincount(draws[:, 0], minlength=10) / n
    assert_allclose(first, p, atol=5 * np.sqrt(0.25 / n))
    second = sum(p[i] * np.where(np.arange(10) == i, 0, p) / (1 - p[i]) for i in range(9))
    assert_allclose(np.bincount(draws[:, 1], minlength=10) / n, second, atol=5 * np.sqrt(0.25 / n))


@pytest.mark.parametrize("k", [1, 3, 8])
def test_unique_draws_hold_each_word_as_often_as_expected(k):
    counts, n = np.array([400, 250, 100, 100, 50, 40, 30, 20, 10]), 40_000
    sampler = Unigram(1.0, unique=True)
    draws = UniqueSampler(sampler.weights(counts)).draw(k, n, 1)
    expected = sampler.expected_counts(counts, k)
    found = np.bincount(draws.ravel(), minlength=9) / n
    assert_allclose(found, expected, atol=5 * np.sqrt(0.25 / n), rtol=0)
    assert ((found - expected) ** 2 / (expected * (1 - expected) / n)).sum() < 40  # 9 of them


def test_a_unique_draw_ends_when_nearly_all_weight_is_drawn():
    weights = np.array([1.0, 1e-12, 3e-12, 1.0])
    draws = UniqueSampler(weights).draw(3, 20_000, 1)
    third = np.bincount(draws[:, 2], minlength=4) / 20_000
    assert_allclose(third, [0, 0.25, 0.75, 0], atol=0.02)


def test_a_hit_that_is_removed_changes_nothing():
    """All drawn words are the centre itself: then only its own label is left."""
    noise = SampledNoise(False, None, None, None, False, True, False)
    rows = np.random.default_rng(1).normal(size=(2, 3, 8)).astype(np.float32)
    arguments = engine.problem(
        np.random.default_rng(1), np.zeros(6, np.int32), np.array([6]), 3, 8, negative=4
    )
    arguments |= {"input": engine.matrix(rows[0]), "output_ns": engine.matrix(rows[1])}
    weights = np.array([1.0, 0, 0])
    (result,) = engine.train(arguments | {"noise_weights": weights, "sampled": noise})
    assert_array_equal(arguments["output_ns"][1:], rows[1][1:])
    softmax = noise._replace(softmax=True)
    (result,) = engine.train(arguments | {"noise_weights": weights, "sampled": softmax})
    assert result.loss == 0
