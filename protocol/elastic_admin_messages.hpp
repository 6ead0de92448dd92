#pragma once

// Messages of users about elastic jobs, to elastic_admin. `by` is the caller.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/elastic/elastic_draft.hpp"
#include "core/elastic/elastic_dump.hpp"
#include "core/elastic/elastic_history.hpp"
#include "core/elastic/elastic_views.hpp"
#include "core/elastic/server_list.hpp"
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

struct elastic_servers_query {
  /// Unset: all groups of the caller.
  std::optional<core::group_id> group;
  core::principal by;
};

struct elastic_server_list {
  std::vector<core::elastic::elastic_server> rows;
};

struct elastic_dump_query {
  core::elastic::elastic_job_id job{};
  /// IP addresses are replaced. Only administrators may ask for the others.
  bool masked = true;
  core::principal by;
};

struct elastic_dump_found {
  core::elastic::elastic_dump dump;
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

/// Asks for the plan of a definition that is not stored.
struct elastic_draft_query {
  /// Stored job whose items and newest plan count; unset: a new job.
  std::optional<core::elastic::elastic_job_id> job;
  core::elastic::elastic_definition what;
  core::principal by;
};

/// Asks for one job as a table of a declared file.
struct elastic_declaration_query {
  core::elastic::elastic_job_id job{};
  core::principal by;
};

struct add_elastic {
  core::elastic::elastic_draft draft;
  bool enabled = true;
  core::principal by;
};

/// Replaces the definition of a job.
struct update_elastic {
  core::elastic::elastic_job_id job{};
  /// Version as read; unset: any.
  std::optional<std::int64_t> seen;
  core::elastic::elastic_draft draft;
  core::principal by;
};

struct remove_elastic {
  core::elastic::elastic_job_id job{};
  /// Version as read; unset: any.
  std::optional<std::int64_t> seen;
  core::principal by;
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

/// Disables or enables a server for one job.
struct set_elastic_server {
  core::elastic::elastic_job_id job{};
  /// Id or IP address of a host.
  std::string server;
  bool disabled = false;
  core::principal by;
};

/// Cancels the open runs of the job and enables it.
struct restart_elastic {
  core::elastic::elastic_job_id job{};
  core::principal by;
};

/// Cancels one run of an item.
struct cancel_elastic_run {
  core::elastic::item_run_id run{};
  core::principal by;
};

/// Sets the mode of a host, or of all known hosts with an IP address.
struct set_elastic_host {
  std::string server;
  core::elastic::host_mode mode = core::elastic::host_mode::enabled;
  core::principal by;
};

struct elastic_host_edited {
  core::elastic::host_edit_done done;
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
