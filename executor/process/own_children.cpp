#include "executor/process/own_children.hpp"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ringmaster::executor {

namespace {

class opened {
public:
  opened(const char* path, int flags) noexcept : fd_{::open(path, flags | O_RDONLY | O_CLOEXEC)} {}
  ~opened() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }

private:
  int fd_;
};

/// `proc` + `name` in its own buffer; empty when it is too long.
class joined_path {
public:
  joined_path(const char* proc, const char* name) noexcept {
    const auto first = std::strlen(proc), second = std::strlen(name);
    if (first + second < sizeof text_) {
      std::memcpy(text_, proc, first);
      std::memcpy(text_ + first, name, second);
    }
  }
  [[nodiscard]] const char* get() const noexcept { return text_; }

private:
  char text_[PATH_MAX]{};
};

struct visitor {
  void* context;
  void (*visit)(void*, pid_t);

  void meet(pid_t process) const noexcept {
    if (is_own_child(process))
      visit(context, process);
  }
};

/// Reads a list of numbers separated by spaces. Only rare kernels do not have it.
bool read_children_file(const char* proc, const visitor& to) noexcept {
  const opened file{joined_path{proc, "/thread-self/children"}.get(), 0};
  if (file.get() < 0)
    return false;
  char buffer[4096];
  pid_t number = 0;
  for (;;) {
    const auto got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got == 0;
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        number = number * 10 + (buffer[i] - '0');
      } else {
        to.meet(number);
        number = 0;
      }
    }
  }
}

/// Returns 0 if the text is not a number.
pid_t whole_number(const char* text) noexcept {
  std::int64_t number = 0;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || number > INT_MAX / 10 - 1)
      return 0;
    number = number * 10 + (*text - '0');
  }
  return static_cast<pid_t>(number);
}

/// The format of getdents64.
struct folder_entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

/// Checks the parent of every process on the machine.
bool try_all_processes(const char* proc, const visitor& to) noexcept {
  const opened folder{proc, O_DIRECTORY};
  if (folder.get() < 0)
    return false;
  alignas(folder_entry) char buffer[8192];
  for (;;) {
    const auto got = ::syscall(SYS_getdents64, folder.get(), buffer, sizeof buffer);
    if (got <= 0)
      return got == 0;
    for (long at = 0; at < got;) {
      unsigned short length = 0;
      std::memcpy(&length, buffer + at + offsetof(folder_entry, length), sizeof length);
      if (const auto process = whole_number(buffer + at + offsetof(folder_entry, name)); process > 0)
        to.meet(process);
      at += length;
    }
  }
}

} // namespace

bool is_own_child(pid_t process) noexcept {
  siginfo_t info{};
  return process > 0 &&
         ::waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

bool visit_own_children(const char* proc, void* context, void (*visit)(void*, pid_t)) noexcept {
  const visitor to{context, visit};
  return read_children_file(proc, to) || try_all_processes(proc, to);
}

} // namespace ringmaster::executor
