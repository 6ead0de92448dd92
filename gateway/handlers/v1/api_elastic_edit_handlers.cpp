// Edits of elastic jobs.

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "gateway/exchange/api_preconditions.hpp"
#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "gateway/handlers/v1/schedule_problem.hpp"
#include "protocol/elastic_admin_messages.hpp"
#include "protocol/wire/v1/api_elastic.hpp"
#include "protocol/wire/v1/api_elastic_drafts.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace wire = protocol::wire;
namespace elastic = core::elastic;

namespace {

/// Member of the request that has the cron.
constexpr const char* pointer_of_cron = "/options/schedule";

/// Returns the version that an edit has seen; unset: any. An ETag that no version has becomes one that matches none.
std::optional<std::int64_t> version_of(const wanted_tag& wanted) {
  if (!wanted.tag)
    return std::nullopt;
  const auto& text = *wanted.tag;
  std::int64_t version = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), version);
  return wrong == std::errc{} && end == text.data() + text.size() ? version : -1;
}

/// Returns the answer to a refused definition: a wrong cron is marked.
auto place_of_mistake(const elastic::elastic_definition& what) {
  return [conf = what.options.schedule_conf](const exchange& waiting, const core::error& error) {
    fail_with_place(waiting, error, conf, pointer_of_cron);
  };
}

} // namespace

void elastic_add(exchange ex) {
  auto sent = read_json(ex, [](std::string_view body) { return wire::parse_api_elastic_draft(body, core::draft_use::add); });
  if (!sent)
    return;
  auto failed = place_of_mistake(sent->draft.what);
  ex.ask<protocol::elastic_edited>(
    ex.services().partners.elastic, protocol::add_elastic{std::move(sent->draft), sent->enabled, ex.who()},
    [](const exchange& waiting, const protocol::elastic_edited& added) {
      tell_made(waiting, "/api/v1/elastic/jobs", core::number(added.done.id));
    },
    std::move(failed));
}

void elastic_replace(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  const auto wanted = id ? read_tag(ex) : std::nullopt;
  if (!wanted)
    return;
  auto sent = read_json(ex, [](std::string_view body) { return wire::parse_api_elastic_draft(body, core::draft_use::update); });
  if (!sent)
    return;
  auto failed = place_of_mistake(sent->draft.what);
  ex.ask<protocol::elastic_edited>(
    ex.services().partners.elastic, protocol::update_elastic{*id, version_of(*wanted), std::move(sent->draft), ex.who()},
    [](const exchange& waiting, const protocol::elastic_edited& edited) {
      tell_json(waiting, wire::api_elastic_edit(edited.done), 200, {{"ETag", etag_of(std::to_string(edited.done.version))}});
    },
    std::move(failed));
}

void elastic_remove(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  const auto wanted = id ? read_tag(ex) : std::nullopt;
  if (!wanted)
    return;
  ex.ask<protocol::elastic_edited>(ex.services().partners.elastic, protocol::remove_elastic{*id, version_of(*wanted), ex.who()},
                                   [](const exchange& waiting, const protocol::elastic_edited&) { tell_nothing(waiting); });
}

void elastic_preview(exchange ex) {
  auto sent = read_json(ex, wire::parse_api_elastic_preview);
  if (!sent)
    return;
  ex.ask<protocol::elastic_plan_preview>(ex.services().partners.elastic,
                                         protocol::elastic_draft_query{sent->job, std::move(sent->what), ex.who()},
                                         [](const exchange& waiting, const protocol::elastic_plan_preview& found) {
                                           tell_json(waiting, wire::api_elastic_plan(found.shares));
                                         });
}

void elastic_declaration(exchange ex) {
  const auto id = id_in_path<elastic::elastic_job_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::exported_file>(ex.services().partners.elastic, protocol::elastic_declaration_query{*id, ex.who()},
                                  [](const exchange& waiting, const protocol::exported_file& file) {
                                    waiting.respond({200, "application/toml", file.text, {{"Cache-Control", "no-store"}}});
                                  });
}

} // namespace ringmaster::gateway::handlers::v1
