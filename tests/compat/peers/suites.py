"""The table of other packages' tests: where they are, and how many pass on what they were made for.

`original` and `pyw2v` are the numbers of tests that pass, on Python 3.11 with REQUIREMENTS. An
original that fails says why in `note`. `excused` are the tests that the original passes and pyw2v
does not, each with its reason; no other may fail.
"""

import random
import subprocess
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from peers.excluded import EXCLUDED

PROGRAMS = Path(__file__).parent / "programs"

# One environment for all. fastText's own module does not work with NumPy 2, nor do skift and
# nodevectors with later releases of the others.
REQUIREMENTS = (
    *("numpy<2", "pandas<3", "networkx<3", "setuptools<80", "wheel", "cython", "pytest"),
    *("gensim==4.4.0", "testfixtures", "POT", "annoy==1.17.3"),
    *("fasttext==0.9.3", "skift==0.0.23", "spacy>=3.8,<3.9"),
    *("spec2vec==0.8.0", "compress-fasttext==0.1.5", "scikit-learn"),
    *("mol2vec==0.2.2", "rdkit", "nodevectors==0.1.23"),
    *("wordfreq==3.1.1", "huggingface-hub", "psutil"),  # fse's
)
# These require another build of fasttext, which is called fasttext-wheel.
WITHOUT_DEPENDENCIES = ("spacy-fastlang==2.1.0",)


@dataclass(frozen=True)
class Suite:
    """Tests that import `package`, gensim or fasttext."""

    package: str
    tests: tuple[str, ...]  # arguments of pytest
    original: int
    pyw2v: int
    excused: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    sdist: str = ""  # the release whose source has the tests, which are run in its folder
    prepare: Callable[[Path, str], None] | None = None  # is given the folder and the interpreter


def program(name: str) -> tuple[str, ...]:
    return ("--confcutdir", str(PROGRAMS), str(PROGRAMS / f"on_{name}.py"))


def gensims(name: str, original: int, pyw2v: int, note: str = "") -> Suite:
    tests = ("--pyargs", f"gensim.test.{name}")
    return Suite("gensim", tests, original, pyw2v, EXCLUDED.get(name, {}), note)


def build_fse(folder: Path, python: str) -> None:
    """The C file in it is too old for Python 3.11; and its texts are not there."""
    (folder / "fse/models/average_inner.c").unlink(missing_ok=True)
    command = [python, "setup.py", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    draw = random.Random(1)
    words = [*("They", "admit", "So", "Apple", "bought", "buds", "go", "pull", "I", "love", "it")]
    words += ["the", "phone", "battery", "good", "79", "$"]
    lines = [" ".join(draw.choices(words, k=draw.randint(3, 25))) + "\n" for _ in range(100)]
    (folder / "test/test_data").mkdir(exist_ok=True)
    (folder / "test/test_data/test_sentences.txt").write_text("".join(lines))


def train_for_spec2vec(folder: Path, python: str) -> None:
    """The model that its tests load is not there: one of gensim's, with gensim 4.0's attributes."""
    source = """
        from gensim.models import Word2Vec

        words = [[f"peak@{100 + i}.0" for i in range(start, start + 40)] for start in range(100)]
        model = Word2Vec(words, vector_size=20, min_count=1, workers=1, seed=1)
        del model.wv.mapfile_path
        model.save("integration-tests/test_user_workflow_spec2vec.model")
    """
    (folder / "integration-tests").mkdir(exist_ok=True)
    subprocess.run([python, "-c", textwrap.dedent(source)], cwd=folder, check=True)


_NAN = "fasttext trains on memory that it does not clear, and stops with 'Encountered NaN'"
_GENSIM_3 = "it uses names of gensim 3, which gensim 4 does not have"
_NOT_SHIPPED = "the others need files that are in the repository but not in the release"

SUITES = {
    "gensim.test_word2vec": gensims("test_word2vec", 83, 82),
    "gensim.test_fasttext": gensims("test_fasttext", 159, 154),
    "gensim.test_keyedvectors": gensims("test_keyedvectors", 33, 33),
    "gensim.test_phrases": gensims("test_phrases", 56, 56),
    "gensim.test_utils": gensims("test_utils", 24, 24),
    "gensim.test_matutils": gensims("test_matutils", 24, 24),
    "gensim.test_similarities": gensims(
        "test_similarities", 89, 89, "three look for an index's file by a name it never had"
    ),
    "fasttext": Suite("fasttext", program("fasttext"), 59, 83, note=_NAN),
    "skift": Suite("fasttext", ("tests",), 12, 20, note=_NAN, sdist="skift==0.0.23"),
    "spacy-fastlang": Suite("fasttext", program("spacy_fastlang"), 11, 11),
    "fse": Suite(
        *("gensim", ("test",), 121, 121),
        note=_NOT_SHIPPED,
        sdist="fse==1.0.0",
        prepare=build_fse,
    ),
    "spec2vec": Suite(
        *("gensim", ("tests",), 46, 46),
        note=_NOT_SHIPPED,
        sdist="spec2vec==0.8.0",
        prepare=train_for_spec2vec,
    ),
    "compress-fasttext": Suite("gensim", program("compress_fasttext"), 20, 20),
    "mol2vec": Suite("gensim", program("mol2vec"), 3, 6, note=_GENSIM_3),
    "nodevectors": Suite("gensim", program("nodevectors"), 0, 4, note=_GENSIM_3),
}
