"""The formats: how seeds of each are made, loaded and used, and how they are mutated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyw2v
from fuzzing import loaders, seeds, structure, uses
from fuzzing.mutate import BYTES, TEXT, Group
from fuzzing.seeds import Seed


@dataclass(frozen=True)
class Target:
    """A format, or one way to read it.

    `load(path, variant)` raises one of `refusals` for a bad file, `variant` being a number below
    `variants`; `use(loaded, scratch, deep)` raises nothing. Mutations are chosen by the end of a
    file's name. The `weight` is the share of the loads beyond the least that each target gets: for
    those whose loads are fast.
    """

    name: str
    seeds: Callable[[], list[Seed]]
    load: Callable[[str, int], Any]
    use: Callable[[Any, str, bool], None] = uses.nothing
    variants: int = 1
    mutations: tuple[Group, ...] = (TEXT,)
    others: tuple[tuple[str, tuple[Group, ...]], ...] = ()
    weight: int = 0
    refusals: tuple[type[Exception], ...] = (ValueError,)
    names_file: bool = True  # whether a refusal must

    def mutations_of(self, name: str) -> tuple[Group, ...]:
        """Return what may happen to a file of this name."""
        return next((m for suffix, m in self.others if name.endswith(suffix)), self.mutations)


# -- the list --------------------------------------------------------------------------------------

_NPY = ((".npy", structure.NPY), (".npz", (BYTES,)))
_GENSIM = (ValueError, FileNotFoundError)  # a file may name parts that are not there

_FACEBOOK = (ValueError, NotImplementedError)  # the latter for classifiers, as gensim has it


def _all_packed(*made: tuple[list[Seed], str]) -> list[Seed]:
    return [packed for some, suffix in made for packed in seeds.compressed(some, suffix)]


def _all_rows() -> list[Seed]:
    text, binary = seeds.word2vec_text(), seeds.word2vec_binary()
    return [{"v.txt": data} for seed in (*text, *binary) for data in seed.values()]


def _all_models() -> list[Seed]:
    return [{"v.bin": data} for seed in seeds.fasttext() for data in seed.values()]


def _all_kinds() -> list[Seed]:
    """One file of each kind, all of one name."""
    makers = (
        *(seeds.native_vectors, seeds.native_word2vec, seeds.native_classifier),
        *(seeds.native_compact, seeds.native_phrases, seeds.word2vec_text, seeds.fasttext),
    )
    return [{"m.bin": next(iter(make()[0].values()))} for make in makers]


def _all() -> list[Target]:
    native, text, data = structure.NATIVE, (TEXT,), (BYTES,)
    early: dict[str, Any] = {
        "refusals": (ValueError, EOFError)
    }  # pyw2v.io turns the latter into the former
    found = [
        Target("native-vectors", seeds.native_vectors, loaders.vectors, uses.growing, 2, native),
        Target("native-subwords", seeds.native_subwords, loaders.vectors, uses.growing, 2, native),
        Target(
            "native-word2vec",
            seeds.native_word2vec,
            lambda path, variant: pyw2v.Word2Vec.load(path, mmap="r" if variant else None),
            uses.model,
            2,
            native,
        ),
        Target(
            "native-fasttext",
            seeds.native_fasttext,
            lambda path, variant: pyw2v.FastText.load(path, mmap="r" if variant else None),
            uses.model,
            2,
            native,
        ),
        Target(
            "native-glove",
            lambda: seeds.saved("g.model", seeds.glove().save),
            lambda path, _: pyw2v.GloVe.load(path),
            uses.glove,
            1,
            native,
        ),
        Target(
            "native-classifier",
            seeds.native_classifier,
            lambda path, _: pyw2v.TextClassifier.load(path),
            uses.classifier,
            1,
            native,
        ),
        Target("native-compact", seeds.native_compact, loaders.vectors, uses.vectors, 2, native),
        Target("native-phrases", seeds.native_phrases, loaders.phrases, uses.phrases, 1, native),
        Target("word2vec-text", seeds.word2vec_text, loaders.text, uses.text_vectors, 5, text),
        Target(
            "word2vec-binary",
            seeds.word2vec_binary,
            loaders.binary,
            uses.text_vectors,
            3,
            (BYTES, TEXT),
        ),
        Target(
            "word2vec-rows",
            _all_rows,
            loaders.rows,
            variants=9,
            mutations=(TEXT, BYTES),
            weight=3,
            **early,
        ),
        Target(
            "fasttext-layout",
            _all_models,
            loaders.layout,
            mutations=data,
            weight=12,
            **early,
        ),
        Target("vocabulary", seeds.vocabulary, loaders.vocabulary, variants=2, weight=3),
        Target("fasttext-model", seeds.fasttext, loaders.fasttext, uses.fasttext, 1, data),
        Target(
            "fasttext-gensim",
            seeds.fasttext,
            loaders.facebook,
            uses.vectors,
            2,
            data,
            refusals=_FACEBOOK,
        ),
        Target("pretrained", seeds.word2vec_text, loaders.pretrained),
        Target(
            "glove-records",
            seeds.glove_records,
            loaders.records,
            uses.records,
            1,
            data,
            ((".vocab", text),),
        ),
        Target("glove-parameters", seeds.glove_parameters, loaders.parameters, uses.glove, 2, data),
        Target(
            "gensim-vectors",
            lambda: seeds.files("gensim/vectors", "gensim/fasttext-vectors"),
            loaders.vectors,
            uses.vectors,
            2,
            structure.PICKLE,
            _NPY,
            refusals=_GENSIM,
        ),
        Target(
            "gensim-word2vec",
            lambda: seeds.files("gensim/word2vec-parts", "gensim/word2vec"),
            lambda path, _: pyw2v.Word2Vec.load(path),
            uses.model,
            1,
            structure.PICKLE,
            _NPY,
            refusals=_GENSIM,
        ),
        Target(
            "gensim-fasttext",
            lambda: seeds.files("gensim/fasttext"),
            lambda path, _: pyw2v.FastText.load(path),
            uses.model,
            1,
            structure.PICKLE,
            refusals=_GENSIM,
        ),
        Target(
            "gensim-phrases",
            lambda: seeds.files("gensim/phrases", "gensim/frozen-phrases"),
            loaders.phrases,
            uses.phrases,
            1,
            structure.PICKLE,
            refusals=_GENSIM,
        ),
        Target("weights", seeds.weights, lambda p, _: pyw2v.FixedUnigram(p), uses.sampler),
        Target("corpus", seeds.corpus, loaders.corpus, variants=6),
        Target("brown-corpus", seeds.brown, loaders.brown, weight=1),
        Target("labelled", seeds.labelled, loaders.labelled, variants=6, names_file=False),
        Target("analogies", seeds.analogies, loaders.analogies, variants=2),
        Target("pairs", seeds.pairs, loaders.pairs, variants=2),
        Target(
            "compressed-rows",
            lambda: _all_packed(
                (seeds.word2vec_text()[:2], ".gz"),
                (seeds.word2vec_text()[:2], ".bz2"),
                (seeds.word2vec_binary()[:1], ".xz"),
            ),
            loaders.packed_rows,
            uses.text_vectors,
            3,
            structure.inside((TEXT, BYTES)),
        ),
        Target(
            "compressed-models",
            lambda: _all_packed(
                (seeds.native_vectors()[:1], ".gz"),
                (seeds.fasttext()[:1], ".gz"),
                (seeds.files("gensim/vectors"), ".bz2"),
                (seeds.native_subwords()[:1], ".xz"),
            ),
            loaders.packed_models,
            uses.vectors,
            2,
            structure.inside((BYTES, TEXT)),
            refusals=(ValueError, NotImplementedError, FileNotFoundError),
        ),
        Target("command", _all_kinds, loaders.command, variants=3, mutations=(*native, TEXT)),
    ]
    return found


TARGETS = {target.name: target for target in _all()}
