// Descriptors of the C library, which give errno, over handles of Windows, which can do the rest.
#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>

#include "base/errors.h"
#include "base/file.h"

namespace pyw2v {
namespace {

std::wstring wide(const std::string& path) {
  const int n = static_cast<int>(path.size());
  std::wstring out(static_cast<std::size_t>(n), L'\0');
  const int used =
      ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), n, out.data(), n);
  if (n > 0 && used == 0) throw IoError(EINVAL, path);
  out.resize(static_cast<std::size_t>(used));
  return out;
}

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(::_get_osfhandle(fd)); }

// errno of the last call of Windows, for the few that these functions can provoke.
int last_error() {
  switch (::GetLastError()) {
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_ACCESS_DENIED:
    case ERROR_LOCK_VIOLATION: return EACCES;
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_NOT_ENOUGH_MEMORY: return ENOMEM;
    default: return EIO;
  }
}

struct _stat64 status_of(int fd, const std::string& path) {
  struct _stat64 status;
  if (::_fstat64(fd, &status) != 0) throw IoError(errno, path);
  return status;
}

OVERLAPPED at_offset(std::uint64_t byte_offset) {
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(byte_offset);
  where.OffsetHigh = static_cast<DWORD>(byte_offset >> 32);
  return where;
}

DWORD one_piece(std::size_t n) {
  return static_cast<DWORD>(std::min<std::size_t>(n, std::size_t{1} << 30));
}

}  // namespace

// A folder cannot be opened so: EACCES, as Python's open() says there.
File::File(const std::string& path) : path_(path) {
  fd_ = ::_wopen(wide(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
  if (fd_ < 0) throw IoError(errno, path);
}

File File::duplicate(int fd, const std::string& path) {
  File file;
  file.path_ = path;
  file.fd_ = ::_dup(fd);
  if (file.fd_ < 0) throw IoError(errno, path);
  return file;
}

File File::nameless(const std::string& folder) {
  File file;
  file.path_ = folder;
  wchar_t name[MAX_PATH];
  if (::GetTempFileNameW(wide(folder).c_str(), L"w2v", 0, name) == 0)
    throw IoError(last_error(), folder);
  // The system deletes it with its last handle.
  file.fd_ = ::_wopen(name, _O_RDWR | _O_BINARY | _O_NOINHERIT | _O_TEMPORARY);
  if (file.fd_ < 0) throw IoError(errno, folder);
  return file;
}

File::~File() {
  if (fd_ >= 0) ::_close(fd_);
}

std::uint64_t File::size() const {
  return static_cast<std::uint64_t>(status_of(fd_, path_).st_size);
}

std::int64_t File::last_change() const { return status_of(fd_, path_).st_mtime; }

bool File::is_regular() const { return (status_of(fd_, path_).st_mode & _S_IFMT) == _S_IFREG; }

std::size_t File::read_at(std::uint64_t byte_offset, char* buffer, std::size_t n) const {
  std::size_t done = 0;
  while (done < n) {
    OVERLAPPED where = at_offset(byte_offset + done);
    DWORD now = 0;
    if (!::ReadFile(handle_of(fd_), buffer + done, one_piece(n - done), &now, &where)) {
      if (::GetLastError() == ERROR_HANDLE_EOF) break;
      throw IoError(last_error(), path_);
    }
    if (now == 0) break;
    done += now;
  }
  return done;
}

void File::write_at(std::uint64_t byte_offset, const char* bytes, std::size_t n) const {
  for (std::size_t done = 0; done < n;) {
    OVERLAPPED where = at_offset(byte_offset + done);
    DWORD now = 0;
    if (!::WriteFile(handle_of(fd_), bytes + done, one_piece(n - done), &now, &where))
      throw IoError(last_error(), path_);
    done += now;
  }
}

void* File::map_for_writing(std::size_t n) const {
  const HANDLE mapping = ::CreateFileMappingW(handle_of(fd_), nullptr, PAGE_READWRITE,
                                              static_cast<DWORD>(std::uint64_t{n} >> 32),
                                              static_cast<DWORD>(n), nullptr);
  if (mapping == nullptr) throw IoError(last_error(), path_);
  void* const at = ::MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, n);
  const int error = at == nullptr ? last_error() : 0;
  ::CloseHandle(mapping);  // the view keeps it alive
  if (at == nullptr) throw IoError(error, path_);
  return at;
}

void File::unmap(const void* data, std::size_t) noexcept { ::UnmapViewOfFile(data); }

}  // namespace pyw2v

#endif
