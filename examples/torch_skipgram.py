"""Skip-gram vectors by a PyTorch model of your own, from the pairs of pyw2v.

    pip install 'pyw2v[torch]'
    python examples/torch_skipgram.py corpus.txt --words king paris

pyw2v reads the corpus, draws windows, sub-samples and draws noise words; PyTorch does the rest, so
the model below is the place to change things. The loss is noise contrastive estimation: log_q, the
log of how often a word is expected among the noise words of an example, is taken off the scores.
Leave it out for plain negative sampling.
"""

import argparse
from pathlib import Path

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

import pyw2v


class SkipGram(torch.nn.Module):
    """Two tables of vectors; a score is the product of a row of each."""

    def __init__(self, n_words: int, dim: int) -> None:
        super().__init__()
        self.input = torch.nn.Embedding(n_words, dim, sparse=True)
        self.output = torch.nn.Embedding(n_words, dim, sparse=True)
        torch.nn.init.uniform_(self.input.weight, -0.5 / dim, 0.5 / dim)
        torch.nn.init.zeros_(self.output.weight)

    def forward(self, centre: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Scores of n centres against m targets each, (n, m)."""
        return torch.einsum("nd,nmd->nm", self.input(centre), self.output(targets))


def train(corpus, dim=100, epochs=3, lr=0.01, seed=1, **settings):
    """Train on a corpus; return the vectors and the mean loss of each epoch.

    `settings` are those of `pyw2v.pairs`.
    """
    torch.manual_seed(seed)
    data = pyw2v.pairs(corpus, labels=True, seed=seed, **settings)
    model = SkipGram(len(data.words), dim)
    optimizer = torch.optim.SparseAdam(model.parameters(), lr=lr)
    losses = []
    for _ in range(epochs):
        total, n = 0.0, 0
        for batch in data:
            centre, targets, labels, log_q = map(torch.from_numpy, batch)
            scores = model(centre, targets) - log_q
            loss = binary_cross_entropy_with_logits(scores, labels, reduction="sum")
            optimizer.zero_grad()
            (loss / len(centre)).backward()
            optimizer.step()
            total, n = total + loss.item(), n + len(centre)
        losses.append(total / n)
    vectors = pyw2v.KeyedVectors(dim)
    vectors.add_vectors(list(data.words), model.input.weight.detach().numpy())
    return vectors, losses


def main() -> None:
    """Train on a file and print neighbours."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path, help="one sentence a line")
    parser.add_argument("--words", nargs="*", default=[], help="show their neighbours")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--save", type=Path, help="write the vectors, in word2vec's text format")
    arguments = parser.parse_args()
    vectors, losses = train(
        arguments.corpus, epochs=arguments.epochs, min_count=arguments.min_count, batch=4096
    )
    print("loss per example:", *(f"{loss:.3f}" for loss in losses))
    for word in arguments.words:
        print(word, *(f"{other} {score:.2f}" for other, score in vectors.most_similar(word)))
    if arguments.save:
        vectors.save_word2vec_format(arguments.save)


if __name__ == "__main__":
    main()
