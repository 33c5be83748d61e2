// The one place where C++ exceptions become Python ones. Used as `except +raise_py_error` by every
// extension module; called with the GIL held, inside the catch block.
#pragma once

#include <Python.h>

#include <cerrno>
#include <new>
#include <stdexcept>

#include "base/errors.h"
#include "base/interrupt.h"

static void raise_py_error() {
  if (PyErr_Occurred()) return;  // a signal's handler has raised, whatever threads did then
  try {
    throw;
  } catch (const pyw2v::Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const pyw2v::IoError& error) {
    if (error.code() == ENOMEM) {
      PyErr_Format(PyExc_MemoryError, "%s: too little memory", error.what());
      return;
    }
    PyObject* path = PyUnicode_DecodeFSDefault(error.path().c_str());
    errno = error.code();
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    Py_XDECREF(path);
  } catch (const pyw2v::TruncatedError& error) {
    PyErr_SetString(PyExc_EOFError, error.what());
  } catch (const pyw2v::FormatError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const pyw2v::DivergenceError& error) {
    PyErr_SetString(PyExc_FloatingPointError, error.what());
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const pyw2v::OutOfMemory& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::length_error&) {  // more elements than any memory holds
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}
