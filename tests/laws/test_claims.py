"""What theory says of the objectives, on vocabularies so small that the exact result is known.

Sentences of two words drawn from a known joint distribution: with a window of 1 every sentence is
two examples, and P(word | other) is computable. Vectors are as wide as the vocabulary, so every
table of scores can be learnt.
"""

import numpy as np
import pytest
from full import aligned

import pyw2v
from pyw2v import Word2Vec
from pyw2v._core import probe
from pyw2v._core.full_output import FullOutput
from pyw2v._core.word_model import SampledNoise
from pyw2v.objectives.samplers import Uniform, Unigram

V = 6


@pytest.fixture(scope="module")
def joint():
    """A symmetric distribution of pairs."""
    rng = np.random.default_rng(5)
    table = rng.dirichlet(np.full(V * V, 2.0)).reshape(V, V)
    return (table + table.T) / 2


@pytest.fixture(scope="module")
def corpus(joint):
    """Word ids by falling frequency, so that ids and ranks agree."""
    rng = np.random.default_rng(6)
    drawn = rng.choice(V * V, 20000, p=joint.ravel())
    return np.column_stack(np.divmod(drawn, V))


def train(corpus, objective, **settings):
    base = {"vector_size": 16, "window": 1, "sg": 1, "sample": 0, "min_count": 1}
    base |= {"alpha": 0.1, "min_alpha": 0.001, "epochs": 12, "workers": 1, "seed": 3}
    return Word2Vec(corpus.tolist(), objective=objective, **(base | settings))


def by_model(model, table):
    """A table of pairs in the model's order of words."""
    order = [int(word) for word in model.wv.index_to_key]
    return table[np.ix_(order, order)]


def conditional(model, corpus):
    """P(output | input) as the corpus has it, in the model's order: rows are inputs."""
    counts = np.zeros((V, V))
    np.add.at(counts, (corpus[:, 0], corpus[:, 1]), 1)
    counts = by_model(model, counts + counts.T)
    return counts / counts.sum(1, keepdims=True)


def scores(model):
    biases = 0.0 if model.syn1bias is None else model.syn1bias
    return model.wv.vectors @ model.syn1neg.T + biases


def probabilities(model):
    """P(output | input) of the model, one row an input."""
    return np.exp(
        [
            [model.log_prob(word, [context]) for word in model.wv.index_to_key]
            for context in model.wv.index_to_key
        ]
    )


def divergence(model, corpus):
    """Mean divergence of the model from the corpus, in nats."""
    return float(
        np.mean(pyw2v.kl_divergence(conditional(model, corpus), probabilities(model), unit="nats"))
    )


def normalised_state(rng, dim=16):
    """Input and output rows whose scores are exact log probabilities: Z = 1 for every input."""
    inputs, wanted = rng.normal(size=(V, dim)), rng.normal(size=(V, V))
    wanted -= np.log(np.exp(wanted).sum(1, keepdims=True))
    return inputs, np.linalg.lstsq(inputs, wanted, rcond=None)[0].T.copy()


def change(state, **output):
    """What the pair of words 0 and 1 changes of their input rows, over a tiny rate, in double."""
    rows, rate = state[0].copy(), 1e-9
    probe.train_chunk(
        "double", tokens=np.arange(2, dtype=np.int32), ends=np.array([2]), window=1, sg=True,
        shrink_windows=False, input=rows, lr_begin=rate, lr_end=rate, **output,
    )  # fmt: skip
    return (rows - state[0])[:2] / rate


def mean_change(state, sampler, k, repeat=100, **settings):
    """The same with k drawn words, on average over many draws."""
    counts = np.arange(len(state[0]), 0, -1)
    noise = SampledNoise(
        unique=sampler.unique, shift=np.log(sampler.expected_counts(counts, k)), bias=None,
        log_z=None, softmax=False, remove_hits=False, per_pair=False,
    )._replace(**settings)  # fmt: skip
    given = {"negative": k, "noise_weights": sampler.weights(counts), "sampled": noise}
    changes = [change(state, output_ns=state[1].copy(), seed=i, **given) for i in range(repeat)]
    return np.mean(changes, axis=0)


