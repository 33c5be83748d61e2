"""Evaluation: report structures, rules of the question files, correlations against SciPy."""

import gzip
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pyw2v.vectors import KeyedVectors
from pyw2v.vectors.correlation import pearson, ranks, regularized_beta, spearman

scipy_stats = pytest.importorskip("scipy.stats")
scipy_special = pytest.importorskip("scipy.special")


@pytest.fixture
def kv():
    """Capitals are countries plus one direction, so that each analogy has a certain solution."""
    countries = np.random.default_rng(0).normal(size=(4, 12))
    capital = np.full(12, 2.0)
    kv = KeyedVectors(12)
    kv.add_vectors(["France", "Spain", "Italy", "Japan"], countries)
    kv.add_vectors(["Paris", "Madrid", "Rome", "Tokyo"], countries + capital)
    kv.add_vectors(["paris", 7], np.random.default_rng(1).normal(size=(2, 12)))
    return kv


def question_file(tmp_path, text):
    path = tmp_path / "questions.txt"
    path.write_text(text, encoding="utf-8")
    return path


QUESTIONS = """: capitals
France Paris Spain Madrid
Spain Madrid Italy Rome
not four words at all
France Paris Nowhere Madrid
: wrong on purpose
France Paris Spain Tokyo
"""


class TestAnalogies:
    def test_report_has_gensims_structure(self, kv, tmp_path):
        score, sections = kv.evaluate_word_analogies(question_file(tmp_path, QUESTIONS))
        right = [("FRANCE", "PARIS", "SPAIN", "MADRID"), ("SPAIN", "MADRID", "ITALY", "ROME")]
        wrong = [("FRANCE", "PARIS", "SPAIN", "TOKYO")]
        assert score == pytest.approx(2 / 3)
        assert sections == [
            {"section": "capitals", "correct": right, "incorrect": []},
            {"section": "wrong on purpose", "correct": [], "incorrect": wrong},
            {"section": "Total accuracy", "correct": right, "incorrect": wrong},
        ]

    def test_unknown_words_may_count_as_wrong(self, kv, tmp_path):
        path = question_file(tmp_path, QUESTIONS)
        score, sections = kv.evaluate_word_analogies(path, dummy4unknown=True)
        assert score == 0.5
        assert sections[0]["incorrect"] == [("FRANCE", "PARIS", "NOWHERE", "MADRID")]

    def test_case_may_matter(self, kv, tmp_path):
        path = question_file(
            tmp_path, ": x\nfrance paris Spain Madrid\nFrance Paris Spain Madrid\n"
        )
        assert len(kv.evaluate_word_analogies(path)[1][-1]["correct"]) == 2
        _, sections = kv.evaluate_word_analogies(path, case_insensitive=False)
        assert sections[-1]["correct"] == [("France", "Paris", "Spain", "Madrid")]
        assert sections[-1]["incorrect"] == []

    def test_only_the_first_words_are_used(self, kv, tmp_path):
        path = question_file(tmp_path, QUESTIONS)
        score, sections = kv.evaluate_word_analogies(path, restrict_vocab=6)
        assert score == 1.0
        assert sections[-1]["correct"] == [("FRANCE", "PARIS", "SPAIN", "MADRID")]
        everything = kv.evaluate_word_analogies(path, restrict_vocab=None)
        assert everything == kv.evaluate_word_analogies(path)

    def test_predictions_are_those_of_most_similar(self, tmp_path, monkeypatch):
        rng = np.random.default_rng(2)
        kv = KeyedVectors(5)
        kv.add_vectors([f"w{i}" for i in range(60)], rng.normal(size=(60, 5)))
        questions = rng.integers(0, 60, (200, 4))
        lines = [" ".join(f"w{i}" for i in question) for question in questions]
        path = question_file(tmp_path, ": all\n" + "\n".join(lines) + "\n")
        # The second half has what the vectors predict.
        correct = []
        for line in lines[100:]:
            a, b, c, _ = line.split()
            prediction = kv.most_similar([b, c], [a], topn=1)[0][0]
            correct.append((a, b, c, prediction))
        with path.open("a") as file:
            file.writelines(" ".join(question) + "\n" for question in correct)
        monkeypatch.setattr("pyw2v.vectors.evaluate._BATCH", 70)
        _, sections = kv.evaluate_word_analogies(path)
        found = set(sections[0]["correct"])
        assert {tuple(word.upper() for word in question) for question in correct} <= found
        assert len(found) < 150

    def test_compressed_files_are_read(self, kv, tmp_path):
        path = tmp_path / "questions.txt.gz"
        path.write_bytes(gzip.compress(QUESTIONS.encode()))
        assert kv.evaluate_word_analogies(str(path))[0] == pytest.approx(2 / 3)

    def test_errors(self, kv, tmp_path):
        with pytest.raises(ValueError, match=r"questions.txt, line 1: no section header"):
            kv.evaluate_word_analogies(question_file(tmp_path, "a b c d\n"))
        for kind in (ZeroDivisionError, ValueError):
            with pytest.raises(kind, match="no questions"):
                kv.evaluate_word_analogies(question_file(tmp_path, ": empty\n"))
        with pytest.raises(FileNotFoundError):
            kv.evaluate_word_analogies(tmp_path / "missing")

    def test_no_usable_question_scores_zero(self, kv, tmp_path):
        score, sections = kv.evaluate_word_analogies(question_file(tmp_path, ": x\na b c d\n"))
        assert score == 0.0
        assert sections[-1] == {"section": "Total accuracy", "correct": [], "incorrect": []}


