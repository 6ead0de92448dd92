#pragma once

// What a job is: the vocabulary that planner, storage, messages and configuration share.

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
  /// A stored name that nobody knows; such a run fails with a clear text.
  unknown
};
enum class block_strategy : std::uint8_t { serial_execution, discard_later, cover_early };
/// What to do with a run of which nobody knows whether it was delivered (`docs/execution_states.md`).
enum class unknown_policy : std::uint8_t { ask, skip, resend };

/// XXL's stored names, e.g. `FIX_RATE`, `LEAST_FREQUENTLY_USED`, `COVER_EARLY`; ours for `on_unknown`: `ask`, `skip`, `resend`.
/// `schedule_type::unknown` and `route_strategy::unknown` have no stored name: their text is empty.
[[nodiscard]] std::string_view stored_name(schedule_type) noexcept;
[[nodiscard]] std::string_view stored_name(misfire_policy) noexcept;
[[nodiscard]] std::string_view stored_name(route_strategy) noexcept;
[[nodiscard]] std::string_view stored_name(block_strategy) noexcept;
[[nodiscard]] std::string_view stored_name(unknown_policy) noexcept;

/// Exact, case-sensitive look-ups of the stored names; nothing for an unknown one.
[[nodiscard]] std::optional<schedule_type> find_schedule_type(std::string_view) noexcept;
[[nodiscard]] std::optional<misfire_policy> find_misfire_policy(std::string_view) noexcept;
[[nodiscard]] std::optional<route_strategy> find_route_strategy(std::string_view) noexcept;
[[nodiscard]] std::optional<block_strategy> find_block_strategy(std::string_view) noexcept;
[[nodiscard]] std::optional<unknown_policy> find_unknown_policy(std::string_view) noexcept;

/// A job as the planner and the trigger need it: no author, no mail address, no description. Immutable once shared: an edit makes
/// a new one. A hundred thousand of these stand in memory, so it holds nothing that only a console shows.
struct job {
  job_id id{};
  group_id group{};
  schedule_type schedule = schedule_type::none;
  misfire_policy misfire = misfire_policy::do_nothing;
  route_strategy route = route_strategy::first;
  block_strategy block = block_strategy::serial_execution;
  unknown_policy on_unknown = unknown_policy::ask;
  /// What its executor logged of a run is copied to us when the run has its result.
  bool keep_logs = false;
  /// Seconds; 0 means none.
  std::int32_t timeout_s = 0;
  /// Attempts after the first that failed; 0 or less means none.
  std::int32_t retry_count = 0;
  /// Cron text, or whole seconds for a fixed rate.
  std::string schedule_conf;
  schedule_options timing;
  std::string handler;
  std::string param;
  /// Comma list of job ids as XXL stores it; empty when there are none.
  std::string child_jobs;
  /// XXL's stored name, sent to the executor as it is, e.g. `BEAN`.
  std::string glue_type = "BEAN";
  /// Null when the job has no source, or when it was left out.
  std::shared_ptr<const std::string> glue_source;
  /// Read without its source, as pages of definitions are; `firing_store::read_jobs` brings it before a run is sent.
  bool source_left_out = false;
  time_point glue_updated{};
};

using job_ptr = std::shared_ptr<const job>;

/// The ids in `child_jobs`, in order, without the job's own id, without what is not a positive number.
[[nodiscard]] std::vector<job_id> child_ids(const job& parent);

/// A job and the state of its schedule as the store has it.
struct scheduled_job {
  job_ptr spec;
  /// Nothing: not scheduled (stopped, exhausted or without a schedule).
  std::optional<time_point> next;
  /// The last claimed instant; the epoch when there was none.
  time_point last{};
  /// The number of the edit that last touched the job (`rm_edit`).
  std::int64_t revision = 0;
};

} // namespace ringmaster::core
