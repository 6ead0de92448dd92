#pragma once

// Declared files in requests and responses of /api/v1.

#include <memory>
#include <mutex>

#include "actors/console/declared_files.hpp"
#include "apps/server/assembly.hpp"

namespace ringmaster::apps {

/// The most recently loaded configuration. Any thread.
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

/// Largest export over HTTP. For more, export single groups or use the command.
inline constexpr std::size_t exported_bytes_max = 8 * 1024 * 1024;

/// `what` provides the settings: the channels that alarms may name, and the schedule's time zone.
[[nodiscard]] actors::declared_files declared_bodies(std::shared_ptr<const live_assembly> what);

} // namespace ringmaster::apps
