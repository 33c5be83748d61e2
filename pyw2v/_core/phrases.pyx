# distutils: language = c++
"""Words and pairs of words, counted, scored and joined; see csrc/phrases/phrase_table.h."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from pyw2v._core.items cimport (
    PyUnicode_AsUCS4,
    PyUnicode_GetLength,
    list_item,
    list_item_ahead,
    list_item_done,
    str_type,
    type_of,
)
from pyw2v._core.memory cimport bytes_of, raise_py_error
from pyw2v._core.words cimport string_view


cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1
    PyObject* PyList_GetItem(object, Py_ssize_t) noexcept  # within the list, which never fails
    Py_hash_t PyObject_Hash(PyObject*) noexcept  # of str, which never fails
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)


cdef extern from "corpus/sentence_encoder.h" namespace "pyw2v" nogil:
    const unsigned char kEmptyKey


cdef extern from "phrases/phrase_text.h" namespace "pyw2v" nogil:
    const size_t kShort "pyw2v::PhraseText::kShort"

    cdef cppclass CppWord "pyw2v::PhraseText::Word":
        pass

    cdef cppclass CppText "pyw2v::PhraseText":
        CppText(string, const vector[string]&) except +raise_py_error
        uint32_t* characters() noexcept
        void add_short(size_t) except +raise_py_error
        void add_word(const uint32_t*, size_t) except +raise_py_error
        void end_sentence() except +raise_py_error
        void finish() except +raise_py_error
        void clear() noexcept
        const vector[CppWord]& words() noexcept
        size_t n_bytes() noexcept
        string_view between(const CppWord&, const CppWord&) noexcept
        const string& delimiter() noexcept

    cdef cppclass CppReadable "pyw2v::ReadableText":
        CppReadable(string_view) except +raise_py_error
        string_view view() noexcept

    string_view view_of "std::string_view"(const char*, size_t) noexcept


cdef extern from "phrases/phrase_table.h" namespace "pyw2v" nogil:
    cdef enum Scoring "pyw2v::PhraseRule::Scoring":
        kOriginal "pyw2v::PhraseRule::kOriginal"
        kNpmi "pyw2v::PhraseRule::kNpmi"

    cdef cppclass CppRule "pyw2v::PhraseRule":
        Scoring scoring
        double min_count, threshold, corpus_words

    cdef cppclass CppSpan "pyw2v::PhraseSpan":
        size_t first, last
        double score

    cdef cppclass CppTable "pyw2v::PhraseTable":
        CppTable() except +raise_py_error
        void add(const char*, size_t, int64_t) except +raise_py_error
        void merge(const CppTable&) except +raise_py_error
        void prune(int64_t) except +raise_py_error
        size_t size() noexcept
        int64_t count_of(string_view) noexcept
        string_view key(size_t) noexcept
        vector[int64_t] counts() except +raise_py_error
        cbool score(const CppRule&, int64_t, int64_t, int64_t, double&) noexcept
        void find(const CppText&, const CppRule&, const vector[double]*,
                  vector[CppSpan]&) except +raise_py_error
        cbool parts(size_t, string_view, int64_t&, int64_t&) except +raise_py_error


cdef extern from "phrases/phrase_counter.h" namespace "pyw2v" nogil:
    cdef cppclass CppCounter "pyw2v::PhraseCounter":
        CppCounter(CppTable&, CppText&, CppText&, size_t, size_t) except +raise_py_error
        CppText& text() noexcept
        void count() except +raise_py_error
        void finish() except +raise_py_error
        int64_t min_reduce() noexcept


# Bytes of text that are counted at a time: they stay in the cache, and lookups can run ahead.
cdef size_t BATCH_BYTES = 1 << 17


@cython.final
cdef class PhraseTable:
    """Entries, words and joined pairs, with their counts.

    Without a GIL, whatever reads or writes it takes the lock of the table.
    """

    cdef unique_ptr[CppTable] _table
    cdef unique_ptr[CppText] _text, _other_text
    cdef vector[uint32_t] _characters
    cdef vector[double] _scores
    cdef vector[CppSpan] _spans
    cdef CppRule _rule
    cdef bint _has_scores
    cdef dict _pairs
    cdef vector[uint64_t] _filter
    cdef int _filter_shift
    cdef vector[Py_ssize_t] _joined

    def __init__(self, str delimiter not None, connector_words):
        if not delimiter:
            raise ValueError("delimiter must be a text that is not empty, got ''")
        cdef vector[string] connectors
        for word in connector_words:
            connectors.push_back(<string>_bytes(word))
        self._table = make_unique[CppTable]()
        self._text = make_unique[CppText](<string>_bytes(delimiter), connectors)
        self._other_text = make_unique[CppText](<string>_bytes(delimiter), connectors)
        self._has_scores = False

    def __len__(self):
        return <Py_ssize_t>self._table.get().size()

    @cython.critical_section
    def add_sentences(self, sentences, Py_ssize_t max_size):
        """Count sentences; return how many words and sentences they were, and min_reduce."""
        # The length of a corpus of one's own may fail, or take a pass through it.
        cdef size_t n_known = <size_t>len(<list>sentences) if type(sentences) is list else 0
        cdef unique_ptr[CppCounter] counter = make_unique[CppCounter](
            self._table.get()[0], self._text.get()[0], self._other_text.get()[0],
            <size_t>max_size, n_known)
        cdef int64_t n_words = 0, n_sentences = 0
        for sentence in sentences:
            words = _as_list(sentence)
            n_words += len(words)
            n_sentences += 1
            self._add_words(&counter.get().text(), <list>words)
            counter.get().text().end_sentence()
            if counter.get().text().n_bytes() > BATCH_BYTES:
                PyErr_CheckSignals()
                with nogil:
                    counter.get().count()
        with nogil:
            counter.get().finish()
        return n_words, n_sentences, counter.get().min_reduce()

    @cython.critical_section
    def add(self, str entry not None, int64_t times):
        """Count an entry so many times more."""
        key = _bytes(entry)
        self._table.get().add(key, len(key), times)

    @cython.critical_section
    def merge(self, PhraseTable other not None, int64_t n_words, size_t max_size,
              int64_t min_count):
        """Add the entries of another table, of a text of n_words; who joins sees all or none.

        If there are more than max_size then, drop those counted less often than min_count; return
        whether that was so.
        """
        self._table.get().merge(other._table.get()[0])
        self._rule.corpus_words += n_words
        if self._table.get().size() <= max_size:
            return False
        self._table.get().prune(min_count)
        return True

    @cython.critical_section
    def count(self, entry):
        """How often an entry was counted, 0 if never."""
        if type(entry) is not str:
            return 0
        key = _bytes(entry)
        cdef unique_ptr[CppReadable] readable = make_unique[CppReadable](view_of(key, len(key)))
        return self._table.get().count_of(readable.get().view())

    @cython.critical_section
    def entry(self, Py_ssize_t i):
        """The entry of this number, in the order of first sight."""
        if not 0 <= i < len(self):
            raise IndexError(f"there is no entry {i}: there are {len(self)}")
        return _str(self._table.get().key(i))

    @cython.critical_section
    def counts(self):
        """All counts, as the bytes of int64."""
        return bytes_of(self._table.get().counts())

    @cython.critical_section
    def set_rule(self, str scoring not None, double min_count, double threshold,
                 double corpus_words):
        """Say what makes a phrase: `scoring` is "original" or "npmi"."""
        self._rule.scoring = kNpmi if scoring == "npmi" else kOriginal
        self._rule.min_count = min_count
        self._rule.threshold = threshold
        self._rule.corpus_words = corpus_words

    @cython.critical_section
    def set_scores(self, const double[::1] scores):
        """Let these decide instead of the counts; one per entry."""
        if scores.shape[0] != len(self):
            raise ValueError(f"there are {len(self)} entries, got {scores.shape[0]} scores")
        self._has_scores = True
        self._scores.clear()
        cdef Py_ssize_t i
        for i in range(scores.shape[0]):
            self._scores.push_back(scores[i])

    @cython.critical_section
    def set_pairs(self, dict pairs):
        """Join by these alone: from a first word to its last words, and from each to the phrase.

        Python keeps the hash of a str. A filter of the pairs' hashes tells of most neighbours that
        they are no phrase, in a fraction of the time that reading their text takes.
        """
        self._pairs = pairs
        self._filter.clear()
        if pairs is None:
            return
        cdef size_t n_pairs = sum(map(len, pairs.values()))
        cdef size_t n_bits = 1 << 12
        self._filter_shift = 64 - 12
        while n_bits < 64 * n_pairs and n_bits < <size_t>1 << 24:
            n_bits *= 2
            self._filter_shift -= 1
        self._filter.resize(n_bits // 64)
        cdef size_t bit
        for first, lasts in pairs.items():
            for last in lasts:
                bit = self._filter_bit(hash(first), hash(last))
                self._filter[bit // 64] |= <uint64_t>1 << (bit % 64)

    cdef inline cbool _may_join(self, Py_hash_t first, Py_hash_t last) noexcept:
        cdef size_t bit = self._filter_bit(first, last)
        return self._filter[bit // 64] >> (bit % 64) & 1

    cdef inline size_t _filter_bit(self, Py_hash_t first, Py_hash_t last) noexcept:
        # Fibonacci hashing, twice, so that the order of the two counts.
        cdef uint64_t mixed = <uint64_t>first * <uint64_t>0x9E3779B97F4A7C15 + <uint64_t>last
        return <size_t>((mixed * <uint64_t>0x9E3779B97F4A7C15) >> self._filter_shift)

    @cython.critical_section
    def phrases(self):
        """All entries that are phrases, with their scores, in a dict."""
        cdef CppTable* table = self._table.get()
        cdef vector[int64_t] counts = table.counts()
        cdef string_view delimiter = view_of(
            self._text.get().delimiter().data(), self._text.get().delimiter().size())
        cdef int64_t a = 0, b = 0
        cdef double score = 0
        cdef size_t i
        cdef dict found = {}
        for i in range(counts.size()):
            if i % 65536 == 0:
                PyErr_CheckSignals()
            if counts[i] < self._rule.min_count and self._rule.threshold >= 0:
                continue
            if table.parts(i, delimiter, a, b) and table.score(self._rule, a, b, counts[i], score):
                found[_str(table.key(i))] = score
        return found

    @cython.critical_section
    def candidates(self):
        """(entry, count of its first part, of its last part, its own) of all that have parts."""
        cdef CppTable* table = self._table.get()
        cdef vector[int64_t] counts = table.counts()
        cdef string_view delimiter = view_of(
            self._text.get().delimiter().data(), self._text.get().delimiter().size())
        cdef int64_t a = 0, b = 0
        cdef size_t i
        cdef list found = []
        for i in range(counts.size()):
            if table.parts(i, delimiter, a, b):
                found.append((_str(table.key(i)), a, b, counts[i]))
        return found

    @cython.critical_section
    def join(self, sentence):
        """The tokens of a sentence, phrases joined."""
        cdef list tokens, words = _as_list(sentence)
        cdef Py_ssize_t i, n
        if self._pairs is not None:
            tokens = self._join_pairs(words)
            if tokens is not None:
                return tokens
        self._find(words)
        n = <Py_ssize_t>self._spans.size()
        tokens = [None] * n
        for i in range(n):
            tokens[i] = self._token(words, self._spans[i])
        return tokens

    cdef list _join_pairs(self, list words):
        """The words, with a pair's phrase in its place; None if a word is no str, or empty."""
        # A copy is ours alone, and making it brings the words' memory near, many at a time.
        cdef list tokens = words[:]
        cdef PyObject* word
        cdef Py_hash_t before = 0, here
        cdef Py_ssize_t i
        self._joined.clear()
        for i in range(len(tokens)):
            word = PyList_GetItem(tokens, i)
            # Empty words, which have the hash 0, vanish: the core knows how.
            here = PyObject_Hash(word) if type_of(word) == str_type else 0
            if here == 0:
                return None
            if before != 0 and self._may_join(before, here):
                lasts = self._pairs.get(tokens[i - 1])
                phrase = None if lasts is None else (<dict>lasts).get(tokens[i])
                if phrase is not None:
                    tokens[i - 1] = phrase
                    self._joined.push_back(i)
                    here = 0  # what is joined is not joined again
            before = here
        while not self._joined.empty():
            del tokens[self._joined.back()]
            self._joined.pop_back()
        return tokens

    @cython.critical_section
    def analyze(self, sentence):
        """(token, score or None for a word on its own), for all tokens of a sentence."""
        cdef list words = _as_list(sentence)
        cdef list tokens = []
        cdef size_t i
        self._find(words)
        for i in range(self._spans.size()):
            alone = self._spans[i].first == self._spans[i].last
            score = None if alone else self._spans[i].score
            tokens.append((self._token(words, self._spans[i]), score))
        return tokens

    cdef int _find(self, list words) except -1:
        cdef CppText* text = self._text.get()
        text.clear()
        self._add_words(text, words)
        text.finish()
        self._table.get().find(
            text[0], self._rule, &self._scores if self._has_scores else NULL, self._spans)
        return 0

    cdef _token(self, list words, CppSpan span):
        if span.first == span.last:
            return words[span.first]
        cdef CppText* text = self._text.get()
        return _str(text.between(text.words()[span.first], text.words()[span.last]))

    cdef int _add_words(self, CppText* text, list words) except -1:
        cdef PyObject* word
        cdef Py_ssize_t i = 0, n = len(words)
        while i < n:
            word = list_item(words, i)
            i += 1
            if i + 8 < n:
                list_item_ahead(words, i + 8)
            try:
                if type_of(word) == str_type:
                    self._add_str(text, word)
                else:
                    other = <object>word
                    if not isinstance(other, str):
                        raise TypeError(
                            f"words must be str to be joined to phrases, got {other!r} of type "
                            f"{type(other).__name__}"
                        )
                    other = str.__str__(other)
                    self._add_str(text, <PyObject*>other)
                    n = len(words)
            finally:
                list_item_done(word)
        return 0

    cdef int _add_str(self, CppText* text, PyObject* word) except -1:
        cdef Py_ssize_t n = PyUnicode_GetLength(word)
        if n <= <Py_ssize_t>kShort:
            PyUnicode_AsUCS4(word, text.characters(), kShort, 0)
            text.add_short(n)
            return 0
        if self._characters.size() < <size_t>n:
            self._characters.resize(n)
        PyUnicode_AsUCS4(word, self._characters.data(), n, 0)
        text.add_word(self._characters.data(), n)
        return 0


cdef list _as_list(sentence):
    if type(sentence) is list:
        return <list>sentence
    if isinstance(sentence, (str, bytes, bytearray)):
        raise TypeError(f"a sentence must be a list of words, got {sentence!r}: split it first")
    return list(sentence)


cdef bytes _bytes(str text):
    return text.encode("utf-8", "surrogatepass")


cdef _str(string_view key):
    if key.size() == 1 and <unsigned char>key.data()[0] == kEmptyKey:
        return ""
    return PyUnicode_DecodeUTF8(key.data(), <Py_ssize_t>key.size(), "surrogatepass")
