"""Makes the files of this folder with fastText's own package (see README.md); not a test."""

import json
import random
import sys
from pathlib import Path

import fasttext

FOLDER = Path(__file__).parent
LETTERS = "abcdeéßжあ"
PROBES = ["</s>", "", "a", "unseen", "жжéa", "日本語"]


def corpus(n_lines, n_labels, seed):
    """Lines of made-up words; a label, sometimes two, goes with the words of its line."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(1, 6))) for _ in range(60)]
    lines = []
    for i in range(n_lines):
        topics = {i % n_labels} if n_labels else {0}
        if n_labels and draw.random() < 0.2:
            topics.add(draw.randrange(n_labels))
        text = [words[(7 * min(topics) + draw.randrange(12)) % 60] for _ in range(6)]
        labels = [f"__label__{topic}" for topic in sorted(topics)] if n_labels else []
        lines.append(" ".join(labels + text))
    return lines


def write(name, lines, encoding="utf-8"):
    path = FOLDER / name
    path.write_bytes("".join(line + "\n" for line in lines).encode(encoding))
    return str(path)


def floats(values):
    return [float(f"{value:.9g}") for value in values]


def pairs(golden):
    return [[float(f"{score:.9g}"), text] for score, text in golden]


def sound(train, path, settings):
    """Train until the last few numbers of the matrix, which fastText never sets, do no harm."""
    while True:
        try:
            model = train(path, **settings)
        except RuntimeError:
            continue
        if abs(model.get_input_matrix()).max() < 10:
            return model


def vectors_of(model, errors):
    words, counts = model.get_words(include_freq=True, on_unicode_error=errors)
    probes = [*words[:3], *PROBES] if errors == "strict" else PROBES
    return {
        "dim": model.get_dimension(),
        "quantized": model.is_quantized(),
        "words": words,
        "counts": counts.tolist(),
        "word_vectors": {word: floats(model.get_word_vector(word)) for word in probes},
        "word_ids": {word: model.get_word_id(word) for word in [*probes, "__label__0"]},
        "subwords": {
            word: [model.get_subwords(word)[0], model.get_subwords(word)[1].tolist()]
            for word in probes[:5]
        },
        "sentence_vectors": {
            text: floats(model.get_sentence_vector(text))
            for text in ("", " ".join(probes), "a a  unseen\tжжéa")
        },
        "input_vector": floats(model.get_input_vector(1)),
        "neighbors": {
            word: pairs(model.get_nearest_neighbors(word, 4, errors)) for word in probes[1:5]
        },
        "analogies": pairs(model.get_analogies(*probes[2:5], 4, errors)),
        "line": model.get_line("__label__0 a __label__none " + probes[0], errors),
    }


def golden_of(model, name, errors="strict"):
    golden = vectors_of(model, errors)
    if bool(model.f.getArgs().bucket):
        golden["subword_ids"] = {word: model.get_subword_id(word) for word in PROBES[1:]}
    if name.startswith(("skipgram", "cbow", "latin1")):
        return golden
    path = str(FOLDER / ("many.txt" if name.startswith("qout") else "lines.txt"))
    lines = [*Path(path).read_text(encoding="utf-8").splitlines()[:4], "", "a unseen жжéa"]
    labels, counts = model.get_labels(include_freq=True)
    golden["labels"] = labels
    golden["label_counts"] = counts.tolist()
    golden["label_ids"] = {label: model.get_label_id(label) for label in [labels[1], "none"]}
    golden["predictions"] = [
        [line, k, threshold, pairs(model.f.predict(line + "\n", k, threshold, "strict"))]
        for line in lines
        for k, threshold in ((1, 0.0), (3, 0.05), (4 if len(labels) > 9 else -1, 0.0))
    ]
    golden["test"] = [
        [k, threshold, *floats(model.test(path, k, threshold))]
        for k, threshold in ((1, 0.0), (2, 0.3), (-1, 0.1))
    ]
    report = model.test_label(path, 1, 0.0)
    golden["test_label"] = {label: report[label] for label in labels[:3]}
    meter = model.get_meter(path)
    golden["meter"] = {
        "precision_at_recall": [meter.precision_at_recall(r) for r in (0.3, 0.9)],
        "recall_at_precision": [meter.recall_at_precision(p) for p in (0.3, 0.9)],
        "label": [
            meter.precision_at_recall(0.3, labels[0]),
            meter.recall_at_precision(0.3, labels[0]),
        ],
        "curve_of_label": [floats(part[:5]) for part in meter.precision_recall_curve(labels[0])],
    }
    return golden


def main():
    text = write("words.txt", corpus(60, 0, 1))
    latin = write(
        "latin1.txt",
        [line.replace("ж", "ü").replace("あ", "ø") for line in corpus(40, 0, 2)],
        "latin-1",
    )
    lines = write("lines.txt", corpus(90, 5, 3))
    many = write("many.txt", corpus(520, 260, 4))
    # With fewer than 10 threads fastText leaves most of its input matrix unset.
    common = {"thread": 10, "verbose": 0, "minCount": 1}
    classes = {**common, "dim": 4, "lr": 0.5, "epoch": 10}

    def unsupervised(path, **settings):
        return sound(fasttext.train_unsupervised, path, {**common, **settings})

    def supervised(path=lines, **settings):
        return sound(fasttext.train_supervised, path, {**classes, **settings})

    def quantized(train, **settings):
        model = supervised(**train)
        model.quantize(**settings)
        return model

    wide = {"wordNgrams": 2, "minn": 2, "maxn": 3, "bucket": 400}
    models = {
        "skipgram.bin": (unsupervised(text, dim=5, minn=2, maxn=4, bucket=30), "strict"),
        "cbow.bin": (unsupervised(text, model="cbow", dim=4, minn=0, maxn=0, loss="hs"), "strict"),
        "latin1.bin": (unsupervised(latin, dim=3, minn=2, maxn=3, bucket=20), "replace"),
        "softmax.bin": (supervised(wordNgrams=2, bucket=40), "strict"),
        "hs.bin": (supervised(loss="hs", minn=2, maxn=3, bucket=40), "strict"),
        "ova.bin": (supervised(loss="ova"), "strict"),
        "ns.bin": (supervised(loss="ns"), "strict"),
        "plain.ftz": (quantized({**wide, "dim": 3}, dsub=2), "strict"),
        "norm.ftz": (quantized({**wide, "loss": "hs"}, qnorm=True, dsub=3), "strict"),
        "cutoff.ftz": (quantized(wide, qnorm=True, cutoff=260), "strict"),
        "qout.ftz": (quantized({**wide, "path": many}, qout=True, qnorm=True), "strict"),
    }
    golden = {}
    for name, (model, errors) in models.items():
        model.save_model(str(FOLDER / name))
        golden[name] = golden_of(fasttext.load_model(str(FOLDER / name)), name, errors)
    (FOLDER / "golden.json").write_text(
        json.dumps(golden, ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )


sys.exit(main())
