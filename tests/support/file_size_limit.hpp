#pragma once

#include <csignal>
#include <cstdint>
#include <sys/resource.h>

namespace ringmaster::test {

/// Limits the files of this process to `bytes` while this object lives: simulates a full disk.
class file_size_limit {
public:
  explicit file_size_limit(std::uintmax_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)} {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_size_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

} // namespace ringmaster::test
