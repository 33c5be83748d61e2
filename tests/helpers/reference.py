"""The engine's formulas again, in plain NumPy and double precision, for the tests to compare with.

`Twin` is one worker's training: the same random numbers in the same order, the same steps. Two
things are written another way on purpose: a block step takes every product from the values before
the step, also where a row occurs twice in it (the kernels may see the first change of such a row
when they come to the second, a difference of order lr^2); and sums are NumPy's.
"""

import heapq
from dataclasses import dataclass, field

import numpy as np

from pyw2v._core.huffman import HuffmanTree

CHUNK_TOKENS, MAX_CHUNK_TOKENS, STRETCH_TOKENS = 8192, 16384, 256
PIECE_STRETCHES, MIXED_PIECES = 128, 64
ORDER_STREAM = (1 << 64) - 1
MAX_BLOCK_INPUTS = 16
NOISE_USES, MAX_NOISE_GAP = 5, 64
LOOK_UP_AHEAD = 2
BITS_64 = (1 << 64) - 1


def sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def logistic_loss(scores, labels, mask):
    """-log p(label), summed over what counts."""
    return float((mask * (softplus(scores) - labels * scores)).sum())


def logistic_errors(scores, labels, mask, lr):
    return lr * mask * (labels - sigmoid(scores))


def block_step(x, y, labels, mask, lr, x_rows=None, y_rows=None):
    """New x and y, errors and loss of one step; every row named twice gets both of its changes."""
    x, y = np.array(x, np.float64), np.array(y, np.float64)
    labels, mask = np.asarray(labels, np.float64), np.asarray(mask, np.float64)
    x_rows = np.arange(len(x)) if x_rows is None else x_rows
    y_rows = np.arange(len(y)) if y_rows is None else y_rows
    old_x, old_y = x[x_rows], y[y_rows]
    scores = old_x @ old_y.T
    errors = logistic_errors(scores, labels, mask, lr)
    np.add.at(x, x_rows, errors @ old_y)
    np.add.at(y, y_rows, errors.T @ old_x)
    return x, y, errors, logistic_loss(scores, labels, mask)


def target_set(centres, noise):
    """The words, their labels, and for each centre which count: itself, and what it is not."""
    targets, n = np.array([*centres, *noise]), len(centres)
    labels = 1.0 * (np.arange(len(targets)) < n)
    counted = 1.0 * (targets != np.array(centres)[:, np.newaxis])
    counted[:, :n] = np.eye(n)
    return targets, labels, counted


