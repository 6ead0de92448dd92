#include "executor/elastic/shared_moment.hpp"

#include <new>

#include <sys/mman.h>

namespace ringmaster::executor::elastic {

std::shared_ptr<std::atomic<std::int64_t>> make_shared_moment() {
  using moment = std::atomic<std::int64_t>;
  static_assert(moment::is_always_lock_free, "a lock would be private to each process");
  void* const page = ::mmap(nullptr, sizeof(moment), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return std::make_shared<moment>(0);
  return {new (page) moment{0}, [](moment* used) { ::munmap(used, sizeof(moment)); }};
}

} // namespace ringmaster::executor::elastic
