// Large zeroed blocks of memory straight from the operating system.
#pragma once

#include <cstddef>
#include <vector>

namespace pyw2v {

// Page-aligned and zeroed, on huge pages where the system offers them: matrices are read at random
// rows, and with 4 KiB pages nearly every row would miss the TLB. Throws std::bad_alloc.
void* map_pages(std::size_t n_bytes);
void unmap_pages(void* data, std::size_t n_bytes) noexcept;

// grow_pages keeps the bytes and adds pages, by moving page tables where the system can. Without
// huge pages: what grows is rounded up generously, and unwritten capacity must cost nothing.
void* map_small_pages(std::size_t n_bytes);
void* grow_pages(void* data, std::size_t old_n_bytes, std::size_t n_bytes);
std::size_t page_size();
// Gives the memory back but keeps the addresses, which stay readable: as zeros on Linux.
void forget_pages(void* data, std::size_t n_bytes) noexcept;

class Pages {
 public:
  explicit Pages(std::size_t n_bytes) : n_bytes_(n_bytes), data_(map_pages(n_bytes)) {}
  ~Pages() { unmap_pages(data_, n_bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* data() const { return data_; }
  std::size_t size() const { return n_bytes_; }
  // Gives back the memory of all whole pages behind the first n_bytes, which keep their addresses.
  void forget_from(std::size_t n_bytes) noexcept {
    const std::size_t kept = (n_bytes + page_size() - 1) / page_size() * page_size();
    if (kept < n_bytes_) forget_pages(static_cast<char*>(data_) + kept, n_bytes_ - kept);
  }

 private:
  std::size_t n_bytes_;
  void* data_;
};

// For vectors that grow large and go again. malloc would keep their memory, in an arena of the
// thread that it cannot be asked to give back.
template <class T>
struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(map_pages(n * sizeof(T))); }
  void deallocate(T* data, std::size_t n) noexcept { unmap_pages(data, n * sizeof(T)); }
  template <class Other>
  bool operator==(const PageAllocator<Other>&) const {
    return true;
  }
  template <class Other>
  bool operator!=(const PageAllocator<Other>&) const {
    return false;
  }
};
template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

}  // namespace pyw2v
