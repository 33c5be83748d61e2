"""python -m gensim.scripts.word2vec2tensor -i vectors.txt -o prefix: for TensorBoard."""

import argparse

from pyw2v.io.atomic import atomic_write
from pyw2v.vectors import KeyedVectors


def word2vec2tensor(word2vec_model_path: str, tensor_filename: str, binary: bool = False) -> None:
    """Write `<prefix>_tensor.tsv`, the vectors, and `<prefix>_metadata.tsv`, the words."""
    kv = KeyedVectors.load_word2vec_format(word2vec_model_path, binary=binary)
    with (
        atomic_write(f"{tensor_filename}_tensor.tsv") as vectors,
        atomic_write(f"{tensor_filename}_metadata.tsv") as words,
    ):
        for word in kv.index_to_key:
            words.write(f"{word}\n".encode())
            vectors.write(("\t".join(map(str, kv[word])) + "\n").encode())


def main() -> None:
    """Convert the file that the command line names."""
    parser = argparse.ArgumentParser(description="word2vec's vectors for TensorBoard")
    parser.add_argument("-i", "--input", required=True, help="path of a word2vec file")
    parser.add_argument("-o", "--output", required=True, help="start of the names of the outputs")
    parser.add_argument("-b", "--binary", action="store_true", help="the input is binary")
    arguments = parser.parse_args()
    word2vec2tensor(arguments.input, arguments.output, arguments.binary)


if __name__ == "__main__":
    main()
