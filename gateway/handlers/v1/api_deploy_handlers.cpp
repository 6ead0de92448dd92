#include "gateway/handlers/v1/handlers.hpp"

#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "protocol/wire/v1/api_declared.hpp"
#include "protocol/wire/v1/api_deploys.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

namespace wire = protocol::wire;

/// Answers an error in the files by line: the error has a line for each mistake.
void fail_by_line(const exchange& ex, const core::error& error) {
  const bool of_files = error.code == core::errc::invalid_argument || error.code == core::errc::conflict;
  if (!of_files || error.why != core::refusal::none)
    return ex.fail(error);
  const auto end = error.context.find('\n');
  core::error first{error.code, error.context.substr(0, end)};
  if (end != std::string::npos)
    first.context += " (and more)";
  auto body = ex.problem_of(first);
  body.pop_back();
  body += R"(,"errors":)" + wire::api_file_errors(error.context) + '}';
  ex.respond({http_status(error.code), std::string{problem_type}, std::move(body), {}});
}

} // namespace

void files_apply(exchange ex) {
  if (!takes_json(ex))
    return;
  protocol::apply_files wanted{ex.request().body, ex.who()};
  ex.drop_body();
  ex.ask<protocol::files_applied>(ex.services().partners.jobs, std::move(wanted),
                                  [](const exchange& waiting, const protocol::files_applied& done) {
                                    tell_json(waiting, wire::api_deploy_report(done.report, done.dry_run));
                                  },
                                  fail_by_line);
}

void declared_list(exchange ex) {
  ex.ask<protocol::declared_sources>(ex.services().partners.jobs, protocol::declared_query{ex.who()},
                                     [](const exchange& waiting, const protocol::declared_sources& found) {
                                       tell_json(waiting, wire::api_declared_sources(found.rows, found.own));
                                     });
}

void declared_drift(exchange ex) {
  ex.ask<protocol::files_applied>(ex.services().partners.jobs,
                                  protocol::drift_query{std::string{ex.parameter("name")}, ex.who()},
                                  [](const exchange& waiting, const protocol::files_applied& found) {
                                    tell_json(waiting, wire::api_deploy_report(found.report, found.dry_run));
                                  },
                                  fail_by_line);
}

void job_declaration(exchange ex) {
  const auto id = id_in_path<core::job_id>(ex);
  if (!id)
    return;
  ex.ask<protocol::exported_file>(ex.services().partners.jobs, protocol::declaration_query{*id, ex.who()},
                                  [](const exchange& waiting, const protocol::exported_file& file) {
                                    waiting.respond({200, "application/toml", file.text, {{"Cache-Control", "no-store"}}});
                                  });
}

void file_export(exchange ex) {
  const auto wanted = read_query(ex, wire::api_export_of);
  if (!wanted)
    return;
  ex.ask<protocol::exported_file>(
    ex.services().partners.jobs, protocol::export_query{wanted->group, ex.who(), wanted->source},
    [](const exchange& waiting, const protocol::exported_file& file) {
      waiting.respond({200, "application/toml", file.text,
                       {{"Cache-Control", "no-store"}, {"Content-Disposition", "attachment; filename=\"ringmaster.toml\""}}});
    });
}

} // namespace ringmaster::gateway::handlers::v1
