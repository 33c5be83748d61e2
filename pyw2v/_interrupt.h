// Ctrl-C for C++ code that runs without the GIL: see csrc/base/interrupt.h.
#pragma once

#include <Python.h>

#include <atomic>

#include "base/interrupt.h"

// True when a handler of a signal has raised, as that of Ctrl-C does; the exception stays set, for
// raise_py_error to leave it.
static inline bool signal_raised() {
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return raised;
}

// Python runs handlers of signals in its main thread only. Other threads must not even ask: one
// that wants the GIL when the interpreter has ended is unwound, and C++ code that catches all
// exceptions would end the process.
static inline bool is_main_thread() {
  static std::atomic<unsigned long> main{0};
  if (main.load(std::memory_order_relaxed) == 0) {
    PyObject* const threading = PyImport_ImportModule("threading");
    PyObject* const thread =
        threading == nullptr ? nullptr : PyObject_CallMethod(threading, "main_thread", nullptr);
    PyObject* const ident = thread == nullptr ? nullptr : PyObject_GetAttrString(thread, "ident");
    if (ident != nullptr) main = PyLong_AsUnsignedLongMask(ident);
    Py_XDECREF(ident);
    Py_XDECREF(thread);
    Py_XDECREF(threading);
    PyErr_Clear();
  }
  return main.load(std::memory_order_relaxed) == PyThread_get_thread_ident();
}

// Made while the GIL is held.
class CtrlC : public pyw2v::Interrupt {
 public:
  CtrlC() : Interrupt(is_main_thread() ? &signal_raised : nullptr) {}
};
