#include "executor/host/usable_options.hpp"

#include <algorithm>
#include <string_view>

#include "actors/link/sockets.hpp"
#include "core/columns.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"
#include "executor/host/address.hpp"
#include "protocol/elastic_border.hpp"
#include "protocol/link_border.hpp"

namespace ringmaster::executor {

namespace {

constexpr std::size_t app_name_chars_min = 4;
constexpr std::size_t port_max = 65535;
constexpr std::size_t coroutine_threads_max = 1000;
/// Blocking bodies of ordinary jobs need threads, too.
constexpr std::size_t elastic_capacity_max = 5000;

core::result<void> wrong(std::string what) { return core::fail(core::errc::invalid_argument, std::move(what)); }

/// Returns whether the text can be put into a header line or a table column.
bool is_one_line(std::string_view text) {
  constexpr char del = 0x7f;
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == del; };
  return std::none_of(text.begin(), text.end(), is_control) && core::valid_utf8(text) == text;
}

core::result<void> check_name(const std::string& name) {
  if (core::is_blank(name))
    return wrong("executor.app_name is missing: the group that this executor belongs to");
  if (!is_one_line(name) || name.find_first_of("<>") != std::string::npos)
    return wrong("executor.app_name: admins refuse control characters, < and >, and invalid UTF-8");
  const auto length = core::count_characters(name);
  if (length < app_name_chars_min || length > core::app_name_chars)
    return wrong("executor.app_name must have from 4 to 64 characters, not " + std::to_string(length));
  return {};
}

core::result<void> check_admin(const std::string& admin) {
  const auto url = core::split_url(admin);
  if (!url.is_http() || url.is_scheme_only() || !is_one_line(admin))
    return wrong("executor.admins: \"" + core::valid_utf8(admin) +
                 "\" is not an address such as http://10.0.0.1:8080/xxl-job-admin");
  if (url.may_have_account())
    return wrong("executor.admins: an address must not contain a user name; the token identifies the executor");
  return {};
}

core::result<void> check_admins(const executor_options& options) {
  if (options.admins.empty() && options.nodes.empty())
    return wrong("executor.admins and executor.nodes are empty: set at least one of them");
  for (const auto& admin : options.admins)
    if (auto usable = check_admin(admin); !usable)
      return usable;
  return {};
}

core::result<void> check_nodes(const executor_options& options) {
  if (!options.nodes.empty() && (options.link_certificate.empty() || options.link_key.empty() || options.link_ca.empty()))
    return wrong("executor.nodes: a native link needs link.certificate, link.key and link.ca for mutual authentication");
  for (const auto& node : options.nodes)
    if (actors::port_of(node) == 0 || node.find(':') == 0 || node.find('/') != std::string::npos || !is_one_line(node))
      return wrong("executor.nodes: \"" + core::valid_utf8(node) + "\" is not host:port, e.g. 10.0.0.1:9100");
  if (options.listen.empty() && !options.address.empty() && !protocol::is_native_only(options.address))
    return wrong("executor.address is " + options.address + ", but without executor.listen no port is open: leave it empty");
  return {};
}

core::result<void> check_access(const executor_options& options) {
  if (options.listen.empty() && options.nodes.empty())
    return wrong(
      "executor.listen is empty: use 0.0.0.0 for all addresses, or set executor.nodes to run without"
      " a port");
  if (!is_one_line(options.access_token))
    return wrong("the access token contains a control character or invalid UTF-8");
  if (core::is_blank(options.access_token) && !options.allow_no_token && !options.listen.empty()
      && !is_loopback(options.listen))
    return wrong("executor.listen is " + options.listen +
                 " without an access token, so every client that can connect could run jobs. Set"
                 " the admin's token (security.access_token), or"
                 " executor.allow_no_token = true");
  if (!is_one_line(options.address) || !is_one_line(options.ip))
    return wrong("executor.address and executor.ip must not contain control characters");
  return {};
}

core::result<void> check_labels(const std::vector<std::string>& labels) {
  std::size_t bytes = 0;
  for (const auto& label : labels) {
    if (core::is_blank(label) || !is_one_line(label) || label.find(',') != std::string::npos)
      return wrong("executor.labels: \"" + core::valid_utf8(label) + "\" must be one line without commas, and not empty");
    bytes += label.size() + 1;
  }
  if (bytes > protocol::elastic_link_limits::label_bytes_max)
    return wrong("executor.labels must have at most 1024 bytes in total");
  return {};
}

core::result<void> check_values(const executor_options& options) {
  using std::chrono::milliseconds;
  if (options.port > port_max)
    return wrong("executor.port must be at most 65535");
  if (options.dialect != "auto" && options.dialect != "3.4" && options.dialect != "3.5")
    return wrong("executor.dialect must be auto, 3.4 or 3.5");
  if (options.queue_max == 0)
    return wrong("executor.queue_max must be at least 1");
  if (options.coroutine_threads == 0 || options.coroutine_threads > coroutine_threads_max)
    return wrong("executor.coroutine_threads must be from 1 to 1000");
  if (options.connections_max == 0 || options.buffered_bytes_max == 0)
    return wrong("executor.connections_max and executor.buffered_bytes_max must be at least 1");
  for (const auto& [name, time] : {std::pair{"read_timeout", options.read_timeout}, {"write_timeout", options.write_timeout},
                                   {"reply_timeout", options.reply_timeout}, {"idle_timeout", options.idle_timeout},
                                   {"admin_timeout", options.admin_timeout}, {"idle_limit", options.idle_limit}})
    if (time <= milliseconds{0} || time > std::chrono::days{1})
      return wrong(std::string{"executor."} + name + " must be from 1 ms to 1 day");
  if (options.drain_timeout < milliseconds{0} || options.drain_timeout > std::chrono::days{1})
    return wrong("executor.drain_timeout must be from 0 to 1 day");
  return {};
}

} // namespace

core::result<void> check_elastic(const executor_options& options, std::size_t handlers) {
  if (handlers > 0 && options.nodes.empty())
    return wrong("executor.nodes is empty: elastic jobs need native links");
  if (handlers > protocol::elastic_link_limits::items_max)
    return wrong("an executor can have at most 512 handlers of elastic jobs");
  if (options.elastic_capacity > elastic_capacity_max)
    return wrong("executor.elastic_capacity must be at most 5000");
  if (options.elastic_drain < std::chrono::milliseconds{0} || options.elastic_drain > std::chrono::days{1})
    return wrong("executor.elastic_drain must be from 0 to 1 day");
  return check_labels(options.labels);
}

core::result<void> check_options(const executor_options& options) {
  return check_values(options)
    .and_then([&] { return check_name(options.app_name); })
    .and_then([&] { return check_admins(options); })
    .and_then([&] { return check_nodes(options); })
    .and_then([&] { return check_access(options); });
}

} // namespace ringmaster::executor
