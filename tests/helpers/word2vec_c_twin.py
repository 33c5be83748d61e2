"""word2vec.c once more, in plain Python: no speed, no cleverness, one float32 operation at a time.

Text (bytes) in, the words with their counts and the vectors out. Rules and quirks are those of the
C program at 20c129a with one thread.
"""

import bisect
import math

import numpy as np

F = np.float32
MASK = 2**64 - 1
SLOTS = 10**8


def tokens_of(text, max_bytes=98):
    """Words, and b"\\n" for line feeds; a last word without a separator is lost."""
    found, word = [], b""
    for byte in text.replace(b"\r", b""):
        char = bytes([byte])
        if char in b" \t\n":
            if word:
                found.append(word[:max_bytes])
                word = b""
            if char == b"\n":
                found.append(char)
        else:
            word += char
    return found


def count(text, max_words):
    counts, min_reduce = {b"</s>": 0}, 1
    for token in tokens_of(text):
        word = b"</s>" if token == b"\n" else token
        counts[word] = counts.get(word, 0) + 1
        if len(counts) > max_words:
            counts = {word: n for word, n in counts.items() if n > min_reduce}
            min_reduce += 1
    return list(counts.items())


def vocabulary(text, min_count):
    first, *rest = count(text, max_words=21_000_000)
    rest = [item for item in rest if item[1] >= min_count]
    return [first, *sorted(rest, key=lambda item: -item[1])]


class Random:
    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 25214903917 + 11) & MASK
        return self.state

    def unit(self):
        return F(self.next() & 0xFFFF) / F(65536)


def slot_starts(counts):
    """The first slot of each word in the table of 1e8 slots; words beyond its end have none."""
    powers = [math.pow(count, 0.75) for count in counts]
    total = 0.0
    for power in powers:
        total += power
    starts, start, reach = [], 0, 0.0
    if total == 0:
        return [0]
    for power in powers:
        if start >= SLOTS:
            break
        starts.append(start)
        reach += power / total
        last = start + bisect.bisect_left(
            range(start, SLOTS), True, key=lambda slot, reach=reach: slot / SLOTS > reach
        )
        start = last + 1
    return starts


def huffman(counts):
    """Per word, from the root: (inner node, bit)."""
    n = len(counts)
    weight = [*counts, *[10**15] * n]
    parent, bit = [0] * (2 * n), [0] * (2 * n)
    leaf, inner = n - 1, n
    for node in range(n, 2 * n - 1):
        children = []
        for _ in range(2):
            if leaf >= 0 and weight[leaf] < weight[inner]:
                children.append(leaf)
                leaf -= 1
            else:
                children.append(inner)
                inner += 1
        weight[node] = weight[children[0]] + weight[children[1]]
        parent[children[0]] = parent[children[1]] = node
        bit[children[1]] = 1
    paths = []
    for word in range(n):
        path, node = [], word
        while n > 1 and node != 2 * n - 2:
            path.append((parent[node] - n, bit[node]))
            node = parent[node]
        paths.append(path[::-1])
    return paths


