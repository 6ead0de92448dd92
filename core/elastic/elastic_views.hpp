#pragma once

// Elastic jobs as users see them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/elastic/plan.hpp"
#include "core/elastic/stored_rows.hpp"
#include "core/page.hpp"

namespace ringmaster::core::elastic {

/// Filter of a list of jobs, by namespace and name. A user sees the jobs of their groups.
struct elastic_search {
  std::optional<group_id> group = {};
  std::optional<job_status> status = {};
  /// Part of the name; empty: any.
  std::string name_part = {};
  page_window window = {};
};

/// Counts of the items of a job.
struct elastic_item_counts {
  /// Items with an open run.
  std::int64_t running = 0;
  /// Items that wait for a host.
  std::int64_t waiting = 0;
  /// Items that operators disabled.
  std::int64_t disabled = 0;
  /// Items to which the newest plan assigns no host.
  std::int64_t unassigned = 0;
};

/// One row of that list.
struct elastic_brief {
  elastic_job_id id{};
  std::string name_space;
  std::string name;
  group_id group{};
  std::string kind;
  std::string handler;
  std::int32_t total = 0;
  schedule_type schedule = schedule_type::none;
  std::string schedule_conf;
  /// Empty: the zone of the server's schedules.
  std::string time_zone;
  job_status status = job_status::off;
  /// Unset: not scheduled.
  std::optional<time_point> next;
  /// Last planned instant; the epoch: none.
  time_point last{};
  std::optional<std::string> source;
  std::string description;
  /// Unset: the jobs of the page have too many items to be counted.
  std::optional<elastic_item_counts> items = {};
};

/// One job with counts of its items.
struct elastic_card {
  elastic_job_row job;
  /// Items with an open run.
  std::int64_t running = 0;
  /// Items that wait for a host.
  std::int64_t waiting = 0;
  /// Items that operators disabled.
  std::int64_t disabled = 0;
  /// Requests that no coordinator has taken yet.
  std::int64_t requests = 0;
  /// Ids and IP addresses of servers that operators disabled for this job.
  std::vector<std::string> disabled_servers = {};
};

/// One item. Its row has the host of the open run, or of the last one.
struct elastic_item {
  item_row row;
  /// Id of that host; empty: none.
  std::string host;
  /// Owner by the newest plan; unset: no plan was made yet.
  std::optional<item_owner> planned;
  /// Id of that owner; empty: none.
  std::string planned_host;
  /// Parameter of the item; unset: none.
  std::optional<std::string> param;
};

/// A part of the items of a job, ascending.
struct elastic_items {
  std::vector<elastic_item> rows;
  /// Number of items with a row, also of surplus ones whose runs have not ended.
  std::int64_t total = 0;
};

/// Number of items that run on a host.
struct elastic_host_load {
  host_number host{};
  std::int64_t running = 0;
};

/// A planned share of items.
struct elastic_preview_share {
  /// Id of the host; empty: the items have none.
  std::string host;
  gap_reason reason = gap_reason::none;
  std::vector<item_range> items;
};

} // namespace ringmaster::core::elastic
