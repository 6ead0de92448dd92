#include "config/validate.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.hpp"
#include "config/text/diagnostics.hpp"
#include "config/text/table_fields.hpp"
#include "config/text/units.hpp"
#include "core/text/mail_text.hpp"
#include "core/columns.hpp"
#include "core/text/network_text.hpp"
#include "core/text/sqlite_url.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

namespace {

constexpr std::string_view database_url_form = "sqlite:PATH or mysql://user:password@host:port/name";

bool is_ip(int family, std::string_view text) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(family, std::string{text}.c_str(), address) == 1;
}

bool is_network(std::string_view text) {
  const auto network = core::split_network(text);
  return network && is_ip(network->v6 ? AF_INET6 : AF_INET, network->address);
}

bool is_listen_address(std::string_view text) {
  const auto place = core::split_listen(text);
  return place && (!place->v6 || is_ip(AF_INET6, place->host));
}

bool is_context_path(std::string_view text) {
  if (text == "/")
    return true;
  return text.starts_with('/') && !text.ends_with('/') && text.find("//") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F && c != '?' && c != '#' && c != '%'; });
}

/// Checks the outline only; the store reads the URL in full. The account ends at the last @, because passwords may hold one.
bool is_mysql_url(std::string_view url) {
  const auto [account, rest] = core::split_authority(url.substr(std::string_view{"mysql://"}.size()));
  if (!account || account->empty() || account->front() == ':')
    return false;
  const auto server = core::split_schemeless(rest);
  const auto place = core::split_host_port(server.authority);
  const bool port_fits = !place.port || core::parse_port(*place.port).value_or(0) > 0;
  return server.path.size() > 1 && port_fits && (!place.host.empty() || server.tail.find("?socket=/") != std::string_view::npos);
}

bool is_database_url(std::string_view url) {
  if (url.starts_with("mysql://"))
    return is_mysql_url(url);
  const auto file = core::sqlite_path(url);
  return file && !file->empty();
}

/// Returns the part of an invalid URL that may be shown, for example `"postgres://…"`, because the limits of its password are
/// unknown.
std::string scheme_only(std::string_view url) {
  const auto scheme = core::split_url(url).scheme.value_or("");
  const bool known = !scheme.empty() && scheme.size() <= 20 &&
                     std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return known || scheme == "jdbc:mysql" ? "\"" + std::string{scheme} + "://…\"" : "the value";
}

bool is_printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; });
}

class validator {
public:
  validator(const settings& values, const origins& from) : values_(values), from_(from) {}

  void check_forms() {
    require(!values_.data_dir.empty(), "data_dir", "", "expected a path");
    require(is_listen_address(values_.server.listen), "server.listen", values_.server.listen,
            "expected host:port with a port from 0 to 65535");
    require(is_context_path(values_.server.context_path), "server.context_path", values_.server.context_path,
            "expected a path that starts with / and does not end with it");
    if (!is_database_url(values_.database.url))
      say("database.url", scheme_only(values_.database.url) + " is not valid; expected " + std::string{database_url_form});
    const auto& node = values_.cluster.node;
    require(is_node_name(node), "cluster.node", node,
            "expected at most " + std::to_string(core::node_chars) + " letters, digits, '-', '_' and '.'");
    const auto& source = values_.deploy.source;
    require(!core::is_blank(source) && core::fits(source, core::source_chars) && is_printable(source),
            "deploy.source", source, "expected 1 to " + std::to_string(core::source_chars) + " characters");
    check_zone("schedule.time_zone", values_.schedule.time_zone);
    check_zone("database.time_zone", values_.database.time_zone);
  }