PAIRS = """# comment
France\tSpain\t7.5
Paris\tTokyo\t6
France\tRome\t3.25
Nowhere\tRome\t1
broken line
Japan\tMadrid\t2
"""


class TestWordPairs:
    def test_correlations_are_scipys(self, kv, tmp_path):
        path = question_file(tmp_path, PAIRS)
        found_pearson, found_spearman, unknown = kv.evaluate_word_pairs(path)
        pairs = [("France", "Spain"), ("Paris", "Tokyo"), ("France", "Rome"), ("Japan", "Madrid")]
        model = [kv.similarity(a, b) for a, b in pairs]
        gold = [7.5, 6, 3.25, 2]
        assert_allclose(found_pearson, scipy_stats.pearsonr(gold, model), rtol=1e-6)
        assert_allclose(found_spearman, scipy_stats.spearmanr(gold, model), rtol=1e-6)
        assert unknown == 20.0
        assert found_pearson.statistic == found_pearson[0]
        assert found_spearman.pvalue == found_spearman[1]
        assert found_spearman.correlation == found_spearman[0]

    def test_unknown_pairs_may_count_as_zero(self, kv, tmp_path):
        path = question_file(tmp_path, PAIRS)
        found, _, unknown = kv.evaluate_word_pairs(path, dummy4unknown=True)
        assert unknown == 20.0
        assert found != kv.evaluate_word_pairs(path)[0]

    def test_delimiter_case_and_restriction(self, kv, tmp_path):
        path = question_file(tmp_path, PAIRS.replace("\t", " ").upper())
        assert kv.evaluate_word_pairs(path, delimiter=" ")[2] == 20.0
        assert kv.evaluate_word_pairs(path, delimiter=None)[2] == 20.0
        assert kv.evaluate_word_pairs(path, delimiter=None, restrict_vocab=7)[2] == 40.0
        with pytest.raises(ValueError, match="no usable pairs"):
            kv.evaluate_word_pairs(path, delimiter=None, case_insensitive=False)

    def test_windows_line_ends_do_no_harm(self, kv, tmp_path):
        path = tmp_path / "pairs"
        path.write_bytes(PAIRS.replace("\n", "\r\n").encode())
        same = question_file(tmp_path, PAIRS)
        assert kv.evaluate_word_pairs(path) == kv.evaluate_word_pairs(same)


class TestCorrelation:
    @pytest.mark.parametrize("n", [3, 4, 5, 10, 100, 3000])
    @pytest.mark.parametrize("relation", [0.0, 0.1, 1.0, -5.0])
    @pytest.mark.parametrize("ties", [False, True])
    def test_statistic_and_p_value_are_scipys(self, n, relation, ties):
        rng = np.random.default_rng(n)
        x = rng.normal(size=n)
        y = relation * x + rng.normal(size=n)
        if ties:
            x, y = np.round(x), np.round(y)
            if np.ptp(x) == 0 or np.ptp(y) == 0:
                x[0], y[0] = 5, 5
        assert_allclose(pearson(x, y), scipy_stats.pearsonr(x, y), rtol=1e-8, atol=1e-300)
        # SciPy's r of equal ranks may be one rounding below 1.
        atol = 1e-20 if abs(spearman(x, y)[0]) == 1 else 1e-300
        assert_allclose(spearman(x, y), scipy_stats.spearmanr(x, y), rtol=1e-8, atol=atol)

    def test_ends_of_the_scale(self):
        x = np.arange(5.0)
        assert pearson(x, 2 * x) == (1.0, 0.0)
        assert pearson(x, -x) == (-1.0, 0.0)
        assert pearson(x[:2], x[:2]) == (1.0, 1.0)
        assert pearson(x * 1e200, x * 1e-200)[0] == pytest.approx(1)

    def test_what_has_no_correlation_is_nan(self):
        for found in (pearson([1, 1], [1, 2]), spearman([1, 2], [1, 2]), pearson([1], [1])):
            assert all(math.isnan(number) for number in found)

    def test_ranks_share_places(self):
        assert ranks(np.array([3, 1, 3, 2, 3])).tolist() == [4, 1, 4, 2, 4]

    @pytest.mark.parametrize("a", [0.5, 1, 7.5, 400, 20_000])
    @pytest.mark.parametrize("x", [0, 1e-12, 0.01, 0.3, 0.5, 0.9, 0.999, 1])
    def test_incomplete_beta_is_scipys(self, a, x):
        expected = scipy_special.betainc(a, 0.5, x)
        assert_allclose(regularized_beta(a, 0.5, x), expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("evaluate", ["evaluate_word_analogies", "evaluate_word_pairs"])
def test_an_error_names_the_file_that_is_no_text(kv, tmp_path, evaluate):
    path = tmp_path / "questions.txt"
    path.write_bytes(b": x\n\xff\n")
    with pytest.raises(UnicodeDecodeError, match=r"questions\.txt, line 2"):
        getattr(kv, evaluate)(path)
