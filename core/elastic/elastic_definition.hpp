#pragma once

// Definition of an elastic job: the columns of `ej_job` that users edit (elastic design §2, §7).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/elastic/eligibility.hpp"
#include "core/elastic/item_events.hpp"
#include "core/elastic/planner.hpp"
#include "core/elastic/takeover_rule.hpp"
#include "core/ids.hpp"
#include "core/job/schedule_options.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// State of a job: `ej_job.status`. Only with `on` runs begin.
enum class job_status : std::uint8_t {
  off = 0,
  on = 1,
  shut_down = 2,
  /// Open runs are asked to end.
  draining = 3,
};

/// Lease of a job's grants (design §3).
enum class fence_mode : std::uint8_t {
  /// `fast` if at least two nodes are up at the grant, else `orphan`.
  by_nodes,
  fast,
  orphan,
};

/// Returns the stored name: `by_nodes`, `fast`, `orphan`.
[[nodiscard]] std::string_view to_string(fence_mode mode) noexcept;

/// Options of a job. Each is a row of `elastic_fields` and a column. Default: as ElasticJob's builder (EJ §3).
struct elastic_options {
  schedule_type schedule = schedule_type::none;
  std::string schedule_conf = {};
  /// Zone, interval, bounds and jitter of the schedule.
  schedule_options timing = {};
  /// Text of `parse_item_params`.
  std::string item_params = {};
  std::string param = {};
  /// Empty: AVG_ALLOCATION.
  std::string strategy = {};
  host_order order = host_order::desc_string;
  /// Labels that a host must have, separated by commas.
  std::string label = {};
  bool is_static = false;
  elastic::static_fallback static_fallback = elastic::static_fallback::wait;
  /// Unset: not checked.
  std::optional<milliseconds> max_time_diff = {};
  bool failover = false;
  /// Maximum number of takeovers of one run.
  std::int32_t failover_max = failover_max_default;
  bool misfire = true;
  /// Unset: one period of the schedule.
  std::optional<milliseconds> misfire_max_age = {};
  /// Time limit of a body; 0: none.
  milliseconds timeout{0};
  milliseconds cancel_grace{5000};
  elastic::fence_mode fence_mode = elastic::fence_mode::by_nodes;
  request_policy trigger_policy = request_policy::discard;
  /// A dataflow run goes on until its fetch is empty.
  bool streaming = false;
  /// Name of the concurrency limit; empty: CPU.
  std::string pool = {};
  /// Empty: LOG.
  std::string error_handler = {};
  /// Names, separated by commas.
  std::string listeners = {};
  std::string once_listeners = {};
  /// Time-outs of the once-listeners' barriers; 0: `barrier_limit`.
  milliseconds started_timeout{0};
  milliseconds completed_timeout{0};
  std::string alarm_email = {};
  std::string description = {};

  friend bool operator==(const elastic_options&, const elastic_options&) = default;
};

/// One elastic job as its user wrote it.
struct elastic_definition {
  std::string name_space;
  std::string name;
  group_id group{};
  /// `simple`, `dataflow`, `script`, `http`, or the name of another type.
  std::string kind = "simple";
  /// `handler_of_type` if the type has one.
  std::string handler;
  /// Number of items.
  std::int32_t total = 1;
  elastic_options options;
  /// Canonical form of the properties: `props_text`.
  std::string props;

  friend bool operator==(const elastic_definition&, const elastic_definition&) = default;
};

/// Maximum number of characters or bytes of the texts above; a longer one is refused.
inline constexpr std::size_t name_space_chars = 64;
inline constexpr std::size_t elastic_name_chars = 128;
inline constexpr std::size_t kind_chars = 10;
inline constexpr std::size_t elastic_handler_chars = 255;
inline constexpr std::size_t props_bytes = std::size_t{64} << 10U;

/// Returns `invalid_argument`, with the name of the member, for a text that does not fit its column, an empty name or group, a
/// number outside its range, a number of items that no job can have, parameters of items that the job does not have, and options
/// and properties that its type does not have. Does not compile the schedule.
[[nodiscard]] result<void> check(const elastic_definition& of);

} // namespace ringmaster::core::elastic
