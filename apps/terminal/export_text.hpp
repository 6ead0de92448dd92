#pragma once

// The content of a store as one declared file. Implements `ringmaster export` and GET /api/v1/export.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/time.hpp"
#include "core/zone/zone.hpp"
#include "storage/store.hpp"

namespace ringmaster::apps {

/// The part of the store to export; empty: all.
struct export_request {
  /// App names.
  std::vector<std::string> groups = {};
  std::optional<core::group_id> group = {};
  std::optional<std::string> source = {};
};

struct export_sinks {
  /// Receives the file piece by piece.
  std::function<core::result<void>(std::string_view)> text;
  /// Receives each remark of the file again, one line each: where the file differs from the stored rows. May be null.
  std::function<void(const std::string&)> remark;
};

/// Writes groups by app name, jobs by group and key, alarms by key: equal stores give equal files. Objects that cannot be
/// declared become comments with the reasons. For 100 000 jobs it keeps their keys in memory and never more than some hundred
/// rows. Errors: of the store and of `sinks.text`; `invalid_argument` for a group that does not exist.
[[nodiscard]] core::result<void> write_declared(storage::store& store, const export_request& request,
                                                const core::zone& schedule_zone, core::time_point now,
                                                const export_sinks& sinks);

} // namespace ringmaster::apps
