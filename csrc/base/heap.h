// Freed memory that the allocator keeps for later.
#pragma once

namespace pyw2v {

// Gives it back to the system, where the allocator offers that (glibc's keeps tens of MB after a
// corpus has been counted). Takes a few ms; meant for just before a large allocation from the
// system.
void release_free_memory() noexcept;

}  // namespace pyw2v
