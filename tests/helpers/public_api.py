"""The public names of the package, and the functions, classes and methods behind them."""

import importlib
import inspect

import pyw2v

# What modules offered when the package was cut into rooms. Names may be added, none may go.
MODULES = {
    "pyw2v": " ".join(pyw2v.__all__),
    "pyw2v.autotune": "autotune parse_size MetricError Outcome Trial",
    "pyw2v.callbacks": "CallbackAny2Vec Callbacks EarlyStopping StopTraining",
    "pyw2v.classifier": "TextClassifier",
    "pyw2v.cli": "main",
    "pyw2v.compact": "CompactVectors",
    "pyw2v.compat": "install uninstall",
    "pyw2v.cooccurrence": "CooccurrenceMatrix as_matrix MAX_WINDOW",
    "pyw2v.corpus": "BrownCorpus EncodedCorpus LineSentence PathLineSentences Text8Corpus scan",
    "pyw2v.evaluate": "NoQuestionsError evaluate_word_analogies evaluate_word_pairs log_accuracy "
    "log_evaluate_word_pairs",
    "pyw2v.fasttext": "load_model tokenize train_supervised train_unsupervised",
    "pyw2v.fasttext_data": "FastTextArgs FastTextData",
    "pyw2v.fasttext_model": "FastText FastTextKeyedVectors ft_ngram_hashes load_facebook_model "
    "load_facebook_vectors save_facebook_model",
    "pyw2v.functions": "gumbel_max log_softmax logsumexp softmax",
    "pyw2v.glove": "GloVe",
    "pyw2v.losses": "ClassGradients Gradients HuffmanTree Rows class_softmax hierarchical_softmax "
    "logistic nce negative_sampling sampled_logistic sampled_softmax softmax",
    "pyw2v.measures": "cross_entropy entropy kl_divergence",
    "pyw2v.objectives": "DEFAULTS Objective SampledObjective",
    "pyw2v.phrases": "ENGLISH_CONNECTOR_WORDS FrozenPhrases Phrases",
    "pyw2v.progress": "Progress",
    "pyw2v.quantize": "N_CENTROIDS QuantizedMatrix",
    "pyw2v.samplers": "Draw FixedUnigram LogUniform Sampler Uniform Unigram",
    "pyw2v.sentences": "BrownCorpus LineSentence PathLineSentences Text8Corpus",
    "pyw2v.training_pairs": "pairs skipgrams",
    "pyw2v.vectors": "KeyedVectors prep_vectors pseudorandom_weak_vector",
    "pyw2v.vocab": "RULE_DEFAULT RULE_DISCARD RULE_KEEP keep_word",
    "pyw2v.word2vec": "Word2Vec",
}

# Offered besides, by modules whose public names are all in `__all__`.
MORE = {
    "pyw2v.compat": "installed",
    "pyw2v.corpus": "Scan encode",
    "pyw2v.fasttext.FastText": "_FastText _Meter cbow skipgram supervised",
    "pyw2v.fasttext.util": "download_model find_nearest_neighbor reduce_model test",
    "pyw2v.fasttext_model": "compute_ngrams compute_ngrams_bytes ft_hash_bytes",
    "pyw2v.measures": "nats_to",
    "pyw2v.objectives": "ClassSoftmax DifferentiatedSoftmax FullLogistic FullSoftmax "
    "HierarchicalSoftmax make",
    "pyw2v.phrases": "npmi_scorer original_scorer",
    "pyw2v.progress": "open_progress",
    "pyw2v.training_pairs": "LabelledBatch PairBatch make_sampling_table",
    "pyw2v.vectors": "load_word2vec_format",
    "pyw2v.vocab": "descending effective_min_count keep_probabilities keep_thresholds select",
}


def is_ours(value):
    """Tell what is written in Python here from extension types and other people's classes."""
    module = str(getattr(value, "__module__", ""))
    return module.startswith("pyw2v.") and not module.startswith("pyw2v._core")


def function_of(member):
    """Return the function behind a member of a class; None for data."""
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    if isinstance(member, property):
        member = member.fget
    member = getattr(member, "__func__", member)
    return member if inspect.isroutine(member) else None


def members(cls):
    """Yield (name, object) of the public methods and properties that are written here."""
    for name in dir(cls):
        found = inspect.getattr_static(cls, name)
        function = function_of(found)
        if not name.startswith("_") and function is not None and is_ours(function):
            yield name, found if isinstance(found, property) else getattr(cls, name)


def public_objects():
    """Return classes, functions, methods and properties by one public name each."""
    found = {}
    for modules in (MODULES, MORE):
        for module, names in modules.items():
            for name in names.split():
                value = getattr(importlib.import_module(module), name)
                if not callable(value) or not is_ours(value):
                    continue
                found[f"{module}.{name}"] = value
                if inspect.isclass(value):
                    parts = members(value)
                    found |= {f"{module}.{name}.{part}": member for part, member in parts}
    unique = {}
    for name, value in sorted(found.items(), key=lambda item: len(item[0])):
        inner = inspect.unwrap(function_of(value) or value)
        unique.setdefault(inner, (name, value))
    return dict(sorted(unique.values(), key=lambda pair: pair[0]))
