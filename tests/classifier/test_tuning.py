"""What autotune tries next and what it keeps, on models that cost nothing."""

import math

import numpy as np
import pytest

from pyw2v.classifier.meters import Meter
from pyw2v.classifier.tuning import KNOBS, Metric, MetricError, OutOfTimeError, Proposals, search

START = {
    "epochs": 5,
    "lr": 0.1,
    "dim": 100,
    "word_ngrams": 1,
    "min_n": 0,
    "max_n": 0,
    "bucket": 0,
    "loss": "softmax",
    "dsub": 2,
}


def proposals(fixed=(), seed=0, **changes):
    return Proposals(START | changes, fixed, seed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f1", Metric("f1")),
        ("f1:__label__a:b", Metric("f1", None, "__label__a:b")),
        ("precisionAtRecall:30", Metric("precisionAtRecall", 0.3)),
        ("recallAtPrecision:99.5:x", Metric("recallAtPrecision", 0.995, "x")),
    ],
)
def test_metrics_are_read(text, expected):
    assert Metric.parse(text) == expected


@pytest.mark.parametrize(
    "text", ["", "f2", "f1:", "precisionAtRecall", "precisionAtRecall:x", "recallAtPrecision:101"]
)
def test_unknown_metrics_are_refused(text):
    with pytest.raises(MetricError, match="metric must be f1, "):
        Metric.parse(text)
    with pytest.raises(RuntimeError):
        Metric.parse(text)


def test_a_metric_judges_all_labels_or_one():
    meter = Meter([[0], [0], [1]], [[0], [1], [1]], [[0.9], [0.6], [0.8]], 2)
    number = {"a": 0, "b": 1}.get
    assert Metric.parse("f1").score(meter, number) == pytest.approx(2 / 3)
    assert Metric.parse("f1:a").score(meter, number) == pytest.approx(2 / 3)
    assert Metric.parse("precisionAtRecall:90:b").score(meter, number) == 1
    assert Metric.parse("recallAtPrecision:100").score(meter, number) == pytest.approx(2 / 3)
    with pytest.raises(MetricError, match="'c'"):
        Metric.parse("f1:c").score(meter, number)


def test_the_first_trial_is_of_the_settings_given():
    assert proposals(lr=0.3).next(0.0) == START | {"lr": 0.3}


@pytest.mark.parametrize("done", [0.0, 0.4, 1.0])
def test_all_settings_stay_within_their_bounds(done):
    of = proposals()
    of.next(0)
    for _ in range(300):
        tried = of.next(done)
        for name in ("epochs", "lr", "dim", "word_ngrams"):
            assert KNOBS[name].low <= tried[name] <= KNOBS[name].high
        assert tried["dsub"] in (2, 4, 8, 16)
        assert (tried["min_n"], tried["max_n"]) in ((0, 0), (2, 5), (3, 6))
        if tried["word_ngrams"] > 1 or tried["max_n"] > 0:
            assert 10_000 <= tried["bucket"] <= 10_000_000
            assert tried["bucket"] * tried["dim"] <= 250_000_000
        else:
            assert tried["bucket"] == 0
        of.better(tried)


def test_fixed_settings_are_never_varied():
    fixed = tuple(START)
    of = proposals(fixed=fixed, bucket=500, loss="ova", min_n=1, max_n=4)
    assert all(of.next(0.5)["loss"] == "ova" for _ in range(20))
    of = proposals(fixed=fixed, loss="hs", lr=0.7, min_n=1, max_n=4, bucket=500)
    first = of.next(0)
    assert of.next(0.3) == first


def test_steps_are_of_the_deviation_that_the_table_says(rng):
    knob = KNOBS["lr"]
    for done, sigma in ((0.0, 1.9), (0.25, 1.9), (0.5, 1.45), (0.75, 1.0), (1.0, 1.0)):
        # Far from the bounds hardly any step is cut off.
        wide = type(knob)(0, math.inf, knob.sigma_start, knob.sigma_end, whole=False)
        steps = [math.log2(wide.step(1.0, done, rng)) for _ in range(4000)]
        assert np.std(steps) == pytest.approx(sigma, rel=0.05)


