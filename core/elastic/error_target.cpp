#include "core/elastic/error_target.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/text/mail_text.hpp"
#include "core/elastic/part_names.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core::elastic {

namespace {

using form = error_target::form;

constexpr std::array<std::pair<std::string_view, form>, 4> notifying_handlers{
  {{"EMAIL", form::mail}, {"WECHAT", form::wechat}, {"DINGTALK", form::dingtalk}, {"WEBHOOK", form::webhook}}};
/// Recipients of one message.
constexpr std::size_t recipients_max = 50;
constexpr std::array<std::string_view, 5> target_props{"error.channel", "email.", "wechat.", "dingtalk.", "webhook."};

std::optional<form> form_of(std::string_view error_handler) noexcept {
  for (const auto& [name, what] : notifying_handlers)
    if (name == error_handler)
      return what;
  return std::nullopt;
}

tl::unexpected<error> target_refused(std::string_view name, std::string_view why) {
  return fail(errc::invalid_argument, std::string{name}.append(": ").append(why));
}

result<void> add_recipients(error_target& to, std::string_view name, std::string_view list) {
  while (!list.empty()) {
    const auto address = trimmed(take_item(list));
    if (address.empty())
      continue;
    if (!is_mail_address(address))
      return target_refused(name, "invalid e-mail address \"" + valid_utf8(address) + '"');
    to.recipients.emplace_back(address);
  }
  if (to.recipients.size() > recipients_max)
    return target_refused(name, "more than " + std::to_string(recipients_max) + " addresses");
  return {};
}

result<error_target> mail_target(error_target out, const job_props& props) {
  for (const std::string_view name : {"email.to", "email.cc", "email.bcc"}) {
    if (auto added = add_recipients(out, name, prop_text(props, name)); !added)
      return tl::unexpected{std::move(added.error())};
    // The first one is `email.to`.
    if (out.recipients.empty())
      return target_refused(name, "missing; the error handler EMAIL needs it");
  }
  out.host = prop_text(props, "email.host");
  out.port = static_cast<std::uint16_t>(prop_number(props, "email.port"));
  out.user = prop_text(props, "email.username");
  out.password = prop_text(props, "email.password");
  out.from = prop_text(props, "email.from");
  out.uses_tls = prop_flag(props, "email.useSsl");
  out.subject = prop_text(props, "email.subject");
  const auto is_in_host = [](char c) {
    return c > ' ' && c < 0x7F && std::string_view{"/?#@\\"}.find(c) == std::string_view::npos;
  };
  if (!std::all_of(out.host.begin(), out.host.end(), is_in_host))
    return target_refused("email.host", "expected a host name or an address");
  if (out.host.empty() && is_notified_by_host(props))
    return target_refused("email.host", "missing; error.notify = host needs it");
  if (!out.host.empty() && !is_mail_address(out.from))
    return target_refused("email.from", "expected the e-mail address of the sender; email.host needs it");
  return out;
}

result<error_target> webhook_target(error_target out, std::string_view prefix, std::string_view handler, const job_props& props) {
  const std::string of{prefix};
  const auto url = of + (out.what == form::webhook ? ".url" : ".webhook");
  out.url = prop_text(props, url);
  if (out.url.empty() && out.channel.empty())
    return target_refused(url, "missing; the error handler " + std::string{handler} + " needs it, or error.channel");
  out.timeout =
    milliseconds{prop_number(props, of + ".connectTimeoutMilliseconds") + prop_number(props, of + ".readTimeoutMilliseconds")};
  if (out.what == form::dingtalk) {
    out.secret = prop_text(props, "dingtalk.secret");
    out.keyword = prop_text(props, "dingtalk.keyword");
  }
  return out;
}

} // namespace

bool notifies_users(std::string_view error_handler) noexcept { return form_of(error_handler).has_value(); }

bool is_notified_by_host(const job_props& props) { return prop_text(props, "error.notify") == "host"; }

result<error_target> error_target_of(std::string_view error_handler, const job_props& props) {
  const auto what = form_of(error_handler);
  if (!what)
    return target_refused("error_handler", "\"" + valid_utf8(error_handler) + "\" notifies no users");
  if (const auto by = prop_text(props, "error.notify"); by != "node" && by != "host")
    return target_refused("error.notify", "expected node or host");
  error_target out;
  out.what = *what;
  out.channel = prop_text(props, "error.channel");
  if (!out.channel.empty() && is_notified_by_host(props))
    return target_refused("error.channel", "channels belong to nodes; it excludes error.notify = host");
  switch (*what) {
  case form::mail: return mail_target(std::move(out), props);
  case form::wechat: return webhook_target(std::move(out), "wechat", error_handler, props);
  case form::dingtalk: return webhook_target(std::move(out), "dingtalk", error_handler, props);
  case form::webhook: break;
  }
  return webhook_target(std::move(out), "webhook", error_handler, props);
}

result<void> check_error_handler(std::string_view error_handler, const job_props& props) {
  if (!notifies_users(error_handler))
    return {};
  if (const auto target = error_target_of(error_handler, props); !target)
    return tl::unexpected{target.error()};
  return {};
}

std::string props_for_host(std::string_view error_handler, const std::string& text) {
  if (text.empty() || !notifies_users(error_handler))
    return text;
  auto props = parse_props(text);
  if (!props || is_notified_by_host(*props))
    return text;
  std::erase_if(*props, [](const auto& each) {
    return std::any_of(target_props.begin(), target_props.end(), [&](auto begin) { return each.first.starts_with(begin); });
  });
  return props_text(*props);
}

} // namespace ringmaster::core::elastic
