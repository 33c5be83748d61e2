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

File File::duplicate(int fd, const std::string& path) {
  File file;
  file.path_ = path;
  file.fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (file.fd_ < 0) throw IoError(errno, path);
  return file;
}

File File::nameless(const std::string& folder) {
  File file;
  file.path_ = folder;
#if defined(O_TMPFILE)
  // Never has a name; not every file system can do it.
  file.fd_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (file.fd_ >= 0) return file;
#endif
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

std::int64_t File::last_change() const {
  const struct stat status = status_of(fd_, path_);
#if defined(__APPLE__)
  const struct timespec& time = status.st_mtimespec;
#else
  const struct timespec& time = status.st_mtim;
#endif
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
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

void* File::map_for_writing(std::size_t n) const {
  void* const at = ::mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (at == MAP_FAILED) throw IoError(errno, path_);
  return at;
}

void File::unmap(const void* data, std::size_t n) noexcept { ::munmap(const_cast<void*>(data), n); }

}  // namespace pyw2v

#endif