class Twin:
    def __init__(self, text, *, cbow, hs, negative, size, window, sample, alpha, epochs, min_count):
        self.cbow, self.hs, self.negative, self.window = cbow, hs, negative, window
        self.sample, self.start_alpha, self.epochs = F(sample), F(alpha), epochs
        self.words, self.counts = zip(*vocabulary(text, min_count), strict=True)
        ids = {word: i for i, word in reversed(list(enumerate(self.words)))}
        names = [b"</s>" if token == b"\n" else token for token in tokens_of(text)]
        self.tokens = [ids[name] for name in names if name in ids]
        self.train_words = sum(self.counts)
        n = len(self.words)
        stream = Random(1)
        self.syn0 = np.array(
            [[F((float(stream.unit()) - 0.5) / size) for _ in range(size)] for _ in range(n)], F
        )
        self.syn1, self.syn1neg = np.zeros((n, size), F), np.zeros((n, size), F)
        self.paths, self.starts = huffman(self.counts), slot_starts(self.counts)
        self.random, self.alpha = Random(0), self.start_alpha
        self.done, self.eof = 0, False

    def train(self):
        for _ in range(self.epochs):
            self.epoch()
        return self.syn0

    def epoch(self):
        rest, count, last, sentence, position = iter(self.tokens), 0, 0, [], 0
        while True:
            if count - last > 10000:
                self.done += count - last
                last = count
                share = F(self.done) / F(self.epochs * self.train_words + 1)
                self.alpha = self.start_alpha * (F(1) - share)
                if float(self.alpha) < float(self.start_alpha) * 0.0001:
                    self.alpha = F(float(self.start_alpha) * 0.0001)
            if not sentence:
                count, position = count + self.read(rest, sentence), 0
            if self.eof or count > self.train_words:
                self.done += count - last
                return
            shrink = self.random.next() % self.window
            if sentence:
                self.position(sentence, position, self.window - shrink)
            position += 1
            if position >= len(sentence):
                sentence = []

    def read(self, rest, sentence):
        count = 0
        while not self.eof:
            word = next(rest, None)
            if word is None:
                self.eof = True
                break
            count += 1
            if word == 0:
                break
            if self.sample > 0 and self.chance(self.counts[word]) < self.random.unit():
                continue
            sentence.append(word)
            if len(sentence) >= 1000:
                break
        return count

    def chance(self, count):
        threshold = self.sample * F(self.train_words)
        ratio = F(count) / threshold
        return F((math.sqrt(float(ratio)) + 1) * float(threshold) / count)

    def position(self, sentence, position, reach):
        around = range(max(0, position - reach), min(len(sentence), position + reach + 1))
        context = [sentence[i] for i in around if i != position]
        if not self.cbow:
            for word in context:
                self.syn0[word] += self.learn(sentence[position], self.syn0[word])
        elif context:
            hidden = np.zeros_like(self.syn0[0])
            for word in context:
                hidden = hidden + self.syn0[word]
            error = self.learn(sentence[position], hidden / F(len(context)))
            for word in context:
                self.syn0[word] += error

    def learn(self, word, hidden):
        error = np.zeros_like(hidden)
        if self.hs:
            for node, bit in self.paths[word]:
                f = dot(hidden, self.syn1[node])
                if -6 < f < 6:
                    self.step(self.syn1, node, hidden, error, F(1 - bit) - sigmoid(f))
        for d in range(self.negative + 1 if self.negative else 0):
            target, label = word, F(1)
            if d > 0:
                draw, label = self.random.next(), F(0)
                target = bisect.bisect_right(self.starts, (draw >> 16) % SLOTS) - 1
                if target == 0:
                    target = draw % (len(self.words) - 1) + 1
                if target == word:
                    continue
            f = dot(hidden, self.syn1neg[target])
            p = F(1) if f > 6 else F(0) if f < -6 else sigmoid(f)
            self.step(self.syn1neg, target, hidden, error, label - p)
        return error

    def step(self, matrix, row, hidden, error, difference):
        g = difference * self.alpha
        error += g * matrix[row]
        matrix[row] += g * hidden


def dot(a, b):
    total = F(0)
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def sigmoid(f):
    i = int((f + F(6)) * F(83))
    e = F(math.exp(float((F(i) / F(1000) * F(2) - F(1)) * F(6))))
    return e / (e + F(1))


def classes(rows, n_classes):
    """The k-means of -classes."""
    found = [i % n_classes for i in range(len(rows))]
    for _ in range(10):
        centroids = np.zeros((n_classes, rows.shape[1]), F)
        sizes = [1] * n_classes
        for row, k in zip(rows, found, strict=True):
            centroids[k] += row
            sizes[k] += 1
        for k in range(n_classes):
            centroids[k] /= F(sizes[k])
            with np.errstate(invalid="ignore"):
                centroids[k] /= F(math.sqrt(float(dot(centroids[k], centroids[k]))))
        for i, row in enumerate(rows):
            best, found[i] = F(-10), 0
            for k in range(n_classes):
                product = dot(centroids[k], row)
                if product > best:
                    best, found[i] = product, k
    return found


def phrases(text, min_count, threshold):
    """What word2phrase.c writes, and the two numbers it prints."""
    counts, last, n_words = {b"</s>": 0}, b"", 0
    for token in tokens_of(text, 58):
        if token == b"\n":
            continue
        n_words += 1
        for name in (token, (last + b"_" + token)[:59]):
            counts[name] = counts.get(name, 0) + 1
        last = token
    first, *rest = counts.items()
    entries = [first, *sorted(rest, key=lambda item: -item[1])]
    kept, i = {}, 0
    while i < len(entries):
        if entries[i][1] < min_count:
            entries.pop()
        else:
            kept[entries[i][0]] = entries[i][1]
        i += 1
    output, last, left, right, left_known = b"", b"", 0, 0, False
    for token in tokens_of(text, 58):
        if token == b"\n":
            output, last = output + b"\n", b"\n"
            continue
        pair = kept.get((last + b"_" + token)[:59])
        known = token in kept and left_known and pair is not None
        right = kept.get(token, right)
        left_known = token in kept
        score = F(0)
        if known and left >= min_count and right >= min_count:
            with np.errstate(divide="ignore", invalid="ignore"):
                score = F(pair - min_count) / F(left) / F(right) * F(n_words)
        joined = score > F(threshold)
        if joined:
            right = 0
        output += (b"_" if joined else b" ") + token
        left, last = right, token
    return output, len(entries), n_words
