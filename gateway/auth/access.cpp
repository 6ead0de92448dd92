#include "gateway/auth/access.hpp"

#include <algorithm>
#include <array>

#include "core/access/api_key.hpp"
#include "core/text/ascii_case.hpp"
#include "core/text/network_text.hpp"
#include "core/text/text.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::gateway {

namespace {

namespace reply_text = protocol::wire::reply_text;

constexpr const char* token_header = "XXL-JOB-ACCESS-TOKEN";
/// Token header of releases 2.1.x.
constexpr const char* old_token_header = "XXL-RPC-ACCESS-TOKEN";
constexpr const char* app_name_header = "XXL-JOB-APPNAME";

/// Returns true when a proxy passed the request on. A proxy on this machine makes every client look local, and one that adds none
/// of these headers cannot be told from a client.
bool was_passed_on(const protocol::http_request& request) noexcept {
  constexpr std::array marks{"Via", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"};
  return std::any_of(marks.begin(), marks.end(), [&](const char* mark) { return request.find_header(mark) != nullptr; });
}

std::optional<executor_admission> of_group(std::string_view given, const group_tokens& tokens, core::time_point now) {
  using core::token_kind;
  if (!tokens.current.empty() && core::equal_in_constant_time(given, tokens.current))
    return executor_admission{{}, token_kind::group, tokens.group, tokens.groups};
  if (!tokens.previous.empty() && now < tokens.previous_until && core::equal_in_constant_time(given, tokens.previous))
    return executor_admission{{}, token_kind::previous, tokens.group, tokens.groups};
  return std::nullopt;
}

} // namespace

std::string_view app_header(const protocol::http_request& request) noexcept {
  const auto* app = request.find_header(app_name_header);
  return app && !core::is_blank(*app) ? std::string_view{*app} : std::string_view{};
}

executor_admission admit_executor(const protocol::http_request& request, const core::common_tokens& common,
                                  const token_book* groups, core::time_point now) {
  if (core::is_blank(common.current))
    return {};
  const auto given = executor_token(request);
  const bool named = request.find_header(app_name_header) != nullptr;
  const auto app = app_header(request);
  if (named && (app.empty() || core::is_blank(given)))
    return {reply_text::token_or_app_empty};
  const auto wrong = named ? reply_text::token_or_app_invalid : reply_text::token_wrong;
  const auto own = groups ? groups->find(std::string{app}) : token_book::const_iterator{};
  if (named && groups && own == groups->end())
    return {wrong};
  if (core::is_common_token(common, given, now))
    return {};
  if (!groups)
    return {wrong};
  if (named)
    return of_group(given, own->second, now).value_or(executor_admission{wrong});
  for (const auto& [name, tokens] : *groups)
    if (auto admitted = of_group(given, tokens, now))
      return *admitted;
  return {wrong};
}

std::optional<std::string> shown_key(const protocol::http_request& request) {
  constexpr std::string_view scheme = "bearer ";
  const auto* authorization = request.find_header("Authorization");
  if (!authorization || authorization->size() < scheme.size())
    return std::nullopt;
  const bool is_bearer = core::equal_without_case(std::string_view{*authorization}.substr(0, scheme.size()), scheme);
  const auto shown = core::trimmed(std::string_view{*authorization}.substr(scheme.size()));
  if (!is_bearer || !shown.starts_with(core::api_key_prefix))
    return std::nullopt;
  return std::string{shown};
}

std::string_view executor_token(const protocol::http_request& request) noexcept {
  const auto* token = request.find_header(token_header);
  if (!token)
    token = request.find_header(old_token_header);
  return token ? std::string_view{*token} : std::string_view{};
}

std::optional<std::string_view> bearer_token(const protocol::http_request& request) noexcept {
  constexpr std::string_view scheme = "Bearer ";
  const auto* authorization = request.find_header("Authorization");
  if (!authorization || !authorization->starts_with(scheme))
    return std::nullopt;
  return std::string_view{*authorization}.substr(scheme.size());
}

bool is_local(const protocol::http_request& request) noexcept {
  if (!request.remote_is_loopback || was_passed_on(request))
    return false;
  const auto* host = request.find_header("Host");
  return !host || core::is_loopback_host(*host);
}

} // namespace ringmaster::gateway
