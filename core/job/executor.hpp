#pragma once

// Executors as users see them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/page.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

enum class executor_state : std::uint8_t {
  /// Its heartbeats come in time.
  online,
  /// Registered, but without a heartbeat for more than two thirds of `registry.dead_after`.
  late,
  /// Said goodbye, or was silent for `registry.dead_after`.
  gone,
  /// Address that a user entered and that no executor has registered.
  entered
};

/// Protocol that an executor showed with its last heartbeat.
enum class executor_family : std::uint8_t {
  /// Its heartbeats reach another node, or none came.
  unknown,
  /// XXL-JOB's HTTP protocol.
  xxl,
  /// XXL-JOB's HTTP protocol with the header `XXL-JOB-APPNAME`, from 3.5 on.
  xxl_3_5,
  /// A native link.
  native
};

/// Returns `online`, `late`, `gone` or `entered`.
[[nodiscard]] std::string_view shown_name(executor_state) noexcept;
[[nodiscard]] std::optional<executor_state> find_executor_state(std::string_view name) noexcept;
/// Returns `xxl`, `xxl-3.5` or `native`; empty if unknown.
[[nodiscard]] std::string_view shown_name(executor_family) noexcept;

/// Executor of a group as one node knows it.
struct known_executor {
  group_id group{};
  std::string app_name;
  std::string address;
  executor_state state = executor_state::online;
  /// Time of its last heartbeat that this node knows. Heartbeats that other nodes receive are known a few seconds later.
  std::optional<time_point> last_beat = {};
  /// Connected by a native link, to the node that was asked, or reachable in no other way.
  bool link = false;
  executor_family family = executor_family::unknown;
  /// Time at which the runs that this node sends to an entered address began to find no executor there; unset if the last one
  /// found one, or if none was sent.
  std::optional<time_point> unreachable_since = {};
};

/// Numbers of executors of a group.
struct executor_count {
  group_id group{};
  std::int64_t online = 0;
  /// Those that have gone, too, as long as the node remembers them, and entered addresses.
  std::int64_t known = 0;
  std::int64_t late = 0;
  std::int64_t gone = 0;
};

/// Numbers of executors of all groups together.
struct executor_totals {
  /// The sum over the groups: an executor of two groups with one app name counts in both.
  std::int64_t online = 0;
  /// Live registrations whose app name no group has: no run is sent there.
  std::int64_t without_group = 0;
};

/// Search for executors; the result ascends by group, and in a group by address, those that have gone last.
struct executor_search {
  std::optional<group_id> group = {};
  std::optional<executor_state> state = {};
  page_window window = {};
  /// A part of the address, of the app name or of the group's title, without regard to the case of the letters a to z;
  /// empty: all.
  std::string part = {};
};

} // namespace ringmaster::core
