#if !defined(_WIN32)

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/errors.h"
#include "base/file.h"

namespace pyw2v {
namespace {

struct stat status_of(int fd, const std::string& path) {
  struct stat status;
  if (::fstat(fd, &status) != 0) throw IoError(errno, path);
  return status;
}

// Calls transfer(offset, done) until n bytes are done or it returns 0; returns how many were done.
template <class Transfer>
std::size_t all_of(std::uint64_t byte_offset, std::size_t n, const std::string& path,
                   const Transfer& transfer) {
  std::size_t done = 0;
  while (done < n) {
    const ssize_t now = transfer(static_cast<off_t>(byte_offset + done), done);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw IoError(errno, path);
    if (now == 0) break;
    done += static_cast<std::size_t>(now);
  }
  return done;
}

void* map(int fd, const std::string& path, std::size_t n, int access) {
  void* const at = ::mmap(nullptr, n, access, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) throw IoError(errno, path);
  return at;
}

}  // namespace

File::File(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw IoError(errno, path);
  struct stat status;
  int error = ::fstat(fd_, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    ::close(fd_);
    throw IoError(error, path);
  }
}

File File::nameless(const std::string& folder) {
  File file;
  file.path_ = folder;
  std::string path = folder + "/pyw2v-corpus-XXXXXX";
  file.fd_ = ::mkstemp(path.data());
  if (file.fd_ < 0) throw IoError(errno, path);
  ::unlink(path.c_str());
  return file;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

std::uint64_t File::size() const {
  return static_cast<std::uint64_t>(status_of(fd_, path_).st_size);
}

bool File::is_regular() const { return S_ISREG(status_of(fd_, path_).st_mode); }

std::size_t File::read_at(std::uint64_t byte_offset, char* buffer, std::size_t n) const {
  return all_of(byte_offset, n, path_, [&](off_t at, std::size_t done) {
    return ::pread(fd_, buffer + done, n - done, at);
  });
}

void File::write_at(std::uint64_t byte_offset, const char* bytes, std::size_t n) const {
  const std::size_t done = all_of(byte_offset, n, path_, [&](off_t at, std::size_t sofar) {
    return ::pwrite(fd_, bytes + sofar, n - sofar, at);
  });
  if (done < n) throw IoError(ENOSPC, path_);
}

const void* File::map_for_reading(std::size_t n) const { return map(fd_, path_, n, PROT_READ); }

void* File::map_for_writing(std::size_t n) const {
  return map(fd_, path_, n, PROT_READ | PROT_WRITE);
}

void File::unmap(const void* data, std::size_t n) noexcept { ::munmap(const_cast<void*>(data), n); }

}  // namespace pyw2v

#endif
