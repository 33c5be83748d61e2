"""The words of a list, one by one, at the cost of C: shared by the modules that read sentences."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t


cdef extern from *:
    """
    #include "base/prefetch.h"
    // The items of a list. A borrowed reference stays good while the GIL keeps others from changing
    // the list and no foreign code runs; without a GIL it takes a reference of our own.
    #ifdef Py_GIL_DISABLED
    #define list_item PyList_GetItemRef
    #define list_item_done Py_DECREF
    #define list_item_ahead(list, i) ((void)(list), (void)(i))
    #else
    #define list_item PyList_GetItem
    #define list_item_done(item) ((void)(item))
    // Asks for the memory of an item that is needed soon: its head, and the text of a short str.
    static inline void list_item_ahead(PyObject* list, Py_ssize_t i) {
      const char* item = (const char*)PyList_GetItem(list, i);
      pyw2v::prefetch(item);
      pyw2v::prefetch(item + 48);
    }
    #endif
    """
    PyObject* list_item(object, Py_ssize_t) except NULL
    void list_item_done(PyObject*) noexcept
    void list_item_ahead(object, Py_ssize_t) noexcept


cdef extern from "Python.h":
    Py_ssize_t PyUnicode_GetLength(PyObject*) except -1
    uint32_t* PyUnicode_AsUCS4(PyObject*, uint32_t*, Py_ssize_t, int) except NULL
    const void* str_type "(const void*)&PyUnicode_Type"
    const void* type_of "(const void*)Py_TYPE"(PyObject*) noexcept
