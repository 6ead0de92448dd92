#pragma once

// What a store holds, as one declared file. The use case behind `ringmaster export` and GET /api/v1/export.

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

/// What of it; nothing: all.
struct export_request {
  /// App names.
  std::vector<std::string> groups = {};
  std::optional<core::group_id> group = {};
  std::optional<std::string> source = {};
};

struct export_sinks {
  /// Takes the file piece by piece.
  std::function<core::result<void>(std::string_view)> text;
  /// Takes each remark of the file, one line, once more: what is not as it is stored. May be null.
  std::function<void(const std::string&)> remark;
};

/// Groups by app name, jobs by group and key, alarms by key: what is equal is written equally. What cannot be declared stands
/// there as comments, with the reasons. Of a hundred thousand jobs it has their keys in memory and never more than some hundred
/// rows. Errors: of the store and of `sinks.text`; `invalid_argument` for a group that is not there.
[[nodiscard]] core::result<void> write_declared(storage::store& store, const export_request& request,
                                                const core::zone& schedule_zone, core::time_point now,
                                                const export_sinks& sinks);

} // namespace ringmaster::apps
