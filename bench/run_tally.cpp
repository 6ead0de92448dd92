#include "bench/run_tally.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ringmaster::bench {

shared_tally::shared_tally(const std::filesystem::path& file, side which) {
  const auto opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC | (which == side::makes ? O_CREAT | O_EXCL : 0), 0600);
  void* memory = MAP_FAILED;
  if (opened >= 0 && (which == side::opens || ::ftruncate(opened, sizeof(run_tally)) == 0))
    memory = ::mmap(nullptr, sizeof(run_tally), PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  const auto reason = errno;
  ::close(opened);
  if (memory == MAP_FAILED)
    throw std::runtime_error(file.string() + ": " + std::strerror(reason));
  // The members start as zeros; constructing them would touch each page.
  static_assert(std::atomic<std::uint8_t>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);
  tally_ = static_cast<run_tally*>(memory);
}

shared_tally::~shared_tally() { ::munmap(tally_, sizeof(run_tally)); }

std::int64_t monotonic_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

} // namespace ringmaster::bench
