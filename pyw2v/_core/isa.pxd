# The kernels are linked into the module isa alone, for they are most of what there is to link. The
# others get their addresses here, and must not name anything of isa/dispatch.h.

from pyw2v._core.engine cimport DoubleKernels, KernelTable


cdef const KernelTable* kernels_named(str name) except NULL
cdef const DoubleKernels* double_kernels() noexcept
