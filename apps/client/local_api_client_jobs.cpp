// local_api_client: jobs and groups.

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "apps/client/api_queries.hpp"
#include "apps/client/local_api_client.hpp"
#include "core/editing/edit_tag.hpp"
#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_bulk.hpp"
#include "protocol/wire/v1/api_groups.hpp"
#include "protocol/wire/v1/api_jobs.hpp"

namespace ringmaster::apps {

namespace {

namespace wire = protocol::wire;
using core::local_operator;
using core::result;

constexpr std::size_t log_chunk = 500;

result<core::job_id> job_of(const store_question& asked) {
  if (asked.id > std::numeric_limits<std::int32_t>::max())
    return core::fail(core::errc::not_found, "job " + std::to_string(asked.id) + " does not exist");
  return core::job_id{static_cast<std::int32_t>(asked.id)};
}

result<core::group_id> group_of(const store_question& asked) {
  if (asked.id > std::numeric_limits<std::int32_t>::max())
    return core::fail(core::errc::not_found, "group " + std::to_string(asked.id) + " does not exist");
  return core::group_id{static_cast<std::int32_t>(asked.id)};
}

// -- jobs ------------------------------------------------------------------------------------------------------------------

result<api_document> job_page(const store_question& asked) {
  const auto query = list_query(asked, wire::api_job_list_of, wire::cursor_use::ordered);
  if (!query)
    return tl::unexpected{query.error()};
  const auto& [search, from] = *query;
  const auto& name = asked.settings.schedule.time_zone;
  const auto zone = name.empty() ? core::zone::system() : core::zone::find(name);
  if (!zone)
    return tl::unexpected{zone.error()};
  return asked.store.job_editing().list(search, local_operator()).map([&](const core::job_list& list) {
    const auto& [rows, total, capped] = list.jobs;
    const auto items = wire::api_jobs(rows, list.facts, {core::language::en, *zone});
    return parsed(wire::api_page_before(items, wire::next_jobs(search, from, rows, list.more), total, capped));
  });
}

result<api_document> job_read(const store_question& asked) {
  return job_of(asked)
    .and_then([&](core::job_id job) { return asked.store.job_editing().read(job, local_operator()); })
    .map([&](const core::job_record& job) {
      asked.tag = core::edit_tag(job);
      return parsed(wire::api_job(job));
    });
}

api_document item_of(core::job_id job, const core::error& why) { return problem_item(core::number(job), why); }

api_document item_of(core::job_id job, const std::string& done) {
  return {{"id", core::number(job)}, {"status", 200}, {"done", parsed(done)}};
}

/// Reads the jobs of an action. A filter needs the tasks of a server.
result<wire::api_bulk> read_bulk(const store_question& asked, wire::bulk_use use) {
  auto bulk = wire::parse_api_bulk(asked.body, use);
  if (bulk && bulk->filter)
    return core::fail(core::errc::invalid_argument, "filter: needs a server; name the jobs by their ids");
  return bulk;
}

/// Changes all jobs first, so that they share one wait for runs that are being sent.
template <class Change>
result<api_document> edit_all(const store_question& asked, Change change) {
  const auto bulk = read_bulk(asked, wire::bulk_use::edit);
  if (!bulk)
    return tl::unexpected{bulk.error()};
  std::vector<result<core::job_edit>> edits;
  std::vector<core::job_id> changed;
  for (const auto job : bulk->ids)
    if (edits.push_back(change(asked.store.jobs(), job)); edits.back())
      changed.push_back(job);
  const auto open = wait_for_runs(asked.store, changed);
  auto items = api_document::array();
  for (std::size_t at = 0; at < bulk->ids.size(); ++at) {
    const auto job = bulk->ids[at];
    auto& edit = edits[at];
    if (edit && (!open || *open > 0)) {
      const auto left = asked.store.jobs().runs_on_their_way({&job, 1});
      edit->on_their_way = left ? std::optional{*left} : std::nullopt;
    }
    items.push_back(edit ? item_of(job, wire::api_job_edit(*edit)) : item_of(job, edit.error()));
  }
  return api_document{{"items", std::move(items)}};
}

result<api_document> jobs_start(const store_question& asked) {
  return edit_all(asked, [](storage::job_store& jobs, core::job_id job) { return jobs.start(job, system_now()); });
}

result<api_document> jobs_stop(const store_question& asked) {
  return edit_all(asked, [](storage::job_store& jobs, core::job_id job) { return jobs.stop(job, system_now()); });
}

/// Returns a negative number that no other manual run has.
std::int64_t fresh_token() {
  std::random_device source;
  const auto bits = (std::uint64_t{source()} << 32) | source();
  return -static_cast<std::int64_t>((bits >> 2) + 1);
}

result<api_document> jobs_trigger(const store_question& asked) {
  auto bulk = read_bulk(asked, wire::bulk_use::trigger);
  if (!bulk)
    return tl::unexpected{bulk.error()};
  bulk->wanted.kind = core::trigger_kind::manual;
  bulk->wanted.token = fresh_token();
  auto items = api_document::array();
  for (const auto job : bulk->ids) {
    bulk->wanted.job = job;
    const auto intent = asked.store.jobs().trigger(bulk->wanted, system_now());
    items.push_back(intent ? item_of(job, wire::api_intent(*intent)) : item_of(job, intent.error()));
  }
  return api_document{{"items", std::move(items)}};
}

/// Removes a job. Beyond the API: supports `declared_too=true`.
result<api_document> job_remove(const store_question& asked) {
  const auto job = job_of(asked);
  if (!job)
    return tl::unexpected{job.error()};
  const bool declared_too = asked.query.text_or_empty("declared_too") == "true";
  if (const auto done = asked.store.jobs().remove(*job, declared_too, system_now(), local_operator(), asked.seen);
      !done)
    return tl::unexpected{done.error()};
  (void)wait_for_runs(asked.store, {&*job, 1});
  for (std::optional<core::log_id> after{core::log_id{}}; after;) {
    const auto step = asked.store.jobs().remove_logs(*job, *after, log_chunk);
    if (!step)
      return core::fail(step.error().code, "the job is removed, but its log is not: " + step.error().context);
    after = step->after;
  }
  return api_document{};
}

result<api_document> intent_read(const store_question& asked) {
  return asked.store.jobs().runs_of(core::intent_id{asked.id}).map([](const core::asked_runs& found) {
    return parsed(wire::api_asked_runs(found.waiting, found.runs));
  });
}

// -- groups ----------------------------------------------------------------------------------------------------------------

result<api_document> group_page(const store_question& asked) {
  const auto from = wire::api_cursor_of(asked.query);
  if (!from)
    return tl::unexpected{from.error()};
  return asked.store.group_editing().visible(local_operator()).map([&](const std::vector<core::group_record>& all) {
    const auto begin = std::min(static_cast<std::size_t>(from->place), all.size());
    const auto end = std::min(begin + from->limit, all.size());
    const std::vector<core::group_record> part{all.begin() + static_cast<std::ptrdiff_t>(begin),
                                               all.begin() + static_cast<std::ptrdiff_t>(end)};
    const auto total = static_cast<std::int64_t>(all.size());
    return parsed(wire::api_page(wire::api_groups(part), gateway::next_position(*from, part.size(), total), total));
  });
}

result<api_document> group_read(const store_question& asked) {
  return group_of(asked)
    .and_then([&](core::group_id group) { return asked.store.group_editing().read(group, local_operator()); })
    .map([&](const core::group_record& group) {
      asked.tag = core::edit_tag(group);
      return parsed(wire::api_group(group));
    });
}

result<api_document> group_add(const store_question& asked) {
  return wire::parse_api_group(asked.body)
    .and_then([&](const core::group_draft& draft) {
      return asked.store.group_editing().add(draft, local_operator(), system_now());
    })
    .map([](core::group_id id) { return api_document{{"id", core::number(id)}}; });
}

result<api_document> group_replace(const store_question& asked) {
  const auto group = group_of(asked);
  if (!group)
    return tl::unexpected{group.error()};
  return wire::parse_api_group(asked.body)
    .and_then([&](const core::group_draft& draft) {
      return asked.store.group_editing().update(*group, draft, asked.seen, local_operator(), system_now());
    })
    .map([] { return api_document{}; });
}

result<api_document> group_remove(const store_question& asked) {
  return group_of(asked)
    .and_then([&](core::group_id group) {
      return asked.store.group_editing().remove(group, asked.seen, local_operator(), system_now());
    })
    .map([] { return api_document{}; });
}

constexpr std::array answers_about_jobs = std::to_array<store_route>({
  {"GET", "/jobs", job_page},
  {"GET", "/jobs/{id}", job_read},
  {"POST", "/jobs/start", jobs_start},
  {"POST", "/jobs/stop", jobs_stop},
  {"POST", "/jobs/trigger", jobs_trigger},
  {"DELETE", "/jobs/{id}", job_remove},
  {"GET", "/intents/{id}", intent_read},
  {"GET", "/groups", group_page},
  {"GET", "/groups/{id}", group_read},
  {"POST", "/groups", group_add},
  {"PUT", "/groups/{id}", group_replace},
  {"DELETE", "/groups/{id}", group_remove},
});

} // namespace

std::span<const store_route> job_routes() noexcept { return answers_about_jobs; }

} // namespace ringmaster::apps