def test_one_seed_gives_the_same_proposals():
    a, b, c = proposals(seed=1), proposals(seed=1), proposals(seed=2)
    first, second, third = ([of.next(0.1) for _ in range(5)] for of in (a, b, c))
    assert first == second != third


def peak(settings, out_of_time):
    """A model is its learning rate; the best one is 1."""
    return settings["lr"]


def closeness(lr):
    return -abs(math.log(lr))


def test_the_best_model_is_kept_itself():
    outcome = search(peak, closeness, proposals(), seconds=None, max_trials=60)
    assert len(outcome.trials) == 60
    assert outcome.score == max(trial.score for trial in outcome.trials)
    assert outcome.model == outcome.settings["lr"]
    assert outcome.score > closeness(0.1)
    assert abs(math.log(outcome.model)) < 0.3


def test_the_budget_of_time_ends_the_search_and_the_running_trial():
    now = [0.0]

    def train(settings, out_of_time):
        now[0] += 4
        if out_of_time():
            raise OutOfTimeError
        return settings["lr"]

    outcome = search(
        train, closeness, proposals(), seconds=10, max_trials=None, clock=lambda: now[0]
    )
    assert [trial.error for trial in outcome.trials] == ["", "", "out of time"]
    assert outcome.model is not None


def test_trials_that_fail_are_passed_over():
    def train(settings, out_of_time):
        if settings["lr"] > 0.1:
            raise FloatingPointError("diverged")
        return settings["lr"]

    outcome = search(train, closeness, proposals(), seconds=None, max_trials=20)
    failed = [trial for trial in outcome.trials if trial.error]
    assert failed
    assert all(t.error == "FloatingPointError: diverged" and math.isnan(t.score) for t in failed)
    assert outcome.model <= 0.1


def test_ctrl_c_returns_the_best_so_far():
    calls = []

    def train(settings, out_of_time):
        calls.append(settings)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return settings["lr"]

    outcome = search(train, closeness, proposals(), seconds=None, max_trials=20)
    assert outcome.interrupted
    assert outcome.model is not None
    assert len(outcome.trials) == 3


def test_ctrl_c_between_two_trials_returns_the_best_so_far():
    def report(outcome, done):
        if len(outcome.trials) == 3:
            raise KeyboardInterrupt

    outcome = search(peak, closeness, proposals(), seconds=None, max_trials=20, report=report)
    assert outcome.interrupted
    assert len(outcome.trials) == 3


def test_ctrl_c_raises_on_demand_and_hands_the_best_over():
    calls = []

    def train(settings, out_of_time):
        calls.append(settings["lr"])
        if len(calls) == 4:
            raise KeyboardInterrupt
        return settings["lr"]

    with pytest.raises(KeyboardInterrupt) as stop:
        search(train, closeness, proposals(), seconds=None, max_trials=20, on_interrupt="raise")
    assert stop.value.model == max(calls[:3], key=closeness)


def test_ctrl_c_without_a_model_is_ctrl_c():
    def train(settings, out_of_time):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(train, closeness, proposals(), seconds=None, max_trials=20)


def test_each_trial_is_reported():
    seen = []
    search(
        peak,
        closeness,
        proposals(),
        seconds=None,
        max_trials=4,
        report=lambda outcome, done: seen.append((len(outcome.trials), done)),
    )
    assert seen == [(1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0)]


def test_settings_left_to_the_data_are_fasttexts_if_the_first_trial_fails():
    tried = proposals(lr=None, epochs=None, loss=None, fixed=("dim",))
    assert tried.next(0.0)["lr"] is None
    second = tried.next(0.5)
    assert KNOBS["lr"].low <= second["lr"] <= KNOBS["lr"].high
    assert KNOBS["epochs"].low <= second["epochs"] <= KNOBS["epochs"].high
    assert second["loss"] == "softmax"
    tried = proposals(lr=None, fixed=("lr",))
    tried.next(0.0)
    tried.better(START | {"lr": 0.7})  # what the data gave
    assert tried.next(0.5)["lr"] == 0.7
