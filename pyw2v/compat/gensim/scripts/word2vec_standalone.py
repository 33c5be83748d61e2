"""python -m gensim.scripts.word2vec_standalone -train corpus.txt ...: flags like word2vec.c's."""

import argparse

from pyw2v.word2vec import Word2Vec

# Flag, type, default and the argument of Word2Vec that it sets.
_SETTINGS = (
    ("-size", int, 100, "vector_size"),
    ("-window", int, 5, "window"),
    ("-sample", float, 1e-3, "sample"),
    ("-hs", int, 0, "hs"),
    ("-negative", int, 5, "negative"),
    ("-threads", int, 3, "workers"),
    ("-iter", int, 5, "epochs"),
    ("-min_count", int, 5, "min_count"),
)


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description="train word vectors")
    parser.add_argument("-train", required=True, help="a file with one sentence a line")
    parser.add_argument(
        "-output", help="where the vectors go; else beside the corpus, with a model"
    )
    for flag, kind, default, argument in _SETTINGS:
        parser.add_argument(flag, type=kind, default=default, dest=argument)
    parser.add_argument(
        "-alpha", type=float, help="0.025 for skip-gram, 0.05 for CBOW if not given"
    )
    parser.add_argument("-cbow", type=int, default=1, choices=(0, 1))
    parser.add_argument("-binary", type=int, default=0, choices=(0, 1))
    parser.add_argument("-accuracy", help="questions to evaluate the vectors by")
    given = parser.parse_args()

    settings = {argument: getattr(given, argument) for *_, argument in _SETTINGS}
    alpha = given.alpha or (0.05 if given.cbow else 0.025)
    model = Word2Vec(corpus_file=given.train, sg=1 - given.cbow, alpha=alpha, **settings)
    output = given.output
    if not output:
        stem = given.train.split(".")[0]
        model.save(f"{stem}.model")
        output = f"{stem}.model.{'bin' if given.binary else 'txt'}"
    model.wv.save_word2vec_format(output, binary=bool(given.binary))
    if given.accuracy:
        score, _ = model.wv.evaluate_word_analogies(given.accuracy)
        print(f"accuracy: {score:.2%}")


if __name__ == "__main__":
    main()