def errors_by_k(state, loss, sampler, ks, **settings):
    """How far these mean changes are from that of a loss over all words, as a share of it."""
    exact = change(state, full=FullOutput(loss, aligned(state[1], np.float64)))
    return [
        np.linalg.norm(mean_change(state, sampler, k, **settings) - exact) / np.linalg.norm(exact)
        for k in ks
    ]


def test_gradient_of_nce_tends_to_that_of_softmax_as_k_grows(rng):
    few, some, many = errors_by_k(
        normalised_state(rng), "softmax", Unigram(1.0), (2, 50, 2000), repeat=200
    )
    assert few > 0.1
    assert some < few / 3
    assert many < min(some / 3, 0.01)


def test_gradient_of_sampled_softmax_tends_to_that_of_softmax_as_k_grows(rng):
    state = rng.normal(size=(2, 30, 16)) * 0.5
    unique = errors_by_k(
        state, "softmax", Uniform(unique=True), (2, 10, 29), softmax=True, remove_hits=True
    )
    kept = errors_by_k(state, "softmax", Unigram(), (2, 30, 3000), softmax=True)
    for few, some, many in (unique, kept):
        assert few > 0.2
        assert some < few / 2
        assert many < min(some / 2, 0.03)


def test_gradient_of_sampled_logistic_tends_to_that_of_logistic_as_all_words_are_drawn(rng):
    state = rng.normal(size=(2, 30, 16)) * 0.5
    few, some, many = errors_by_k(
        state, "logistic", Uniform(unique=True), (2, 15, 29), repeat=400, remove_hits=True
    )
    assert few > some > 2 * many
    assert many < 0.05


