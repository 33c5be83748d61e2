"""python -m gensim.scripts.glove2word2vec -i glove.txt -o vectors.txt: add the header."""

import argparse
import os

from pyw2v.vectors import KeyedVectors

StrPath = str | os.PathLike[str]


def glove2word2vec(glove_input_file: StrPath, word2vec_output_file: StrPath) -> tuple[int, int]:
    """Write GloVe's vectors in the text format of word2vec; return their number and size."""
    kv = KeyedVectors.load_word2vec_format(glove_input_file, binary=False, no_header=True)
    kv.save_word2vec_format(word2vec_output_file, binary=False)
    return len(kv), kv.vector_size


def main() -> None:
    """Convert the files that the command line names."""
    parser = argparse.ArgumentParser(description="GloVe's vectors in word2vec's text format")
    parser.add_argument("-i", "--input", required=True, help="path of a file in GloVe's format")
    parser.add_argument("-o", "--output", required=True, help="path of the output")
    arguments = parser.parse_args()
    glove2word2vec(arguments.input, arguments.output)


if __name__ == "__main__":
    main()
