// local_api_client: elastic jobs.

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "actors/console/elastic_drafts.hpp"
#include "apps/client/api_queries.hpp"
#include "apps/client/local_api_client.hpp"
#include "apps/terminal/declaration_text.hpp"
#include "core/elastic/plan_preview.hpp"
#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_elastic.hpp"
#include "protocol/wire/v1/api_elastic_drafts.hpp"

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
    .map([&](const elastic::elastic_card& card) {
      asked.tag = std::to_string(card.job.version);
      return parsed(wire::api_elastic_job(card));
    });
}

/// Returns the rules of declared files, which also hold for other jobs.
actors::declared_files rules_of_files(const store_question& asked) {
  actors::declared_files out;
  out.check_elastic = check_declarable;
  out.declare_elastic = [&where = asked.schedule_zone](storage::store& store, const elastic::elastic_job_row& job,
                                                       core::time_point now) { return declaration_of(store, job, where, now); };
  return out;
}

/// Returns the version that an edit has seen; unset: any.
std::optional<std::int64_t> seen_version(const store_question& asked) {
  return asked.seen.empty() ? std::nullopt : std::optional{parse_id(asked.seen).value_or(0)};
}

result<api_document> elastic_add(const store_question& asked) {
  return wire::parse_api_elastic_draft(asked.body, core::draft_use::add).and_then([&](const wire::api_elastic_draft& sent) {
    const protocol::add_elastic order{sent.draft, sent.enabled, local_operator()};
    return actors::add_elastic_job(asked.store, order, rules_of_files(asked), system_now())
      .map([](const elastic::elastic_edit_done& done) { return api_document{{"id", core::number(done.id)}}; });
  });
}

result<api_document> elastic_replace(const store_question& asked) {
  const auto job = elastic_job_of(asked);
  if (!job)
    return tl::unexpected{job.error()};
  return wire::parse_api_elastic_draft(asked.body, core::draft_use::update).and_then([&](const wire::api_elastic_draft& sent) {
    const protocol::update_elastic order{*job, seen_version(asked), sent.draft, local_operator()};
    return actors::update_elastic_job(asked.store, order, rules_of_files(asked), system_now())
      .map([](const elastic::elastic_edit_done& done) { return parsed(wire::api_elastic_edit(done)); });
  });
}

result<api_document> elastic_remove(const store_question& asked) {
  return elastic_job_of(asked)
    .and_then([&](elastic::elastic_job_id job) {
      return actors::remove_elastic_job(asked.store, {job, seen_version(asked), local_operator()}, system_now());
    })
    .map([](const elastic::elastic_edit_done&) { return api_document{}; });
}

