#pragma once

// Identities of elastic jobs, as enums over the width of their column (elastic design §2). `core/ids.hpp` has `number`.

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/ids.hpp"

namespace ringmaster::core::elastic {

/// A row of `ej_job`.
enum class elastic_job_id : std::int32_t {};
/// An item of a job, from 0 on; negative numbers are the hooks of the once-listeners.
enum class item_number : std::int32_t {};
/// A row of `ej_run`; 0: none.
enum class item_run_id : std::int64_t {};
/// Number of grants of an item. Each grant increments it, so that a result of an earlier run is recognised (I2).
enum class fence_number : std::int64_t {};
/// The number of a host, `ej_node.num`. It belongs to the host's id and survives restarts of the process. Numbers start at 1.
enum class host_number : std::int32_t {};
/// Stands for "no host".
inline constexpr host_number no_host{0};
/// Number of the process of a host; a later process has a higher one.
enum class host_incarnation : std::int64_t {};
/// A row of `ej_request`; 0: none.
enum class request_id : std::int64_t {};

/// Item that runs the hook of the once-listeners before all items of a fire.
inline constexpr item_number before_hook_item{-1};
/// Item that runs their hook after all items.
inline constexpr item_number after_hook_item{-2};

/// One process of a host. Grants and verdicts name the process, never the host alone.
struct host_process {
  host_number host{};
  host_incarnation incarnation{};
  friend bool operator==(const host_process&, const host_process&) = default;
};

[[nodiscard]] inline bool is_among(std::span<const host_process> hosts, const host_process& one) {
  return std::find(hosts.begin(), hosts.end(), one) != hosts.end();
}

/// Returns the fence of the next grant.
[[nodiscard]] constexpr fence_number next_fence(fence_number fence) noexcept { return fence_number{number(fence) + 1}; }

/// Returns the fence of an item that begins with this version of its job: above all fences of an item of that number which was
/// removed before (I2).
[[nodiscard]] constexpr fence_number first_fence(std::int64_t version) noexcept { return fence_number{(version - 1) << 32U}; }

} // namespace ringmaster::core::elastic
