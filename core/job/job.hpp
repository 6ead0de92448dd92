#pragma once

// Definition of a job: the vocabulary that planner, storage, messages and configuration share.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/job/schedule_options.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

enum class misfire_policy : std::uint8_t { do_nothing, fire_once_now };
enum class route_strategy : std::uint8_t {
  first, last, round, random, consistent_hash, least_frequently_used, least_recently_used, failover, busyover,
  sharding_broadcast,
  /// Unknown stored name; such a run fails with a clear text.
  unknown
};
enum class block_strategy : std::uint8_t { serial_execution, discard_later, cover_early };
/// Handling of a run of which it is unknown whether it was delivered (`docs/execution_states.md`).
enum class unknown_policy : std::uint8_t { ask, skip, resend };

/// Returns XXL's stored name, e.g. `FIX_RATE`, `LEAST_FREQUENTLY_USED`, `COVER_EARLY`; for `on_unknown` Ringmaster's own: `ask`,
/// `skip`, `resend`. `schedule_type::unknown` and `route_strategy::unknown` have no stored name: their text is empty.
[[nodiscard]] std::string_view stored_name(schedule_type) noexcept;
[[nodiscard]] std::string_view stored_name(misfire_policy) noexcept;
[[nodiscard]] std::string_view stored_name(route_strategy) noexcept;
[[nodiscard]] std::string_view stored_name(block_strategy) noexcept;
[[nodiscard]] std::string_view stored_name(unknown_policy) noexcept;

/// Finds a value by its exact, case-sensitive stored name; unset if it is unknown.
[[nodiscard]] std::optional<schedule_type> find_schedule_type(std::string_view) noexcept;
[[nodiscard]] std::optional<misfire_policy> find_misfire_policy(std::string_view) noexcept;
[[nodiscard]] std::optional<route_strategy> find_route_strategy(std::string_view) noexcept;
[[nodiscard]] std::optional<block_strategy> find_block_strategy(std::string_view) noexcept;
[[nodiscard]] std::optional<unknown_policy> find_unknown_policy(std::string_view) noexcept;

/// A job as the planner and the trigger need it: no author, no e-mail address, no description. Immutable once shared: an edit
/// creates a new one. A hundred thousand of these are kept in memory, so it holds no data that only a console shows.
struct job {
  job_id id{};
  group_id group{};
  schedule_type schedule = schedule_type::none;
  misfire_policy misfire = misfire_policy::do_nothing;
  route_strategy route = route_strategy::first;
  block_strategy block = block_strategy::serial_execution;
  unknown_policy on_unknown = unknown_policy::ask;
  /// Copies the executor's log of a run to the server when the run has its result.
  bool keep_logs = false;
  /// In seconds; 0 means none.
  std::int32_t timeout_s = 0;
  /// Attempts after the first failed one; 0 or less means none.
  std::int32_t retry_count = 0;
  /// Cron text, or whole seconds for a fixed rate.
  std::string schedule_conf;
  schedule_options timing;
  std::string handler;
  std::string param;
  /// Comma list of job ids as XXL stores it; empty if there are none.
  std::string child_jobs;
  /// XXL's stored name, sent to the executor unchanged, e.g. `BEAN`.
  std::string glue_type = "BEAN";
  /// Null if the job has no source, or if it was left out.
  std::shared_ptr<const std::string> glue_source;
  /// Read without its source, as in pages of definitions; `firing_store::read_jobs` reads it before a run is sent.
  bool source_left_out = false;
  time_point glue_updated{};
};

using job_ptr = std::shared_ptr<const job>;

/// Returns the ids in `child_jobs`, in order, without the job's own id and without items that are not positive numbers.
[[nodiscard]] std::vector<job_id> child_ids(const job& parent);

/// A job and the state of its schedule as the store has it.
struct scheduled_job {
  job_ptr spec;
  /// Unset: not scheduled (stopped, exhausted or without a schedule).
  std::optional<time_point> next;
  /// The last claimed instant; the epoch when there was none.
  time_point last{};
  /// Number of the last edit of the job (`rm_edit`).
  std::int64_t revision = 0;
};

} // namespace ringmaster::core