  void check_header_text(std::string_view key, std::string_view token) {
    if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7F; }))
      say(key, "expected printable ASCII without spaces: it is sent in an HTTP header");
  }

  void check_security() {
    const auto& token = values_.security.access_token;
    const std::string_view key = "security.access_token";
    if (token == "default_token" && !values_.security.allow_default_token &&
        !from_.any_refused({"security.allow_default_token"}))
      say(key, "this is XXL-JOB's default token, which is publicly known; choose another one, or set "
               "security.allow_default_token = true");
    check_header_text(key, token);
    check_header_text("security.former_access_token", values_.security.former_access_token);
    const auto& until = values_.security.former_access_token_until;
    require(until.empty() || parse_utc(until), "security.former_access_token_until", until,
            "expected a day such as 2026-12-01 or a time such as 2026-12-01T06:00:00Z");
    if (values_.security.remember_lifetime < values_.security.session_lifetime &&
        !from_.any_refused({"security.remember_lifetime", "security.session_lifetime"}))
      say("security.remember_lifetime", format_duration(values_.security.remember_lifetime)
                                          + " is shorter than security.session_lifetime ("
                                          + format_duration(values_.security.session_lifetime) + ")");
    if (values_.security.executor_networks.empty())
      say("security.executor_networks", "the list is empty, so no executor could be called; expected at least one network");
    for (const auto& each : values_.security.executor_networks)
      require(is_network(each), "security.executor_networks", each,
              R"(expected a network such as "10.0.0.0/8", "fc00::/7" or "10.0.0.7")");
  }

  void check_tls() {
    const auto& server = values_.server;
    const auto& security = values_.security;
    require_both({"server.tls_certificate", "server.tls_key"}, server.tls_certificate, server.tls_key);
    require_both({"security.executor_certificate", "security.executor_key"}, security.executor_certificate,
                 security.executor_key);
    if (!server.tls_client_ca.empty() && server.tls_certificate.empty())
      say_of({"server.tls_client_ca", "server.tls_certificate"},
             "server.tls_client_ca: clients present certificates only over TLS; expected server.tls_certificate and"
             " server.tls_key as well");
    for (const auto& each : server.trusted_proxies)
      require(is_network(each), "server.trusted_proxies", each,
              R"(expected a network such as "10.0.0.0/8", "fc00::/7" or "10.0.0.7")");
  }

  void check_link() {
    const auto& link = values_.link;
    const bool all = !link.certificate.empty() && !link.key.empty() && !link.ca.empty();
    const bool some = !link.certificate.empty() || !link.key.empty() || !link.ca.empty();
    if (!all && (some || !link.listen.empty()))
      say_of({"link.listen", "link.certificate", "link.key", "link.ca"},
             "links need certificates at both ends; expected link.certificate, link.key and link.ca, or none of them");
    if (!link.listen.empty())
      require(is_listen_address(link.listen), "link.listen", link.listen, "expected host:port with a port from 0 to 65535");
  }

  void check_relations() {
    require_less({"schedule.claim_ahead", "schedule.misfire_after"}, values_.schedule.claim_ahead,
                 values_.schedule.misfire_after);
    check_retention();
    require_less({"trigger.settle", "trigger.ask_limit"}, values_.trigger.settle, values_.trigger.ask_limit);
    check_beat();
    if (values_.cluster.mode == "shared" && core::sqlite_path(values_.database.url))
      say_of({"cluster.mode", "database.url"},
             "cluster.mode: \"shared\" needs the MySQL database of the Java admins; database.url is an SQLite file, which cannot "
             "be shared");
    const auto seen_late = values_.registry.flush + values_.registry.reread;
    if (seen_late >= values_.registry.dead_after)
      say_of({"registry.flush", "registry.reread", "registry.dead_after"},
             "registry.flush + registry.reread: " + too_long(seen_late, "registry.dead_after", values_.registry.dead_after));
  }

  void check_executor() {
    const auto& executor = values_.executor;
    const auto is_host = [](const std::string& text) {
      const auto place = core::split_host_port(text);
      return !place.port || !place.is_plain;
    };
    for (const auto& [key, value] : {std::pair{"executor.listen", &executor.listen}, std::pair{"executor.ip", &executor.ip}})
      require(is_host(*value), key, *value, "expected a host without a port; the port is executor.port");
  }

  void check_elastic() {
    const auto is_target = [](const std::string& text) {
      const auto place = core::split_host_port(text);
      const auto is_plain = [](char c) {
        return c > ' ' && c < 0x7F && std::string_view{"/@#?%\\*"}.find(c) == std::string_view::npos;
      };
      return place.is_plain && !place.host.empty() && std::all_of(text.begin(), text.end(), is_plain) &&
             (!place.port || core::parse_port(*place.port).value_or(0) != 0);
    };
    for (const auto& each : values_.elastic.error_targets)
      require(is_target(each), "elastic.error_targets", each, "expected a host such as \"oapi.dingtalk.com\", or host:port");
  }

  void check_mail() {
    const auto& mail = values_.mail;
    if (mail.host.empty())
      return;
    const auto plain = [](char c) { return c > ' ' && c < 0x7F && c != '/' && c != '@' && c != '#' && c != '?' && c != '%'; };
    require(std::all_of(mail.host.begin(), mail.host.end(), plain), "mail.host", mail.host, "expected a host name or an address");
    require(core::is_mail_address(mail.from), "mail.from", mail.from, "expected an address such as \"ringmaster@example.org\"");
    if (!is_printable(mail.user) || !is_printable(mail.password))
      say("mail.password", "mail.user and mail.password must not contain control characters");
  }

  core::result<void> finish() && {
    if (!lines_.empty())
      return tl::unexpected(to_error(lines_));
    return {};
  }

