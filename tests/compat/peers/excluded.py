"""Tests of gensim's that pyw2v does not pass, and why: each asserts internals of gensim."""

_PLAIN_STR = (
    "asserts the log line about a str where a list of words belongs; pyw2v raises a TypeError "
    "that says the same, instead of training on letters"
)

EXCLUDED = {
    "test_word2vec": {"TestWord2VecModel::test_build_vocab_warning": _PLAIN_STR},
    "test_fasttext": {
        # This module runs the first one's class again.
        "TestWord2VecModel::test_build_vocab_warning": _PLAIN_STR,
        "TestFastTextModel::test_estimate_memory": (
            "asserts the bytes that gensim's Python objects take; pyw2v reports its own"
        ),
        "NativeTrainingContinuationTest::test_sanity": (
            "asserts that cum_table of a loaded fastText file has gensim's exponent, 0.75; "
            "fastText draws negative samples by count ** 0.5, and so does pyw2v after loading"
        ),
        **dict.fromkeys(
            (
                "SaveFacebookFormatModelTest::test_cbow",
                "SaveFacebookFormatModelTest::test_skipgram",
            ),
            "asserts that negative is on beside hs after loading; fastText's file has one output "
            "matrix, of one loss, and gensim takes it for both",
        ),
    },
    "test_keyedvectors": {},
    "test_phrases": {},
}
