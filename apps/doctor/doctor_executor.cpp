#include "apps/doctor/doctor.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "actors/link/tls_ports.hpp"
#include "apps/server/executor_settings.hpp"
#include "core/text/url_text.hpp"
#include "executor/host/usable_options.hpp"
#include "gateway/transport/transport.hpp"
#include "protocol/http.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 3s;

finding found(const char* what, const core::result<void>& done, std::string detail) {
  return done ? finding{verdict::fine, what, std::move(detail)} : finding{verdict::failure, what, done.error().context};
}

std::string summary(const config::executor_settings& said) {
  const auto port = said.port == 0 ? std::string{"a free port"} : "port " + std::to_string(said.port);
  return "executor configuration, app name " + said.app_name + ", " +
         (said.listen.empty() ? "no open port" : "listens on " + said.listen + ", " + port);
}

void check_folder(const config::settings& settings, finding_list& findings) {
  const auto folder = (std::filesystem::path{settings.data_dir} / settings.executor.log_path).lexically_normal().string();
  std::error_code problem;
  if (!std::filesystem::is_directory(folder, problem))
    findings.push_back({verdict::warning, "folder", folder + " does not exist; the executor creates it"});
  else if (::access(folder.c_str(), W_OK | X_OK) != 0)
    findings.push_back({verdict::failure, "folder", folder + " is not writable"});
  else
    findings.push_back({verdict::fine, "folder", folder});
}

/// Reports the types of elastic jobs, and folders of scripts that do not exist.
void check_elastic_types(const config::settings& settings, finding_list& findings) {
  const auto& said = settings.executor;
  const auto types = elastic_handlers_of(settings);
  std::string names;
  if (types)
    for (const auto& [handler, body] : types->all())
      names += (names.empty() ? "" : ", ") + handler;
  if (!types || said.elastic)
    findings.push_back(
      found("elastic jobs", types ? core::result<void>{} : core::result<void>{tl::unexpected{types.error()}}, names));
  std::error_code problem;
  for (const auto& folder : said.elastic_scripts)
    if (!std::filesystem::is_directory(folder, problem))
      findings.push_back({verdict::warning, "elastic jobs", folder + " is not a folder; runs of its programs fail"});
}

// The TLS settings of an executor towards admins match those of a server towards executors, under other names.
void check_executor_tls(const config::settings& settings, finding_list& findings) {
  using level = gateway::tls_finding::level;
  config::security_settings security;
  security.executor_ca = settings.executor.admin_ca;
  security.executor_certificate = settings.executor.admin_certificate;
  security.executor_key = settings.executor.admin_key;
  constexpr std::string_view theirs = "security.executor_";
  for (auto& one : gateway::examine_tls(settings.server, security, settings.link, std::chrono::system_clock::now())) {
    for (auto at = one.detail.find(theirs); at != std::string::npos; at = one.detail.find(theirs))
      one.detail.replace(at, theirs.size(), "executor.admin_");
    findings.push_back({one.how == level::failure   ? verdict::failure
                        : one.how == level::warning ? verdict::warning
                                                    : verdict::fine,
                        "TLS", std::move(one.detail)});
  }
}

/// Returns `host:port` of an HTTP address.
std::string door_of(std::string_view url) {
  const auto origin = protocol::split_address(url).origin;
  const auto parts = core::split_url(origin);
  const std::string door{parts.authority};
  return core::split_host_port(door).port ? door : door + (parts.scheme == "https" ? ":443" : ":80");
}

void check_nodes(const config::settings& settings, finding_list& findings) {
  if (settings.executor.nodes.empty())
    return;
  const auto ports = actors::tls_ports::make({settings.link.certificate, settings.link.key, settings.link.ca});
  if (!ports)
    return; // reported by check_executor_tls
  for (const auto& node : settings.executor.nodes) {
    auto probed = (*ports)->probe(node, patience);
    if (!probed)
      probed.error().context = node + ": " + probed.error().context;
    findings.push_back(found("node", probed, node + " accepts the certificate of this executor"));
  }
}

void check_admins(const config::settings& settings, finding_list& findings) {
  for (const auto& admin : settings.executor.admins) {
    const auto socket = actors::connect_to(door_of(admin), patience);
    findings.push_back(socket ? finding{verdict::fine, "admin", admin + " is reachable"}
                              : finding{verdict::failure, "admin", admin + ": " + socket.error().context});
  }
}

} // namespace

bool is_of_executor(const config::settings& settings) {
  const config::settings silent;
  return !settings.executor.app_name.empty() && settings.server.listen == silent.server.listen
         && settings.database.url == silent.database.url && settings.link.listen.empty() && settings.deploy.files.empty()
         && settings.mail.host.empty() && settings.webhooks.empty();
}

void check_executor(const config::settings& settings, finding_list& findings) {
  const auto options = executor::check_options(executor_options_of(settings, nullptr));
  findings.push_back(found("configuration", options, summary(settings.executor)));
  const auto known = handlers_of(settings);
  findings.push_back(found("handlers", known ? core::result<void>{} : core::result<void>{tl::unexpected{known.error()}},
                           std::to_string(settings.commands.size()) + " commands"
                             + (settings.executor.http_allowed.empty() ? "" : ", and http")
                             + (settings.executor.scripts ? ", and scripts" : "")));
  check_elastic_types(settings, findings);
  check_folder(settings, findings);
  check_executor_tls(settings, findings);
  if (!options)
    return; // the addresses of nodes and admins may be invalid, too
  check_nodes(settings, findings);
  check_admins(settings, findings);
}

} // namespace ringmaster::apps