def test_nce_with_uniform_noise_k_of_v_and_z_of_one_is_negative_sampling(corpus):
    settings = {"sampler": Uniform(), "negative": V, "epochs": 2}
    nce = train(corpus, "nce", **settings)
    ns = train(corpus, "ns", remove_accidental_hits=False, **settings)
    np.testing.assert_allclose(nce.wv.vectors, ns.wv.vectors, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(scores(nce), scores(ns), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("k", [2, 10])
def test_negative_sampling_learns_log_p_over_q(corpus, k):
    sampler = Unigram(1.0)
    model = train(corpus, "ns", negative=k, sampler=sampler, remove_accidental_hits=False)
    expected = sampler.expected_counts(model.wv.expandos["count"], k)
    wanted = np.log(conditional(model, corpus)) - np.log(expected)
    assert np.abs(scores(model) - wanted).mean() < 0.1
    # And not log P, which differs by log Q from word to word.
    assert np.abs(scores(model) - np.log(conditional(model, corpus))).mean() > 0.3


def test_negative_sampling_without_hits_learns_log_p_over_q_times_one_minus_p(corpus):
    sampler = Unigram(1.0)
    model = train(corpus, "ns", negative=5, sampler=sampler)
    p = conditional(model, corpus)
    expected = sampler.expected_counts(model.wv.expandos["count"], 5)
    assert np.abs(scores(model) - np.log(p / (1 - p) / expected)).mean() < 0.1


def test_nce_learns_log_p_that_needs_no_normalising(corpus):
    model = train(corpus, "nce", negative=25)
    p = conditional(model, corpus)
    assert np.abs(scores(model) - np.log(p)).mean() < 0.1
    assert np.abs(np.log(np.exp(scores(model)).sum(1))).max() < 0.1


def test_sampled_softmax_reaches_the_perplexity_of_softmax(corpus):
    full = train(corpus, "softmax")
    sampled = train(corpus, "sampled_softmax", negative=3, sampler=Unigram(1.0))
    assert divergence(full, corpus) < 0.003
    assert divergence(sampled, corpus) < 0.01
    text = corpus[:500].tolist()
    assert sampled.perplexity(text) == pytest.approx(full.perplexity(text), rel=0.02)


@pytest.mark.parametrize("corrected", [True, False])
def test_sampled_softmax_needs_log_q(corpus, corrected):
    """By pairs and NumPy, since the engine has no objective that leaves the correction out."""
    pairs = pyw2v.pairs(
        corpus, 1, 3, Unigram(1.0), None, batch=256, vocab=range(V), remove_accidental_hits=True
    )
    table, rate = np.zeros((V, V)), 0.5  # scores themselves: one row an input
    for _ in range(12):
        for centre, context, negatives, log_q in pairs:
            words = np.column_stack([context, negatives])
            hit = log_q > 1e30
            shift = log_q if corrected else np.where(hit, log_q, 0)
            s = table[centre[:, None], words] - shift
            p = np.exp(s - s.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            np.subtract.at(table, (centre[:, None], words), rate / 256 * p)
            np.add.at(table, (centre, context), rate / 256)
        rate *= 0.8
    p = np.exp(table - np.log(np.exp(table).sum(1, keepdims=True)))
    counts = np.zeros((V, V))
    np.add.at(counts, (corpus[:, 0], corpus[:, 1]), 1)
    counts += counts.T
    lost = pyw2v.kl_divergence(counts, p, normalize=True).mean()
    assert lost < 0.01 if corrected else lost > 0.05


def test_self_normalised_models_have_log_z_near_zero(corpus):
    plain, normal = (train(corpus, "softmax", self_norm=alpha) for alpha in (0.0, 0.2))
    log_z = [np.log(np.exp(scores(model)).sum(1)) for model in (plain, normal)]
    assert np.abs(log_z[0]).mean() > 0.5
    assert np.abs(log_z[1]).max() < 0.1
    assert divergence(normal, corpus) < 0.005


@pytest.mark.parametrize("objective", ["hs", "class_softmax", "softmax", "dsoftmax", "nce", "ns"])
def test_probabilities_sum_to_one(corpus, objective):
    model = train(corpus[:500], objective, epochs=1)
    np.testing.assert_allclose(probabilities(model).sum(1), 1, rtol=1e-5)


@pytest.mark.parametrize("objective", ["hs", "class_softmax", "softmax", "nce"])
def test_exact_objectives_learn_the_conditional_probabilities(corpus, objective):
    extra = {"negative": 25} if objective == "nce" else {}
    assert divergence(train(corpus, objective, **extra), corpus) < 0.01


@pytest.mark.parametrize("removed", [True, False], ids=["removed", "kept"])
@pytest.mark.parametrize("unique", [True, False], ids=["unique", "repeated"])
@pytest.mark.parametrize("objective", ["ns", "nce", "sampled_logistic"])
def test_logistic_probabilities_are_the_corpuss_whatever_the_noise(
    corpus, objective, unique, removed
):
    model = train(
        corpus,
        objective,
        negative=4,
        sampler=Unigram(unique=unique),
        remove_accidental_hits=removed,
    )
    assert divergence(model, corpus) < 0.004


@pytest.mark.parametrize(
    ("unique", "removed", "k", "exact"),
    [
        (True, True, 2, True),
        (True, True, 5, True),
        (False, False, 25, True),
        (False, False, 100, True),
        (False, True, 1, True),
        (False, True, 100, False),  # words that are drawn many times, themselves only once
    ],
)
def test_sampled_softmax_is_exact_with_unique_noise_or_hits_kept(corpus, unique, removed, k, exact):
    """Or while no word is drawn twice to speak of; k of unique noise may be small."""
    sampler = Unigram(unique=unique)
    model = train(
        corpus, "sampled_softmax", negative=k, sampler=sampler, remove_accidental_hits=removed
    )
    lost = divergence(model, corpus)
    assert lost < 0.002 if exact else lost > 0.008


def test_probabilities_by_the_classic_spelling_are_those_of_the_corpus(corpus):
    assert divergence(train(corpus, None, negative=5), corpus) < 0.005


def odds(p):
    return p / (1 - p)


@pytest.mark.parametrize(
    ("objective", "settings", "share"),
    [
        ("nce", {"remove_accidental_hits": True}, odds),
        ("nce", {"nce_z": 5.0}, lambda p: 5 * p),
        ("nce", {"nce_z": 5.0, "remove_accidental_hits": True}, lambda p: 5 * odds(p)),
        ("sampled_logistic", {}, odds),
        ("sampled_logistic", {"remove_accidental_hits": False}, lambda p: p),
        ("logistic", {"alpha": 0.05}, odds),
    ],
    ids=str,
)
def test_logistic_scores_are_what_the_guide_says(corpus, objective, settings, share):
    extra = {} if objective == "logistic" else {"negative": 25}
    model = train(corpus, objective, **extra, **settings)
    assert np.abs(scores(model) - np.log(share(conditional(model, corpus)))).mean() < 0.1
