"""What spacy-fastlang does with fasttext: the language of a text, by the model that it ships."""

from pathlib import Path

import pytest
import spacy
import spacy_fastlang

TEXTS = {
    "en": "The committee will meet again on Thursday to discuss the new proposal.",
    "fr": "Le conseil se réunira de nouveau jeudi pour examiner la proposition.",
    "de": "Der Ausschuss trifft sich am Donnerstag wieder, um darüber zu beraten.",
    "es": "El comité se reunirá de nuevo el jueves para estudiar la propuesta.",
    "ru": "Комитет снова соберётся в четверг, чтобы обсудить новое предложение.",
    "ja": "委員会は木曜日に再び会合を開き、新しい提案について話し合う。",
}


def pipeline(**config):
    nlp = spacy.blank("xx")
    nlp.add_pipe("language_detector", config=config)
    return nlp


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_text_is_found(language):
    doc = pipeline()(TEXTS[language])
    assert doc._.language == language
    assert 0.8 < doc._.language_score <= 1.01


def test_many_texts_at_once():
    docs = pipeline().pipe(TEXTS.values())
    assert [doc._.language for doc in docs] == list(TEXTS)


def test_another_threshold_and_default():
    doc = pipeline(threshold=0.9999, default_language="la")("o")
    assert doc._.language == "la"


def test_languages_that_are_not_wanted_have_the_default():
    doc = pipeline(supported_languages=["fr"])(TEXTS["en"])
    assert doc._.language == "xx"


def test_a_model_of_ones_own():
    model = Path(spacy_fastlang.__file__).parent / "lid.176.ftz"
    assert pipeline(model_path=str(model))(TEXTS["de"])._.language == "de"


def test_lines_break_no_text():
    assert pipeline()(TEXTS["es"].replace(" ", "\n"))._.language == "es"
