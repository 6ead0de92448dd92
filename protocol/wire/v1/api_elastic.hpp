#pragma once

// Elastic jobs in /api/v1. Errors of all functions that read: `invalid_argument` that begins with the path of the member, or
// names the parameter. Options have the names of declared files; durations and instants are milliseconds, with `_ms` at the
// end of their name.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/elastic/elastic_dump.hpp"
#include "core/elastic/elastic_history.hpp"
#include "core/elastic/elastic_views.hpp"
#include "core/elastic/item_events.hpp"
#include "core/elastic/server_list.hpp"
#include "core/elastic/store_ops.hpp"
#include "core/result.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

/// Returns a JSON array.
[[nodiscard]] std::string api_elastic_jobs(const std::vector<core::elastic::elastic_brief>& jobs);
/// Returns one job as a JSON object, with its options and the counts of its items.
[[nodiscard]] std::string api_elastic_job(const core::elastic::elastic_card& card);
/// Returns a JSON array.
[[nodiscard]] std::string api_elastic_items(const std::vector<core::elastic::elastic_item>& items);
/// Returns a JSON array.
[[nodiscard]] std::string api_elastic_runs(const std::vector<core::elastic::elastic_run>& runs);
/// Returns a page of the history, whose size is not counted.
[[nodiscard]] std::string api_elastic_history(const core::elastic::elastic_history& history);
/// Returns `{"items":[…]}`.
[[nodiscard]] std::string api_elastic_hosts(const std::vector<core::elastic::host_row>& hosts,
                                            const std::vector<core::elastic::elastic_host_load>& loads);
/// Returns `{"items":[…]}`: the shares of a plan.
[[nodiscard]] std::string api_elastic_plan(const std::vector<core::elastic::elastic_preview_share>& shares);
/// Returns `{"items":[…]}`.
[[nodiscard]] std::string api_elastic_servers(const std::vector<core::elastic::elastic_server>& servers);
/// Returns `{"items":[…]}`: the lines of a dump.
[[nodiscard]] std::string api_elastic_dump(const core::elastic::elastic_dump& dump);
/// Returns the result of an edit of hosts.
[[nodiscard]] std::string api_elastic_host_edit(const core::elastic::host_edit_done& done);
/// Returns the result of enabling or disabling.
[[nodiscard]] std::string api_elastic_edit(const core::elastic::elastic_edit_done& done);
[[nodiscard]] std::string api_elastic_request(core::elastic::request_id request);

/// Returns `enabled`, `disabled`, `shut_down` or `draining`.
[[nodiscard]] std::string_view api_name_of(core::elastic::job_status status) noexcept;
/// Returns `normal`, `misfire`, `failover` or `manual`.
[[nodiscard]] std::string_view api_name_of(core::elastic::run_source source) noexcept;

/// Reads the filters of the list: `group`, `status`, `name`.
[[nodiscard]] core::result<core::elastic::elastic_search> api_elastic_search_of(const form& sent, const api_cursor& from);

/// Reads the filters of the history: `item`, `state`, `from_ms`, `to_ms`.
[[nodiscard]] core::result<core::elastic::elastic_history_search> api_elastic_history_of(const form& sent,
                                                                                         const api_cursor& from);

/// Reads whether a dump hides IP addresses: `mask`, true by default.
[[nodiscard]] core::result<bool> api_elastic_masked_of(const form& sent);

/// Reads the body of enable and disable, which may be empty: the item; unset: the job.
[[nodiscard]] core::result<std::optional<core::elastic::item_number>> parse_api_elastic_switch(std::string_view body);

/// An order about a whole object, which has no parameters.
struct api_elastic_order {};
/// Reads the body of such an order: an object without members, or nothing.
[[nodiscard]] core::result<api_elastic_order> parse_api_elastic_order(std::string_view body);

struct api_elastic_trigger {
  std::optional<core::elastic::item_number> item;
  std::optional<core::elastic::request_policy> policy;
  std::optional<std::string> param;
};
/// Reads the body of a trigger, which may be empty.
[[nodiscard]] core::result<api_elastic_trigger> parse_api_elastic_trigger(std::string_view body);

} // namespace ringmaster::protocol::wire
