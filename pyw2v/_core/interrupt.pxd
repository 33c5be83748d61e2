"""What long calls of the core ask whether Ctrl-C was pressed: a variable of the calling method."""


cdef extern from "_errors.h":
    void raise_py_error()


cdef extern from "base/interrupt.h" namespace "pyw2v" nogil:
    cdef cppclass Interrupt:
        void check() except +raise_py_error


cdef extern from "_interrupt.h" nogil:
    cdef cppclass CtrlC(Interrupt):
        CtrlC() noexcept
