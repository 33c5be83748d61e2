// The one place where C++ exceptions become Python ones. Used as `except +raise_py_error` by every
// extension module; called with the GIL held, inside the catch block.
#pragma once

#include <Python.h>

#include <new>
#include <stdexcept>

#include "base/errors.h"

static void raise_py_error() {
  try {
    throw;
  } catch (const pyw2v::IoError& error) {
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
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}
