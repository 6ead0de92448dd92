// local_api_client: elastic jobs.

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "apps/client/local_api_client.hpp"
#include "core/elastic/plan_preview.hpp"
#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_elastic.hpp"

namespace ringmaster::apps {

namespace {

namespace wire = protocol::wire;
namespace elastic = core::elastic;
using core::local_operator;
using core::result;

result<elastic::elastic_job_id> elastic_job_of(const store_question& asked) {
  if (asked.id > std::numeric_limits<std::int32_t>::max())
    return core::fail(core::errc::not_found, "unknown elastic job " + std::to_string(asked.id));
  return elastic::elastic_job_id{static_cast<std::int32_t>(asked.id)};
}

result<api_document> elastic_page(const store_question& asked) {
  const auto query = list_query(asked, wire::api_elastic_search_of);
  if (!query)
    return tl::unexpected{query.error()};
  const auto& [search, from] = *query;
  return asked.store.elastic().list(search, local_operator()).map([&](const core::page<elastic::elastic_brief>& page) {
    const auto next = gateway::next_position(from, page.rows.size(), page.total);
    return parsed(wire::api_page(wire::api_elastic_jobs(page.rows), next, page.total));
  });
}

result<api_document> elastic_read(const store_question& asked) {
  return elastic_job_of(asked)
    .and_then([&](elastic::elastic_job_id job) { return asked.store.elastic().show(job, local_operator()); })
    .map([](const elastic::elastic_card& card) { return parsed(wire::api_elastic_job(card)); });
}

result<api_document> elastic_item_page(const store_question& asked) {
  const auto job = elastic_job_of(asked);
  if (!job)
    return tl::unexpected{job.error()};
  const auto from = wire::api_cursor_of(asked.query);
  if (!from)
    return tl::unexpected{from.error()};
  const elastic::item_number first{static_cast<std::int32_t>(std::min<std::int64_t>(from->place, elastic::items_max))};
  return asked.store.elastic().items(*job, first, from->limit + 1, local_operator()).map([&](elastic::elastic_items&& found) {
    std::optional<std::int64_t> next;
    if (found.rows.size() > from->limit) {
      next = core::number(found.rows[from->limit].row.item);
      found.rows.resize(from->limit);
    }
    return parsed(wire::api_page(wire::api_elastic_items(found.rows), next, found.total));
  });
}

result<api_document> elastic_history_page(const store_question& asked) {
  const auto job = elastic_job_of(asked);
  if (!job)
    return tl::unexpected{job.error()};
  auto query = list_query(asked, wire::api_elastic_history_of);
  if (!query)
    return tl::unexpected{query.error()};
  query->first.job = *job;
  return asked.store.elastic().history(query->first, local_operator()).map([](const elastic::elastic_history& history) {
    return parsed(wire::api_elastic_history(history));
  });
}

result<api_document> elastic_plan(const store_question& asked) {
  const auto job = elastic_job_of(asked).and_then([&](elastic::elastic_job_id id) { return asked.store.elastic().read_job(id); });
  if (!job)
    return tl::unexpected{job.error()};
  const auto hosts = asked.store.elastic().hosts(job->job.what.group, local_operator());
  if (!hosts)
    return tl::unexpected{hosts.error()};
  return elastic::preview_plan(*job, *hosts, asked.query.text_or_empty("without"), system_now())
    .map([](const std::vector<elastic::elastic_preview_share>& shares) { return parsed(wire::api_elastic_plan(shares)); });
}

result<api_document> elastic_host_list(const store_question& asked) {
  const auto group = wire::api_id_of(asked.query, "group");
  if (!group)
    return tl::unexpected{group.error()};
  const auto wanted = *group ? std::optional{core::group_id{**group}} : std::nullopt;
  const auto hosts = asked.store.elastic().hosts(wanted, local_operator());
  if (!hosts)
    return tl::unexpected{hosts.error()};
  return asked.store.elastic().host_loads().map([&](const std::vector<elastic::elastic_host_load>& loads) {
    return parsed(wire::api_elastic_hosts(*hosts, loads));
  });
}

result<api_document> switch_elastic(const store_question& asked, elastic::job_status status) {
  const auto job = elastic_job_of(asked);
  if (!job)
    return tl::unexpected{job.error()};
  const auto item = wire::parse_api_elastic_switch(asked.body);
  if (!item)
    return tl::unexpected{item.error()};
  auto& jobs = asked.store.elastic();
  const auto now = system_now();
  const auto done = *item ? jobs.set_item_disabled(*job, **item, status == elastic::job_status::off, now, local_operator())
                          : jobs.set_status(*job, status, now, local_operator());
  return done.map([](const elastic::elastic_edit_done& edit) { return parsed(wire::api_elastic_edit(edit)); });
}

result<api_document> elastic_enable(const store_question& asked) { return switch_elastic(asked, elastic::job_status::on); }

result<api_document> elastic_disable(const store_question& asked) { return switch_elastic(asked, elastic::job_status::off); }

result<api_document> elastic_shutdown(const store_question& asked) {
  return switch_elastic(asked, elastic::job_status::shut_down);
}

/// Returns an id that no other request has.
elastic::request_id fresh_request() {
  std::random_device source;
  const auto bits = (std::uint64_t{source()} << 32U) | source();
  return elastic::request_id{static_cast<std::int64_t>((bits >> 1U) | 1U)};
}

result<api_document> elastic_trigger(const store_question& asked) {
  const auto card = elastic_job_of(asked).and_then(
    [&](elastic::elastic_job_id job) { return asked.store.elastic().show(job, local_operator()); });
  if (!card)
    return tl::unexpected{card.error()};
  const auto wanted = wire::parse_api_elastic_trigger(asked.body);
  if (!wanted)
    return tl::unexpected{wanted.error()};
  elastic::request_row request{fresh_request(), card->job.id, wanted->item};
  request.policy = wanted->policy.value_or(card->job.what.options.trigger_policy);
  request.param = wanted->param;
  request.at = system_now();
  return asked.store.elastic().add_request(request, request.at, local_operator()).map([&](const elastic::elastic_edit_done&) {
    return parsed(wire::api_elastic_request(request.id));
  });
}

constexpr std::array answers_about_elastic_jobs = std::to_array<store_route>({
  {"GET", "/elastic/jobs", elastic_page},
  {"GET", "/elastic/jobs/{id}", elastic_read},
  {"GET", "/elastic/jobs/{id}/items", elastic_item_page},
  {"GET", "/elastic/jobs/{id}/history", elastic_history_page},
  {"GET", "/elastic/jobs/{id}/plan", elastic_plan},
  {"GET", "/elastic/hosts", elastic_host_list},
  {"POST", "/elastic/jobs/{id}/enable", elastic_enable},
  {"POST", "/elastic/jobs/{id}/disable", elastic_disable},
  {"POST", "/elastic/jobs/{id}/shutdown", elastic_shutdown},
  {"POST", "/elastic/jobs/{id}/trigger", elastic_trigger},
});

} // namespace

std::span<const store_route> elastic_routes() noexcept { return answers_about_elastic_jobs; }

} // namespace ringmaster::apps