private:
  void check_retention() {
    const auto& kept = values_.retention;
    if (kept.days == 1 || kept.days == 2)
      say("retention.days", std::to_string(kept.days)
                              + " is too short: the daily report counts three days; expected at least 3, or 0 for no limit");
    const auto size = [](std::size_t bytes) { return format_size(static_cast<std::int64_t>(bytes)); };
    if (kept.kept_log_bytes_max > kept.kept_logs_bytes_max)
      say_of({"retention.kept_log_bytes_max", "retention.kept_logs_bytes_max"},
             "retention.kept_log_bytes_max: " + size(kept.kept_log_bytes_max) +
               " is too large: must not exceed the limit of all kept logs, retention.kept_logs_bytes_max (" +
               size(kept.kept_logs_bytes_max) + ")");
    const auto answer = values_.trigger.log_bytes_max;
    if (kept.kept_log_bytes_max > answer)
      say_of({"retention.kept_log_bytes_max", "trigger.log_bytes_max"},
             "retention.kept_log_bytes_max: " + size(kept.kept_log_bytes_max) +
               " is too large: a log must fit into one answer, trigger.log_bytes_max (" + size(answer) + ")");
  }

  void check_beat() {
    const auto& cluster = values_.cluster;
    const auto alive = cluster.dead_after - cluster.send_margin;
    if (3 * cluster.beat >= alive)
      say_of({"cluster.beat", "cluster.dead_after", "cluster.send_margin"},
             "cluster.beat: " + format_duration(cluster.beat) + " is too long: three intervals must be shorter than " +
               "cluster.dead_after - cluster.send_margin (" + format_duration(alive) + ")");
  }

  void say(std::string_view key, const std::string& problem) {
    if (!from_.any_refused({key}))
      lines_.push_back(from_.subject(key) + ": " + problem);
  }

  /// Adds a problem that concerns several keys.
  void say_of(std::initializer_list<std::string_view> keys, const std::string& problem) {
    if (!from_.any_refused(keys))
      lines_.push_back(from_.prefix(keys) + problem); // the problem contains the key
  }

  void require(bool holds, std::string_view key, const std::string& value, std::string_view allowed) {
    if (!holds)
      say(key, "\"" + value + "\" is not valid; " + std::string{allowed});
  }

  void require_both(std::pair<std::string_view, std::string_view> keys, const std::string& first, const std::string& second) {
    if (first.empty() != second.empty())
      say_of({keys.first, keys.second}, std::string{first.empty() ? keys.first : keys.second} + ": is missing; expected " +
                                          std::string{keys.first} + " and " + std::string{keys.second} + ", or neither");
  }

  static std::string too_long(milliseconds value, std::string_view limit_key, milliseconds limit) {
    return format_duration(value) + " is too long; it must be shorter than " + std::string{limit_key} + " (" +
           format_duration(limit) + ")";
  }

  void require_less(std::pair<std::string_view, std::string_view> keys, milliseconds value, milliseconds limit) {
    if (value >= limit)
      say_of({keys.first, keys.second}, std::string{keys.first} + ": " + too_long(value, keys.second, limit));
  }

  void check_zone(std::string_view key, const std::string& name) {
    if (!name.empty() && !core::zone::find(name))
      say(key, "unknown time zone \"" + name + "\"; expected an IANA name such as \"Asia/Shanghai\" or \"UTC\"");
  }

  const settings& values_;
  const origins& from_;
  std::vector<std::string> lines_;
};

} // namespace

bool is_node_name(std::string_view name) {
  return name.size() <= core::node_chars && is_key(name);
}

core::result<void> validate(const settings& values, const origins& from) {
  validator checks{values, from};
  checks.check_forms();
  checks.check_security();
  checks.check_tls();
  checks.check_link();
  checks.check_executor();
  checks.check_relations();
  checks.check_elastic();
  checks.check_mail();
  return std::move(checks).finish();
}

} // namespace ringmaster::config
