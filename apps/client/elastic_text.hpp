#pragma once

// Elastic jobs of the API, formatted for the terminal.

#include <string>

#include "apps/client/api_client.hpp"
#include "apps/client/job_text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::apps {

/// Finds an elastic job by its name, or `namespace/name`, else by its id. Errors: `not_found`; `conflict` if several namespaces
/// have the name.
[[nodiscard]] core::result<std::int64_t> find_elastic_job(api_client& client, const std::string& name);

/// Each formats a response, regardless of its content.
[[nodiscard]] std::string elastic_jobs_table(const api_document& jobs, const group_titles& groups, const core::zone& where);
[[nodiscard]] std::string describe_elastic_job(const api_document& job, const group_titles& groups, const core::zone& where);
[[nodiscard]] std::string elastic_items_table(const api_document& items, const core::zone& where);
[[nodiscard]] std::string elastic_history_table(const api_document& runs, const core::zone& where);
[[nodiscard]] std::string elastic_hosts_table(const api_document& hosts);
[[nodiscard]] std::string elastic_servers_table(const api_document& servers);
/// Returns `path | value` for each line of a dump.
[[nodiscard]] std::string elastic_dump_text(const api_document& lines);
[[nodiscard]] std::string elastic_plan_table(const api_document& shares);

} // namespace ringmaster::apps