class SplitMix64:
    """Steele, Lea and Flood (2014), figure 16, seeded as csrc/base/rng.h says."""

    def __init__(self, *seeds):
        self.state = 0
        for seed in seeds:
            self.state = self.mix(self.state + seed & BITS_64)

    @staticmethod
    def mix(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & BITS_64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & BITS_64
        return z ^ z >> 31

    def next(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & BITS_64
        return self.mix(self.state)

    def below(self, bound):
        return (self.next() >> 32) * bound >> 32

    def shuffle(self, values):
        for i in range(len(values), 1, -1):
            j = min(int((self.next() >> 11) * 2.0**-53 * i), i - 1)
            values[i - 1], values[j] = values[j], values[i - 1]


class AliasTable:
    """Walker's method built by Vose's two stacks."""

    def __init__(self, weights):
        weights = [float(weight) for weight in weights]
        total = 0.0
        for weight in weights:
            total += weight
        share = [weight / total * len(weights) for weight in weights]
        small = [i for i, part in enumerate(share) if part < 1]
        large = [i for i, part in enumerate(share) if part >= 1]
        self.stay, self.alias = [1.0] * len(weights), list(range(len(weights)))
        while small and large:
            poor, rich = small.pop(), large[-1]
            self.stay[poor], self.alias[poor] = share[poor], rich
            share[rich] -= 1 - share[poor]
            if share[rich] < 1:
                small.append(large.pop())

    def draw(self, rng):
        return self.word_at(rng.next())

    def word_at(self, bits):
        slot = (bits >> 32) * len(self.stay) >> 32
        threshold = min(int(self.stay[slot] * 2**32), 2**32 - 1)
        return slot if bits & 0xFFFFFFFF < threshold else self.alias[slot]


def huffman_cost(counts):
    """The least possible sum of count x code length: what a heap merges, added up."""
    heap = [int(count) for count in counts]
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        merged = heapq.heappop(heap) + heapq.heappop(heap)
        cost += merged
        heapq.heappush(heap, merged)
    return cost


def stretches(ends, least=STRETCH_TOKENS):
    """Cut at the first sentence end past `least` tokens; inside sentences that are very long."""
    begin = 0
    for end in ends:
        while end - begin > MAX_CHUNK_TOKENS:
            yield begin, begin + CHUNK_TOKENS
            begin += CHUNK_TOKENS
        if end - begin >= least:
            yield begin, end
            begin = end
    if len(ends) and ends[-1] > begin:
        yield begin, ends[-1]


def chunks(ends, seed, epoch):
    """The stretches of every chunk of an epoch: pieces of the text shuffled, then mixed."""
    rng = SplitMix64(seed, epoch, ORDER_STREAM)
    text = list(stretches(ends))
    pieces = [text[i : i + PIECE_STRETCHES] for i in range(0, len(text), PIECE_STRETCHES)]
    rng.shuffle(pieces)
    text = [stretch for piece in pieces for stretch in piece]
    n_mixed = PIECE_STRETCHES * MIXED_PIECES
    chunk, size = [], 0
    for first in range(0, len(text), n_mixed):
        mixed = text[first : first + n_mixed]
        rng.shuffle(mixed)
        for begin, end in mixed:
            if chunk and (size >= CHUNK_TOKENS or size + end - begin > MAX_CHUNK_TOKENS):
                yield chunk
                chunk, size = [], 0
            chunk.append((begin, end))
            size += end - begin
    if chunk:
        yield chunk


@dataclass
class Twin:
    """One worker. Its parameters are those of Trainer; input and outputs are changed in place."""

    tokens: np.ndarray
    ends: np.ndarray
    keep: np.ndarray | None
    counts: np.ndarray
    input: np.ndarray
    output_ns: np.ndarray | None = None
    output_hs: np.ndarray | None = None
    huffman: HuffmanTree | None = None
    sg: bool = True
    negative: int = 5
    ns_exponent: float = 0.75
    window: int = 5
    shrink_windows: bool = True
    cbow_mean: bool = True
    cbow_grad: str = "sum"
    lr_start: float = 0.025
    lr_end: float = 0.0001
    epochs: int = 1
    total_tokens: float = 0
    seed: int = 1
    workers: int = 1
    compute_loss: bool = True
    input_lock: np.ndarray | None = None
    subwords: tuple | None = None
    input_ngrams: np.ndarray | None = None
    ngrams_lock: np.ndarray | None = None
    windows: list = field(default_factory=list)  # the reach of every centre, as drawn
    n_repeats: int = 0  # rows that came twice to a block

    block_step = staticmethod(block_step)

    def __post_init__(self):
        if self.output_ns is not None:
            self.sampler = AliasTable(self.counts.astype(np.float64) ** self.ns_exponent)

    def lr_at(self, epoch, position):
        progress = min(1.0, (epoch + position / self.total_tokens) / self.epochs)
        return self.lr_start - (self.lr_start - self.lr_end) * progress

    def epoch(self, epoch):
        """Loss, examples and words of one pass over the corpus."""
        self.loss, self.examples, self.words = 0.0, 0, 0
        position = 0
        for index, chunk in enumerate(chunks(self.ends, self.seed, epoch)):
            size = sum(end - begin for begin, end in chunk)
            rates = self.lr_at(epoch, position), self.lr_at(epoch, position + size)
            self.chunk(SplitMix64(self.seed, epoch, index), chunk, *rates)
            position += size
        return self.loss, self.examples, self.words

    def chunk(self, rng, chunk, lr_begin, lr_end):
        sentences = []
        for begin, end in chunk:
            cuts = [at for at in self.ends if begin < at < end]
            sentences += np.split(self.tokens[begin:end], np.array(cuts, int) - begin)
        sentences = [[word for word in s if self.keeps(word, rng)] for s in sentences]
        n = sum(map(len, sentences))
        done = 0
        self.shared_noise, self.n_drawn = {}, 0
        composed = self.subwords and Composed(self, [word for s in sentences for word in s])
        for sentence in sentences:
            words = composed.places(done, len(sentence)) if composed else sentence
            for at in range(0, len(sentence), self.max_centres):
                centres = sentence[at : at + self.max_centres]
                reach = 1 + rng.below(self.window) if self.shrink_windows else self.window
                self.windows += [reach] * len(centres)
                noise = self.next_noise(rng)
                lr = lr_begin + (lr_end - lr_begin) / n * done
                if composed:
                    composed.open(done + self.window + LOOK_UP_AHEAD)
                near = range(max(0, at - reach), min(at + len(centres) + reach, len(words)))
                if len(centres) == 1:  # the first word comes in its place, at the end of a piece
                    here = near.index(at)
                    near = [*near[1:here], *near[:here][:1], *near[here + 1 :]]
                if near:
                    # For each word whether it is the context of each centre.
                    distance = np.array(near)[:, np.newaxis] - range(at, at + len(centres))
                    owned = (distance != 0) & (np.abs(distance) <= reach)
                    context = np.array([words[i] for i in near])
                    self.group(centres, context, owned, noise, lr, composed)
                if composed:
                    composed.close(done - self.window)
                done += len(centres)
        if composed:
            composed.close(n)
        self.words += n

    @property
    def max_centres(self):
        """Neighbours that are trained together: they share a window's reach and noise words."""
        return 2 if self.sg and self.shares_noise and self.subwords is None else 1

    @property
    def shares_noise(self):
        return self.output_ns is not None and self.output_hs is None

    @property
    def noise_gap(self):
        """Groups from one use of a noise word to the next."""
        gap = -(-min(2 * self.window + 1, MAX_NOISE_GAP) // self.max_centres)
        return max(gap, LOOK_UP_AHEAD + 1)

    def next_noise(self, rng):
        """The noise words of the next group of centres.

        Groups use sets of them in turn; with each use some of a set, the oldest, are drawn anew.
        """
        if self.output_ns is None:
            return []
        fresh = -(-self.negative // NOISE_USES)
        bits = [rng.next() for _ in range(fresh)]
        self.seed_of_group = bits[0]
        use, place = divmod(self.n_drawn, self.noise_gap)
        self.n_drawn += 1
        if self.draws_all(use, place):
            self.shared_noise[place] = self.draw(SplitMix64(self.seed_of_group, 0, 0))
        elif not self.draws_together:
            for j, some_bits in enumerate(bits, (use - 1) * fresh):
                self.shared_noise[place][j % self.negative] = self.sampler.word_at(some_bits)
        return list(self.shared_noise[place])

    draws_together = False  # all noise words of a set, or none

    def draws_all(self, use, place):
        return use == 0

    def draw(self, rng):
        return [self.sampler.draw(rng) for _ in range(self.negative)]

    def keeps(self, word, rng):
        return self.keep is None or int(self.keep[word]) >= rng.next() >> 32

    def group(self, centres, context, owned, noise, lr, composed=None):
        """`context`: words, or with composed rows places in the chunk."""
        self.examples += owned.sum() if self.sg else 1
        inputs = composed.rows if composed else self.input
        sizes = composed.sizes[context] if composed else np.ones(len(context))
        before = inputs[context]
        if self.output_hs is not None:
            codes, points = self.huffman.path(centres[0])
            labels = 1.0 - codes
            mask = np.ones((len(context), len(labels)))
            self.step(inputs, context, sizes, self.output_hs, points, labels, mask, lr)
        if self.output_ns is not None:
            targets, labels, counted = target_set(centres, noise)
            self.n_repeats += len(targets) - len(set(targets))
            mask = owned.astype(float) @ counted
            self.step(inputs, context, sizes, self.output_ns, targets, labels, mask, lr)
        if self.sg and self.input_lock is not None and not composed:
            lock = self.input_lock[context][:, np.newaxis]
            self.input[context] = before + lock * (self.input[context] - before)
        self.n_repeats += len(context) - len(set(context))

    def step(self, inputs, context, sizes, output, targets, labels, mask, lr):
        if not len(targets):
            return
        if self.sg:
            loss = 0.0
            n_pieces = -(-len(context) // MAX_BLOCK_INPUTS)
            size = -(-len(context) // n_pieces)
            for first in range(0, len(context), size):
                piece = slice(first, first + size)
                inputs[:], output[:], _, piece_loss = self.block_step(
                    inputs, output, labels, mask[piece], lr, context[piece], targets
                )
                loss += piece_loss
        else:
            n = sizes.sum()
            hidden = inputs[context].sum(axis=0, keepdims=True)
            if self.cbow_mean:
                hidden /= n
            new_hidden, output[:], _, loss = self.block_step(
                hidden, output, labels, mask[:1], lr, None, targets
            )
            # gensim's law: a sum of rows has its error divided, a mean has not ("sum").
            divided = self.cbow_grad == "mean" or not self.cbow_mean
            change = (new_hidden - hidden) * sizes[:, np.newaxis] / (n if divided else 1)
            if self.input_lock is not None and self.subwords is None:
                change *= self.input_lock[context][:, np.newaxis]
            np.add.at(inputs, context, change)
        self.loss += loss


class Composed:
    """The rows of a chunk's words, each made of its word's row and those of its n-grams.

    A row is made when its word comes near, changed by the steps, and its change goes to all it was
    made of when its word is far. The mean for skip-gram; the sum for CBOW.
    """

    def __init__(self, twin, words):
        self.twin, self.words = twin, words
        offsets, ids = twin.subwords
        self.parts = [ids[offsets[word] : offsets[word + 1]] for word in words]
        self.sizes = np.array([1 + len(part) for part in self.parts])
        self.scale = 1 / self.sizes if twin.sg else np.ones(len(words))
        self.rows = np.zeros((len(words), twin.input.shape[1]))
        self.first = self.rows.copy()
        self.n_open = self.n_closed = 0

    def places(self, begin, n):
        return list(range(begin, begin + n))

    def open(self, last):
        for i in range(self.n_open, min(last + 1, len(self.words))):
            total = self.twin.input[self.words[i]] + self.twin.input_ngrams[self.parts[i]].sum(0)
            self.rows[i] = self.first[i] = total * self.scale[i]
            self.n_open = i + 1

    def close(self, last):
        twin = self.twin
        for i in range(self.n_closed, min(last + 1, len(self.words))):
            change = (self.rows[i] - self.first[i]) / (self.scale[i] * self.sizes[i])
            word, part = self.words[i], self.parts[i]
            twin.input[word] += change * (1 if twin.input_lock is None else twin.input_lock[word])
            lock = np.ones(len(part)) if twin.ngrams_lock is None else twin.ngrams_lock[part]
            np.add.at(twin.input_ngrams, part, lock[:, np.newaxis] * change)
            self.n_closed = i + 1


def byte_unit(x, max_byte):
    """The unit of a vector in bytes: see csrc/kernel_data/byte_filter_tile.h."""
    x = np.asarray(x, np.float64)
    return min(180 / max(half_norms(x)), max_byte / np.abs(x).max())


def half_norms(x):
    """Length of elements 0 and 1 of each four, and of 2 and 3."""
    fours = np.concatenate([x, np.zeros(-len(x) % 4)]).reshape(-1, 4)
    return np.linalg.norm(fours[:, :2]), np.linalg.norm(fours[:, 2:])


def ngram_hash(text):
    """fastText's: FNV-1a of 32 bits, a byte of 0x80 or more widened with ones."""
    value = 2166136261
    for byte in text:
        value = (value ^ (byte if byte < 0x80 else byte | 0xFFFFFF00)) * 16777619 & 0xFFFFFFFF
    return value


def ngrams(word, min_n, max_n):
    """A byte other than 0b10...... begins a character; those at both ends never stand alone."""
    word = b"<" + word + b">"
    starts = [i for i, byte in enumerate(word) if byte & 0xC0 != 0x80] + [len(word)]
    n_characters = len(starts) - 1
    return [
        word[starts[first] : starts[first + n]]
        for first in range(n_characters)
        for n in range(max(min_n, 1), min(max_n, n_characters - first) + 1)
        if n > 1 or 0 < first < n_characters - 1
    ]


def word_ngram_buckets(hashes, word_ngrams, n_buckets):
    found = []
    for first, value in enumerate(hashes):
        mixed = value
        for other in hashes[first + 1 : first + max(word_ngrams, 1)]:
            mixed = mixed * 116049371 + other & BITS_64
            found.append(mixed % n_buckets)
    return found


def softmax_loss(scores, target):
    """-log p(target)."""
    shifted = scores - scores.max()
    return float(np.log(np.exp(shifted).sum()) - shifted[target])


def softmax_errors(scores, target, lr):
    e = np.exp(scores - scores.max())
    return lr * ((np.arange(len(scores)) == target) - e / e.sum())