result<api_document> elastic_declaration(const store_question& asked) {
  return elastic_job_of(asked)
    .and_then([&](elastic::elastic_job_id job) {
      return actors::declare_elastic_job(asked.store, {job, local_operator()}, rules_of_files(asked), system_now());
    })
    .map([](std::string&& text) { return api_document(std::move(text)); });
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

result<api_document> elastic_servers(const store_question& asked) {
  const auto group = wire::api_id_of(asked.query, "group");
  if (!group)
    return tl::unexpected{group.error()};
  const auto wanted = *group ? std::optional{core::group_id{**group}} : std::nullopt;
  return asked.store.elastic().servers(wanted, local_operator()).map([](const std::vector<elastic::elastic_server>& servers) {
    return parsed(wire::api_elastic_servers(servers));
  });
}

result<api_document> elastic_dump(const store_question& asked) {
  const auto job = elastic_job_of(asked);
  if (!job)
    return tl::unexpected{job.error()};
  return wire::api_elastic_masked_of(asked.query)
    .and_then([&](bool masked) { return asked.store.elastic().dump(*job, masked, local_operator()); })
    .map([](const elastic::elastic_dump& dump) { return parsed(wire::api_elastic_dump(dump)); });
}

result<api_document> told_edit(const result<elastic::elastic_edit_done>& done) {
  return done.map([](const elastic::elastic_edit_done& edit) { return parsed(wire::api_elastic_edit(edit)); });
}

result<api_document> elastic_drain(const store_question& asked) {
  return told_edit(elastic_job_of(asked).and_then([&](elastic::elastic_job_id job) {
    return asked.store.elastic().set_status(job, elastic::job_status::draining, system_now(), local_operator());
  }));
}

result<api_document> elastic_restart(const store_question& asked) {
  return told_edit(elastic_job_of(asked).and_then([&](elastic::elastic_job_id job) {
    return asked.store.elastic().restart(job, system_now(), local_operator());
  }));
}

result<api_document> elastic_cancel(const store_question& asked) {
  return told_edit(asked.store.elastic().cancel_run(elastic::item_run_id{asked.id}, system_now(), local_operator()));
}

result<api_document> switch_server(const store_question& asked, bool disabled) {
  return told_edit(elastic_job_of(asked).and_then([&](elastic::elastic_job_id job) {
    return asked.store.elastic().set_server_disabled(job, asked.name, disabled, system_now(), local_operator());
  }));
}

result<api_document> server_enable(const store_question& asked) { return switch_server(asked, false); }

result<api_document> server_disable(const store_question& asked) { return switch_server(asked, true); }

result<api_document> set_host(const store_question& asked, elastic::host_mode mode) {
  return asked.store.elastic().set_host_mode(asked.name, mode, system_now(), local_operator())
    .map([](const elastic::host_edit_done& done) { return parsed(wire::api_elastic_host_edit(done)); });
}

result<api_document> host_enable(const store_question& asked) { return set_host(asked, elastic::host_mode::enabled); }

result<api_document> host_disable(const store_question& asked) { return set_host(asked, elastic::host_mode::disabled); }

result<api_document> host_drain(const store_question& asked) { return set_host(asked, elastic::host_mode::draining); }

result<api_document> host_remove(const store_question& asked) { return set_host(asked, elastic::host_mode::removed); }

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
  {"POST", "/elastic/jobs", elastic_add},
  {"GET", "/elastic/jobs/{id}", elastic_read},
  {"PUT", "/elastic/jobs/{id}", elastic_replace},
  {"DELETE", "/elastic/jobs/{id}", elastic_remove},
  {"GET", "/elastic/jobs/{id}/declaration", elastic_declaration},
  {"GET", "/elastic/jobs/{id}/items", elastic_item_page},
  {"GET", "/elastic/jobs/{id}/history", elastic_history_page},
  {"GET", "/elastic/jobs/{id}/plan", elastic_plan},
  {"GET", "/elastic/hosts", elastic_host_list},
  {"POST", "/elastic/jobs/{id}/enable", elastic_enable},
  {"POST", "/elastic/jobs/{id}/disable", elastic_disable},
  {"POST", "/elastic/jobs/{id}/shutdown", elastic_shutdown},
  {"POST", "/elastic/jobs/{id}/trigger", elastic_trigger},
  {"POST", "/elastic/jobs/{id}/drain", elastic_drain},
  {"POST", "/elastic/jobs/{id}/restart", elastic_restart},
  {"POST", "/elastic/jobs/{id}/hosts/{name}/enable", server_enable},
  {"POST", "/elastic/jobs/{id}/hosts/{name}/disable", server_disable},
  {"GET", "/elastic/jobs/{id}/dump", elastic_dump},
  {"POST", "/elastic/runs/{id}/cancel", elastic_cancel},
  {"POST", "/elastic/hosts/{name}/enable", host_enable},
  {"POST", "/elastic/hosts/{name}/disable", host_disable},
  {"POST", "/elastic/hosts/{name}/drain", host_drain},
  {"POST", "/elastic/hosts/{name}/remove", host_remove},
  {"GET", "/elastic/servers", elastic_servers},
});

} // namespace

std::span<const store_route> elastic_routes() noexcept { return answers_about_elastic_jobs; }

} // namespace ringmaster::apps
