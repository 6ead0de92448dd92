#include "gateway/notification/error_place.hpp"

#include <algorithm>

#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::gateway {

namespace {

using core::elastic::error_target;
using form = error_target::form;

struct host_and_port {
  std::string host;
  std::string port;
};

host_and_port place_of(const error_target& target) {
  if (target.what == form::mail)
    return {target.host, std::to_string(target.port)};
  const auto url = core::split_url(target.url);
  const auto parts = core::split_host_port(core::split_authority(url.authority).place);
  const std::string usual = url.scheme == "https" ? "443" : "80";
  return {std::string{parts.host}, parts.port && !parts.port->empty() ? std::string{*parts.port} : usual};
}

std::string_view preset_of(form what) noexcept {
  switch (what) {
  case form::dingtalk: return "dingtalk";
  case form::wechat: return "wecom";
  case form::mail:
  case form::webhook: break;
  }
  return "generic";
}

/// Returns the configured channel that stands in for a target; empty: there is none.
std::string channel_for(const error_target& target, const notification_settings& settings) {
  if (!target.channel.empty())
    return target.channel;
  if (target.what == form::mail)
    return settings.mail.host.empty() ? std::string{} : std::string{protocol::mail_channel};
  const auto found = std::find_if(settings.webhooks.begin(), settings.webhooks.end(),
                                  [&](const auto& each) { return each.preset == preset_of(target.what); });
  return found == settings.webhooks.end() ? std::string{} : found->name;
}

core::result<void> no_channel(const error_target& target) {
  const auto [host, port] = place_of(target);
  const std::string instead =
    target.what == form::mail ? "[mail]" : "a [[webhook]] with preset " + std::string{preset_of(target.what)};
  if (host.empty())
    return core::fail(core::errc::not_found, "this node has no channel for it: configure " + instead);
  return core::fail(core::errc::not_found, "the host " + core::valid_utf8(host) +
                                             " is not in elastic.error_targets, and this node has"
                                             " no channel instead: add the host, or configure " +
                                             instead);
}

} // namespace

bool is_allowed_target(const error_target& target, const std::vector<std::string>& allowed) {
  const auto [host, port] = place_of(target);
  if (host.empty())
    return false;
  return std::any_of(
    allowed.begin(), allowed.end(), [&, host = std::string_view{host}, port = std::string_view{port}](const std::string& each) {
      const auto parts = core::split_host_port(each);
      return parts.is_plain && core::equal_without_case(parts.host, host) && (!parts.port || *parts.port == port);
    });
}

core::result<void> place(protocol::notice& what, const notification_settings& settings) {
  if (!what.target)
    return {};
  const auto& target = *what.target;
  if (target.channel.empty() && is_allowed_target(target, settings.error_targets)) {
    // Not the name of a channel, which has no blank.
    what.channel = "target " + place_of(target).host;
    return {};
  }
  what.channel = channel_for(target, settings);
  if (what.channel.empty())
    return no_channel(target);
  what.target = nullptr;
  return {};
}

config::mail_settings mail_of(const error_target& target) {
  config::mail_settings out;
  out.host = target.host;
  out.port = target.port;
  out.tls = target.uses_tls ? "tls" : "none";
  out.user = target.user;
  out.password = target.password;
  out.from = target.from;
  return out;
}

config::webhook_settings webhook_of(const error_target& target) {
  config::webhook_settings out;
  out.url = target.url;
  out.preset = preset_of(target.what);
  out.secret = target.secret;
  return out;
}

} // namespace ringmaster::gateway
