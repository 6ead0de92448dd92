#pragma once

// Messages of users about elastic jobs, to elastic_admin. `by` is the caller.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/elastic/elastic_history.hpp"
#include "core/elastic/elastic_views.hpp"
#include "core/elastic/store_ops.hpp"
#include "protocol/user_interfaces.hpp"

namespace ringmaster::protocol {

struct elastic_page_query {
  core::elastic::elastic_search search;
  core::principal by;
};

struct elastic_page {
  core::page<core::elastic::elastic_brief> page;
};

struct elastic_query {
  core::elastic::elastic_job_id job{};
  core::principal by;
};

struct elastic_found {
  core::elastic::elastic_card card;
};

struct elastic_items_query {
  core::elastic::elastic_job_id job{};
  core::elastic::item_number from{};
  std::size_t limit = 100;
  core::principal by;
};

struct elastic_items_found {
  core::elastic::elastic_items items;
};

struct elastic_history_query {
  core::elastic::elastic_history_search search;
  core::principal by;
};

struct elastic_history_page {
  core::elastic::elastic_history history;
};

struct elastic_hosts_query {
  /// Unset: all groups of the caller.
  std::optional<core::group_id> group;
  core::principal by;
};

struct elastic_host_list {
  std::vector<core::elastic::host_row> rows;
  /// Hosts on which items run; others of the list have none.
  std::vector<core::elastic::elastic_host_load> loads = {};
};

/// Asks for the plan that the job would have now.
struct elastic_plan_query {
  core::elastic::elastic_job_id job{};
  /// Id of a host to leave out; empty: none.
  std::string without;
  core::principal by;
};

struct elastic_plan_preview {
  std::vector<core::elastic::elastic_preview_share> shares;
};

struct set_elastic_status {
  core::elastic::elastic_job_id job{};
  core::elastic::job_status status = core::elastic::job_status::on;
  core::principal by;
};

struct set_elastic_item {
  core::elastic::elastic_job_id job{};
  core::elastic::item_number item{};
  bool disabled = false;
  core::principal by;
};

/// Requests a run of the job, or of one item. The same token again, while the
/// request waits, is the same request.
struct trigger_elastic {
  core::elastic::elastic_job_id job{};
  std::optional<core::elastic::item_number> item;
  /// Unset: that of the job.
  std::optional<core::elastic::request_policy> policy;
  /// Parameter of the job for these runs; unset: its own.
  std::optional<std::string> param;
  /// Made from the `Idempotency-Key` and its sender; 0: a new request.
  std::int64_t token = 0;
  core::principal by;
};

struct elastic_edited {
  core::elastic::elastic_edit_done done;
};

struct elastic_triggered {
  core::elastic::request_id request{};
  core::elastic::elastic_job_id job{};
};

} // namespace ringmaster::protocol
