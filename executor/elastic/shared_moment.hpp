#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace ringmaster::executor::elastic {

/// Returns a moment, 0 at first, in memory that forks of this process share: a supervisor of a program sees each extension of the
/// lease, also while this process is stopped. Without such memory it is private: then a fork sees only the moment of its start,
/// so that its program ends early.
[[nodiscard]] std::shared_ptr<std::atomic<std::int64_t>> make_shared_moment();

} // namespace ringmaster::executor::elastic
