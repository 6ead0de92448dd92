#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "apps/commands/commands.hpp"
#include "apps/doctor/doctor.hpp"
#include "apps/server/assembly.hpp"
#include "config/load.hpp"

namespace ringmaster::apps {

namespace {

const char* name_of(verdict how) { return how == verdict::fine ? "ok" : how == verdict::warning ? "warn" : "fail"; }

std::string detail_of(const core::finding& one) { return one.remedy.empty() ? one.detail : one.detail + "; " + one.remedy; }

void print(const finding_list& findings, bool json) {
  if (json) {
    auto document = nlohmann::json::array();
    for (const auto& one : findings)
      document.push_back({{"status", name_of(one.how)}, {"check", one.what}, {"detail", detail_of(one)}});
    std::printf("%s\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  for (const auto& one : findings)
    std::printf("%-5s %-14s %s\n", name_of(one.how), one.what.c_str(), detail_of(one).c_str());
}

core::result<void> examine(const config_options& options, finding_list& findings) {
  config::load_request request;
  request.file = options.file;
  request.set = options.set;
  auto settings = config::load(request);
  if (!settings)
    return tl::unexpected<core::error>{settings.error()};
  if (is_of_executor(*settings)) {
    check_executor(*settings, findings);
    return {};
  }
  auto what = assemble(std::move(*settings));
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  check_server(*what, [&findings](finding_list&& found) {
    std::move(found.begin(), found.end(), std::back_inserter(findings));
    return true;
  });
  return {};
}

} // namespace

int doctor(const config_options& options, bool json) {
  finding_list findings;
  const auto done = examine(options, findings);
  if (!done)
    findings.push_back({verdict::failure, "configuration", done.error().context});
  print(findings, json);
  if (!done && done.error().code == core::errc::invalid_argument)
    return exit_usage;
  const bool any_failed =
    std::any_of(findings.begin(), findings.end(), [](const core::finding& one) { return one.how == verdict::failure; });
  return any_failed ? exit_failed : exit_done;
}

} // namespace ringmaster::apps
