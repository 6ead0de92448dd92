#pragma once

// Rows of the tables `ej_*` as the store returns them (elastic design §2).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/elastic_ids.hpp"
#include "core/elastic/fire_machine.hpp"
#include "core/elastic/host.hpp"
#include "core/elastic/item_events.hpp"
#include "core/elastic/run_cause.hpp"
#include "core/run/run.hpp"
#include "core/time.hpp"

namespace ringmaster::core::elastic {

/// The database as hosts know it (`ej_meta`).
struct cluster_mark {
  /// Identifies the database; a host never serves two.
  std::string cluster_id;
  /// Number of the latest change of a host.
  std::int64_t host_change = 0;
};

/// The right to coordinate the jobs of one slot. A higher epoch ends it.
struct slot_lease {
  std::uint32_t slot = 0;
  std::int64_t epoch = 0;
  friend bool operator==(const slot_lease&, const slot_lease&) = default;
};

/// A slot that a node asks for (E0).
struct lease_wish {
  std::uint32_t slot = 0;
  /// Highest epoch that a host has reported: a restored database may have forgotten it. The new epoch is above it.
  std::int64_t above = 0;
};

/// One row of `ej_lease`.
struct lease_row {
  slot_lease lease;
  /// Unset: released.
  std::optional<node_incarnation> holder;
};

/// Account of a host process about itself (`elastic_hello`).
struct host_facts {
  std::string id;
  std::string app_name;
  /// Key of the process, unique in all machines.
  std::string process;
  /// Identifies the locked folder of the host (P3).
  std::string folder;
  std::string boot;
  std::int64_t pid = 0;
  std::int64_t pid_namespace = 0;
  std::int64_t start_ticks = 0;
  std::string ip;
  /// Separated by commas.
  std::string labels;
  std::int32_t capacity = 0;
  friend bool operator==(const host_facts&, const host_facts&) = default;
};

/// One row of `ej_node`.
struct host_row {
  host_process process;
  host_facts facts;
  host_state state = host_state::up;
  host_mode mode = host_mode::enabled;
  /// This process of the host and all before it have surely ended: each was dead or left, or the next one got its folder (P3).
  host_incarnation ended{};
  /// The node whose acknowledgements extend the host's lease.
  node_incarnation keeper;
  /// Number of changes of the keeper.
  std::int64_t keeper_no = 0;
  /// Number of the row's last change.
  std::int64_t change_no = 0;
};

/// One row of `ej_job` and its row of `ej_schedule`.
struct elastic_job_row {
  elastic_job_id id{};
  elastic_definition what;
  std::int64_t version = 0;
  job_status status = job_status::off;
  /// Declared file that owns the job.
  std::optional<std::string> source;
  /// Hash of the declared text; empty: edited by a user.
  std::string content_hash;
  /// Unset: not scheduled.
  std::optional<time_point> next;
  /// Last planned instant; the epoch: none.
  time_point last{};
  /// Revision of the last edit.
  std::int64_t revision = 0;
};

/// Last edit of a job after some revision.
struct elastic_edit_note {
  elastic_job_id id{};
  std::int64_t revision = 0;
  /// Unset: deleted.
  std::optional<elastic_job_row> job;
};

/// One row of `ej_item`, with the cause of its open or coming run.
struct item_row : item_columns {
  item_number item{};
  /// Moment of the grant of the open run, by the clock of the node that granted it.
  time_point granted{};
  /// Run that an operator has cancelled; 0: none. It has no effect on another run.
  item_run_id cancel_run{};
};

/// One row of `ej_fire`.
struct fire_row {
  fire_key key;
  std::int64_t plan_version = 0;
  std::int64_t config_version = 0;
  fire_state state = fire_state::open;
  /// Number of items that the fire waits for.
  std::int32_t expected = 0;
  /// Number of items whose miss is not made up for.
  std::int32_t dropped = 0;
  /// Parameter of the job for this fire only.
  std::optional<std::string> param;
  friend bool operator==(const fire_row&, const fire_row&) = default;
};

/// One row of `ej_plan`.
struct plan_row {
  std::int64_t version = 0;
  /// Fingerprint of the hosts that the plan saw.
  std::string members;
  std::int32_t total = 0;
  /// Text of `item_plan::encode`.
  std::string assignment;
  time_point at{};
};

/// One row of `ej_request`.
struct request_row {
  request_id id{};
  elastic_job_id job{};
  /// Unset: all items.
  std::optional<item_number> item = std::nullopt;
  request_policy policy = request_policy::discard;
  std::optional<std::string> param = std::nullopt;
  time_point at{};
  /// Items that it still owes a run, ascending; empty: it has not begun.
  std::vector<item_number> owed = {};
};

/// A result that a node without the slot has heard (`ej_inbox`).
struct inbox_row {
  item_run_id run{};
  fence_number fence{};
  /// Bytes of `encode(heard_result)`; at most `outcome_bytes`.
  std::string outcome;
};
/// A failure and a cursor of the largest sizes.
inline constexpr std::size_t outcome_bytes = std::size_t{96} << 10U;

/// A stream's position (`ej_cursor`).
struct cursor_row {
  item_number item{};
  fence_number fence{};
  std::string value;
};
/// Maximum size of a cursor.
inline constexpr std::size_t cursor_bytes = std::size_t{64} << 10U;

/// Servers that operators disabled for a job (`ej_server`).
struct server_row {
  std::string name_space;
  elastic_job_id job{};
  /// Id or IP address of a host.
  std::string server;
};

/// Maximum number of writes of items in the transaction of a fire; those of the other items follow it.
inline constexpr std::size_t fire_items_max = 250;

/// Fire whose coordinator ended between the transactions of its items.
struct unfinished_fire {
  fire_key key;
  /// Idle items that have not begun a run since.
  std::vector<item_number> items;
};

/// Longest lease that the column holds.
inline constexpr milliseconds lease_max{std::chrono::hours{24}};

/// All that a coordinator needs of a job at adoption (E13).
struct adopted_job {
  elastic_job_row job;
  /// All rows, ascending; hooks first.
  std::vector<item_row> items;
  /// Fires with an open barrier.
  std::vector<fire_row> fires;
  /// Items of these fires whose runs have ended, hooks included, in the order of `fires`. A lost run ends that of a hook only.
  std::vector<std::vector<item_number>> ended;
  /// The last planned fire, if it is unfinished. Only at adoption.
  std::optional<unfinished_fire> unfinished;
  /// The newest plan.
  std::optional<plan_row> plan;
  std::vector<cursor_row> cursors;
  /// Oldest first.
  std::vector<request_row> requests;
  /// Parameters of the requests whose runs are open or owed.
  std::vector<std::pair<request_id, std::string>> params;
  std::vector<inbox_row> inbox;
  std::vector<std::string> disabled_servers;
  /// Items with an open alarm that no success has ended yet; `whole_job` for the job.
  std::vector<item_number> alarmed = {};
};

/// Number of items that ends a page of adopted jobs.
inline constexpr std::size_t adopted_items_max = 20'000;

/// Returns `invalid_argument`, with table, column and value, for rows that no edit and no coordinator writes, and with which a
/// coordinator cannot count: numbers, times, durations and sizes outside their range. Does not compile the schedule.
[[nodiscard]] result<void> check(const adopted_job& of);

/// Returns a message about items without a row in `ej_item`; empty: none. Such a row is not created again: without it, no run of
/// the item is known, and a host may have one. Requires `of.items` in the order of their numbers.
[[nodiscard]] std::string missing_rows(const adopted_job& of);

} // namespace ringmaster::core::elastic
