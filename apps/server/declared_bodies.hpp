#pragma once

// Declared files as /api/v1 sends and gets them.

#include <memory>
#include <mutex>

#include "actors/console/declared_files.hpp"
#include "apps/server/assembly.hpp"

namespace ringmaster::apps {

/// The configuration as it was read at last. Any thread.
class live_assembly {
public:
  explicit live_assembly(const assembled& what) : what_{std::make_shared<const assembled>(what)} {}

  [[nodiscard]] std::shared_ptr<const assembled> present() const {
    const std::lock_guard lock{guard_};
    return what_;
  }
  void replace(const assembled& what) {
    auto fresh = std::make_shared<const assembled>(what);
    const std::lock_guard lock{guard_};
    what_.swap(fresh);
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<const assembled> what_;
};

/// A longer export is refused: one group of it, or the command, writes that.
inline constexpr std::size_t exported_bytes_max = 8 * 1024 * 1024;

/// The settings are those of `what`: channels that alarms may name, the schedule's zone.
[[nodiscard]] actors::declared_files declared_bodies(std::shared_ptr<const live_assembly> what);

} // namespace ringmaster::apps
