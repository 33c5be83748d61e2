// Freed memory that the allocator keeps for later.
#pragma once

namespace pyw2v {

// Gives it back to the system where the allocator can be asked to (glibc's keeps tens of MB after a
// corpus has been counted). For the moment before much is allocated by other ways: a few ms.
void release_free_memory() noexcept;

}  // namespace pyw2v
