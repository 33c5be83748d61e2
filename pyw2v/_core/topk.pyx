"""Exact nearest rows of many queries in one pass."""

from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr

from pyw2v._core.engine cimport KernelTable, raise_py_error
from pyw2v._core.interrupt cimport CtrlC, Interrupt
from pyw2v._core.isa cimport kernels_named

from pyw2v._core import isa as _isa


cdef extern from "query/topk.h" namespace "pyw2v" nogil:
    cdef cppclass CppTopK "pyw2v::TopK":
        CppTopK(
            const KernelTable&,
            const float*,
            size_t,
            size_t,
            size_t,
            const int64_t*,
            const int32_t*,
            cbool,
        ) except +raise_py_error
        void scan(
            const float*, ptrdiff_t, size_t, const float*, int32_t, size_t, const Interrupt&
        ) except +raise_py_error
        void result(int64_t*, float*) except +raise_py_error
        size_t n_filtered() noexcept
        size_t n_passed() noexcept


cdef class TopK:
    """The k rows of highest score for every query, over any number of scans of rows.

    Query q never gets the ids exclude_ids[exclude_offsets[q]:exclude_offsets[q + 1]]. Without
    `filter` every row is scored, which takes longer and gives the same results.
    """

    cdef unique_ptr[CppTopK] _topk
    cdef const int64_t[::1] _exclude_offsets  # read by the C++ object
    cdef const int32_t[::1] _exclude_ids
    cdef size_t _n_queries, _dim, _k

    def __init__(
        self,
        const float[:, ::1] queries,
        size_t k,
        const int64_t[::1] exclude_offsets,
        const int32_t[::1] exclude_ids,
        cbool filter=True,
    ):
        self._n_queries = <size_t>queries.shape[0]
        self._dim = <size_t>queries.shape[1]
        self._k = k
        cdef Py_ssize_t i
        cdef int64_t last = 0
        if exclude_offsets.shape[0] != queries.shape[0] + 1:
            raise ValueError(
                f"exclude_offsets must have {queries.shape[0] + 1} elements, "
                f"got {exclude_offsets.shape[0]}"
            )
        for i in range(exclude_offsets.shape[0]):
            if exclude_offsets[i] < last or exclude_offsets[i] > exclude_ids.shape[0]:
                raise ValueError("exclude_offsets must rise from 0 to the number of exclude_ids")
            last = exclude_offsets[i]
        self._exclude_offsets = exclude_offsets
        self._exclude_ids = exclude_ids
        self._topk.reset(new CppTopK(
            kernels_named(_isa.isa())[0],
            &queries[0, 0] if queries.shape[0] and queries.shape[1] else NULL,
            self._n_queries,
            self._dim,
            k,
            &exclude_offsets[0],
            &exclude_ids[0] if exclude_ids.shape[0] else NULL,
            filter,
        ))

    def scan(
        self, const float[:, :] rows, const float[::1] scales, int32_t first_id, size_t workers
    ):
        """Searches rows first_id, first_id + 1, ...; a score is scale * dot(row, query)."""
        if <size_t>rows.shape[1] != self._dim:
            raise ValueError(f"rows must have {self._dim} columns, got {rows.shape[1]}")
        if scales.shape[0] != rows.shape[0]:
            raise ValueError(f"scales must have {rows.shape[0]} elements, got {scales.shape[0]}")
        if rows.shape[0] == 0 or rows.shape[1] == 0:
            return
        if rows.shape[1] > 1 and rows.strides[1] != sizeof(float):
            raise ValueError("the elements of a row must lie side by side")
        if rows.strides[0] % <Py_ssize_t>sizeof(float):
            raise ValueError("the distance between rows must be a whole number of floats")
        if first_id < 0 or rows.shape[0] > 2147483647 - first_id:
            raise ValueError(f"ids must fit 31 bits, got {rows.shape[0]} rows from {first_id}")
        cdef ptrdiff_t stride = rows.strides[0] // <Py_ssize_t>sizeof(float)
        cdef CtrlC interrupt
        with nogil:
            self._topk.get().scan(
                &rows[0, 0], stride, <size_t>rows.shape[0], &scales[0], first_id, workers, interrupt
            )

    def result(self, int64_t[:, ::1] ids, float[:, ::1] scores):
        """Fills in ids and scores, best first; id -1 where there are too few rows."""
        if (
            <size_t>ids.shape[0] != self._n_queries
            or <size_t>ids.shape[1] != self._k
            or <size_t>scores.shape[0] != self._n_queries
            or <size_t>scores.shape[1] != self._k
        ):
            raise ValueError(f"results must have shape ({self._n_queries}, {self._k})")
        if ids.shape[0] == 0 or ids.shape[1] == 0:
            return
        with nogil:
            self._topk.get().result(&ids[0, 0], &scores[0, 0])

    @property
    def n_filtered(self):
        """Rows that the filter looked at, each once a vector of queries."""
        return self._topk.get().n_filtered()

    @property
    def n_passed(self):
        """Rows of those that had to be scored."""
        return self._topk.get().n_passed()
